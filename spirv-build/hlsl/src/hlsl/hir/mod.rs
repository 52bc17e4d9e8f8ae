//! The typed HIR: what an HLSL program means, with nothing left implicit.
//!
//! # What a consumer may rely on
//!
//! A [`Module`] exists only when the program has no errors. Then:
//!
//! **Types.** Every expression and place has its final type. No node has [`Type::Error`], a literal scalar or
//! [`Type::UnsizedArray`] of anything but resources. `float1` is `float`. Matrices carry no orientation as values;
//! memory orientation is on fields, globals and resource elements' fields ([`MatrixOrder`]).
//!
//! **Conversions are nodes.** [`ExprKind::Convert`] does one step: a component-wise [`Conversion::Cast`], a
//! [`Conversion::Splat`], a [`Conversion::Truncate`] or a [`Conversion::Reshape`]. Operands of [`ExprKind::Binary`] have
//! equal types (shape and component), which is also the result's except for comparisons, which give `bool` of that shape.
//! Enumerations compute as their scalar: a `Cast` stands between the enumeration and arithmetic.
//!
//! **Places and values.** A [`Place`] names storage, an [`Expr`] is a value. Storage is only read by
//! [`ExprKind::Load`] and [`ExprKind::TextureLoad`], and only written by [`ExprKind::Assign`], [`ExprKind::Update`], `out`
//! arguments, residency statuses and [`ExprKind::Atomic`]. An expression or place that is used is used exactly once: they form trees, with
//! [`ExprId`] and [`PlaceId`] as edges, in the arenas of their [`Function`]; arenas may hold unused nodes, to be ignored. Evaluation is left to right unless stated.
//! * `Assign { place, value }`: evaluate `value`, then the indices in `place`, then store. Its own value is `value`.
//! * `Update { place, operand, value, yields }` is `a op= b`, `++a` and `a++`: evaluate `operand` if there is one,
//!   then the indices in `place`, once; load; evaluate `value`, in which [`ExprKind::Current`] is what was loaded (of
//!   the place's type) and [`ExprKind::Operand`] is the operand's value; store `value`. `value` has the place's type, has
//!   no side effects, and contains no further `Update`.
//! * A place of kind [`PlaceKind::Swizzle`] that is written has no component twice.
//! * [`PlaceKind::Temp`] holds a value of its own: indexing into an rvalue, or the object of a method. As such an object it may be
//!   written; the copy is lost.
//!
//! **Expressions of type void** (calls, barriers, sequences ending in one) occur only as statements or inside
//! [`ExprKind::Sequence`].
//!
//! **Constants.** Everything that can be computed is folded. [`Const`] is a tree that mirrors its type: scalars are
//! leaves; vectors, arrays and structures are `Composite` (matrices: of rows).
//!
//! **Calls.** [`Module::functions`] is in call order: a callee stands before its callers; there is no recursion.
//! Parameters are the first [`Function::params`] locals. `in` arguments are values of the parameter's type. `out` and
//! `inout` copy out (in order of the parameters, after the call) through `copy_out`, an expression of the place's type over
//! [`ExprKind::Operand`], the parameter's final value. `inout` copies in through `copy_in`, of the parameter's type over
//! [`ExprKind::Current`]. [`ParamMode::Ref`] (the object of a method) aliases the caller's place, whose indices are
//! evaluated before the call; when [`Local::written`] is false the callee never writes it.
//!
//! **Control flow** is structured. [`Loop::step`] also runs after `continue`. Switch cases list their labels (labels
//! without statements between them are one case), and [`Case::falls_through`] says whether control may reach the next case's
//! body. `[unroll]` and its like are in the attributes. Declarations are [`StmtKind::Local`]; a local without
//! initialiser is undefined there, also in later iterations of a loop.
//!
//! **Resources.** Resource objects are values of [`Type::Resource`]; operations name the *place* that holds the handle
//! (a global, an element of an array of them, a local or a parameter). A `cbuffer` is a global of
//! [`Resource::Constant`], its contents the place [`PlaceKind::Block`]; loose uniforms form one called `$Globals`.
//! Elements of writable typed textures are places whose load or store moves a whole texel; writing a component of
//! one is an `Update`-like read-modify-write that sema already spelled out through [`PlaceKind::Swizzle`].
//! Reading through `[]` of a read-only texture is [`ExprKind::TextureLoad`] at level 0.
//!
//! **Globals.** Static variables whose initialiser folds have [`Global::value`]. The others are assigned, in the order of
//! declaration, by [`Module::initializer`], which each entry point must call first; those of functions where control reaches them first.
//!
//! **Depth.** Expressions nest up to [`crate::hlsl::parse::MAX_EXPR_DEPTH`] levels (conversions add a few), statements up to
//! [`crate::hlsl::parse::MAX_NESTING`]. Whoever recurses over them runs on [`crate::stack::on_large_stack`].
//!
//! **Spans.** Every node has one, and it points at the HLSL that the user wrote.
//!
//! Deliberately absent: names to be looked up, overloads, default arguments, templates, methods, operators of classes,
//! `typedef`s, attributes nobody asked for.
mod named;
mod node;
pub mod print;

