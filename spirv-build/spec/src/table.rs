//! The generated tables, looked things up in. Each row is a handful of numbers; a list is a place in a shared slice and a length.

use crate::generated::tables::{
    CAPABILITY_LISTS, CLASSES, ENUM_ALIASES, ENUMS, EXTENSION_LISTS, EXTENSIONS, KINDS, NAMES, OPS, SET_OPS,
};
use crate::{Capability, Traits, generated};
use std::fmt;

/// Kind of an operand, named as in the grammar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(pub(crate) u8);

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

static OPERANDS: [OperandRow; generated::tables::OPERANDS.len()] = {
    let packed = &generated::tables::OPERANDS;
    let mut rows =
        [OperandRow { kind: Kind(0), quantifier: Quantifier::One }; generated::tables::OPERANDS.len()];
    let mut i = 0;
    while i < packed.len() {
        let quantifier = match packed[i] >> 8 {
            0 => Quantifier::One,
            1 => Quantifier::Optional,
            _ => Quantifier::Any,
        };
        rows[i] = OperandRow { kind: Kind(packed[i] as u8), quantifier };
        i += 1;
    }
    rows
};

static PARAMETERS: [Kind; generated::tables::PARAMETERS.len()] = {
    let packed = &generated::tables::PARAMETERS;
    let mut rows = [Kind(0); generated::tables::PARAMETERS.len()];
    let mut i = 0;
    while i < packed.len() {
        rows[i] = Kind(packed[i] as u8);
        i += 1;
    }
    rows
};

pub(crate) fn name_at(at: u16, length: u16) -> &'static str {
    &NAMES[usize::from(at)..usize::from(at) + usize::from(length)]
}

/// The name in a row of `OPS` or `SET_OPS`.
pub(crate) fn row_name(row: &[u16; 11]) -> &'static str {
    name_at(row[1], row[2] & 0xff)
}

fn list<T>(slice: &'static [T], at: u16, length: u16) -> &'static [T] {
    &slice[usize::from(at)..usize::from(at) + usize::from(length)]
}

fn capabilities(at: u16, length: u16) -> impl Iterator<Item = Capability> + use<> {
    list(&CAPABILITY_LISTS, at, length).iter().map(|c| Capability(u32::from(*c)))
}

fn extension_list(at: u16, length: u16) -> impl ExactSizeIterator<Item = &'static str> {
    list(&EXTENSION_LISTS, at, length).iter().map(|e| {
        let [at, length, _] = EXTENSIONS[usize::from(*e)];
        name_at(at, length)
    })
}

/// A version in a byte; 255 is none.
fn version(byte: u16) -> Option<u8> {
    Some(byte as u8).filter(|v| *v != u8::MAX)
}

/// What the specification says of an instruction, of the core or of an extended set.
///
/// Columns: number, name, length of the name and of the operands, operands, length of capabilities and extensions, capabilities,
/// extensions, first and last version, class, traits in two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct OpRow(pub(crate) u16);

impl OpRow {
    /// How many there are.
    pub const COUNT: usize = OPS.len() + SET_OPS.len();

