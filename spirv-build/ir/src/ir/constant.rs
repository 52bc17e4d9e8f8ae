//! Interned constants.

use crate::ir::Op;
use crate::ir::declared::Declared;
use crate::ir::decoration::Decorations;
use crate::ir::entity::Entity;
use crate::ir::module::Global;
use crate::ir::types::Type;
use crate::ir::unique::Unique;
use rustc_hash::FxHashMap;

crate::entity! {
    /// An interned constant of a [`ConstTable`].
    Const = "c";
}

/// The value of a constant. Bits above the type's width are zero for integers and floats alike (signed
/// integers are stored truncated, not sign-extended).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ConstKind {
    /// `OpConstantTrue`, `OpConstantFalse`.
    Bool(bool),
    /// Integer or float, by its bits.
    Bits(u64),
    /// `OpConstantComposite`.
    Composite(Vec<Const>),
    /// `OpConstantNull`.
    Null,
    /// `OpUndef`.
    Undef,
    /// `OpSpecConstant*` of a scalar: its value is chosen when the program is specialised.
    Spec {
        /// `SpecId`. Nobody can choose the value of one without.
        id: Option<u32>,
        /// The bits (bool: 0 or 1) that it has if nobody chooses.
        default: u64,
        /// Tells those without `SpecId` apart.
        number: u32,
    },
    /// The address of a module-scope variable, of the pointer type that it has.
    Address(Global),
    /// `OpSpecConstantOp`: an operation that is done when the program is specialised, one of [`SPEC_OPS`], or before it runs, on
    /// addresses ([`ADDRESS_OPS`]).
    Computed(Op, Vec<ConstOperand>),
}

impl ConstKind {
    /// A scalar whose value can be chosen.
    pub fn spec(id: u32, default: u64) -> ConstKind {
        ConstKind::Spec { id: Some(id), default, number: 0 }
    }

    /// The constants that it is made of.
    pub fn parts(&self) -> impl Iterator<Item = Const> + '_ {
        let (list, operands) = match self {
            ConstKind::Composite(list) => (&list[..], &[][..]),
            ConstKind::Computed(_, operands) => (&[][..], &operands[..]),
            _ => (&[][..], &[][..]),
        };
        list.iter().copied().chain(operands.iter().filter_map(|o| o.id()))
    }
}

/// An operand of [`ConstKind::Computed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConstOperand {
    /// The `<id>` of a constant.
    Const(Const),
    /// A literal: an index of `CompositeExtract`, ...
    Literal(u32),
}

impl ConstOperand {
    /// The constant that it is.
    pub fn id(self) -> Option<Const> {
        match self {
            ConstOperand::Const(c) => Some(c),
            ConstOperand::Literal(_) => None,
        }
    }
}

/// What is said of a constant beside its value: it is declared at module scope under this name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConstSymbol {
    /// Name (`OpName`).
    pub name: String,
    /// Decorations: `BuiltIn WorkgroupSize`, ...
    pub decorations: Decorations,
    /// How the source declares it.
    pub declared: Option<Declared>,
}

/// Operations that [`ConstKind::Computed`] may have on numbers.
pub const SPEC_OPS: &[Op] = &[
    Op::SConvert,
    Op::UConvert,
    Op::FConvert,
    Op::SNegate,
    Op::Not,
    Op::IAdd,
    Op::ISub,
    Op::IMul,
    Op::UDiv,
    Op::SDiv,
    Op::UMod,
    Op::SRem,
    Op::SMod,
    Op::ShiftRightLogical,
    Op::ShiftRightArithmetic,
    Op::ShiftLeftLogical,
    Op::BitwiseOr,
    Op::BitwiseXor,
    Op::BitwiseAnd,
    Op::VectorShuffle,
    Op::CompositeExtract,
    Op::CompositeInsert,
    Op::LogicalOr,
    Op::LogicalAnd,
    Op::LogicalNot,
    Op::LogicalEqual,
    Op::LogicalNotEqual,
    Op::Select,
    Op::IEqual,
    Op::INotEqual,
    Op::ULessThan,
    Op::SLessThan,
    Op::UGreaterThan,
    Op::SGreaterThan,
    Op::ULessThanEqual,
    Op::SLessThanEqual,
    Op::UGreaterThanEqual,
    Op::SGreaterThanEqual,
    Op::QuantizeToF16,
];

/// Operations that [`ConstKind::Computed`] may have: casts, and steps from an address.
pub const ADDRESS_OPS: &[Op] = &[
    Op::Bitcast,
    Op::PtrCastToGeneric,
    Op::GenericCastToPtr,
    Op::ConvertPtrToU,
    Op::ConvertUToPtr,
    Op::PtrAccessChain,
    Op::InBoundsPtrAccessChain,
];

/// Owns and unifies the constants of a module.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConstTable {
    consts: Unique<(Type, ConstKind)>,
    symbols: FxHashMap<Const, ConstSymbol>,
}

impl ConstTable {
    /// The constant of this type and value, added if it is new.
    pub fn intern(&mut self, ty: Type, kind: ConstKind) -> Const {
        Const::new(self.consts.insert((ty, kind)))
    }

    /// Type of a constant.
    pub fn ty(&self, c: Const) -> Type {
        self.consts[c.index()].0
    }

    /// Value of a constant.
    pub fn kind(&self, c: Const) -> &ConstKind {
        &self.consts[c.index()].1
    }

    /// Number of constants.
    pub fn len(&self) -> usize {
        self.consts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.consts.is_empty()
    }

    /// All constants, each after those it is made of.
    pub fn iter(&self) -> impl Iterator<Item = (Const, Type, &ConstKind)> {
        self.consts.iter().enumerate().map(|(i, (ty, kind))| (Const::new(i), *ty, kind))
    }

    /// A constant of its own: a specialisation constant that nobody can choose the value of.
    pub fn fresh_spec(&mut self, ty: Type, default: u64) -> Const {
        let number = self.len() as u32;
        self.intern(ty, ConstKind::Spec { id: None, default, number })
    }

    /// What is said of a constant beside its value, if it is declared under a name.
    pub fn symbol(&self, c: Const) -> Option<&ConstSymbol> {
        self.symbols.get(&c)
    }

    /// Declares a constant under a name, unless it is declared already.
    pub fn declare(&mut self, c: Const, name: &str) -> &mut ConstSymbol {
        let new = || ConstSymbol { name: name.to_string(), ..ConstSymbol::default() };
        self.symbols.entry(c).or_insert_with(new)
    }

    /// Whether a constant is or has an address of a module-scope variable.
    pub fn has_address(&self, c: Const) -> bool {
        let kind = self.kind(c);
        matches!(kind, ConstKind::Address(_)) || kind.parts().any(|p| self.has_address(p))
    }

    /// Whether a constant is or has the result of an operation on numbers that is done when the program is specialised.
    pub fn is_computed(&self, c: Const) -> bool {
        let kind = self.kind(c);
        matches!(kind, ConstKind::Computed(op, _) if !ADDRESS_OPS.contains(op))
            || kind.parts().any(|p| self.is_computed(p))
    }

    /// The bits of an integer, float or bool constant (a null scalar is zero). Spec constants have none: their
    /// value is not known.
    pub fn bits(&self, c: Const) -> Option<u64> {
        match self.kind(c) {
            ConstKind::Bits(bits) => Some(*bits),
            ConstKind::Bool(b) => Some(u64::from(*b)),
            ConstKind::Null => Some(0),
            _ => None,
        }
    }
}
