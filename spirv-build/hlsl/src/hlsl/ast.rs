//! The syntax tree: what was written, with nothing looked up.
//!
//! Expressions live in one arena ([`Ast::exprs`]) and own nothing, so that no input can make dropping the tree recurse deeply:
//! what they consist of besides other expressions lies in arenas of its own. Everything else is owned by its parent and nests no deeper than [`crate::hlsl::parse::MAX_NESTING`].
use super::lex::Number;
use super::types::MatrixOrder;
use crate::source::{Span, Symbol};
use smallvec::SmallVec;

super::entity! {
    /// An expression of an [`Ast`].
    ExprId
}

super::entity! {
    /// A name that is an expression of an [`Ast`].
    PathId
}

super::entity! {
    /// A type in an expression of an [`Ast`].
    TypeExprId
}

super::entity! {
    /// Template arguments in an expression of an [`Ast`].
    TemplateArgsId
}

/// Expressions between commas, in an expression of an [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExprList {
    /// Place of the first in [`Ast::lists`].
    pub start: u32,
    /// How many.
    pub len: u32,
}

/// A parsed program.
#[derive(Debug, Default)]
pub struct Ast {
    /// Expressions by [`ExprId`].
    pub exprs: Vec<Expr>,
    /// Names by [`PathId`].
    pub paths: Vec<Path>,
    /// Expressions of all [`ExprList`]s.
    pub lists: Vec<ExprId>,
    /// Types by [`TypeExprId`].
    pub types: Vec<TypeExpr>,
    /// Template arguments by [`TemplateArgsId`].
    pub template_args: Vec<Vec<TemplateArg>>,
    /// Each `>>` that closes two lists of template arguments.
    pub joined_angles: Vec<Span>,
    /// Declarations at the top level.
    pub items: Vec<Item>,
}

impl Ast {
    /// The expression with this id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// The name with this id.
    pub fn path(&self, id: PathId) -> &Path {
        &self.paths[id.index()]
    }

    /// The expressions of this list.
    pub fn list(&self, list: ExprList) -> &[ExprId] {
        &self.lists[list.start as usize..][..list.len as usize]
    }

    /// The type with this id.
    pub fn type_expr(&self, id: TypeExprId) -> &TypeExpr {
        &self.types[id.index()]
    }

    /// The template arguments with this id.
    pub fn args(&self, id: TemplateArgsId) -> &[TemplateArg] {
        &self.template_args[id.index()]
    }
}

/// A name where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: Symbol,
    /// Where.
    pub span: Span,
}

/// A name with qualification: `a::b`, `::a`.
#[derive(Clone, Debug)]
pub struct Path {
    /// Whether it starts with `::`.
    pub global: bool,
    /// Never empty.
    pub parts: SmallVec<[Name; 1]>,
    /// Template arguments of the last part.
    pub args: Option<Vec<TemplateArg>>,
    /// Template arguments of a part before it, with its position: `S<int>::f`.
    pub scope_args: Option<Box<(usize, Vec<TemplateArg>)>>,
    /// All of it.
    pub span: Span,
}

impl Path {
    /// Its first parts, without template arguments.
    pub(crate) fn upto(&self, parts: usize) -> Path {
        let parts = self.parts[..parts].into();
        Path { global: self.global, parts, args: None, scope_args: None, span: self.span }
    }

    /// What stands before its last name.
    pub(crate) fn owner(&self) -> Option<Path> {
        (self.parts.len() > 1).then(|| self.upto(self.parts.len() - 1))
    }

    /// The last part.
    pub fn last(&self) -> Name {
        self.parts[self.parts.len() - 1]
    }
}

/// An argument of a template.
#[derive(Clone, Debug)]
pub enum TemplateArg {
    /// A type.
    Type(TypeExpr),
    /// A constant.
    Expr(ExprId),
}

/// A type as written, with array dimensions where the grammar has them (casts, template arguments).
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// Which.
    pub kind: TypeKind,
    /// Qualifiers before it.
    pub quals: Quals,
    /// `[n]` behind it.
    pub dims: Vec<Option<ExprId>>,
    /// All of it.
    pub span: Span,
}

/// Kinds of written types.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// A name, built in or declared.
    Named(Path),
    /// A structure declared here.
    Struct(Box<Struct>),
    /// An enumeration declared here.
    Enum(Box<Enum>),
    /// `auto`: what the initialiser is.
    Auto,
    /// What could not be read; a diagnostic was given.
    Error,
}

macro_rules! qualifiers {
    ($($name:ident $bit:literal $text:literal)*) => {
        /// A set of qualifiers.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct Quals(pub u64);

        #[allow(missing_docs)] // Named after their keywords.
        impl Quals {
            $(pub const $name: Self = Self(1 << $bit);)*

            /// Keyword of each qualifier.
            pub const WORDS: &'static [(Self, &'static str)] = &[$((Self::$name, $text),)*];
        }
    };
}

