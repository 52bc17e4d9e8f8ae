//! The table of diagnostic codes. A code never changes its meaning; a retired code is not used again.
use super::Severity;

macro_rules! codes {
    (@flag) => { None };
    (@flag $flag:literal) => { Some($flag) };
    (@severity Quiet) => { Severity::Warning };
    (@severity $severity:ident) => { Severity::$severity };
    (@quiet Quiet) => { true };
    (@quiet $severity:ident) => { false };
    ($($name:ident $id:literal $severity:ident $(($flag:literal))? $title:literal, $help:literal;)*) => {
        /// What a diagnostic is about.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $title] $name,)* }

        impl Code {
            /// All codes in the order of their ids.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The id that is shown and that `--explain` takes.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// How severe it is unless options say otherwise.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => codes!(@severity $severity),)* }
            }

            /// Whether it is a warning that is only given where an option asks for it.
            pub fn is_quiet(self) -> bool {
                match self { $(Self::$name => codes!(@quiet $severity),)* }
            }

            /// The name that `-W` and `-Wno-` take, if it warns, or is an error that may be made a warning.
            pub fn flag(self) -> Option<&'static str> {
                match self { $(Self::$name => codes!(@flag $($flag)?),)* }
            }

            /// A short title.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// What it means and what to do.
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$name => $help,)* }
            }

            /// The code with this id, in any case.
            pub fn from_id(id: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|c| c.id().eq_ignore_ascii_case(id))
            }
        }
    };
}

