//! Arithmetic, comparisons, selections; the rest of the instructions that compute is handed on.
//!
//! An integer of an odd width is kept with zeros above it: what may set bits there is masked afterwards, what looks at its
//! sign extends it first.

use super::function::Body;
use super::raw::{IntPredicate, Kind, Opcode, RealPredicate, Ty, Val};
use crate::ir::{ConstKind, Decoration, InstData, Op, Operand, Type, TypeKind, Value};

/// How operands must be prepared, and the result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Odd {
    /// Stays clean.
    Clean,
    /// The result must be masked.
    Mask,
    /// Signs count: operands are extended, the result is masked.
    Signed,
}

/// A row each: LLVM's instruction, SPIR-V's, what odd widths need.
const BINARY: &[(Opcode, Op, Odd)] = {
    use Opcode::*;
    &[
        (LLVMAdd, Op::IAdd, Odd::Mask),
        (LLVMSub, Op::ISub, Odd::Mask),
        (LLVMMul, Op::IMul, Odd::Mask),
        (LLVMUDiv, Op::UDiv, Odd::Clean),
        (LLVMSDiv, Op::SDiv, Odd::Signed),
        (LLVMURem, Op::UMod, Odd::Clean),
        (LLVMSRem, Op::SRem, Odd::Signed),
        (LLVMShl, Op::ShiftLeftLogical, Odd::Mask),
        (LLVMLShr, Op::ShiftRightLogical, Odd::Clean),
        (LLVMAShr, Op::ShiftRightArithmetic, Odd::Signed),
        (LLVMAnd, Op::BitwiseAnd, Odd::Clean),
        (LLVMOr, Op::BitwiseOr, Odd::Clean),
        (LLVMXor, Op::BitwiseXor, Odd::Clean),
        (LLVMFAdd, Op::FAdd, Odd::Clean),
        (LLVMFSub, Op::FSub, Odd::Clean),
        (LLVMFMul, Op::FMul, Odd::Clean),
        (LLVMFDiv, Op::FDiv, Odd::Clean),
        (LLVMFRem, Op::FRem, Odd::Clean),
    ]
};

const INT_PREDICATES: &[(IntPredicate, Op, bool)] = {
    use IntPredicate::*;
    &[
        (LLVMIntEQ, Op::IEqual, false),
        (LLVMIntNE, Op::INotEqual, false),
        (LLVMIntUGT, Op::UGreaterThan, false),
        (LLVMIntUGE, Op::UGreaterThanEqual, false),
        (LLVMIntULT, Op::ULessThan, false),
        (LLVMIntULE, Op::ULessThanEqual, false),
        (LLVMIntSGT, Op::SGreaterThan, true),
        (LLVMIntSGE, Op::SGreaterThanEqual, true),
        (LLVMIntSLT, Op::SLessThan, true),
        (LLVMIntSLE, Op::SLessThanEqual, true),
    ]
};

const REAL_PREDICATES: &[(RealPredicate, Op)] = {
    use RealPredicate::*;
    &[
        (LLVMRealOEQ, Op::FOrdEqual),
        (LLVMRealOGT, Op::FOrdGreaterThan),
        (LLVMRealOGE, Op::FOrdGreaterThanEqual),
        (LLVMRealOLT, Op::FOrdLessThan),
        (LLVMRealOLE, Op::FOrdLessThanEqual),
        (LLVMRealONE, Op::FOrdNotEqual),
        (LLVMRealORD, Op::Ordered),
        (LLVMRealUNO, Op::Unordered),
        (LLVMRealUEQ, Op::FUnordEqual),
        (LLVMRealUGT, Op::FUnordGreaterThan),
        (LLVMRealUGE, Op::FUnordGreaterThanEqual),
        (LLVMRealULT, Op::FUnordLessThan),
        (LLVMRealULE, Op::FUnordLessThanEqual),
        (LLVMRealUNE, Op::FUnordNotEqual),
    ]
};

/// Bits of an integer or of the components of a vector of them.
pub(super) fn int_width(t: Ty<'_>) -> Option<u32> {
    match t.kind() {
        Kind::Int(w) => Some(w),
        Kind::Vector(e, _) => int_width(e),
        _ => None,
    }
}

impl<'m> Body<'_, 'm, '_> {
    pub fn is_bool(&self, ty: Type) -> bool {
        self.i.out.ctx.types.is_bool(ty)
    }

    /// The bools of the shape of a type.
    pub fn bools_like(&mut self, ty: Type) -> Type {
        let types = &mut self.i.out.ctx.types;
        let (bool, len) = (types.bool(), types.len_of(ty));
        types.vector(bool, len)
    }

    /// Width of an integer type, if its values live in a wider one.
    pub fn odd(&self, t: Ty<'m>, ty: Type) -> Option<u32> {
        let width = int_width(t)?;
        (self.i.out.ctx.types.width_of(ty).map(u32::from) != Some(width)).then_some(width)
    }