qualifiers! {
    STATIC 0 "static" CONST 1 "const" EXTERN 2 "extern" UNIFORM 3 "uniform" GROUPSHARED 4 "groupshared" PRECISE 5 "precise"
    VOLATILE 6 "volatile" ROW_MAJOR 7 "row_major" COLUMN_MAJOR 8 "column_major" SHARED 9 "shared" INLINE 10 "inline"
    IN 11 "in" OUT 12 "out" INOUT 13 "inout" NOINTERPOLATION 14 "nointerpolation" LINEAR 15 "linear" CENTROID 16 "centroid"
    NOPERSPECTIVE 17 "noperspective" SAMPLE 18 "sample" GLOBALLYCOHERENT 19 "globallycoherent" UNORM 20 "unorm" SNORM 21 "snorm"
    EXPORT 22 "export" POINT 23 "point" LINE 24 "line" TRIANGLE 25 "triangle" LINEADJ 26 "lineadj" TRIANGLEADJ 27 "triangleadj"
    VERTICES 28 "vertices" INDICES 29 "indices" PRIMITIVES 30 "primitives" PAYLOAD 31 "payload"
    CENTER 32 "center" REORDERCOHERENT 33 "reordercoherent"
}

impl Quals {
    /// Whether all of `other` are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set without what `other` has.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The keyword of one qualifier.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(q, _)| *q == self).map_or("", |(_, w)| w)
    }

    /// The keywords in the set.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        Self::WORDS.iter().filter(move |(q, _)| self.has(*q)).map(|(_, w)| *w)
    }
}

/// `[name(args)]` or `[[ns::name(args)]]`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// `vk` in `[[vk::binding(0)]]`.
    pub scope: Option<Name>,
    /// Name.
    pub name: Name,
    /// Arguments.
    pub args: Vec<ExprId>,
    /// All of it.
    pub span: Span,
}

/// A declaration.
#[derive(Clone, Debug)]
pub struct Item {
    /// Which.
    pub kind: ItemKind,
    /// Attributes before it.
    pub attrs: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// Kinds of declarations.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// Variables, or only the structure or enumeration in the type.
    Vars(VarDecl),
    /// A function or method.
    Function(Box<Function>),
    /// `cbuffer` or `tbuffer`.
    Buffer(Box<BufferBlock>),
    /// `namespace`.
    Namespace(Name, Vec<Item>),
    /// `typedef` or `using X = T`.
    Typedef(Box<VarDecl>),
    /// `template<…>` before a declaration.
    Template(Vec<TemplateParam>, Box<Item>),
    /// `using namespace X;`
    UsingNamespace(Path),
    /// `using X::name;`
    UsingName(Path),
    /// `static_assert(condition, "message")`
    StaticAssert(ExprId, Option<Symbol>),
    /// Understood, not supported.
    Unsupported(&'static str),
    /// A lone `;`, or what could not be read.
    Empty,
}

/// A parameter of a template.
#[derive(Clone, Debug)]
pub struct TemplateParam {
    /// Name.
    pub name: Option<Name>,
    /// `None` for `typename`, else the type of a value parameter.
    pub ty: Option<TypeExpr>,
    /// What it is when left out.
    pub default: Option<TemplateArg>,
}

/// Variables of one type.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// Type with qualifiers.
    pub ty: TypeExpr,
    /// What `#pragma pack_matrix` says here.
    pub default_order: Option<MatrixOrder>,
    /// Names.
    pub declarators: Vec<Declarator>,
}

/// A name that is declared.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Name.
    pub name: Name,
    /// Before the name: the class whose static member is defined, as in `S<T>::x`.
    pub owner: Option<Box<Path>>,
    /// Behind the name: the arguments that a template of variables is specialised for.
    pub args: Option<Vec<TemplateArg>>,
    /// `[n]`, outermost first.
    pub dims: Vec<Option<ExprId>>,
    /// Width of a bit field.
    pub bits: Option<ExprId>,
    /// Behind `:`.
    pub annotations: Vec<Annotation>,
    /// Behind `=`.
    pub init: Option<ExprId>,
}

