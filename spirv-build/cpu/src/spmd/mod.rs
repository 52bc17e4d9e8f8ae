//! SPMD waves: a kernel as straight-line code over vectors, with masks.
//!
//! [`build::build`] turns one entry function of the IR (inlined, returns merged, variables promoted) into a [`Program`]: every
//! value is taken apart into scalar [`Leaf`]s, each with a [`Shape`] that tells how far it varies, and control flow on
//! conditions that vary becomes masks. `cpu::emit` prints it as Rust.
//!
//! # Execution
//!
//! A work-group is run by one thread. Its items are cut into waves of `W` lanes (`W` belongs to the instruction set
//! and is not known here). Outside [`Stmt::Waves`] a statement runs once a group; inside, once a wave, for all lanes
//! at once. A barrier ends a `Waves` statement: every wave has then done what stands before it.
//!
//! # Masks
//!
//! A mask is a leaf of kind [`Kind::Bool`] and shape varying. Each statement that touches memory has the mask of the
//! lanes that do. Lanes that are off compute garbage: nothing else may depend on it. Where lanes part and meet
//! again, only values that live on are blended ([`Stmt::Blend`]).
//!
//! * A selection on a uniform condition is an `if`. On a varying one each side runs under its own mask, and only if
//!   that has a lane.
//! * A loop that all lanes leave together is a loop. Otherwise it runs until its mask is empty; results are blended
//!   as lanes leave, loop-carried values are not.
//! * `break` and `continue` of some lanes clear them from the mask; the mask of what is around is put
//!   together again where the sides meet, and what is left to run is skipped when no lane is.
//!
//! # Values across barriers
//!
//! A leaf that does not vary within the group is computed outside the waves. A varying one that is used in another
//! `Waves` statement than it is made in is spilled: [`Stmt::SpillStore`] at the end of the one, [`Stmt::SpillLoad`] at
//! the start of the other, to a slot with room for each wave.
//!
//! # Widths
//!
//! 8- and 16-bit integers are 32-bit leaves with zeros above, halfs are 32-bit floats that are rounded after every
//! operation. In memory that the host sees they have their own size, elsewhere a word. 64-bit leaves are two words in memory.

pub mod build;
mod constants;
mod control;
mod group;
mod images;
mod inst;
mod memory;
pub mod ops;
mod samples;
mod subgroup;
mod trips;
mod widths;

pub use crate::analysis::leaves::Kind;
pub use crate::analysis::uniformity::Shape;
use crate::ir::Global;
use crate::ir::entity::PrimaryMap;
use crate::source::Span;
use smallvec::SmallVec;

pub(crate) use inst::builtin_shape as inst_builtin_shape;
pub use ops::Row;
pub use samples::{Sample, SampleLevel};

crate::entity! {
    /// A scalar of a [`Program`].
    Leaf = "v";
    /// A target of [`Stmt::Exit`].
    Label = "'l";
    /// Per-wave memory for a leaf that lives across barriers.
    Slot = "spill";
    /// A function-scope variable that stays in memory.
    Private = "private";
    /// A constant table: a variable that is only ever read.
    Table = "TABLE";
    /// The statements of one [`Stmt::Waves`].
    Segment = "segment";
}

/// What is known of a leaf.
#[derive(Debug, Clone)]
pub struct LeafData {
    /// What it is.
    pub kind: Kind,
    /// How far it varies.
    pub shape: Shape,
    /// Segment it is made in; None: outside the waves.
    pub home: Option<Segment>,
}

/// An operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arg {
    /// A leaf.
    Leaf(Leaf),
    /// A constant by its bits (bool: 0 or 1).
    Const(Kind, u32),
    /// A constant of 64 bits.
    Wide(Kind, u64),
    /// A system value.
    Builtin(Builtin),
    /// The mask of the lanes that are work-items of the group.
    Active,
}