    /// Below [`OpRow::COUNT`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    fn columns(self) -> &'static [u16; 11] {
        let at = self.index();
        if at < OPS.len() { &OPS[at] } else { &SET_OPS[at - OPS.len()] }
    }

    /// Name without `Op`.
    pub fn name(self) -> &'static str {
        row_name(self.columns())
    }

    /// Number, in the core or in its set.
    pub fn number(self) -> u16 {
        self.columns()[0]
    }

    /// The grammar's class: `Arithmetic`, `Memory`, ...
    pub fn class(self) -> &'static str {
        CLASSES[usize::from(self.columns()[8])]
    }

    /// What it does.
    pub fn traits(self) -> Traits {
        let c = self.columns();
        Traits(u32::from(c[9]) | u32::from(c[10]) << 16)
    }

    /// Whether it has a result type.
    pub fn has_type(self) -> bool {
        self.traits().has(Traits::RESULT_TYPE)
    }

    /// Whether it has a result.
    pub fn has_result(self) -> bool {
        self.traits().has(Traits::RESULT)
    }

    /// Operands behind result type and result.
    pub fn operands(self) -> &'static [OperandRow] {
        let c = self.columns();
        list(&OPERANDS, c[3], c[2] >> 8)
    }

    /// Capabilities of which one is needed; none if empty.
    pub fn capabilities(self) -> impl Iterator<Item = Capability> + use<> {
        let c = self.columns();
        capabilities(c[5], c[4] & 0xff)
    }

    /// Extensions of which one is needed below [`OpRow::version`], the one to prefer first.
    pub fn extensions(self) -> impl ExactSizeIterator<Item = &'static str> {
        let c = self.columns();
        extension_list(c[6], c[4] >> 8)
    }

    /// First minor version of SPIR-V 1.x that has it without an extension.
    pub fn version(self) -> Option<u8> {
        version(self.columns()[7] & 0xff)
    }

    /// Last minor version of SPIR-V 1.x that has it, if it was taken out.
    pub fn last_version(self) -> Option<u8> {
        version(self.columns()[7] >> 8)
    }
}

/// What the specification says of an enumerant.
///
/// Columns: value in two, name, length of the name and of the capabilities, capabilities, length of extensions and parameters,
/// extensions, parameters, first and last version.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct EnumRow(u16);

impl EnumRow {
    /// How many there are.
    pub const COUNT: usize = ENUMS.len();

    /// Below [`EnumRow::COUNT`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    fn columns(self) -> &'static [u16; 9] {
        &ENUMS[self.index()]
    }

    /// Number.
    pub fn value(self) -> u32 {
        value(self.columns())
    }

    /// Name.
    pub fn name(self) -> &'static str {
        enum_name(self.columns())
    }

    /// Capabilities of which one is needed (for a capability: those that it implies).
    pub fn capabilities(self) -> impl Iterator<Item = Capability> + use<> {
        let c = self.columns();
        capabilities(c[4], c[3] >> 8)
    }

    /// Extensions of which one is needed below [`EnumRow::version`], the one to prefer first.
    pub fn extensions(self) -> impl ExactSizeIterator<Item = &'static str> {
        let c = self.columns();
        extension_list(c[6], c[5] & 0xff)
    }

    /// Operands that follow where the enumerant is used.
    pub fn parameters(self) -> &'static [Kind] {
        let c = self.columns();
        list(&PARAMETERS, c[7], c[5] >> 8)
    }

    /// First minor version of SPIR-V 1.x that has it without an extension.
    pub fn version(self) -> Option<u8> {
        version(self.columns()[8] & 0xff)
    }

    /// Last minor version of SPIR-V 1.x that has it, if it was taken out.
    pub fn last_version(self) -> Option<u8> {
        version(self.columns()[8] >> 8)
    }
}

fn value(columns: &[u16; 9]) -> u32 {
    u32::from(columns[0]) | u32::from(columns[1]) << 16
}

