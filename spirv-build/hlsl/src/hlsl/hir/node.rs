//! Nodes of function bodies: statements, expressions, places. See the rules in [`crate::hlsl::hir`].
use super::*;

/// A constant; its shape follows its type.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// `bool`.
    Bool(bool),
    /// Any integer, sign-extended (signed) or zero-extended (unsigned) from its width into 64 bits.
    Int(i64),
    /// Any floating-point number; already rounded to its type's precision.
    Float(f64),
    /// Components of a vector, rows of a matrix, elements of an array, fields of a structure.
    Composite(Vec<Const>),
}

/// A list of statements with a scope of its own.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// The source.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Evaluates and drops the value.
    Expr(ExprId),
    /// Declares a local; its lifetime is the enclosing block.
    Local {
        /// Which.
        local: LocalId,
        /// Its value; undefined without.
        init: Option<ExprId>,
    },
    /// A scope.
    Block(Block),
    /// `if`.
    If {
        /// A `bool`.
        cond: ExprId,
        /// When true.
        then: Block,
        /// When false.
        otherwise: Option<Block>,
        /// `[branch]` or `[flatten]`.
        hint: Option<BranchHint>,
    },
    /// `for`, `while`, `do`.
    Loop(Loop),
    /// `switch`.
    Switch(Switch),
    /// Leaves the innermost loop or switch.
    Break,
    /// Goes to the innermost loop's step (or condition).
    Continue,
    /// Leaves the function.
    Return(Option<ExprId>),
}

/// How to execute a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BranchHint {
    /// `[branch]`.
    Branch,
    /// `[flatten]`.
    Flatten,
}

/// A loop. A `for`'s declarations stand before it in the same [`Block`].
#[derive(Clone, Debug)]
pub struct Loop {
    /// Whether the condition is tested after the body (`do`) instead of before it.
    pub test_after: bool,
    /// A `bool`; without it the loop ends only by `break` or `return`.
    pub cond: Option<ExprId>,
    /// Runs after each iteration, before the condition.
    pub step: Option<ExprId>,
    /// The body.
    pub body: Block,
    /// `[unroll]`, `[unroll(n)]`, `[loop]`.
    pub hint: Option<LoopHint>,
}

/// How to execute a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopHint {
    /// `[unroll]`; the number is the most iterations to make.
    Unroll(Option<u32>),
    /// `[loop]`, `[fastopt]`: do not unroll.
    Loop,
}

/// A switch.
#[derive(Clone, Debug)]
pub struct Switch {
    /// An `int` or `uint` scalar of 32 bits.
    pub value: ExprId,
    /// In the order of the source.
    pub cases: Vec<Case>,
    /// `[branch]`, `[flatten]`, `[forcecase]`.
    pub hint: Option<BranchHint>,
}

/// A group of labels and what they do. No label occurs twice in a switch; at most one case is the default.
#[derive(Clone, Debug)]
pub struct Case {
    /// Values, in the type of the switch.
    pub labels: Vec<i64>,
    /// Whether `default:` is among the labels.
    pub is_default: bool,
    /// Statements; a `break` that ends the body is still in it.
    pub body: Block,
    /// Whether control can run off the end of the body, into the next case (or out of the switch for the last).
    pub falls_through: bool,
    /// The first label.
    pub span: Span,
}

impl Case {
    /// A case without labels and statements.
    pub(crate) fn at(span: Span) -> Case {
        Case { labels: Vec::new(), is_default: false, body: Block::default(), falls_through: false, span }
    }
}

/// A value.
#[derive(Clone, Debug)]
pub struct Expr {
    /// How it is computed.
    pub kind: ExprKind,
    /// Its type.
    pub ty: TypeId,
    /// The source.
    pub span: Span,
}