pub use super::intrinsics::Intrinsic;
pub use super::operator::*;
pub use super::types::*;
pub use named::Named;
pub use node::*;

use crate::source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

super::entity! {
    /// A function of a [`Module`].
    FunctionId
}
super::entity! {
    /// A global of a [`Module`].
    GlobalId
}
super::entity! {
    /// A local variable (or parameter) of a [`Function`].
    LocalId
}
super::entity! {
    /// An expression of a [`Function`].
    ExprId
}
super::entity! {
    /// A place of a [`Function`].
    PlaceId
}

/// A checked program.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// All types.
    pub types: Types,
    /// Everything declared outside functions, and `static` locals.
    pub globals: Vec<Global>,
    /// Functions, callees before callers. Functions that nothing calls are included.
    pub functions: Vec<Function>,
    /// Entry points, in the order of the source.
    pub entry_points: Vec<EntryPoint>,
    /// Assigns the static variables whose initialiser does not fold; no parameters, returns void.
    pub initializer: Option<FunctionId>,
    /// How buffers lie in memory.
    pub layout: crate::hlsl::layout::LayoutRules,
    /// Decorations of globals.
    pub decorations: Vec<(GlobalId, Decoration)>,
    /// Extensions that `[[vk::ext_extension]]` asks for.
    pub extensions: Vec<String>,
    /// Capabilities that `[[vk::ext_capability]]` asks for, by number.
    pub capabilities: Vec<u32>,
    /// No arithmetic is contracted (`-Gis`).
    pub ieee_strict: bool,
    /// The globals that stand in the file itself, not in one that it includes.
    pub in_main: BTreeSet<GlobalId>,
}

impl Module {
    /// The function with this id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The global with this id.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    /// Whether anything is `precise`.
    pub fn has_precise(&self) -> bool {
        self.globals.iter().any(|g| g.precise)
            || self.functions.iter().any(|f| f.precise || f.locals.iter().any(|l| l.precise))
            || self.types.structs.iter().any(|s| s.fields.iter().any(|f| f.precise))
    }
}

/// A decoration that the source writes by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoration {
    /// Number.
    pub kind: u32,
    /// Operands.
    pub operands: DecorationOperands,
}

/// Operands of a [`Decoration`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecorationOperands {
    /// Words in the instruction.
    Literals(Vec<u32>),
    /// Strings.
    Texts(Vec<String>),
    /// Constants by their id.
    Numbers(Vec<u32>),
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    /// Name, as in the source.
    pub name: String,
    /// The function; it returns void and all its parameters are `in` system values.
    pub function: FunctionId,
    /// Threads a group.
    pub numthreads: [u32; 3],
    /// `[WaveSize(n)]`.
    pub wave_size: Option<WaveSize>,
    /// Execution modes that `vk::ext_execution_mode` asks for, in functions that it reaches: number and literals.
    pub modes: Vec<(u32, Vec<u32>)>,
    /// One row for each scalar or vector that the system provides.
    pub inputs: Vec<EntryInput>,
    /// The declaration.
    pub span: Span,
}

