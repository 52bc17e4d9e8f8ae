//! What the SPIR-V grammar says about instructions and enumerants.
//!
//! The rows in `data` are generated (`gen/op_table.py`); this module looks things up in them. Numbers that the
//! tables do not know are not an error: the instruction then passes through unchecked.

#[rustfmt::skip]
mod data;

pub use data::OperandKind as Kind;
use spirv::{Capability, Op};

/// A part of one of the shared slices: first index and length.
#[derive(Debug, Clone, Copy)]
pub(super) struct List(u16, u8);

impl List {
    fn of<T>(self, slice: &'static [T]) -> &'static [T] {
        slice.get(usize::from(self.0)..usize::from(self.0) + usize::from(self.1)).unwrap_or(&[])
    }
}

/// What sort of operand a [`Kind`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// A mask of enumerants.
    BitEnum,
    /// One enumerant.
    ValueEnum,
    /// An `<id>`.
    Id,
    /// A literal.
    Literal,
    /// A pair.
    Composite,
}

/// How often an operand occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// Once.
    One,
    /// Once or not at all.
    Optional,
    /// Any number of times.
    Any,
}

/// An operand of an instruction.
#[derive(Debug, Clone, Copy)]
pub struct OperandRow {
    /// Kind.
    pub kind: Kind,
    /// How often.
    pub quantifier: Quantifier,
}

/// The minor version that says "in no core version: needs an extension".
pub const NO_VERSION: u8 = 255;

/// An instruction.
#[derive(Debug)]
pub struct OpRow {
    /// Name without `Op`.
    pub name: &'static str,
    /// Number.
    pub code: u16,
    class: u8,
    /// Whether it has a result type.
    pub has_type: bool,
    /// Whether it has a result.
    pub has_result: bool,
    operands: List,
    /// First minor version of SPIR-V 1.x that has it ([`NO_VERSION`]: none).
    pub version: u8,
    capabilities: List,
    extensions: List,
}

impl OpRow {
    /// The place of [`OpRow::class`] in [`classes`].
    pub(crate) fn class_index(&self) -> usize {
        usize::from(self.class)
    }

    /// The grammar's class: `Arithmetic`, `Memory`, ...
    pub fn class(&self) -> &'static str {
        data::CLASSES.get(usize::from(self.class)).copied().unwrap_or("")
    }

    /// Operands behind result type and result.
    pub fn operands(&self) -> &'static [OperandRow] {
        self.operands.of(data::OPERANDS)
    }

    /// Capabilities of which one is needed; none if empty.
    pub fn capabilities(&self) -> impl Iterator<Item = Capability> + use<> {
        capabilities(self.capabilities)
    }

    /// Extensions of which one is needed below [`OpRow::version`].
    pub fn extensions(&self) -> &'static [&'static str] {
        self.extensions.of(data::EXTENSIONS)
    }
}

/// An enumerant.
#[derive(Debug)]
pub struct EnumRow {
    /// Kind it belongs to.
    pub kind: Kind,
    /// Number.
    pub value: u32,
    /// Name.
    pub name: &'static str,
    /// First minor version of SPIR-V 1.x that has it ([`NO_VERSION`]: none).
    pub version: u8,
    capabilities: List,
    extensions: List,
    parameters: List,
}

impl EnumRow {
    /// Capabilities of which one is needed (for a capability: those that it implies).
    pub fn capabilities(&self) -> impl Iterator<Item = Capability> + use<> {
        capabilities(self.capabilities)
    }

    /// Extensions of which one is needed below [`EnumRow::version`].
    pub fn extensions(&self) -> &'static [&'static str] {
        self.extensions.of(data::EXTENSIONS)
    }

    /// Operands that follow where the enumerant is used.
    pub fn parameters(&self) -> &'static [Kind] {
        self.parameters.of(data::PARAMETERS)
    }
}

fn capabilities(list: List) -> impl Iterator<Item = Capability> + use<> {
    list.of(data::CAPABILITIES).iter().filter_map(|c| Capability::from_u32(*c))
}

impl Kind {
    /// What sort of operand it is.
    pub fn category(self) -> Category {
        data::CATEGORIES[self as usize]
    }
}

/// All extensions that something in the grammar needs.
pub(crate) fn extensions() -> &'static [&'static str] {
    data::EXTENSIONS
}

/// All classes of the grammar.
pub(crate) fn classes() -> &'static [&'static str] {
    data::CLASSES
}

/// Codes of instructions are below this.
const CODES: usize = {
    let mut most = 0;
    let mut i = 0;
    while i < data::OPS.len() {
        most = if data::OPS[i].code as usize > most { data::OPS[i].code as usize } else { most };
        i += 1;
    }
    most + 1
};

/// By code: the place in `OPS`, or one past its end. Unoptimised builds feel every search.
static OP_ROWS: [u16; CODES] = {
    let mut rows = [data::OPS.len() as u16; CODES];
    let mut i = 0;
    while i < data::OPS.len() {
        rows[data::OPS[i].code as usize] = i as u16;
        i += 1;
    }
    rows
};

/// By kind: where its rows start in `ENUMS`; those of the next kind follow.
static KIND_STARTS: [u16; data::CATEGORIES.len() + 1] = {
    let mut starts = [0; data::CATEGORIES.len() + 1];
    let mut kind = 0;
    let mut i = 0;
    while kind < starts.len() {
        while i < data::ENUMS.len() && (data::ENUMS[i].kind as usize) < kind {
            i += 1;
        }
        starts[kind] = i as u16;
        kind += 1;
    }
    starts
};

/// The row of a core instruction.
pub fn op(op: Op) -> Option<&'static OpRow> {
    data::OPS.get(usize::from(*OP_ROWS.get(op as usize)?))
}