/// System values, one component each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Builtin {
    /// `SV_GroupID`, component.
    GroupId(u8),
    /// Number of groups, component.
    GroupCount(u8),
    /// `SV_GroupThreadID`, component.
    LocalId(u8),
    /// `SV_DispatchThreadID`, component.
    GlobalId(u8),
    /// `SV_GroupIndex`.
    LocalIndex,
    /// Index of the lane in its wave.
    Lane,
    /// Lanes of a wave.
    LaneCount,
    /// A bit for each lane of a wave.
    AllLanes,
    /// Index of the wave in its group.
    WaveIndex,
    /// Waves of a group.
    WaveCount,
}

/// Read-modify-write operations, by their number in the preludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Atomic {
    /// Sum.
    Add = 0,
    /// Difference.
    Sub = 1,
    /// Bits that both have.
    And = 2,
    /// Bits that one has.
    Or = 3,
    /// Bits that only one has.
    Xor = 4,
    /// Smaller, signed.
    SMin = 5,
    /// Larger, signed.
    SMax = 6,
    /// Smaller, unsigned.
    UMin = 7,
    /// Larger, unsigned.
    UMax = 8,
    /// The new value.
    Exchange = 9,
    /// The new value if the old one is the comparator.
    CompareExchange = 10,
    /// The old value.
    Load = 11,
    /// The new value; nobody asks for the old one.
    Store = 12,
}

/// Where a memory operation goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Resource slot of the CPU ABI, by the index of the resource.
    Resource(u32),
    /// groupshared memory: byte offset and size of the variable.
    Shared {
        /// First byte.
        offset: u32,
        /// Bytes.
        size: u32,
    },
    /// A function-scope array: each lane has its own.
    Private(Private),
    /// A constant table.
    Table(Table),
    /// Local memory whose size the launch chooses: the resource's slot.
    Local(u32),
    /// What a 64-bit address says: the index of such an [`Address`] is the address itself.
    Physical,
}

/// What addresses may do with a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It has no address.
    Nothing,
    /// It may be read.
    Read,
    /// It may be read and written.
    Write,
}

/// An address: `konst + index * stride` bytes into a [`Memory`]. For `Private` and `Table` it counts words, not bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// Memory.
    pub memory: Memory,
    /// Constant part.
    pub konst: u32,
    /// Variable part and what it is scaled by.
    pub index: Option<(Arg, u32)>,
}

/// What the slot of a resource tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Texels in a row; of a typed buffer, its elements.
    Width,
    /// Rows.
    Height,
    /// Slices or layers.
    Depth,
    /// Cubes: six layers each.
    Cubes,
    /// Bytes of a buffer.
    Bytes,
    /// Levels.
    Levels,
    /// Words from one row to the next.
    RowWords,
    /// Words from one slice or layer to the next.
    SliceWords,
}

/// An image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageRef {
    /// Resource slot.
    pub slot: u32,
    /// Which one, if it is an array of resources.
    pub element: Option<Arg>,
}

/// Coordinates of a texel: x, y, and the slice or layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Texel {
    /// Zero for those that the image does not have.
    pub coords: [Arg; 3],
    /// Whether the image has slices or layers.
    pub deep: bool,
}

