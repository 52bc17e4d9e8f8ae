//! Interned constants.

use crate::ir::Op;
use crate::ir::entity::Entity;
use crate::ir::module::Global;
use crate::ir::types::Type;
use crate::ir::unique::Unique;

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
    /// `OpSpecConstant*` of a scalar with its `SpecId`; the bits (bool: 0 or 1) are the default.
    Spec {
        /// `SpecId`.
        id: u32,
        /// Default value.
        default: u64,
    },
    /// The address of a module-scope variable, of the pointer type that it has.
    Address(Global),
    /// `OpSpecConstantOp`: an operation on addresses that is done before the program runs, one of [`ADDRESS_OPS`].
    Computed(Op, Vec<Const>),
}

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
#[derive(Debug, Clone, Default)]
pub struct ConstTable {
    consts: Unique<(Type, ConstKind)>,
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

    /// Whether a constant is or has an address of a module-scope variable.
    pub fn has_address(&self, c: Const) -> bool {
        match self.kind(c) {
            ConstKind::Address(_) => true,
            ConstKind::Composite(parts) | ConstKind::Computed(_, parts) => {
                parts.iter().any(|p| self.has_address(*p))
            }
            _ => false,
        }
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