/// `[WaveSize(least, most, wanted)]`: powers of two from 4 to 128.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaveSize {
    /// Fewest lanes.
    pub least: u32,
    /// Most lanes.
    pub most: u32,
    /// What is best.
    pub wanted: Option<u32>,
}

/// A system value that an entry point takes.
#[derive(Clone, Debug)]
pub struct EntryInput {
    /// Which parameter (also its local) it is in.
    pub param: LocalId,
    /// Field indices from the parameter to the value; empty when the parameter is the value itself.
    pub path: Vec<u32>,
    /// Which value.
    pub value: SystemValue,
    /// The declared type: an `int` or `uint` scalar or vector with at most as many components as the value has. Convert
    /// (truncate and cast) from `uint` or `uint3`.
    pub ty: TypeId,
    /// The declaration.
    pub span: Span,
}

/// System values of compute kernels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SystemValue {
    /// `SV_DispatchThreadID`, a `uint3`.
    DispatchThreadId,
    /// `SV_GroupID`, a `uint3`.
    GroupId,
    /// `SV_GroupThreadID`, a `uint3`.
    GroupThreadId,
    /// `SV_GroupIndex`, a `uint`.
    GroupIndex,
}

impl SystemValue {
    /// Name as a semantic.
    pub fn name(self) -> &'static str {
        match self {
            Self::DispatchThreadId => "SV_DispatchThreadID",
            Self::GroupId => "SV_GroupID",
            Self::GroupThreadId => "SV_GroupThreadID",
            Self::GroupIndex => "SV_GroupIndex",
        }
    }

    /// Components.
    pub fn components(self) -> u8 {
        if self == Self::GroupIndex { 1 } else { 3 }
    }
}

/// Something declared outside functions.
#[derive(Clone, Debug)]
pub struct Global {
    /// Name, with namespaces; `cbuffer`s and resources have the name that the host sees.
    pub name: String,
    /// What it is.
    pub kind: GlobalKind,
    /// Its type.
    pub ty: TypeId,
    /// How matrices in it lie in memory, where that is not said by fields.
    pub order: MatrixOrder,
    /// The folded value of a static constant or initialised static variable, or a specialisation constant's default.
    pub value: Option<Const>,
    /// Whether it is declared `const`: it is written by its initialisation only.
    pub is_const: bool,
    /// `precise`.
    pub precise: bool,
    /// The declaration's name.
    pub span: Span,
}

impl Global {
    /// A variable without modifiers and without a value.
    pub(crate) fn new(name: impl Into<String>, kind: GlobalKind, ty: TypeId, span: Span) -> Self {
        let order = MatrixOrder::ColumnMajor;
        Self { name: name.into(), kind, ty, order, value: None, is_const: false, precise: false, span }
    }
}

/// What a [`Global`] is.
#[derive(Clone, Debug)]
pub enum GlobalKind {
    /// A resource object or array of them ([`Resource::Constant`] included).
    Resource(Box<Binding>),
    /// `[[vk::push_constant]]`: the contents of the block itself, of structure type.
    PushConstant,
    /// `[[vk::constant_id(n)]]`: a scalar that is chosen when the pipeline is made.
    SpecConstant(u32),
    /// An object of an opaque type that is bound as a resource is.
    Opaque(Box<Binding>),
    /// `[[vk::ext_builtin_input(n)]]`: what the system gives each thread.
    Input(u32),
    /// A structure or array that holds resources: its parts are globals of their own, and nothing names it.
    Group,
    /// `groupshared`.
    GroupShared,
    /// `static`: one for each thread.
    Static,
}