    pub fn masked(&mut self, v: Value, t: Ty<'m>) -> Value {
        let ty = self.type_of(v);
        let Some(width) = self.odd(t, ty) else { return v };
        let mask = self.bits(ty, (1 << width) - 1);
        self.b().op(Op::BitwiseAnd, ty, &[v, mask])
    }

    /// A value of an odd width with its sign above.
    pub fn signed(&mut self, v: Value, t: Ty<'m>) -> Value {
        let ty = self.type_of(v);
        let Some(width) = self.odd(t, ty) else { return v };
        let shift = u64::from(self.i.out.ctx.types.width_of(ty).unwrap_or(64)) - u64::from(width);
        let shift = self.bits(ty, shift);
        let high = self.b().op(Op::ShiftLeftLogical, ty, &[v, shift]);
        self.b().op(Op::ShiftRightArithmetic, ty, &[high, shift])
    }

    /// 0 or 1 (0 or all ones) for a bool.
    pub fn bool_to_int(&mut self, v: Value, ty: Type, ones: bool) -> Value {
        let (set, clear) = (self.bits(ty, if ones { u64::MAX } else { 1 }), self.bits(ty, 0));
        self.b().op(Op::Select, ty, &[v, set, clear])
    }

    /// Whether an integer is not 0.
    pub fn int_to_bool(&mut self, v: Value) -> Value {
        let ty = self.type_of(v);
        if self.is_bool(ty) {
            return v;
        }
        let (zero, bools) = (self.bits(ty, 0), self.bools_like(ty));
        self.b().op(Op::INotEqual, bools, &[v, zero])
    }

    pub fn arithmetic(&mut self, op: Opcode, v: Val<'m>) -> Result<Value, String> {
        use Opcode::*;
        let operands = v.operands();
        let ty = self.ty(v.ty())?;
        if let Some((_, to, odd)) = BINARY.iter().find(|r| r.0 == op) {
            let (a, b) = (self.operand(operands[0])?, self.operand(operands[1])?);
            return self.binary(*to, *odd, v, ty, a, b);
        }
        match op {
            LLVMICmp => self.compare_ints(v, &operands),
            LLVMFCmp => self.compare_floats(v, &operands, ty),
            LLVMFNeg => {
                let a = self.operand(operands[0])?;
                Ok(self.b().op(Op::FNegate, ty, &[a]))
            }
            LLVMSelect => self.select(&operands, ty),
            LLVMFreeze => {
                let a = self.canonical(operands[0])?;
                let undefined =
                    self.f.as_const(a).is_some_and(|c| *self.i.out.ctx.consts.kind(c) == ConstKind::Undef);
                Ok(if undefined { self.b().null(ty) } else { a })
            }
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP
            | LLVMFPTrunc | LLVMFPExt => {
                let a = self.operand(operands[0])?;
                self.convert(op, v, operands[0].ty(), ty, a)
            }
            #[cfg(feature = "llvm22-1")]
            LLVMPtrToAddr => {
                let a = self.operand(operands[0])?;
                let word = self.i.size_type();
                let wide = self.b().op(Op::ConvertPtrToU, word, &[a]);
                Ok(if ty == word { wide } else { self.b().op(Op::UConvert, ty, &[wide]) })
            }
            LLVMPtrToInt => {
                let a = self.operand(operands[0])?;
                let word = self.i.size_type();
                let wide = self.b().op(Op::ConvertPtrToU, word, &[a]);
                Ok(if ty == word { wide } else { self.b().op(Op::UConvert, ty, &[wide]) })
            }
            LLVMIntToPtr => {
                let a = self.operand(operands[0])?;
                let word = self.i.size_type();
                let a = if self.type_of(a) == word { a } else { self.b().op(Op::UConvert, word, &[a]) };
                Ok(self.b().op(Op::ConvertUToPtr, ty, &[a]))
            }
            LLVMBitCast => {
                let a = self.operand(operands[0])?;
                self.bitcast(a, operands[0].ty(), v.ty(), ty)
            }
            LLVMAddrSpaceCast => {
                let a = self.operand(operands[0])?;
                self.change_space(a, ty)
            }
            LLVMExtractElement => self.extract_element(&operands, ty),
            LLVMInsertElement => self.insert_element(&operands, ty),
            LLVMShuffleVector => self.shuffle(v, &operands, ty),
            LLVMExtractValue => {
                let a = self.operand(operands[0])?;
                let value = self.b().extract(a, ty, &v.indices());
                Ok(value)
            }
            LLVMInsertValue => self.insert_value(v, &operands, ty),
            _ => Err("an instruction that kernels do not have".into()),
        }
    }