fn enum_name(columns: &[u16; 9]) -> &'static str {
    name_at(columns[2], columns[3] & 0xff)
}

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        let [at, length, ..] = KINDS[usize::from(self.0)];
        name_at(at, length)
    }

    /// What sort of operand it is.
    pub fn category(self) -> Category {
        match KINDS[usize::from(self.0)][2] {
            0 => Category::BitEnum,
            1 => Category::ValueEnum,
            2 => Category::Id,
            3 => Category::Literal,
            _ => Category::Composite,
        }
    }

    /// Its enumerants, lowest first.
    pub fn rows(self) -> impl Iterator<Item = EnumRow> {
        let [.., start, end] = KINDS[usize::from(self.0)];
        (start..end).map(EnumRow)
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The row of an enumerant.
pub fn enumerant(kind: Kind, number: u32) -> Option<EnumRow> {
    let [.., start, end] = KINDS[usize::from(kind.0)];
    let rows = &ENUMS[usize::from(start)..usize::from(end)];
    // Many have the value that their place says.
    let place = match rows.get(number as usize) {
        Some(row) if value(row) == number => number as usize,
        _ => rows.binary_search_by_key(&number, value).ok()?,
    };
    Some(EnumRow(start + place as u16))
}

/// An enumerant by its name, or by another name that it has or had.
pub fn enumerant_by_name(kind: Kind, name: &str) -> Option<EnumRow> {
    let named = kind.rows().find(|r| r.name() == name);
    named.or_else(|| {
        let alias = ENUM_ALIASES.iter().find(|a| a[0] == u16::from(kind.0) && name_at(a[3], a[4]) == name)?;
        enumerant(kind, u32::from(alias[1]) | u32::from(alias[2]) << 16)
    })
}

/// The enumerants that a value of a [`Category::BitEnum`] or [`Category::ValueEnum`] kind names, lowest first.
pub fn enumerants(kind: Kind, value: u32) -> impl Iterator<Item = EnumRow> {
    let bits = kind.category() == Category::BitEnum && value != 0;
    let (count, single) = if bits { (32, None) } else { (0, Some(value)) };
    (0..count)
        .filter(move |i| value >> i & 1 != 0)
        .map(|i| 1 << i)
        .chain(single)
        .filter_map(move |v| enumerant(kind, v))
}

/// All extensions that the specification knows.
pub fn extensions() -> impl Iterator<Item = &'static str> + Clone {
    EXTENSIONS.iter().map(|[at, length, _]| name_at(*at, *length))
}

/// The least minor version of SPIR-V 1.x that an extension is for.
pub fn extension_since(name: &str) -> u8 {
    EXTENSIONS.iter().find(|[at, length, _]| name_at(*at, *length) == name).map_or(0, |e| e[2] as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Op, StorageClass};

    #[test]
    fn rows_are_found_by_number() {
        let add = Op::GroupNonUniformIAdd.row().unwrap();
        assert_eq!((add.name(), add.class(), add.version()), ("GroupNonUniformIAdd", "Non-Uniform", Some(3)));
        assert!(add.capabilities().any(|c| c == Capability::GroupNonUniformArithmetic));
        let kinds: Vec<_> = add.operands().iter().map(|o| (o.kind, o.quantifier)).collect();
        let one = |k| (k, Quantifier::One);
        assert_eq!(kinds[..3], [one(Kind::IdScope), one(Kind::GroupOperation), one(Kind::IdRef)]);
        assert_eq!(kinds[3], (Kind::IdRef, Quantifier::Optional));
        assert_eq!(Op::LessOrGreater.row().unwrap().last_version(), Some(5));
    }

    #[test]
    fn every_enumerant_is_found_by_its_value_and_its_name() {
        for kind in (0..KINDS.len() as u8).map(Kind) {
            assert!(kind.rows().zip(kind.rows().skip(1)).all(|(a, b)| a.value() < b.value()), "{kind:?}");
            for row in kind.rows() {
                assert!(enumerant(kind, row.value()) == Some(row), "{kind:?} {}", row.name());
                assert!(enumerant_by_name(kind, row.name()) == Some(row), "{kind:?} {}", row.name());
            }
        }
        let old = enumerant_by_name(Kind::StorageClass, "DeviceOnlyINTEL").unwrap();
        assert_eq!(old.value(), StorageClass::DeviceOnlyALTERA.0);
    }

    #[test]
    fn masks_are_taken_apart() {
        let names: Vec<_> = enumerants(Kind::ImageOperands, 0b110).map(|e| e.name()).collect();
        assert_eq!(names, ["Lod", "Grad"]);
        assert_eq!(enumerant(Kind::ImageOperands, 4).unwrap().parameters(), [Kind::IdRef, Kind::IdRef]);
        assert_eq!(enumerants(Kind::StorageClass, 12).next().unwrap().extensions().len(), 2);
    }

    #[test]
    fn extensions_of_khronos_come_first() {
        let row = enumerant(Kind::Capability, Capability::PhysicalStorageBufferAddresses.0).unwrap();
        assert_eq!(row.extensions().next(), Some("SPV_KHR_physical_storage_buffer"));
        assert_eq!(extension_since("SPV_KHR_vulkan_memory_model"), 3);
        assert!(extensions().any(|e| e == "SPV_KHR_non_semantic_info"));
    }
}