/// Where a resource is bound, as far as the source says.
#[derive(Clone, Debug, Default)]
pub struct Binding {
    /// `register(t3, space1)`.
    pub register: Option<Register>,
    /// `register(space1)`: only a space.
    pub space: Option<u32>,
    /// `[[vk::binding(binding, set)]]`; the set is 0 when left out.
    pub vk: Option<(u32, u32)>,
    /// `[[vk::counter_binding(n)]]`.
    pub counter: Option<u32>,
    /// For the elements of a descriptor heap: which, and binding and set if the options say.
    pub heap: Option<HeapKind>,
    /// `[[vk::image_format("rgba8")]]`.
    pub image_format: Option<String>,
    /// `globallycoherent`.
    pub coherent: bool,
    /// Number of the variable that it is a part of: a structure that holds resources, or an array of such.
    pub part_of: Option<u32>,
    /// Byte offset of each member and size of the whole, for constant buffers: the block's layout by the rules of HLSL, with
    /// `packoffset`.
    pub block: Option<BlockLayout>,
}

/// A descriptor heap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HeapKind {
    /// `ResourceDescriptorHeap`.
    Resource,
    /// `SamplerDescriptorHeap`.
    Sampler,
}

/// `register(...)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Register {
    /// `b`, `t`, `u` or `s`; `c` is a position in `$Globals`.
    pub class: char,
    /// Number.
    pub number: u32,
    /// Space.
    pub space: u32,
}

/// Byte offsets of a block's members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLayout {
    /// Offset of each field.
    pub offsets: Vec<u32>,
    /// Size in bytes, a multiple of 16.
    pub size: u32,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name, with namespaces and class.
    pub name: String,
    /// Number of parameters: they are the first locals.
    pub params: u32,
    /// Result type.
    pub ret: TypeId,
    /// Parameters, then local variables and compiler temporaries.
    pub locals: Vec<Local>,
    /// Expressions by [`ExprId`].
    pub exprs: Vec<Expr>,
    /// Places by [`PlaceId`].
    pub places: Vec<Place>,
    /// Statements.
    pub body: Block,
    /// `[noinline]` was asked for.
    pub noinline: bool,
    /// The result is `precise`.
    pub precise: bool,
    /// Decorations of a parameter or local variable, or of the function itself.
    pub decorations: Vec<(Option<LocalId>, Decoration)>,
    /// The declaration's name.
    pub span: Span,
}

impl Function {
    /// The expression with this id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// The place with this id.
    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.index()]
    }

    /// The variable that a place is a part of.
    pub fn root(&self, mut place: PlaceId) -> Option<Root> {
        loop {
            place = match &self.places.get(place.index())?.kind {
                PlaceKind::Global(g) => return Some(Root::Global(*g)),
                PlaceKind::Local(l) => return Some(Root::Local(*l)),
                kind => kind.base()?,
            };
        }
    }

    /// The local that a place is a part of.
    pub fn root_local(&self, place: PlaceId) -> Option<LocalId> {
        match self.root(place)? {
            Root::Local(l) => Some(l),
            Root::Global(_) => None,
        }
    }

    /// The local with this id.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.index()]
    }
}

/// A variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Root {
    /// A global.
    Global(GlobalId),
    /// A local or parameter.
    Local(LocalId),
}

/// A parameter, local variable or temporary.
#[derive(Clone, Debug)]
pub struct Local {
    /// Name; temporaries' names start with `$`.
    pub name: Arc<str>,
    /// Type.
    pub ty: TypeId,
    /// How it is passed, if it is a parameter.
    pub mode: Option<ParamMode>,
    /// Whether it is declared `const`.
    pub is_const: bool,
    /// Its value, when it is `const` and its initialiser folds.
    pub value: Option<Const>,
    /// `precise`.
    pub precise: bool,
    /// Whether anything writes it after its initialisation (through methods and `out` arguments as well).
    pub written: bool,
    /// Whether anything names it behind its declaration.
    pub named: bool,
    /// The declaration's name.
    pub span: Span,
}

impl Local {
    /// A variable without modifiers, which counts as used: nobody is warned of it.
    pub(crate) fn new(name: Arc<str>, ty: TypeId, mode: Option<ParamMode>, span: Span) -> Self {
        let (is_const, precise, written, named) = (false, false, false, true);
        Self { name, ty, mode, is_const, value: None, precise, written, named, span }
    }
}

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ParamMode {
    /// By value.
    In,
    /// Copied out after the call; undefined before.
    Out,
    /// Copied in and out.
    InOut,
    /// The object of a method: an alias of the caller's place.
    Ref,
}