/// How a value is computed.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Known.
    Const(Const),
    /// All bits zero, of any type without resources; `(S)0` of large types.
    Zero,
    /// Reads storage.
    Load(PlaceId),
    /// In [`ExprKind::Update`] and `copy_in`: what the place held.
    Current,
    /// In [`ExprKind::Update`]: the operand. In `copy_out`: the parameter's final value.
    Operand,
    /// One operand of the result's type (for `Not`: `bool` components).
    Unary(UnaryOp, ExprId),
    /// Two operands of equal type.
    Binary(BinaryOp, ExprId, ExprId),
    /// `&&` and `||`: scalar `bool`s; the second operand is evaluated only if needed.
    ShortCircuit {
        /// Whether it is `&&`.
        and: bool,
        /// First operand.
        lhs: ExprId,
        /// Second operand.
        rhs: ExprId,
    },
    /// `?:` with a scalar `bool`: only one of the two is evaluated. Types equal the result's. May be of any type.
    Ternary {
        /// Condition.
        cond: ExprId,
        /// When true.
        then: ExprId,
        /// When false.
        otherwise: ExprId,
    },
    /// One conversion step from the operand's type to this node's.
    Convert(Conversion, ExprId),
    /// A vector from scalars, a matrix from **rows**, an array from elements, a structure from fields (a base is field
    /// 0): one operand for each, of exactly that type.
    Construct(Vec<ExprId>),
    /// Components of a vector, 1 to 4 of them, possibly repeated; one component gives a scalar.
    Swizzle(ExprId, Components),
    /// Elements of a matrix (row, column), 1 to 4 of them; one gives a scalar.
    MatrixSwizzle(ExprId, Vec<(u8, u8)>),
    /// Component of a vector, row of a matrix, element of an array or field of a structure, at a constant position.
    Extract(ExprId, u32),
    /// Calls a function.
    Call(FunctionId, Vec<Arg>),
    /// Computes an intrinsic; operand types are as the intrinsic's row says.
    Intrinsic(Intrinsic, Vec<ExprId>),
    /// Writes storage.
    Assign {
        /// Where.
        place: PlaceId,
        /// What, of the place's type.
        value: ExprId,
    },
    /// Reads, computes, writes.
    Update {
        /// Where.
        place: PlaceId,
        /// Evaluated first; [`ExprKind::Operand`] in `value`.
        operand: Option<ExprId>,
        /// The new value, over [`ExprKind::Current`] and [`ExprKind::Operand`].
        value: ExprId,
        /// Which value the expression itself has.
        yields: Yields,
    },
    /// Evaluates all in order; the last one's value is the result, unless the sequence's own type is void: then the value is
    /// dropped. Never empty.
    Sequence(Vec<ExprId>),
    /// Reads one texel of a texture or typed buffer. The node's type is the texture's element type.
    TextureLoad {
        /// The texture.
        resource: PlaceId,
        /// `int` or `uint` scalar or vector with one component for each coordinate, the layer last.
        coord: ExprId,
        /// Level of detail, an `int` or `uint`; absent for buffers, multisampled and writable textures.
        lod: Option<ExprId>,
        /// Sample, an `int`; only for multisampled textures.
        sample: Option<ExprId>,
        /// `int` scalar or vector, one component for each dimension without the layer.
        offset: Option<ExprId>,
        /// Where the residency status goes, a `uint`.
        status: Option<PlaceId>,
    },
    /// Samples a texture, gathers from it, or asks for the level that sampling would read. The type is the texture's element
    /// type; a vector of four of its components for gathers; a scalar for comparisons; `float` for levels.
    Sample(Box<Sample>),
    /// Asks about a resource; a `uint`.
    Query {
        /// The resource.
        resource: PlaceId,
        /// What is asked.
        query: Query,
        /// For width, height, depth and elements: the level of detail, a `uint`.
        lod: Option<ExprId>,
    },
    /// An atomic read-modify-write; its value is what the place held before, of the place's type.
    Atomic {
        /// Operation.
        op: AtomicOp,
        /// A scalar integer (or, for exchange, float) in groupshared memory or in a writable resource.
        place: PlaceId,
        /// Operand, of the place's type.
        value: ExprId,
        /// Only for compare-exchange: the value compared with.
        compare: Option<ExprId>,
    },
    /// Counts a buffer's counter up or down; a `uint`: the index that is now free to use (up: what the counter was, down: what
    /// it becomes).
    Counter {
        /// A structured buffer.
        resource: PlaceId,
        /// Whether it counts down.
        down: bool,
    },
    /// `printf`; void. Values are scalars or vectors of 32 bits (or 64-bit integers).
    Printf {
        /// The format.
        format: String,
        /// Values.
        args: Vec<ExprId>,
    },
    /// Waits or orders memory; void.
    Barrier(Barrier),
    /// An instruction that the source names by number (`[[vk::ext_instruction]]`).
    Spirv(SpirvOp, Vec<SpirvArg>),
}

/// What [`ExprKind::Sample`] does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleOp {
    /// Samples.
    Sample,
    /// Takes a component of four texels.
    Gather(u8),
    /// The level that sampling would read, within those that there are.
    Level,
    /// The level, also outside those that there are.
    LevelUnclamped,
}