/// An instruction by its name without `Op`.
pub fn op_by_name(name: &str) -> Option<(Op, &'static OpRow)> {
    let row = data::OPS.iter().find(|r| r.name == name)?;
    Some((Op::from_u32(u32::from(row.code))?, row))
}

/// The row of an instruction of `GLSL.std.450`.
pub fn glsl(number: u32) -> Option<&'static OpRow> {
    data::GLSL.binary_search_by_key(&number, |r| u32::from(r.code)).ok().map(|i| &data::GLSL[i])
}

/// The row of an enumerant.
pub fn enumerant(kind: Kind, value: u32) -> Option<&'static EnumRow> {
    let (from, to) = (KIND_STARTS[kind as usize], KIND_STARTS[kind as usize + 1]);
    let rows = &data::ENUMS[usize::from(from)..usize::from(to)];
    // Most have the value that their place says.
    match rows.get(value as usize) {
        Some(row) if row.value == value => Some(row),
        _ => rows.binary_search_by_key(&value, |r| r.value).ok().map(|i| &rows[i]),
    }
}

/// An enumerant by its name.
pub fn enumerant_by_name(kind: Kind, name: &str) -> Option<&'static EnumRow> {
    let from = data::ENUMS.partition_point(|r| r.kind < kind);
    data::ENUMS[from..].iter().take_while(|r| r.kind == kind).find(|r| r.name == name)
}

/// The enumerants that a value of a [`Category::BitEnum`] or [`Category::ValueEnum`] kind names, lowest first.
pub fn enumerants(kind: Kind, value: u32) -> impl Iterator<Item = &'static EnumRow> {
    let bits = kind.category() == Category::BitEnum && value != 0;
    let (count, single) = if bits { (32, None) } else { (0, Some(value)) };
    (0..count)
        .filter(move |i| value >> i & 1 != 0)
        .map(|i| 1 << i)
        .chain(single)
        .filter_map(move |v| enumerant(kind, v))
}

/// Which rows were met, a bit for each by its place in the tables.
#[derive(Debug)]
pub(crate) struct Met {
    ops: [u64; data::OPS.len().div_ceil(64)],
    glsl: [u64; data::GLSL.len().div_ceil(64)],
    enums: [u64; data::ENUMS.len().div_ceil(64)],
}

impl Met {
    pub(crate) fn new() -> Self {
        Self {
            ops: [0; data::OPS.len().div_ceil(64)],
            glsl: [0; data::GLSL.len().div_ceil(64)],
            enums: [0; data::ENUMS.len().div_ceil(64)],
        }
    }

    /// Whether this is the first time.
    pub(crate) fn op(&mut self, row: &'static OpRow) -> bool {
        match place(data::OPS, row) {
            Some(place) => set(&mut self.ops, place),
            None => place(data::GLSL, row).is_none_or(|place| set(&mut self.glsl, place)),
        }
    }

    /// Whether this is the first time.
    pub(crate) fn enumerant(&mut self, row: &'static EnumRow) -> bool {
        place(data::ENUMS, row).is_none_or(|place| set(&mut self.enums, place))
    }
}

/// Where a row stands in a table, if it does.
fn place<T>(table: &'static [T], row: &'static T) -> Option<usize> {
    let bytes = std::ptr::from_ref(row).addr().checked_sub(table.as_ptr().addr())?;
    Some(bytes / size_of::<T>()).filter(|place| *place < table.len())
}

fn set(bits: &mut [u64], place: usize) -> bool {
    let (word, bit) = (&mut bits[place / 64], 1 << (place % 64));
    let new = *word & bit == 0;
    *word |= bit;
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_number() {
        let add = op(Op::GroupNonUniformIAdd).unwrap();
        assert_eq!((add.name, add.class(), add.version), ("GroupNonUniformIAdd", "Non-Uniform", 3));
        assert!(add.capabilities().any(|c| c == Capability::GroupNonUniformArithmetic));
        let kinds: Vec<_> = add.operands().iter().map(|o| (o.kind, o.quantifier)).collect();
        let one = |k| (k, Quantifier::One);
        assert_eq!(kinds[..3], [one(Kind::IdScope), one(Kind::GroupOperation), one(Kind::IdRef)]);
        assert_eq!(kinds[3], (Kind::IdRef, Quantifier::Optional));
        assert_eq!(glsl(31).unwrap().name, "Sqrt");
    }

    #[test]
    fn rows_are_met_once() {
        let mut met = Met::new();
        let rows = [op(Op::FAdd).unwrap(), op(Op::Nop).unwrap(), glsl(31).unwrap(), glsl(1).unwrap()];
        assert!(rows.iter().all(|r| met.op(r)));
        assert!(!rows.iter().any(|r| met.op(r)));
        let last = data::ENUMS.last().unwrap();
        assert!(met.enumerant(last) && !met.enumerant(last) && met.enumerant(&data::ENUMS[0]));
    }

    #[test]
    fn masks_are_taken_apart() {
        let names: Vec<_> = enumerants(Kind::ImageOperands, 0b110).map(|e| e.name).collect();
        assert_eq!(names, ["Lod", "Grad"]);
        assert_eq!(enumerant(Kind::ImageOperands, 4).unwrap().parameters(), [Kind::IdRef, Kind::IdRef]);
        assert_eq!(enumerant_by_name(Kind::ImageOperands, "Grad").unwrap().value, 4);
        assert_eq!(enumerants(Kind::StorageClass, 12).next().unwrap().extensions().len(), 2);
    }

    #[test]
    fn tables_are_sorted() {
        assert!(data::OPS.windows(2).all(|w| w[0].code < w[1].code));
        assert!(data::ENUMS.windows(2).all(|w| (w[0].kind, w[0].value) < (w[1].kind, w[1].value)));
    }
}
