//! The SPIR-V dialect: SPIR-V's semantic level, shaped for transformation.
//!
//! # What it is
//!
//! An operation mirrors a SPIR-V instruction: `(opcode, result type, operands)` with the operands in the order of
//! the specification, `<id>` operands being [`Value`]s and literals and enumerants being numbers. What the
//! binary format spreads over a module is folded into what it describes:
//!
//! | SPIR-V | here |
//! | --- | --- |
//! | `OpType*` with `Offset`, `ArrayStride`, `MatrixStride`, `Block` | interned [`Type`]s that carry their layout and decorations |
//! | `OpConstant*` | interned [`Const`]s; a function refers to one by a value without a position ([`ValueDef::Const`]) |
//! | module-scope `OpVariable` | [`Global`] with interface attributes; its address is a value ([`ValueDef::Global`]) |
//! | `OpDecorate*`, `OpMemberDecorate*` | [`Decorations`], which sit on what they decorate |
//! | `OpPhi` | block arguments |
//! | `OpSelectionMerge`, `OpLoopMerge` | the structured operations below |
//! | capabilities, extensions | computed from what the module uses (`target`) |
//!
//! # Structured control flow
//!
//! | operation | operands | regions | results |
//! | --- | --- | --- | --- |
//! | [`Opcode::Selection`] | condition (bool) | then, else | what `Merge` or nothing passes |
//! | [`Opcode::Switch`] | selector, then pairs (`Wide` case value, `Literal` region index) | default, case 1, ... | what `Merge`/`Break` pass |
//! | [`Opcode::Loop`] | initial values of the body's arguments | body, continuing | what `Break` passes |
//!
//! Every region of a structured operation has one block. A block ends in exactly one terminator:
//!
//! | terminator | allowed in | meaning |
//! | --- | --- | --- |
//! | `Merge v*` | selection, switch | ends this region; `v` are the operation's results |
//! | `Break v*` | anywhere inside a loop body or switch region | leaves the innermost loop or switch; `v` its results |
//! | `Continue v*` | anywhere inside a loop body | goes to the continuing region; `v` its arguments |
//! | `Next v*` | continuing region, not nested | next iteration; `v` the body's arguments |
//! | `NextIf c n* b*` | continuing region, not nested | next iteration with `n` if `c`, else leaves the loop with `b` |
//! | `Return`, `ReturnValue v`, `Unreachable` | anywhere | as in the specification |
//!
//! A value may be used in the block that defines it, after its definition, and in every region nested there. The
//! continuing region sees values from outside the loop and its own arguments, not those of the body.
//!
//! A function body may instead be a plain control-flow graph (what LLVM IR gives): a region of several blocks
//! that end in `Branch`, `BranchConditional` and `Switch` with [`InstData::successors`]. `structurize` turns it
//! into the structured form, which is what every pass and back end expects.
//!
//! # What is deliberately absent
//!
//! No use lists (a pass that wants them computes them), no references between functions other than calls, no
//! instruction order at module level, no hand-written list of operations.

pub mod builder;
pub mod constant;
pub mod debug;
pub mod declared;
pub mod decoration;
pub mod edit;
pub mod entity;
pub mod float;
pub mod fold;
pub mod function;
pub mod module;
pub mod normal;
pub mod opcode;
pub mod parse;
pub mod print;
pub mod rare;
pub mod slots;
pub mod types;
pub mod unique;
pub mod verify;
pub mod walk;
pub mod words;

pub use builder::Builder;
pub use constant::{ADDRESS_OPS, Const, ConstKind, ConstOperand, ConstSymbol, ConstTable, SPEC_OPS};
pub use declared::{
    Counter, Declared, Extent, Heap, HlslResource, KernelArg, MatrixOrder, ScalarKind, WaveSize,
};
pub use decoration::{Decorated, Decoration, DecorationOperand, Decorations};
pub use edit::Cursor;
pub use float::float_bits;
pub use function::{
    Block, BlockData, CallSite, Function, Inst, InstData, Operand, Region, RegionData, Successor, Value,
    ValueData, ValueDef,
};
pub use module::{
    BufferAccess, Context, EntryPoint, Func, Global, GlobalData, Interface, Mode, ModeOperands, Module,
    ResourceClass,
};
pub use normal::normal_form;
pub use opcode::{Opcode, ResourceOp};
pub use slots::{resource_order, slots};
pub use spirv_spec::{BuiltIn, Capability, Dim, ExtSet, GlslOp, ImageFormat, Op, StorageClass};
pub use types::{
    CustomType, ImageType, MatrixLayout, Member, OpaqueType, StructType, Type, TypeKind, TypeOperand,
    TypeTable, parts,
};