/// Operands of [`ExprKind::Sample`].
#[derive(Clone, Debug)]
pub struct Sample {
    /// Operation.
    pub op: SampleOp,
    /// The texture.
    pub texture: PlaceId,
    /// The sampler; none if one comes with the texture.
    pub sampler: Option<PlaceId>,
    /// `float` scalar or vector with one component for each coordinate, the layer last (without it for levels).
    pub coord: ExprId,
    /// What each texel is compared with, a `float`.
    pub compare: Option<ExprId>,
    /// Added to the level, a `float`.
    pub bias: Option<ExprId>,
    /// Level, a `float`; without it (and `grad`) it follows from the derivatives of the coordinates.
    pub lod: Option<ExprId>,
    /// Derivatives in x and y, `float`s with one component for each dimension.
    pub grad: Option<(ExprId, ExprId)>,
    /// `int` scalar or vector, one component for each dimension: one offset, or four for the texels of a gather.
    pub offsets: Vec<ExprId>,
    /// The least level, a `float`.
    pub clamp: Option<ExprId>,
    /// Where the residency status goes, a `uint`.
    pub status: Option<PlaceId>,
}

impl Sample {
    /// All operands that are values.
    pub fn values(&self) -> impl Iterator<Item = ExprId> + '_ {
        let grad = self.grad.into_iter().flat_map(|(x, y)| [x, y]);
        let one = [Some(self.coord), self.compare, self.bias, self.lod, self.clamp];
        one.into_iter().flatten().chain(grad).chain(self.offsets.iter().copied())
    }
}

/// An instruction by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SpirvOp {
    /// Number.
    pub code: u32,
    /// Whether it is one of `GLSL.std.450`, not of the core.
    pub glsl: bool,
}

/// An operand of [`ExprKind::Spirv`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpirvArg {
    /// A value.
    Value(ExprId),
    /// A literal in the instruction.
    Literal(u32),
    /// The address of a place.
    Reference(PlaceId),
    /// A type.
    Type(TypeId),
}

/// Which value an update has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Yields {
    /// What was there before: `a++`.
    Old,
    /// What was stored: `++a`, `a += b`.
    New,
}

/// Up to four component positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Components {
    len: u8,
    at: [u8; 4],
}

impl Components {
    /// From positions 0 to 3; `None` for none or more than four.
    pub fn new(positions: &[u8]) -> Option<Self> {
        let len = positions.len();
        if len == 0 || len > 4 || positions.iter().any(|&p| p > 3) {
            return None;
        }
        let mut at = [0; 4];
        at[..len].copy_from_slice(positions);
        Some(Self { len: len as u8, at })
    }

    /// From `xyzw` or `rgba`, 1 to 4 of one set.
    pub fn from_letters(letters: &str) -> Option<Self> {
        let letters = letters.as_bytes();
        let set =
            [b"xyzw", b"rgba"].into_iter().find(|set| letters.first().is_some_and(|b| set.contains(b)))?;
        let mut at = [0; 4];
        for (i, letter) in letters.iter().enumerate() {
            *at.get_mut(i)? = set.iter().position(|b| b == letter)? as u8;
        }
        Some(Self { len: letters.len() as u8, at })
    }

    /// The positions.
    pub fn positions(&self) -> &[u8] {
        &self.at[..self.len as usize]
    }

    /// Whether some position occurs twice.
    pub fn has_repeats(&self) -> bool {
        let p = self.positions();
        (1..p.len()).any(|i| p[..i].contains(&p[i]))
    }
}

impl std::fmt::Display for Components {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.positions().iter().try_for_each(|&p| write!(f, "{}", ["x", "y", "z", "w"][p as usize & 3]))
    }
}

impl std::fmt::Debug for Components {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, ".{self}")
    }
}

/// An argument of a call; one for each parameter.
#[derive(Clone, Debug)]
pub enum Arg {
    /// For [`ParamMode::In`]: a value of the parameter's type.
    In(ExprId),
    /// For [`ParamMode::Out`].
    Out {
        /// Where the result goes.
        place: PlaceId,
        /// Over [`ExprKind::Operand`].
        copy_out: ExprId,
    },
    /// For [`ParamMode::InOut`].
    InOut {
        /// Where the value comes from and goes to.
        place: PlaceId,
        /// Over [`ExprKind::Current`].
        copy_in: ExprId,
        /// Over [`ExprKind::Operand`].
        copy_out: ExprId,
    },
    /// For [`ParamMode::Ref`]: a place of the parameter's type.
    Ref(PlaceId),
}