    fn binary(
        &mut self,
        op: Op,
        odd: Odd,
        v: Val<'m>,
        ty: Type,
        a: Value,
        b: Value,
    ) -> Result<Value, String> {
        if self.is_bool(ty) {
            let op = match op {
                Op::IAdd | Op::ISub | Op::BitwiseXor => Op::LogicalNotEqual,
                Op::IMul | Op::BitwiseAnd => Op::LogicalAnd,
                Op::BitwiseOr => Op::LogicalOr,
                // A shift or division has a meaning only by 0 or 1 then.
                Op::ShiftLeftLogical
                | Op::ShiftRightLogical
                | Op::ShiftRightArithmetic
                | Op::UDiv
                | Op::SDiv => return Ok(a),
                _ => return Ok(self.b().null(ty)),
            };
            return Ok(self.b().op(op, ty, &[a, b]));
        }
        let (a, b) = match (odd, op) {
            (Odd::Signed, Op::ShiftRightArithmetic) => (self.signed(a, v.ty()), b),
            (Odd::Signed, _) => (self.signed(a, v.ty()), self.signed(b, v.ty())),
            _ => (a, b),
        };
        let mut data = InstData::new(op, [Operand::Id(a), Operand::Id(b)], self.span);
        let fast = v.fast_math();
        if fast != 0 && self.i.out.ctx.types.is_float(ty) {
            data.decorations.add(Decoration::words(spirv_spec::Decoration::FPFastMathMode, &[fast]));
        }
        let inst = self.b().append(data, &[ty]);
        let result = self.f.insts[inst].results[0];
        Ok(if odd == Odd::Clean { result } else { self.masked(result, v.ty()) })
    }

    fn compare_ints(&mut self, v: Val<'m>, operands: &[Val<'m>]) -> Result<Value, String> {
        let row = INT_PREDICATES.iter().find(|r| Some(r.0) == v.int_predicate());
        let Some((_, op, signed)) = row else { return Err("a comparison".into()) };
        let (mut a, mut b) = (self.operand(operands[0])?, self.operand(operands[1])?);
        if self.i.out.ctx.types.pointee(self.type_of(a)).is_some() {
            let word = self.i.size_type();
            a = self.b().op(Op::ConvertPtrToU, word, &[a]);
            b = self.b().op(Op::ConvertPtrToU, word, &[b]);
        }
        let ty = self.type_of(a);
        let bools = self.bools_like(ty);
        if self.is_bool(ty) {
            let op = match *op {
                Op::IEqual => Op::LogicalEqual,
                Op::INotEqual => Op::LogicalNotEqual,
                _ => {
                    let types = &mut self.i.out.ctx.types;
                    let (byte, len) = (types.int(8, false), types.len_of(ty));
                    let bytes = types.vector(byte, len);
                    a = self.bool_to_int(a, bytes, *signed);
                    b = self.bool_to_int(b, bytes, *signed);
                    *op
                }
            };
            return Ok(self.b().op(op, bools, &[a, b]));
        }
        if *signed {
            a = self.signed(a, operands[0].ty());
            b = self.signed(b, operands[0].ty());
        }
        Ok(self.b().op(*op, bools, &[a, b]))
    }

    fn compare_floats(&mut self, v: Val<'m>, operands: &[Val<'m>], ty: Type) -> Result<Value, String> {
        let always = match v.real_predicate() {
            Some(RealPredicate::LLVMRealPredicateTrue) => Some(true),
            Some(RealPredicate::LLVMRealPredicateFalse) => Some(false),
            _ => None,
        };
        if let Some(b) = always {
            let c = self.i.out.ctx.splat(ty, ConstKind::Bool(b));
            return Ok(self.b().constant(c));
        }
        let row = REAL_PREDICATES.iter().find(|r| Some(r.0) == v.real_predicate());
        let Some((_, op)) = row else { return Err("a comparison".into()) };
        let (a, b) = (self.operand(operands[0])?, self.operand(operands[1])?);
        Ok(self.b().op(*op, ty, &[a, b]))
    }

    fn select(&mut self, operands: &[Val<'m>], ty: Type) -> Result<Value, String> {
        let mut condition = self.operand(operands[0])?;
        let (a, b) = (self.canonical(operands[1])?, self.canonical(operands[2])?);
        let len = self.i.out.ctx.types.len_of(ty);
        if len > 1 && self.i.out.ctx.types.len_of(self.type_of(condition)) == 1 {
            let bools = self.bools_like(ty);
            condition = self.splat(bools, condition);
        }
        Ok(self.b().op(Op::Select, ty, &[condition, a, b]))
    }

    /// Whether a type is that of vectors or scalars.
    pub fn is_plain(&self, ty: Type) -> bool {
        matches!(
            self.i.out.ctx.types.kind(ty),
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. } | TypeKind::Vector { .. }
        )
    }
}
