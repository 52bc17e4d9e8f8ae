//! Arithmetic, comparisons, conversions, composites.
//!
//! An integer of an odd width is kept with zeros above it: what may set bits there is masked afterwards, what looks at its
//! sign extends it first.

use super::function::Body;
use super::raw::{IntPredicate, Kind, Opcode, RealPredicate, Ty, Val, ValueKind};
use crate::ir::{ConstKind, Decoration, InstData, Op, Operand, StorageClass, Type, TypeKind, Value};
use smallvec::SmallVec;

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

/// Parts of an aggregate that is made in one step.
const MAX_CONSTRUCTED: u32 = 64;
/// Instructions that may lie between its parts.
const MAX_BACK: usize = 256;

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
    fn odd(&self, t: Ty<'m>, ty: Type) -> Option<u32> {
        let width = int_width(t)?;
        (self.i.out.ctx.types.width_of(ty).map(u32::from) != Some(width)).then_some(width)
    }

    fn masked(&mut self, v: Value, t: Ty<'m>) -> Value {
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
            LLVMInsertValue => {
                let (a, part) = (self.operand(operands[0])?, self.canonical(operands[1])?);
                let parts = match self.i.out.ctx.types.kind(ty) {
                    TypeKind::Array { len, .. } => *len,
                    TypeKind::Struct(s) => s.members.len() as u32,
                    _ => 0,
                };
                if let [n] = v.indices()[..]
                    && n + 1 == parts
                    && parts <= MAX_CONSTRUCTED
                    && self.is_chain(Opcode::LLVMInsertValue, operands[0], n)
                {
                    return Ok(self.construct(operands[0], part, n, ty));
                }
                let mut all = vec![Operand::Id(part), Operand::Id(a)];
                all.extend(v.indices().into_iter().map(Operand::Literal));
                Ok(self.b().value(Op::CompositeInsert, ty, &all))
            }
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
            let operands = SmallVec::from_slice(&[fast]);
            data.decorations.push(Decoration { kind: spirv::Decoration::FPFastMathMode, operands });
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
            let op = match op {
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

    /// A scalar in every component of a vector type.
    pub fn splat(&mut self, vector: Type, scalar: Value) -> Value {
        let len = self.i.out.ctx.types.len_of(vector);
        if len == 1 {
            return scalar;
        }
        let parts = vec![scalar; usize::from(len)];
        self.b().op(Op::CompositeConstruct, vector, &parts)
    }

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
        use StorageClass::{Generic, Input, UniformConstant};
        match (from, to) {
            _ if from == to => Ok(a),
            // System values have no address.
            (Input, _) => Ok(a),
            (UniformConstant, _) | (_, UniformConstant) => {
                Err("a cast of an address to or from constant memory".into())
            }
            (_, Generic) => Ok(self.b().op(Op::PtrCastToGeneric, same, &[a])),
            (Generic, _) => Ok(self.b().op(Op::GenericCastToPtr, same, &[a])),
            _ => Err("a cast between unrelated address spaces".into()),
        }
    }

    fn constant_index(&self, v: Val<'m>) -> Option<u32> {
        u32::try_from(v.int()?).ok()
    }

    fn extract_element(&mut self, operands: &[Val<'m>], ty: Type) -> Result<Value, String> {
        let a = self.operand(operands[0])?;
        let len = u32::from(self.i.out.ctx.types.len_of(self.type_of(a)));
        if len == 1 {
            return Ok(a);
        }
        match self.constant_index(operands[1]) {
            Some(n) if n < len => Ok(self.b().extract(a, ty, &[n])),
            Some(_) => Ok(self.b().undef(ty)),
            None => {
                let n = self.operand(operands[1])?;
                Ok(self.b().op(Op::VectorExtractDynamic, ty, &[a, n]))
            }
        }
    }

    fn insert_element(&mut self, operands: &[Val<'m>], ty: Type) -> Result<Value, String> {
        let (a, part) = (self.operand(operands[0])?, self.operand(operands[1])?);
        let len = u32::from(self.i.out.ctx.types.len_of(ty));
        if len == 1 {
            return Ok(part);
        }
        match self.constant_index(operands[2]) {
            Some(n) if n + 1 == len && self.is_chain(Opcode::LLVMInsertElement, operands[0], n) => {
                Ok(self.construct(operands[0], part, n, ty))
            }
            Some(n) if n < len => {
                let all = [Operand::Id(part), Operand::Id(a), Operand::Literal(n)];
                Ok(self.b().value(Op::CompositeInsert, ty, &all))
            }
            Some(_) => Ok(self.b().undef(ty)),
            None => {
                let n = self.operand(operands[2])?;
                Ok(self.b().op(Op::VectorInsertDynamic, ty, &[a, part, n]))
            }
        }
    }

    /// Whether `v` is undefined but for the parts 0 to `n`, set one after the other in this block and used for nothing else.
    fn is_chain(&self, op: Opcode, mut v: Val<'m>, n: u32) -> bool {
        for i in (0..n).rev() {
            let operands = v.operands();
            let index = match op {
                Opcode::LLVMInsertElement => operands.get(2).and_then(|o| self.constant_index(*o)),
                _ if v.opcode() == Some(op) => Some(&v.indices()[..]).filter(|i| i.len() == 1).map(|i| i[0]),
                _ => None,
            };
            let here = self.values.get(&v).and_then(|v| self.f.def_inst(*v)).is_some_and(|i| {
                self.f.insts[i].op == crate::ir::Opcode::Op(Op::CompositeInsert)
                    && self.f.blocks[self.block].insts.iter().rev().take(MAX_BACK).any(|x| *x == i)
            });
            if v.opcode() != Some(op) || index != Some(i) || !here || !v.has_one_use() {
                return false;
            }
            v = operands[0];
        }
        matches!(v.kind(), ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind)
    }

    /// Makes a composite in one step of what [`Body::is_chain`] found, and of its last part.
    fn construct(&mut self, mut v: Val<'m>, last: Value, n: u32, ty: Type) -> Value {
        let mut parts = vec![last];
        for _ in 0..n {
            if let Some(i) = self.values.get(&v).and_then(|v| self.f.def_inst(*v)) {
                parts.extend(self.f.insts[i].id(0));
                let insts = &mut self.f.blocks[self.block].insts;
                if let Some(at) = insts.iter().rposition(|x| *x == i) {
                    insts.remove(at);
                }
            }
            v = v.operands()[0];
        }
        parts.reverse();
        self.b().op(Op::CompositeConstruct, ty, &parts)
    }

    fn shuffle(&mut self, v: Val<'m>, operands: &[Val<'m>], ty: Type) -> Result<Value, String> {
        let (a, b) = (self.operand(operands[0])?, self.operand(operands[1])?);
        let len = u32::from(self.i.out.ctx.types.len_of(self.type_of(a)));
        let elem = self.i.out.ctx.types.scalar_of(ty);
        let mask = v.mask();
        if len > 1 && mask.len() > 1 {
            let mut all = vec![Operand::Id(a), Operand::Id(b)];
            all.extend(mask.into_iter().map(|m| Operand::Literal(m.unwrap_or(u32::MAX))));
            return Ok(self.b().value(Op::VectorShuffle, ty, &all));
        }
        // Vectors of one component are scalars.
        let mut parts = Vec::new();
        for m in mask {
            let part = match m {
                None => self.b().undef(elem),
                Some(n) if len == 1 => [a, b][(n as usize).min(1)],
                Some(n) if n < len => self.b().extract(a, elem, &[n]),
                Some(n) => self.b().extract(b, elem, &[n - len]),
            };
            parts.push(part);
        }
        Ok(match parts[..] {
            [one] => one,
            _ => self.b().op(Op::CompositeConstruct, ty, &parts),
        })
    }

    /// Whether a type is that of vectors or scalars.
    pub fn is_plain(&self, ty: Type) -> bool {
        matches!(
            self.i.out.ctx.types.kind(ty),
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. } | TypeKind::Vector { .. }
        )
    }
}