/// What can be asked of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Query {
    /// Texels in x.
    Width,
    /// Texels in y.
    Height,
    /// Texels in z.
    Depth,
    /// Layers (of cubes for arrays of cubes).
    Layers,
    /// Levels of detail.
    Levels,
    /// Samples a texel.
    Samples,
    /// Elements of a structured or typed buffer.
    Elements,
    /// Bytes of one element of a structured buffer.
    Stride,
    /// Bytes of a byte address buffer.
    Bytes,
}

/// Atomic operations; signedness follows from the place's type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// Adds.
    Add,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Keeps the smaller.
    Min,
    /// Keeps the larger.
    Max,
    /// Replaces.
    Exchange,
    /// Replaces if equal.
    CompareExchange,
    /// Replaces a float if its bits are equal.
    CompareExchangeFloatBitwise,
}

/// A barrier: which memory it orders, and whether the group meets there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Barrier {
    /// Groupshared memory.
    pub group: bool,
    /// Buffers and textures.
    pub device: bool,
    /// Every thread of the group waits for the others.
    pub sync: bool,
}

/// A named piece of storage.
#[derive(Clone, Debug)]
pub struct Place {
    /// Which.
    pub kind: PlaceKind,
    /// Type of what it holds.
    pub ty: TypeId,
    /// The source.
    pub span: Span,
}

/// Which storage a place names.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// A local variable or parameter.
    Local(LocalId),
    /// A global.
    Global(GlobalId),
    /// Contents of a constant buffer (the place holds the handle); read only.
    Block(PlaceId),
    /// A field of a structure.
    Field(PlaceId, u32),
    /// An element of an array, component of a vector or row of a matrix; the index is an `int` or `uint` scalar.
    Index(PlaceId, ExprId),
    /// Components of a vector.
    Swizzle(PlaceId, Components),
    /// Elements of a matrix (row, column).
    MatrixSwizzle(PlaceId, Vec<(u8, u8)>),
    /// What a `vk::BufferPointer` points to.
    Deref(ExprId),
    /// An element of a structured buffer.
    BufferElement {
        /// The buffer.
        resource: PlaceId,
        /// `int` or `uint`.
        index: ExprId,
    },
    /// A value of the place's type at a byte offset of a byte address buffer.
    ByteElement {
        /// The buffer.
        resource: PlaceId,
        /// `uint`.
        offset: ExprId,
    },
    /// A texel of a **writable** texture or typed buffer.
    Texel {
        /// The texture.
        resource: PlaceId,
        /// `int` or `uint` scalar or vector, the layer last.
        coord: ExprId,
        /// Sample, an `int` or `uint`; only for multisampled textures.
        sample: Option<ExprId>,
    },
    /// Bits of an integer, as a number of its type: sign-extended if that is signed.
    Bits(PlaceId, BitRange),
    /// A place that is named after an expression was evaluated: `++a` as a place is `a` after counting.
    After(ExprId, PlaceId),
    /// A value that is put aside: to be indexed, or to be the object of a method (which then writes a copy).
    Temp(ExprId),
}

impl PlaceKind {
    /// What it is made of: a place, and values.
    pub(crate) fn parts(&self) -> (Option<PlaceId>, [Option<ExprId>; 2]) {
        match *self {
            PlaceKind::Local(_) | PlaceKind::Global(_) => (None, [None; 2]),
            PlaceKind::Block(b)
            | PlaceKind::Field(b, _)
            | PlaceKind::Swizzle(b, _)
            | PlaceKind::MatrixSwizzle(b, _)
            | PlaceKind::Bits(b, _) => (Some(b), [None; 2]),
            PlaceKind::Index(b, e)
            | PlaceKind::BufferElement { resource: b, index: e }
            | PlaceKind::ByteElement { resource: b, offset: e }
            | PlaceKind::After(e, b) => (Some(b), [Some(e), None]),
            PlaceKind::Texel { resource, coord, sample } => (Some(resource), [Some(coord), sample]),
            PlaceKind::Deref(e) | PlaceKind::Temp(e) => (None, [Some(e), None]),
        }
    }

    /// The place that it is a part of, or the same as.
    pub fn base(&self) -> Option<PlaceId> {
        match *self {
            PlaceKind::Field(base, _)
            | PlaceKind::Index(base, _)
            | PlaceKind::Swizzle(base, _)
            | PlaceKind::MatrixSwizzle(base, _)
            | PlaceKind::Bits(base, _)
            | PlaceKind::After(_, base) => Some(base),
            _ => None,
        }
    }
}
