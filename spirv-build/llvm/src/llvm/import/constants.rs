//! Constants.

use super::Import;
use super::function::Body;
use super::raw::{Kind, Ty, Val, ValueKind};
use crate::ir::{Const, ConstKind, Type, TypeKind, Value};

/// Elements of an array that a constant may have.
const MAX_ELEMENTS: u64 = 1 << 20;

impl<'m> Import<'m, '_> {
    /// A constant without addresses in it; None if it has some or is none.
    pub fn constant(&mut self, v: Val<'m>, ty: Type) -> Option<Const> {
        use ValueKind::*;
        let ctx = &mut self.out.ctx;
        let kind = match v.kind() {
            LLVMConstantIntValueKind => match ctx.types.kind(ty) {
                TypeKind::Bool => ConstKind::Bool(v.int()? & 1 != 0),
                _ => ConstKind::Bits(v.int()?),
            },
            LLVMConstantFPValueKind => ConstKind::Bits(v.float_bits()?),
            LLVMUndefValueValueKind | LLVMPoisonValueKind => ConstKind::Undef,
            LLVMConstantAggregateZeroValueKind | LLVMConstantPointerNullValueKind => ConstKind::Null,
            LLVMConstantTargetNoneValueKind => ConstKind::Null,
            LLVMConstantArrayValueKind
            | LLVMConstantStructValueKind
            | LLVMConstantVectorValueKind
            | LLVMConstantDataArrayValueKind
            | LLVMConstantDataVectorValueKind => {
                let (n, of): (u64, Option<Type>) = match ctx.types.kind(ty) {
                    TypeKind::Array { elem, len, .. } => (u64::from(*len), Some(*elem)),
                    TypeKind::Vector { elem, len } => (u64::from(*len), Some(*elem)),
                    TypeKind::Struct(s) => (s.members.len() as u64, None),
                    // A vector of one component is its component.
                    _ => return self.constant(v.element(0)?, ty),
                };
                if n > MAX_ELEMENTS {
                    return None;
                }
                let mut parts = Vec::with_capacity(n as usize);
                for i in 0..n as u32 {
                    let t = match of {
                        Some(t) => t,
                        None => self.out.ctx.types.element(ty, i)?,
                    };
                    parts.push(self.constant(v.element(i)?, t)?);
                }
                return Some(self.out.ctx.constant(ty, ConstKind::Composite(parts)));
            }
            _ => return None,
        };
        Some(ctx.constant(ty, kind))
    }

    /// The initial value of a global of type `ty`; None for no value.
    pub fn initializer(&mut self, v: Val<'m>, ty: Type) -> Result<Option<Const>, String> {
        if matches!(v.kind(), ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind) {
            return Ok(None);
        }
        // A single bit takes a byte.
        let c = match (v.ty().kind(), v.int()) {
            (Kind::Int(1), Some(bit)) => Some(self.out.ctx.constant(ty, ConstKind::Bits(bit & 1))),
            _ => self.constant(v, ty),
        };
        match c {
            Some(c) => Ok(Some(c)),
            None => self.with_addresses(v, ty, 0).map(Some),
        }
    }
}

impl<'m> Body<'_, 'm, '_> {
    /// The value of an operand.
    pub fn operand(&mut self, v: Val<'m>) -> Result<Value, String> {
        if let Some(found) = self.values.get(&v) {
            return Ok(*found);
        }
        use ValueKind::*;
        match v.kind() {
            LLVMGlobalVariableValueKind => {
                let Some(g) = self.i.globals.get(&v).copied() else {
                    return Err("a global that is not carried over".into());
                };
                let data = &self.i.out.globals[g];
                let (ty, storage) = (data.ty, data.storage);
                Ok(self.b().address_of(g, ty, storage))
            }
            LLVMFunctionValueKind => Err("the address of a function".into()),
            LLVMGlobalAliasValueKind | LLVMGlobalIFuncValueKind => Err("an alias".into()),
            LLVMConstantExprValueKind => {
                let value = self.compute(v)?;
                value.ok_or_else(|| "a constant expression".into())
            }
            LLVMInlineAsmValueKind => Err("assembly".into()),
            _ if v.is_constant() => {
                let ty = self.i.ty(v.ty())?;
                if let Some(c) = self.i.constant(v, ty) {
                    return Ok(self.b().constant(c));
                }
                // With addresses in it: made of its parts.
                let n = match v.ty().kind() {
                    Kind::Struct { members, .. } => members.len() as u32,
                    Kind::Array(_, n) => u32::try_from(n).unwrap_or(u32::MAX).min(MAX_ELEMENTS as u32),
                    Kind::Vector(_, n) => n,
                    _ => return Err("a constant".into()),
                };
                let mut parts = Vec::new();
                for i in 0..n {
                    let Some(part) = v.element(i) else { return Err("a constant".into()) };
                    let part = self.canonical(part)?;
                    parts.push(part);
                }
                Ok(self.b().op(crate::ir::Op::CompositeConstruct, ty, &parts))
            }
            _ => Err("a value that is not defined before".into()),
        }
    }

    /// The value of an operand; pointers as pointers to bytes.
    pub fn canonical(&mut self, v: Val<'m>) -> Result<Value, String> {
        let value = self.operand(v)?;
        let ty = self.i.ty(v.ty())?;
        Ok(self.as_type(value, ty))
    }

    /// A type of LLVM as one of values.
    pub fn ty(&mut self, t: Ty<'m>) -> Result<Type, String> {
        self.i.ty(t)
    }
}