codes! {
    // Characters and tokens.
    UnexpectedCharacter "H0001" Error "unexpected character", "The character belongs to no HLSL token. Often it was pasted from a formatted document: typographic quotes, a non-breaking space, a stray `@` or `$`.";
    UnterminatedComment "H0002" Error "comment is never closed", "A `/*` has no matching `*/` before the end of the file. Comments do not nest.";
    UnterminatedString "H0003" Error "string is never closed", "A string literal must end with `\"` on the line where it starts.";
    BadNumber "H0004" Error "malformed number", "Numbers are decimal, `0x` hexadecimal (with a `p` and a power of two also with a fraction), `0` octal or `0b` binary, with the suffixes `u`, `l` and `ul` (32 bits), `ll` and `ull` (64 bits), or `h`, `f`, `l` (double), `f16`, `f32`, `f64`.";
    NumberTooLarge "H0005" Error "number does not fit its type", "An integer literal needs more than 64 bits, or more than its suffix gives it.";
    FileTooLarge "H0006" Error "source file is too large", "A single source file is limited in size so that every position fits in 32 bits.";
    UnknownEscape "H0007" Warning("unknown-escape-sequence") "unknown escape", "Behind a backslash stand `n`, `t`, `r`, `a`, `b`, `v`, `f`, `e`, a quote or another backslash, up to three octal digits, or `x` and hexadecimal ones. Of any other character the backslash is ignored.";
    UnreadableFile "H0008" Error "source file cannot be read", "A source is a file of text in UTF-8, or in UTF-16 with a byte order mark. Devices and pipes cannot be included: they may have no end.";
    ForeignLanguage "H0009" Error "source in another language", "The file has words that HLSL never has, and another language for kernels always. Kernels are written in HLSL, or come as LLVM IR.";
    // Preprocessor.
    UnknownDirective "H0101" Error "unknown preprocessor directive", "Known directives are define, undef, include, if, ifdef, ifndef, elif, else, endif, error, warning, line and pragma.";
    BadMacroDefinition "H0102" Error "malformed macro definition", "A macro is `#define NAME body` or `#define NAME(a, b) body`; with no space between the name and the parenthesis.";
    MacroRedefined "H0103" Warning("macro-redefined") "macro is defined again with another body", "The later definition wins. Write `#undef` first to say that this is meant.";
    MacroArgumentCount "H0104" Error "wrong number of macro arguments", "A function-like macro takes as many arguments as it has parameters. Commas inside parentheses do not separate.";
    UnterminatedMacroCall "H0105" Error "macro arguments are never closed", "The `(` after a macro's name has no matching `)` before the end of the file.";
    BadPaste "H0106" Error "`##` does not form one token", "The two tokens around `##`, written next to each other, must be one valid token.";
    IncludeNotFound "H0107" Error "included file was not found", "An include is looked for beside the including file and then in the include directories, in order.";
    BadInclude "H0108" Error "malformed #include", "Write `#include \"file\"` or `#include <file>`, or a macro that expands to one of these.";
    BadCondition "H0109" Error "malformed preprocessor condition", "The condition of `#if` is an integer expression of numbers, `defined(NAME)` and macros; unknown names are 0.";
    UnbalancedConditional "H0110" Error "conditional directive without #if", "`#elif`, `#else` and `#endif` belong to an `#if`, `#ifdef` or `#ifndef` in the same file.";
    UnterminatedConditional "H0111" Error "conditional is never closed", "Every `#if` needs an `#endif` in the same file.";
    ErrorDirective "H0112" Error "#error", "The source asked for this error with `#error`.";
    WarningDirective "H0113" Warning("#warnings") "#warning", "The source asked for this warning with `#warning`.";
    IncludeTooDeep "H0114" Error "includes are nested too deeply", "Probably a file includes itself. `#pragma once` at its top prevents that.";
    ExpansionTooLarge "H0115" Error "macro expansion is too large", "Macros expanded to more tokens than a sensible kernel has, usually because they double each other.";
    UnknownPragma "H0116" Warning("unknown-pragmas") "unknown pragma", "The pragma is ignored. Known are `once`, `pack_matrix` and `warning`.";
    ConditionalsTooDeep "H0117" Error "conditionals are nested too deeply", "There is a limit on how deeply `#if` may nest.";
    BadLine "H0118" Error "malformed #line", "Write `#line 12` or `#line 12 \"file\"`.";
    // Grammar.
    UnexpectedToken "H0201" Error "unexpected token", "The grammar of HLSL does not allow this token here. The mistake is often just before it.";
    MissingSemicolon "H0202" Error "missing `;`", "Statements, declarations and structures end with `;`.";
    UnclosedDelimiter "H0203" Error "bracket is never closed", "Every `(`, `[` and `{` needs its partner.";
    NestingTooDeep "H0204" Error "nesting is too deep", "Expressions, statements and types may nest only so deeply. Split the expression into several, or the function into helpers.";
    ExpectedExpression "H0205" Error "expected an expression", "A value was expected here.";
    ExpectedType "H0206" Error "expected a type", "A declaration starts with a type.";
    BadDeclaration "H0207" Error "malformed declaration", "Declarations are `type name`, with array sizes, semantics and an initialiser behind the name.";
    BadModifier "H0208" Error "modifier does not fit", "Each modifier belongs to certain declarations: `groupshared` and `uniform` to global variables, `in` and `out` to parameters, `row_major` to matrices, `globallycoherent` to resources that can be written. Some exclude each other. `volatile` is reserved.";
    GroupsharedParameter "H0209" Warning("hlsl-groupshared-202x") "groupshared parameter", "From HLSL 202x on a `groupshared` parameter stands for the groupshared variable that is given. Before, the word is ignored there, and the argument is copied.";
    EffectsSyntax "H0211" Warning("effects-syntax") "syntax of effects is ignored", "Blocks of states behind a variable belong to the effect files of Direct3D 9 to 11. The compiler reads over them.";
    // Names.
    Undeclared "H0301" Error "name is not declared", "Names must be declared before they are used.";
    UnknownType "H0302" Error "type is not known", "Types must be declared before they are used.";
    Redeclared "H0303" Error "name is declared twice", "In one scope a name can be declared once. Functions may be overloaded by their parameter types.";
    NoMember "H0304" Error "no such member", "The type has no member of this name.";
    NoMethod "H0305" Error "no such method", "The type has no method of this name.";
    BadSwizzle "H0306" Error "bad swizzle", "A swizzle takes 1 to 4 components from `xyzw` or `rgba` (not mixed) that the vector has; of a matrix, `_m00` or `_11`.";
    NotAValue "H0307" Error "not a value", "A type, namespace or function was used where a value is needed.";
    NotAType "H0308" Error "not a type", "A value was used where a type is needed.";
    // Types.
    TypeMismatch "H0401" Error "types do not match", "There is no implicit conversion between these types.";
    ImplicitTruncation "H0402" Warning("conversion") "vector is truncated", "A larger vector or matrix is converted to a smaller one and loses components. Write a swizzle or a cast to say that this is meant.";
    BadOperands "H0403" Error "operator cannot take these operands", "The operator is not defined for these types.";
    NotAssignable "H0404" Error "cannot be assigned to", "Only variables, their components and elements of writable resources can be assigned to.";
    WriteToConst "H0405" Error "constant is written", "What is declared `const`, and everything in constant buffers, keeps its value. Copy it to a local variable first.";
    WriteToReadOnly "H0406" Error "read-only resource is written", "Resources without `RW` in their name cannot be written.";
    BadIndex "H0407" Error "cannot be indexed", "Arrays, vectors, matrices and some resources can be indexed, with an integer.";
    IndexOutOfRange "H0408" Error "index is out of range", "The constant index is not less than the number of elements.";
    InitializerCount "H0409" Error "wrong number of initialisers", "An initialiser list gives one scalar for each scalar of what it initialises; its elements are flattened first.";
    NotConstant "H0410" Error "not a constant", "Array sizes, case labels and attribute arguments must be known at compile time: literals, `static const` variables and operations on them.";
    BadArraySize "H0411" Error "bad array size", "An array has at least one element and must fit into memory.";
    BadCast "H0412" Error "cannot be cast", "A cast needs at least as many components in the source as in the destination, and no resources.";
    ConditionNotScalar "H0413" Error "condition is not a scalar", "Conditions, and operands of `&&`, `||` and `?:`, are scalar. For vectors there are `any`, `all`, `and`, `or` and `select`.";
    DivisionByZero "H0414" Error "division by zero", "An integer is divided by a constant zero.";
    VoidValue "H0415" Error "value of type void", "The function returns nothing, so there is no value to use.";
    MissingInitializer "H0416" Error "constant without value", "A `const` variable needs an initialiser.";
    RepeatedComponent "H0417" Error "component is written twice", "A swizzle that is assigned to cannot name a component twice.";
    BadVariableType "H0418" Error "variable cannot have this type", "Variables cannot be `void`, and resources cannot be in structures of buffers.";
    NumberTooLargeForType "H0419" Warning("constant-conversion") "constant changes its value", "The constant does not fit the type it is converted to.";
    TypeTooLarge "H0420" Error "type is too large", "The type needs more memory than a kernel can address, has too many parts, or too many levels of structures and arrays.";
    TypeRecursion "H0421" Error "type contains itself", "A structure cannot have a member of its own type.";
    MixedSign "H0422" Warning("sign-compare") "comparison of signed with unsigned", "The signed operand is converted to unsigned; a negative value becomes large.";
    StaticAssert "H0423" Error "static assertion failed", "The condition of a `static_assert` is false.";
    LoopVariable "H0424" Warning("for-redefinition") "loop variable takes the place of another", "Up to HLSL 2018 a variable that is declared in the head of a `for` is known behind the loop as well, and of two with one name the last is meant. From HLSL 2021 on it belongs to the loop.";
    Narrowing "H0425" Warning("narrowing") "conversion to a smaller type", "A number is converted to a type with fewer bits: what does not fit is lost. Write a cast to say that this is meant.";
    CommaInInit "H0426" Warning("comma-in-init") "comma where a list may be meant", "`(1, 2, 3)` is its last value. A vector is written `float3(1, 2, 3)`.";
    LosesPrecision "H0427" Warning("float-conversion") "conversion loses precision", "The operation is one of `float` only, so that a `double` is rounded first.";
    SelfInit "H0428" Warning("uninitialized") "variable is used in its own initialiser", "A variable is visible in its own initialiser, where it has no value yet; one of the same name in a block around it is hidden.";
    ConstWithoutValue "H0429" Warning("const-without-value") "constant without value", "A `const` variable without an initialiser keeps a value that nothing gave it: zero if it is static, any if it is local.";
    Uninitialized "H0430" Warning("uninitialized") "variable is read before it has a value", "Nothing has written the variable on any way to here. What it holds is undefined, and differs between devices.";
    SometimesUninitialized "H0431" Quiet("sometimes-uninitialized") "variable may be read before it has a value", "There are ways to here on which nothing has written the variable. Give it a value where it is declared.";
    ConditionalUninitialized "H0432" Quiet("conditional-uninitialized") "variable may be read before it has a value", "If the loop before this runs no round, or no case of the switch fits, nothing has written the variable. Give it a value where it is declared.";
    Tautological "H0433" Warning("tautological-compare") "comparison has always the same result", "An unsigned number is never less than 0, and every number equals itself.";
    SignCompare "H0434" Quiet("sign-compare") "comparison of signed with unsigned", "The signed operand is converted to unsigned; a negative value becomes large. Cast one of the operands to say what is meant.";
    ShiftCount "H0435" Warning("shift-count-overflow") "shift by more than there are bits", "The count of a shift is taken modulo the number of bits: to shift a `uint` by 32 is to shift it by 0.";
    LiteralConversion "H0436" Warning("literal-conversion") "constant loses its fraction", "An integer takes the whole part of a constant. Write a cast to say that this is meant.";
    FloatToInt "H0437" Quiet("float-conversion") "number loses its fraction", "An integer takes the whole part of a number. Write a cast, `round`, `floor` or `ceil` to say what is meant.";
    UnusedVariable "H0438" Quiet("unused-variable") "variable is never used", "Nothing names the variable behind its declaration.";
    // Functions.
    NoOverload "H0501" Error "no function takes these arguments", "A function of this name exists, but not with parameters that the arguments convert to.";
    AmbiguousCall "H0502" Error "call is ambiguous", "Several overloads fit equally well. Cast an argument to choose.";
    NotCallable "H0503" Error "not a function", "Only functions, methods and types can be called.";
    Recursion "H0504" Error "recursion", "HLSL functions cannot call themselves, directly or through others. Use a loop.";
    MissingReturn "H0505" Error("return-type") "function may end without a value", "Every path through a function that returns a value should end in `return`. `-Wno-return-type` lets it be: then the value is zero there.";
    BadReturn "H0506" Error "return does not fit the function", "A function that returns a value must give one, and a `void` function must not.";
    ArgumentNotAssignable "H0507" Error "`out` argument cannot be assigned to", "The argument of an `out` or `inout` parameter must be a variable of a type that converts.";
    NotDefined "H0508" Error "function is declared but not defined", "The function that is called has a prototype but no body.";
    Redefined "H0509" Error "function is defined twice", "Two functions of the same name and parameter types both have a body.";
    BadDefault "H0510" Error "bad default argument", "Parameters behind one with a default value need one too.";
    BadInstruction "H0511" Error "instruction of SPIR-V breaks a rule", "A function with `[[vk::ext_instruction(n)]]` is the instruction of that number; its parameters are the operands, in the order of the SPIR-V specification. The types that it is declared with must be those that the specification asks for, and operands that it calls literals need `[[vk::ext_literal]]`.";
    OutNotWritten "H0512" Warning("parameter-usage") "`out` parameter is never written", "What the caller gets from an `out` parameter that the function does not write is undefined. Write it on every way through the function, or make it `inout`.";
    UnusedFunction "H0513" Quiet("unused-function") "function is never used", "Nothing calls the `static` function.";
    // Statements.
    MisplacedBreak "H0601" Error "`break` outside a loop or switch", "`break` leaves the innermost loop or switch.";
    MisplacedContinue "H0602" Error "`continue` outside a loop", "`continue` goes on with the next iteration of the innermost loop.";
    DuplicateCase "H0603" Error "case label occurs twice", "Each value can have one `case`, and a switch one `default`.";
    BadSwitch "H0604" Error "cannot switch on this type", "`switch` takes an integer.";
    CaseFallsThrough "H0605" Error "case falls through", "A case with statements must end in `break`, `return` or `continue`. Several labels may share one body.";
    NotInCompute "H0606" Error "not available in compute shaders", "The feature belongs to another shader stage.";
    BadAttribute "H0607" Error "malformed attribute", "The attribute takes other arguments.";
    UnknownAttribute "H0608" Warning("unknown-attributes") "attribute is ignored", "The attribute is not known, or has no meaning here.";
    UnusedResult "H0609" Warning("unused-value") "statement has no effect", "The value is computed and dropped. Was `=` meant instead of `==`?";
    NewerShaderModel "H0610" Error("hlsl-availability") "needs a newer shader model", "The feature came with a later shader model than the profile names (`-T`). Where the device has it all the same, `-Wno-error=hlsl-availability` makes this a warning.";
    NewerConstant "H0611" Warning("hlsl-availability-constant") "constant of a newer shader model", "What the constant asks for came with a later shader model than the profile names (`-T`). Its value is known all the same.";
    AssignedCondition "H0612" Warning("parentheses") "assignment as a condition", "`=` assigns, `==` compares. A second pair of parentheses says that the assignment is meant.";
    Precedence "H0613" Warning("parentheses") "comparison binds closer", "`a & b == c` is `a & (b == c)`. Parentheses say which is meant.";
    LogicalPrecedence "H0614" Warning("logical-op-parentheses") "`&&` within `||`", "`a || b && c` is `a || (b && c)`. Parentheses say that this is meant.";
    BitwisePrecedence "H0615" Warning("bitwise-op-parentheses") "`&` within `|`", "`a | b & c` is `a | (b & c)`. Parentheses say that this is meant.";
    ShiftPrecedence "H0616" Warning("shift-op-parentheses") "sum within a shift", "`a << b + c` is `a << (b + c)`. Parentheses say that this is meant.";
    DanglingElse "H0617" Warning("dangling-else") "`else` of the inner `if`", "An `else` belongs to the `if` just before it, whatever the lines look like. Braces say which is meant.";
    EmptyBody "H0618" Warning("empty-body") "empty body", "The `;` behind the parenthesis is the whole body; what follows is not part of it. Where that is meant, write `{}`.";
    // Entry points, resources and memory.
    EntryNotFound "H0701" Error "entry point was not found", "The function named as the entry point must be defined at the top level of the file.";
    MissingNumthreads "H0702" Error "entry point without `numthreads`", "A compute entry point says how many threads a group has: `[numthreads(64, 1, 1)]`.";
    BadNumthreads "H0703" Error "bad `numthreads`", "The three numbers are at least 1; x and y at most 1024, z at most 64, and their product at most 1024. Where derivatives are taken, by `ddx` or by sampling without a level, the product is a multiple of 4.";
    BadEntrySemantic "H0704" Error "entry point parameter without a system value", "Each parameter of a compute entry point needs SV_DispatchThreadID, SV_GroupID, SV_GroupThreadID or SV_GroupIndex, and an integer type.";
    BadEntrySignature "H0705" Error "bad entry point signature", "A compute entry point returns void, and its parameters are `in`.";
    NoEntryPoint "H0706" Error "no entry point", "No function has `[numthreads(x, y, z)]`.";
    BadRegister "H0707" Error "bad register", "Registers are `b` for constant buffers, `t` for read-only and `u` for writable resources, `s` for samplers, each with a number; then optionally `space` and a number.";
    BadPackoffset "H0708" Error "bad packoffset", "`packoffset(c2.y)` places a member of a cbuffer; it must not cross a 16-byte row or overlap another member.";
    BadVkAttribute "H0709" Error "bad vk attribute", "The `vk::` attribute takes other arguments, or does not apply to this declaration.";
    BadAtomic "H0710" Error "not usable in an atomic operation", "Interlocked functions work on an `int` or `uint` (exchanges also on `float`) in groupshared memory or in a writable resource.";
    BadElementType "H0711" Error "resource cannot have this element type", "Typed buffers and textures hold scalars and vectors of up to four components; structured buffers hold anything without resources.";
    BlockTooLarge "H0712" Warning("constant-buffer-size") "constant buffer is too large for most devices", "Direct3D and most Vulkan devices take constant buffers of at most 65536 bytes. `maxUniformBufferRange` tells what a device takes.";
    BadGroupshared "H0713" Error "bad groupshared variable", "Groupshared variables are global, have no initialiser, and hold no resources.";
    BadProfile "H0714" Error "unknown target profile", "The profile is `cs_6_0` to `cs_6_10`, or `lib_6_3` to `lib_6_10` or `lib_6_x` for all functions with `[shader(\"compute\")]`; other shader stages are not supported.";
    UnboundedArray "H0715" Error "array without size", "Only arrays of resources, and arrays with an initialiser, may leave out their size.";
    PackoffsetMix "H0716" Warning("packoffset-mix") "some members have a packoffset, others none", "A member without packoffset lies behind the one before it. Place all members of a cbuffer, or none.";
    ResourceChoice "H0717" Error "resource is chosen at run time", "HLSL wants to know of each use which variable the resource is. Elements of one array may be chosen by an index, or in branches. `-fselect-resources`, or `Config::select_resources` in a build script, lifts the rule: each use becomes a choice between all that the variable may hold.";
    DivergentBarrier "H0718" Error("divergent-barrier") "barrier that not all threads reach", "All threads of a group have to meet at a barrier with group sync; where some stay away, what happens is undefined. Branches, loops and early returns around one must depend on what is the same for the group: constants, `SV_GroupID`, groupshared memory. `-Wno-error=divergent-barrier`, or `Config::divergent_barriers` in a build script, makes this a warning. Where a condition comes from memory only the run can tell: on the CPU the launch then ends with an error that names the line.";
    PromotedProfile "H0719" Warning("promoted-profile") "profile of an older shader model", "Profiles before `cs_6_0` are taken as `cs_6_0`: there is no SPIR-V of older shader models.";
    SharedRegister "H0720" Warning("shared-register") "two resources in one register", "Two resources that one entry point uses name the same register of the same space. The stub binds each by its name all the same; elsewhere they would be one.";
    // Limits and gaps.
    TargetLacks "H0801" Error "the target environment lacks something", "The kernel needs a capability, an extension or a version of SPIR-V that the chosen target environment does not have.";
    NotSupported "H0901" Error "not supported yet", "This is valid HLSL which this compiler does not translate yet. It says so instead of guessing.";
    TooMany "H0902" Error "limit exceeded", "The program is larger than the compiler's limits.";
    UnknownWarning "H0903" Warning("unknown-warning-option") "unknown warning", "`-W`, `-Wno-`, `-Werror=` and `-Wno-error=` take the name of a warning, which stands behind its message, or of a group: `conversion`, `unused`, `everything`.";
    LlvmImport "H0910" Error "LLVM IR cannot be taken over", "The module is no LLVM IR that can be read, or uses something that has no form in a kernel, or none yet.";
    LlvmExport "H0911" Error "no form in LLVM IR", "The kernel uses something that LLVM IR has no form for, or none yet. The message names the instruction.";
    Internal "H0999" Error "the compiler made a mistake", "This is a bug in the compiler. Please report it together with the kernel.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_ascending() {
        assert!(Code::ALL.windows(2).all(|w| w[0].id() < w[1].id()));
        assert!(Code::ALL.iter().all(|c| Code::from_id(&c.id().to_lowercase()) == Some(*c)));
    }

    #[test]
    fn every_warning_has_a_name() {
        assert!(Code::ALL.iter().all(|c| c.flag().is_some() || c.severity() != Severity::Warning));
    }
}