/// What stands behind the `:` of a declaration.
#[derive(Clone, Debug)]
pub enum Annotation {
    /// `: SV_GroupID`.
    Semantic(Name),
    /// `: register(t0, space1)`; the words in the parentheses.
    Register(Vec<Name>, Span),
    /// `: packoffset(c0.y)`.
    PackOffset(Name, Option<Name>, Span),
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Result type with qualifiers.
    pub ret: TypeExpr,
    /// Name; for `S::f` with its class.
    pub name: Path,
    /// The operator that the function overloads: the name is then `operator+` and the like.
    pub operator: bool,
    /// Parameters.
    pub params: Vec<Param>,
    /// Semantics of the result.
    pub annotations: Vec<Annotation>,
    /// A `const` method.
    pub is_const: bool,
    /// Statements; a prototype has none.
    pub body: Option<Vec<Stmt>>,
    /// The closing brace.
    pub end: Span,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// Type with qualifiers.
    pub ty: TypeExpr,
    /// Name and the rest; the name may be empty.
    pub decl: Declarator,
}

/// A structure.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Name.
    pub name: Option<Name>,
    /// Whether it is an `interface`.
    pub interface: bool,
    /// Arguments behind the name: a specialisation of a template.
    pub args: Option<Vec<TemplateArg>>,
    /// What it extends.
    pub bases: Vec<TypeExpr>,
    /// Members; `None` for a declaration without body.
    pub members: Option<Vec<Item>>,
    /// From keyword to name.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Name.
    pub name: Option<Name>,
    /// `enum class`.
    pub scoped: bool,
    /// Behind `:`.
    pub underlying: Option<TypeExpr>,
    /// Values.
    pub values: Vec<(Name, Option<ExprId>)>,
    /// From keyword to name.
    pub span: Span,
}

/// `cbuffer` or `tbuffer`.
#[derive(Clone, Debug)]
pub struct BufferBlock {
    /// Whether it is a `tbuffer`.
    pub texture: bool,
    /// Name.
    pub name: Name,
    /// Register.
    pub annotations: Vec<Annotation>,
    /// Members.
    pub members: Vec<Item>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Attributes before it.
    pub attrs: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `e;`
    Expr(ExprId),
    /// A declaration.
    Item(Box<Item>),
    /// `{ … }`
    Block(Vec<Stmt>),
    /// `if`; the condition may declare a variable.
    If(Condition, Box<Stmt>, Option<Box<Stmt>>),
    /// `for`.
    For {
        /// Declaration or expression.
        init: Option<Box<Stmt>>,
        /// Condition.
        cond: Option<ExprId>,
        /// Step.
        step: Option<ExprId>,
        /// Body.
        body: Box<Stmt>,
    },
    /// `while`.
    While(Condition, Box<Stmt>),
    /// `do`.
    Do(Box<Stmt>, ExprId),
    /// `switch`; labels are statements in the body.
    Switch(ExprId, Vec<Stmt>),
    /// `case x:`
    Case(ExprId),
    /// `default:`
    Default,
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;`
    Return(Option<ExprId>),
    /// `discard;`
    Discard,
    /// `;`, or what could not be read.
    Empty,
}

/// A condition.
pub type Condition = ExprId;

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    /// A number.
    Number(Number),
    /// `true` or `false`.
    Bool(bool),
    /// A string.
    Str(Symbol),
    /// A name.
    Path(PathId),
    /// `this`.
    This,
    /// `-a` and the like.
    Prefix(PrefixOp, ExprId),
    /// `a++`; true for `a--`.
    Postfix(bool, ExprId),
    /// `a + b` and the like.
    Binary(BinOp, ExprId, ExprId),
    /// `a = b`, `a += b`.
    Assign(Option<BinOp>, ExprId, ExprId),
    /// `a ? b : c`.
    Ternary(ExprId, ExprId, ExprId),
    /// `(T)a`.
    Cast(TypeExprId, ExprId),
    /// `f(a)`, also `T(a)` of a named type.
    Call(ExprId, ExprList),
    /// `a.b` or, of a template method, `a.b<T>`.
    Member(ExprId, Name, Option<TemplateArgsId>),
    /// `a[b]`.
    Index(ExprId, ExprId),
    /// `{ a, b }`.
    InitList(ExprList),
    /// `a, b`.
    Comma(ExprId, ExprId),
    /// `sizeof(T)`.
    SizeofType(TypeExprId),
    /// `sizeof a`.
    SizeofExpr(ExprId),
    /// `(a)`.
    Paren(ExprId),
    /// What could not be read; a diagnostic was given.
    Error,
}

/// Prefix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrefixOp {
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `!`.
    Not,
    /// `~`.
    BitNot,
    /// `++`.
    Inc,
    /// `--`.
    Dec,
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinOp {
    /// An operator that the HIR has as well.
    Plain(super::operator::BinaryOp),
    /// `&&`.
    And,
    /// `||`.
    Or,
}

impl BinOp {
    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Plain(op) => op.symbol(),
            Self::And => "&&",
            Self::Or => "||",
        }
    }
}
