//! Conversions between types, and between address spaces.

use super::arith::int_width;
use super::function::Body;
use super::raw::{Kind, Opcode, Ty, Val};
use crate::ir::{ConstKind, Op, StorageClass, Type, Value};

impl<'m> Body<'_, 'm, '_> {
    pub fn convert(
        &mut self,
        op: Opcode,
        v: Val<'m>,
        from: Ty<'m>,
        ty: Type,
        a: Value,
    ) -> Result<Value, String> {
        use Opcode::*;
        let source = self.type_of(a);
        let narrow = self.is_bool(source);
        Ok(match op {
            LLVMTrunc if self.is_bool(ty) => {
                let one = self.bits(source, 1);
                let low = self.b().op(Op::BitwiseAnd, source, &[a, one]);
                self.int_to_bool(low)
            }
            LLVMTrunc => {
                let low = if source == ty { a } else { self.b().op(Op::UConvert, ty, &[a]) };
                self.masked(low, v.ty())
            }
            LLVMZExt | LLVMSExt if narrow => {
                let wide = self.bool_to_int(a, ty, op == LLVMSExt);
                self.masked(wide, v.ty())
            }
            LLVMZExt => {
                if source == ty {
                    a
                } else {
                    self.b().op(Op::UConvert, ty, &[a])
                }
            }
            LLVMSExt => {
                let a = self.signed(a, from);
                let wide = if source == ty { a } else { self.b().op(Op::SConvert, ty, &[a]) };
                self.masked(wide, v.ty())
            }
            LLVMFPToUI | LLVMFPToSI => {
                let to = if self.is_bool(ty) {
                    let types = &mut self.i.out.ctx.types;
                    let (word, len) = (types.u32(), types.len_of(ty));
                    types.vector(word, len)
                } else {
                    ty
                };
                let convert = if op == LLVMFPToUI { Op::ConvertFToU } else { Op::ConvertFToS };
                let n = self.b().op(convert, to, &[a]);
                if self.is_bool(ty) { self.int_to_bool(n) } else { self.masked(n, v.ty()) }
            }
            LLVMUIToFP | LLVMSIToFP => {
                let a = if narrow {
                    let types = &mut self.i.out.ctx.types;
                    let (word, len) = (types.u32(), types.len_of(ty));
                    let ints = types.vector(word, len);
                    self.bool_to_int(a, ints, op == LLVMSIToFP)
                } else if op == LLVMSIToFP {
                    self.signed(a, from)
                } else {
                    a
                };
                let convert = if op == LLVMUIToFP { Op::ConvertUToF } else { Op::ConvertSToF };
                self.b().op(convert, ty, &[a])
            }
            _ => self.b().op(Op::FConvert, ty, &[a]),
        })
    }

