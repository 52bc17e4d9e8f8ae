//! Numbers of instructions.

use crate::generated::tables::{OP_ALIASES, OPS, OPS_BY_NAME, SET_OPS, SETS};
use crate::table::{name_at, row_name};
use crate::{OpRow, Traits};
use std::fmt;

/// A core instruction, by the number that a module has for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Op(pub u16);

/// Codes of instructions are below this.
const CODES: usize = OPS[OPS.len() - 1][0] as usize + 1;

/// By code: the place in `OPS`, or one past its end. Unoptimised builds feel every search.
static OP_ROWS: [u16; CODES] = {
    let mut rows = [OPS.len() as u16; CODES];
    let mut i = 0;
    while i < OPS.len() {
        rows[OPS[i][0] as usize] = i as u16;
        i += 1;
    }
    rows
};

impl Op {
    /// The instruction of a number, if the specification has it.
    pub fn from_u32(number: u32) -> Option<Op> {
        let op = Op(u16::try_from(number).ok()?);
        op.row().map(|_| op)
    }

    /// The number as words have it.
    pub const fn number(self) -> u32 {
        self.0 as u32
    }

    /// What the specification says of it.
    pub fn row(self) -> Option<OpRow> {
        let place = *OP_ROWS.get(usize::from(self.0))?;
        (usize::from(place) < OPS.len()).then_some(OpRow(place))
    }

    /// Its name without `Op`.
    pub fn name(self) -> Option<&'static str> {
        Some(self.row()?.name())
    }

    /// What it does.
    pub fn traits(self) -> Traits {
        self.row().map_or(Traits::UNKNOWN, OpRow::traits)
    }

    /// Whether it is one of the atomic operations.
    pub fn is_atomic(self) -> bool {
        self.traits().has(Traits::ATOMIC)
    }

    /// An instruction by its name without `Op`, or by another name that it has or had.
    pub fn by_name(name: &str) -> Option<Op> {
        let found = OPS_BY_NAME.binary_search_by(|i| row_name(&OPS[usize::from(*i)]).cmp(name));
        match found {
            Ok(i) => Some(Op(OPS[usize::from(OPS_BY_NAME[i])][0])),
            Err(_) => OP_ALIASES.iter().find(|a| name_at(a[1], a[2]) == name).map(|a| Op(a[0])),
        }
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "Op({})", self.0),
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// An extended instruction set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtSet(pub u16);

impl ExtSet {
    fn span(self) -> Option<&'static [u16; 4]> {
        SETS.get(usize::from(self.0))
    }

    /// The name that `OpExtInstImport` gives.
    pub fn name(self) -> &'static str {
        self.span().map_or("", |s| name_at(s[0], s[1]))
    }

    /// A set by the name that `OpExtInstImport` gives.
    pub fn by_name(name: &str) -> Option<ExtSet> {
        SETS.iter().position(|s| name_at(s[0], s[1]) == name).map(|i| ExtSet(i as u16))
    }

    /// All sets that the tables have.
    pub fn all() -> impl Iterator<Item = ExtSet> {
        (0..SETS.len() as u16).map(ExtSet)
    }

    /// What the specification says of one of its instructions.
    pub fn row(self, number: u32) -> Option<OpRow> {
        let [.., start, end] = *self.span()?;
        let rows = &SET_OPS[usize::from(start)..usize::from(end)];
        // Numbers start at 0 or 1, most without a gap.
        let first = u32::from(rows.first()?[0]);
        let guess = number.checked_sub(first)? as usize;
        let place = match rows.get(guess) {
            Some(row) if u32::from(row[0]) == number => guess,
            _ => rows.binary_search_by_key(&number, |r| u32::from(r[0])).ok()?,
        };
        Some(OpRow((OPS.len() + place) as u16 + start))
    }

    /// All instructions of the set.
    pub fn rows(self) -> impl Iterator<Item = OpRow> {
        let (start, end) = self.span().map_or((0, 0), |s| (s[2], s[3]));
        (start..end).map(|i| OpRow(OPS.len() as u16 + i))
    }

    /// What one of its instructions does.
    pub fn traits(self, number: u32) -> Traits {
        self.row(number).map_or(Traits::UNKNOWN, OpRow::traits)
    }

    /// The number of one of its instructions.
    pub fn number(self, name: &str) -> Option<u32> {
        self.rows().find(|r| r.name() == name).map(|r| u32::from(r.number()))
    }
}

impl fmt::Debug for ExtSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            "" => write!(f, "ExtSet({})", self.0),
            name => f.write_str(name),
        }
    }
}

/// An instruction of an extended set that has constants.
macro_rules! extended {
    ($name:ident, $set:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The instruction of a number, if the set has it.
            pub fn from_u32(number: u32) -> Option<$name> {
                ExtSet::$set.row(number).map(|_| $name(number))
            }

            /// Its name.
            pub fn name(self) -> Option<&'static str> {
                Some(ExtSet::$set.row(self.0)?.name())
            }

            /// An instruction by its name.
            pub fn by_name(name: &str) -> Option<$name> {
                ExtSet::$set.number(name).map($name)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, concat!(stringify!($name), "({})"), self.0),
                }
            }
        }
    };
}

extended!(GlslOp, Glsl, "An instruction of `GLSL.std.450`.");
extended!(ClOp, OpenCl, "An instruction of `OpenCL.std`.");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(OPS.windows(2).all(|w| w[0][0] < w[1][0]));
        for [.., start, end] in SETS {
            let rows = &SET_OPS[usize::from(start)..usize::from(end)];
            assert!(rows.windows(2).all(|w| w[0][0] < w[1][0]));
        }
    }

    #[test]
    fn every_instruction_is_found_by_its_number_and_its_names() {
        for row in &OPS {
            let op = Op(row[0]);
            assert_eq!(op.row().map(|r| r.number()), Some(row[0]));
            assert_eq!(Op::by_name(op.name().unwrap()), Some(op));
        }
        for set in ExtSet::all() {
            assert_eq!(ExtSet::by_name(set.name()), Some(set));
            for row in set.rows() {
                assert_eq!(set.row(row.number().into()).map(|r| r.name()), Some(row.name()), "{set:?}");
            }
        }
        assert_eq!(Op::by_name("SDotKHR"), Some(Op::SDot));
        assert_eq!(Op::by_name("Nothing"), None);
    }

    #[test]
    fn numbers_that_no_table_has_are_held() {
        let odd = Op(60000);
        assert_eq!(
            (odd.row().is_none(), odd.traits(), format!("{odd:?}")),
            (true, Traits::UNKNOWN, "Op(60000)".into())
        );
        assert_eq!(Op::from_u32(60000), None);
        assert_eq!(Op::from_u32(u32::MAX), None);
        assert_eq!(ExtSet(900).row(1).map(|r| r.number()), None);
        assert_eq!(GlslOp(9999).name(), None);
        assert_eq!(ExtSet::OpenCl.row(17).map(|r| r.name()), Some("erfc"));
        assert_eq!(ExtSet::OpenCl.row(500).map(|r| r.name()), None);
        assert_eq!((GlslOp::Sqrt.name(), ClOp::from_u32(204).map(|c| c.0)), (Some("Sqrt"), Some(204)));
    }
}