/// A statement.
#[derive(Debug, Clone)]
pub enum Stmt {
    /// Defines a leaf by an operation on others.
    Let {
        /// Result.
        dst: Leaf,
        /// Operation.
        op: &'static Row,
        /// Operands.
        args: SmallVec<[Arg; 3]>,
    },
    /// Declares a leaf that is assigned later; None: zero.
    Var {
        /// The leaf.
        dst: Leaf,
        /// First value.
        init: Option<Arg>,
    },
    /// Assigns leaves, all at once.
    Assign(Vec<(Leaf, Arg)>),
    /// Assigns in the lanes of a mask.
    Blend {
        /// The leaf.
        dst: Leaf,
        /// Lanes.
        mask: Arg,
        /// New value.
        src: Arg,
    },
    /// `dst = a & b`; a mask.
    MaskAnd {
        /// Result, declared by this statement.
        dst: Leaf,
        /// Mask.
        a: Arg,
        /// Condition.
        b: Arg,
        /// Takes the lanes where the condition is false.
        not: bool,
    },
    /// Reads memory. Out of bounds: zero.
    Load {
        /// Result.
        dst: Leaf,
        /// Where.
        address: Address,
        /// Bytes: 4, or fewer, to be filled up with zeros.
        bytes: u32,
        /// Lanes that read.
        mask: Arg,
    },
    /// Writes memory. Out of bounds: nothing.
    Store {
        /// Where.
        address: Address,
        /// Bytes: 4, or fewer, the lowest.
        bytes: u32,
        /// What.
        src: Arg,
        /// Kind of what is written.
        kind: Kind,
        /// Lanes that write.
        mask: Arg,
    },
    /// Reads, combines and writes as one, lane by lane in order.
    Atomic {
        /// Value before, if anyone wants it.
        dst: Option<Leaf>,
        /// What it does.
        op: Atomic,
        /// Where.
        address: Address,
        /// Operands: value; for compare-exchange, value and comparator.
        args: SmallVec<[Arg; 2]>,
        /// Lanes that do it.
        mask: Arg,
    },
    /// An operation across the lanes of a wave.
    Across {
        /// Result; the wave's or each lane's, as the operation has it.
        dst: Leaf,
        /// Name of the prelude's operation.
        name: String,
        /// Operands.
        args: SmallVec<[Arg; 2]>,
        /// Lanes that take part.
        mask: Arg,
    },
    /// Reads a texel. Out of bounds: zero.
    ImageLoad {
        /// Components.
        dst: [Leaf; 4],
        /// Which image.
        image: ImageRef,
        /// Where.
        at: Texel,
        /// Level, if it is not the first; one that is not there reads as zero.
        level: Option<Arg>,
        /// Lanes that read.
        mask: Arg,
    },
    /// Samples an image.
    Sample(Box<Sample>),
    /// Writes a texel of the first level. Out of bounds: nothing.
    ImageStore {
        /// Which image.
        image: ImageRef,
        /// Where.
        at: Texel,
        /// Components.
        src: [Arg; 4],
        /// Kind of the components.
        kind: Kind,
        /// Lanes that write.
        mask: Arg,
    },
    /// A number that the slot of a resource has.
    Size {
        /// Result.
        dst: Leaf,
        /// Resource slot.
        slot: u32,
        /// Which.
        what: Size,
    },
    /// The same of a level of an image: zero where there is no such level.
    LevelSize {
        /// Result, which varies.
        dst: Leaf,
        /// Which image.
        image: ImageRef,
        /// Which.
        what: Size,
        /// Level.
        level: Arg,
        /// Lanes that ask.
        mask: Arg,
    },
    /// Orders memory operations of this thread with those of others.
    Fence,
    /// `if` on a uniform condition.
    If {
        /// Condition.
        cond: Arg,
        /// If true.
        then: Vec<Stmt>,
        /// If false.
        els: Vec<Stmt>,
    },
    /// Runs if a lane is on.
    IfAny {
        /// Mask.
        mask: Arg,
        /// Statements.
        body: Vec<Stmt>,
    },
    /// Runs once; `Exit` leaves it.
    Block {
        /// Its label.
        label: Label,
        /// Statements.
        body: Vec<Stmt>,
    },
    /// Runs until `Exit` leaves it.
    Loop {
        /// Its label.
        label: Label,
        /// Looks now and then whether the launch is to end.
        looks: bool,
        /// Statements.
        body: Vec<Stmt>,
    },
    /// Leaves a block or loop.
    Exit(Label),
    /// Leaves a block or loop if no lane is on.
    ExitIfNone {
        /// Mask.
        mask: Arg,
        /// Target.
        label: Label,
    },
    /// Once for every wave of the group.
    Waves(Segment),
    /// Saves a leaf for other segments.
    SpillStore {
        /// Where.
        slot: Slot,
        /// What.
        src: Arg,
    },
    /// Gets a saved leaf.
    SpillLoad {
        /// Result.
        dst: Leaf,
        /// Where.
        slot: Slot,
    },
    /// Takes the truth value that all invocations of the group agree on, which are on in a mask (outside the waves). Where
    /// they do not, it is a fault.
    Agree {
        /// Result, uniform.
        dst: Leaf,
        /// Where.
        slot: Slot,
        /// Saved mask; None: all of them are on.
        mask: Option<Slot>,
        /// Which fault.
        fault: usize,
    },
    /// A barrier that lanes may have left for good before (outside the waves): where all have, nothing is left to run; where
    /// some have, it is a fault.
    Meet {
        /// Saved mask.
        mask: Slot,
        /// What to leave.
        label: Label,
        /// Which fault.
        fault: usize,
    },
    /// Takes a leaf's value from the first lane of the first wave (outside the waves). All have the same.
    SpillFirst {
        /// Result, uniform.
        dst: Leaf,
        /// Where.
        slot: Slot,
    },
}