    /// Reinterprets bits. Bits of a vector of bools, and of odd integers, are put together and taken apart one by one.
    pub fn bitcast(&mut self, a: Value, from: Ty<'m>, to: Ty<'m>, ty: Type) -> Result<Value, String> {
        let source = self.type_of(a);
        let pointers = matches!(from.kind(), Kind::Pointer(_)) || matches!(to.kind(), Kind::Pointer(_));
        if pointers {
            return Ok(self.as_type(a, ty));
        }
        if source == ty && self.odd(from, source) == self.odd(to, ty) {
            return Ok(a);
        }
        let whole = |b: &Self, t: Ty<'m>, ty: Type| !b.is_bool(ty) && b.odd(t, ty).is_none();
        if whole(self, from, source) && whole(self, to, ty) {
            return Ok(self.b().op(Op::Bitcast, ty, &[a]));
        }
        let bits = |b: &Self, t: Ty<'m>, ty: Type| -> Option<(u32, u32)> {
            let each = int_width(t).or(b.i.out.ctx.types.width_of(ty).map(u32::from))?;
            Some((u32::from(b.i.out.ctx.types.len_of(ty)), each))
        };
        let (Some((n, each)), Some((m, other))) = (bits(self, from, source), bits(self, to, ty)) else {
            return Err("a cast".into());
        };
        if n * each != m * other || n * each > 64 {
            return Err("a cast of this size".into());
        }
        // All bits in one integer, then the parts of the result out of it.
        let Some(width) = super::types::container(n * each) else { return Err("a cast of this size".into()) };
        let word = self.i.out.ctx.types.int(width, false);
        let mut all = self.bits(word, 0);
        for i in 0..n {
            let mut part = a;
            if n > 1 {
                let elem = self.i.out.ctx.types.scalar_of(source);
                part = self.b().extract(a, elem, &[i]);
            }
            let part = self.bits_of(part, word);
            let shift = self.bits(word, u64::from(i * each));
            let placed = self.b().op(Op::ShiftLeftLogical, word, &[part, shift]);
            all = self.b().op(Op::BitwiseOr, word, &[all, placed]);
        }
        let elem = self.i.out.ctx.types.scalar_of(ty);
        let mut parts = Vec::new();
        for i in 0..m {
            let shift = self.bits(word, u64::from(i * other));
            let part = self.b().op(Op::ShiftRightLogical, word, &[all, shift]);
            let mask = self.bits(word, if other >= 64 { u64::MAX } else { (1 << other) - 1 });
            let part = self.b().op(Op::BitwiseAnd, word, &[part, mask]);
            parts.push(self.value_of_bits(part, elem));
        }
        Ok(if m == 1 { parts[0] } else { self.b().op(Op::CompositeConstruct, ty, &parts) })
    }

    /// The bits of a scalar in an integer that is wide enough.
    fn bits_of(&mut self, v: Value, word: Type) -> Value {
        let ty = self.type_of(v);
        if self.is_bool(ty) {
            return self.bool_to_int(v, word, false);
        }
        let width = self.i.out.ctx.types.width_of(ty).unwrap_or(32);
        let int = self.i.out.ctx.types.int(width, false);
        let v = if int == ty { v } else { self.b().op(Op::Bitcast, int, &[v]) };
        if int == word { v } else { self.b().op(Op::UConvert, word, &[v]) }
    }

    fn value_of_bits(&mut self, v: Value, ty: Type) -> Value {
        if self.is_bool(ty) {
            return self.int_to_bool(v);
        }
        let width = self.i.out.ctx.types.width_of(ty).unwrap_or(32);
        let int = self.i.out.ctx.types.int(width, false);
        let v = if self.type_of(v) == int { v } else { self.b().op(Op::UConvert, int, &[v]) };
        if int == ty { v } else { self.b().op(Op::Bitcast, ty, &[v]) }
    }

    /// A pointer in another address space.
    pub fn change_space(&mut self, a: Value, ty: Type) -> Result<Value, String> {
        let types = &mut self.i.out.ctx.types;
        let Some((pointee, from)) = types.pointee(self.f.values[a].ty) else {
            return Err("an address".into());
        };
        let Some((_, to)) = types.pointee(ty) else { return Err("a vector of addresses".into()) };
        if let Some(c) = self.f.as_const(a)
            && *self.i.out.ctx.consts.kind(c) == ConstKind::Null
        {
            return Ok(self.b().null(ty));
        }
        let types = &mut self.i.out.ctx.types;
        let same = types.pointer(pointee, to);
        match (from, to) {
            _ if from == to => Ok(a),
            // System values have no address.
            (StorageClass::Input, _) => Ok(a),
            (StorageClass::UniformConstant, _) | (_, StorageClass::UniformConstant) => {
                Err("a cast of an address to or from constant memory".into())
            }
            (_, StorageClass::Generic) => Ok(self.b().op(Op::PtrCastToGeneric, same, &[a])),
            (StorageClass::Generic, _) => Ok(self.b().op(Op::GenericCastToPtr, same, &[a])),
            _ => Err("a cast between unrelated address spaces".into()),
        }
    }
}