/// A function-scope variable in memory.
#[derive(Debug, Clone)]
pub struct PrivateData {
    /// Words for each lane.
    pub words: u32,
    /// Name in the source.
    pub name: String,
}

/// What every wave of a group does between two barriers.
#[derive(Debug, Clone)]
pub struct SegmentData {
    /// Leaves the body, not the rest.
    pub label: Label,
    /// Runs first: the mask, reloaded leaves.
    pub prelude: Vec<Stmt>,
    /// The work.
    pub body: Vec<Stmt>,
    /// Runs last: saves the mask.
    pub epilogue: Vec<Stmt>,
}

/// A kernel.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Entry point.
    pub name: String,
    /// Work-items of a group.
    pub local_size: [u32; 3],
    /// Leaves.
    pub leaves: PrimaryMap<Leaf, LeafData>,
    /// Labels in use.
    pub labels: PrimaryMap<Label, ()>,
    /// Spill slots and the kind of their leaf.
    pub slots: PrimaryMap<Slot, Kind>,
    /// Function-scope variables.
    pub privates: PrimaryMap<Private, PrivateData>,
    /// Constant tables: words of their leaves.
    pub tables: PrimaryMap<Table, Vec<u32>>,
    /// Bodies of the `Waves` statements.
    pub segments: PrimaryMap<Segment, SegmentData>,
    /// Statements that run once a launch: loads of constants.
    pub prologue: Vec<Stmt>,
    /// Statements that run once a group.
    pub body: Vec<Stmt>,
    /// Bytes of groupshared memory.
    pub shared: u32,
    /// Where invocations must agree: faults, by their place.
    pub faults: Vec<Span>,
    /// Has operations across lanes.
    pub across: bool,
    /// Samples images.
    pub samples: bool,
    /// Slots of local memory whose size the launch chooses.
    pub locals: Vec<u32>,
    /// For each slot, what addresses may do with it; empty where there are no addresses.
    pub reach: Vec<Reach>,
    /// Resources in slot order.
    pub resources: Vec<Global>,
    /// Lanes of a wave, where the program says.
    pub wave: Option<u32>,
    /// Specialization constants by their number: they lie eight bytes apart in the slot behind the resources.
    pub constants: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::Shape;

    /// What every join of a lattice is, or else results would depend on the order in which values are visited.
    #[test]
    fn shapes_are_a_lattice() {
        let all = [Shape::Launch, Shape::Group, Shape::Wave, Shape::Contiguous, Shape::Varying];
        for a in all {
            assert_eq!(a.join(a), a);
            assert_eq!(a.join(Shape::Varying), Shape::Varying);
            assert!(a.scattered().join(a) == a.scattered());
            for b in all {
                assert_eq!(a.join(b), b.join(a));
                for c in all {
                    assert_eq!(a.join(b).join(c), a.join(b.join(c)), "{a:?} {b:?} {c:?}");
                }
            }
        }
    }
}
