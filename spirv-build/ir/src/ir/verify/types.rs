//! Rule 9, first part: arithmetic, comparisons, conversions, composites, extended instructions.

use super::structure::Check;
use crate::ir::{ExtSet, GlslOp, InstData, Op, Opcode, Type, TypeKind, Value};
use smallvec::SmallVec;
use std::sync::LazyLock;

/// What the types of an instruction's operands and result must be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// All are float scalars or vectors of one type.
    Float,
    /// All are integers of one width and shape; signs may differ.
    Int,
    /// Two bool operands, or one.
    Bool,
    /// Floats of one type to bools of that shape.
    CompareFloat,
    /// Integers of one width and shape to bools of that shape.
    CompareInt,
    /// Bools from floats, one operand.
    TestFloat,
    /// Shift: base and result as `Int`; the amount may have another width.
    Shift,
    /// Same shape, from one class to another.
    Convert(Class, Class),
    /// A vector of bools to bool.
    Reduce,
    /// Two float vectors of one type to their component type.
    Dot,
    /// Matrix and vector products, by their own rules.
    Product,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Float,
    Signed,
    Unsigned,
}

/// A row each: instruction, rule.
const ROWS: &[(Op, Rule)] = {
    use Class::*;
    use Rule as R;
    &[
        (Op::FAdd, R::Float),
        (Op::FSub, R::Float),
        (Op::FMul, R::Float),
        (Op::FDiv, R::Float),
        (Op::FRem, R::Float),
        (Op::FMod, R::Float),
        (Op::FNegate, R::Float),
        (Op::IAdd, R::Int),
        (Op::ISub, R::Int),
        (Op::IMul, R::Int),
        (Op::SDiv, R::Int),
        (Op::UDiv, R::Int),
        (Op::SRem, R::Int),
        (Op::SMod, R::Int),
        (Op::UMod, R::Int),
        (Op::SNegate, R::Int),
        (Op::Not, R::Int),
        (Op::BitwiseAnd, R::Int),
        (Op::BitwiseOr, R::Int),
        (Op::BitwiseXor, R::Int),
        (Op::BitReverse, R::Int),
        (Op::ShiftLeftLogical, R::Shift),
        (Op::ShiftRightLogical, R::Shift),
        (Op::ShiftRightArithmetic, R::Shift),
        (Op::LogicalAnd, R::Bool),
        (Op::LogicalOr, R::Bool),
        (Op::LogicalNot, R::Bool),
        (Op::LogicalEqual, R::Bool),
        (Op::LogicalNotEqual, R::Bool),
        (Op::FOrdEqual, R::CompareFloat),
        (Op::FOrdNotEqual, R::CompareFloat),
        (Op::FOrdLessThan, R::CompareFloat),
        (Op::FOrdLessThanEqual, R::CompareFloat),
        (Op::FOrdGreaterThan, R::CompareFloat),
        (Op::FOrdGreaterThanEqual, R::CompareFloat),
        (Op::FUnordEqual, R::CompareFloat),
        (Op::FUnordNotEqual, R::CompareFloat),
        (Op::FUnordLessThan, R::CompareFloat),
        (Op::FUnordLessThanEqual, R::CompareFloat),
        (Op::FUnordGreaterThan, R::CompareFloat),
        (Op::FUnordGreaterThanEqual, R::CompareFloat),
        (Op::IEqual, R::CompareInt),
        (Op::INotEqual, R::CompareInt),
        (Op::SLessThan, R::CompareInt),
        (Op::SLessThanEqual, R::CompareInt),
        (Op::SGreaterThan, R::CompareInt),
        (Op::SGreaterThanEqual, R::CompareInt),
        (Op::ULessThan, R::CompareInt),
        (Op::ULessThanEqual, R::CompareInt),
        (Op::UGreaterThan, R::CompareInt),
        (Op::UGreaterThanEqual, R::CompareInt),
        (Op::IsNan, R::TestFloat),
        (Op::IsInf, R::TestFloat),
        (Op::ConvertFToS, R::Convert(Float, Signed)),
        (Op::ConvertFToU, R::Convert(Float, Unsigned)),
        (Op::ConvertSToF, R::Convert(Signed, Float)),
        (Op::ConvertUToF, R::Convert(Unsigned, Float)),
        (Op::FConvert, R::Convert(Float, Float)),
        (Op::SConvert, R::Convert(Signed, Signed)),
        (Op::UConvert, R::Convert(Unsigned, Unsigned)),
        (Op::Any, R::Reduce),
        (Op::All, R::Reduce),
        (Op::Dot, R::Dot),
        (Op::MatrixTimesVector, R::Product),
        (Op::VectorTimesMatrix, R::Product),
        (Op::MatrixTimesMatrix, R::Product),
        (Op::MatrixTimesScalar, R::Product),
        (Op::VectorTimesScalar, R::Product),
        (Op::Transpose, R::Product),
        (Op::OuterProduct, R::Product),
    ]
};

/// Extended instructions on floats whose operands all have the result's type.
const GLSL_FLOAT: &[GlslOp] = {
    &[
        GlslOp::Round,
        GlslOp::RoundEven,
        GlslOp::Trunc,
        GlslOp::FAbs,
        GlslOp::FSign,
        GlslOp::Floor,
        GlslOp::Ceil,
        GlslOp::Fract,
        GlslOp::Radians,
        GlslOp::Degrees,
        GlslOp::Sin,
        GlslOp::Cos,
        GlslOp::Tan,
        GlslOp::Asin,
        GlslOp::Acos,
        GlslOp::Atan,
        GlslOp::Sinh,
        GlslOp::Cosh,
        GlslOp::Tanh,
        GlslOp::Asinh,
        GlslOp::Acosh,
        GlslOp::Atanh,
        GlslOp::Atan2,
        GlslOp::Pow,
        GlslOp::Exp,
        GlslOp::Log,
        GlslOp::Exp2,
        GlslOp::Log2,
        GlslOp::Sqrt,
        GlslOp::InverseSqrt,
        GlslOp::FMin,
        GlslOp::FMax,
        GlslOp::FClamp,
        GlslOp::FMix,
        GlslOp::Step,
        GlslOp::SmoothStep,
        GlslOp::Fma,
        GlslOp::NMin,
        GlslOp::NMax,
        GlslOp::NClamp,
        GlslOp::Normalize,
        GlslOp::Reflect,
        GlslOp::FaceForward,
    ]
};

/// The same for integers.
const GLSL_INT: &[GlslOp] = {
    &[
        GlslOp::SAbs,
        GlslOp::SSign,
        GlslOp::UMin,
        GlslOp::SMin,
        GlslOp::UMax,
        GlslOp::SMax,
        GlslOp::UClamp,
        GlslOp::SClamp,
        GlslOp::FindILsb,
        GlslOp::FindSMsb,
        GlslOp::FindUMsb,
    ]
};

/// By code: the rule in [`ROWS`].
static RULES: LazyLock<Vec<Option<Rule>>> = LazyLock::new(|| {
    let most = ROWS.iter().map(|r| usize::from(r.0.0)).max().unwrap_or(0);
    let mut rules = vec![None; most + 1];
    ROWS.iter().for_each(|(op, rule)| rules[usize::from(op.0)] = Some(*rule));
    rules
});

pub(super) fn check(c: &mut Check<'_>, d: &InstData) {
    let Some(result) = d.result().map(|v| c.ty(v)) else { return };
    let ids: SmallVec<[Value; 8]> = d.ids().collect();
    // What types that are only passed through take is their extension's business.
    let custom = |t: Type| matches!(c.kind(t), TypeKind::Custom(_));
    if custom(result) || ids.iter().any(|v| custom(c.ty(*v))) {
        return;
    }
    match d.op {
        Opcode::Op(op) => {
            if let Some(rule) = RULES.get(usize::from(op.0)).copied().flatten() {
                if !c.follows(rule, op, result, &ids) {
                    c.e.push(format!("operands and result of Op{op:?} do not agree in type"));
                }
            } else {
                c.composite(op, d, result, &ids);
            }
        }
        Opcode::Ext(ExtSet::Glsl, n) => {
            let Some(op) = GlslOp::from_u32(n) else { return };
            let rule = if GLSL_FLOAT.contains(&op) {
                Rule::Float
            } else if GLSL_INT.contains(&op) {
                Rule::Int
            } else {
                return;
            };
            if !c.follows(rule, Op::ExtInst, result, &ids) {
                c.e.push(format!("operands and result of {op:?} do not agree in type"));
            }
        }
        _ => {}
    }
}

impl Check<'_> {
    fn shape(&self, t: Type) -> Option<(u8, &TypeKind)> {
        match self.kind(t) {
            TypeKind::Vector { elem, len } => Some((*len, self.kind(*elem))),
            k @ (TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float { .. }
            | TypeKind::EncodedFloat { .. }) => Some((1, k)),
            _ => None,
        }
    }

    fn is_float(&self, t: Type) -> bool {
        matches!(self.shape(t), Some((_, TypeKind::Float { .. } | TypeKind::EncodedFloat { .. })))
    }

    /// Components and width, for integers.
    fn int(&self, t: Type) -> Option<(u8, u8)> {
        match self.shape(t) {
            Some((n, TypeKind::Int { width, .. })) => Some((n, *width)),
            _ => None,
        }
    }

    /// Components, for bools.
    fn bools(&self, t: Type) -> Option<u8> {
        match self.shape(t) {
            Some((n, TypeKind::Bool)) => Some(n),
            _ => None,
        }
    }

    fn follows(&self, rule: Rule, op: Op, result: Type, ids: &[Value]) -> bool {
        let types: SmallVec<[Type; 8]> = ids.iter().map(|v| self.ty(*v)).collect();
        let Some(&first) = types.first() else { return false };
        let same = types.iter().all(|t| *t == first);
        match rule {
            Rule::Float => self.is_float(result) && types.iter().all(|t| *t == result),
            Rule::Int => self.int(result).is_some() && types.iter().all(|t| self.int(*t) == self.int(result)),
            Rule::Bool => self.bools(result).is_some() && types.iter().all(|t| *t == result),
            Rule::CompareFloat | Rule::TestFloat => {
                self.is_float(first) && same && self.bools(result) == self.shape(first).map(|s| s.0)
            }
            Rule::CompareInt => {
                self.int(first).is_some()
                    && types.iter().all(|t| self.int(*t) == self.int(first))
                    && self.bools(result) == self.int(first).map(|i| i.0)
            }
            Rule::Shift => {
                let n = self.int(result);
                n.is_some()
                    && self.int(first) == n
                    && types.get(1).and_then(|t| self.int(*t)).map(|i| i.0) == n.map(|i| i.0)
            }
            Rule::Convert(from, to) => {
                self.is_class(first, from)
                    && self.is_class(result, to)
                    && self.shape(first).map(|s| s.0) == self.shape(result).map(|s| s.0)
            }
            Rule::Reduce => self.bools(first).is_some_and(|n| n > 1) && self.bools(result) == Some(1),
            Rule::Dot => {
                self.is_float(first)
                    && same
                    && self.module.ctx.types.element(first, 0) == Some(result)
                    && matches!(self.kind(first), TypeKind::Vector { .. })
            }
            Rule::Product => self.product(op, result, &types),
        }
    }

    /// Integer conversions do not look at the sign of the type, only at that of the instruction.
    fn is_class(&self, t: Type, class: Class) -> bool {
        match class {
            Class::Float => self.is_float(t),
            Class::Signed | Class::Unsigned => self.int(t).is_some(),
        }
    }

    /// Columns and rows of a matrix.
    fn matrix(&self, t: Type) -> Option<(u8, u8, Type)> {
        match self.kind(t) {
            TypeKind::Matrix { column, columns } => match self.kind(*column) {
                TypeKind::Vector { elem, len } => Some((*columns, *len, *elem)),
                _ => None,
            },
            _ => None,
        }
    }

    fn vector(&self, t: Type) -> Option<(u8, Type)> {
        match self.kind(t) {
            TypeKind::Vector { elem, len } => Some((*len, *elem)),
            _ => None,
        }
    }

    fn product(&self, op: Op, result: Type, types: &[Type]) -> bool {
        let (Some(&a), b) = (types.first(), types.get(1).copied().unwrap_or(result)) else { return false };
        let agree = || -> Option<bool> {
            Some(match op {
                Op::MatrixTimesVector => {
                    let ((c, r, e), v) = (self.matrix(a)?, self.vector(b)?);
                    v == (c, e) && self.vector(result)? == (r, e)
                }
                Op::VectorTimesMatrix => {
                    let (v, (c, r, e)) = (self.vector(a)?, self.matrix(b)?);
                    v == (r, e) && self.vector(result)? == (c, e)
                }
                Op::MatrixTimesMatrix => {
                    let ((k, r, e), (c, k2, e2)) = (self.matrix(a)?, self.matrix(b)?);
                    k == k2 && e == e2 && self.matrix(result)? == (c, r, e)
                }
                Op::MatrixTimesScalar => a == result && self.matrix(a)?.2 == b,
                Op::VectorTimesScalar => a == result && self.vector(a)?.1 == b && self.is_float(b),
                Op::Transpose => {
                    let (c, r, e) = self.matrix(a)?;
                    self.matrix(result)? == (r, c, e)
                }
                _ => {
                    let ((r, e), (c, e2)) = (self.vector(a)?, self.vector(b)?);
                    e == e2 && self.matrix(result)? == (c, r, e)
                }
            })
        };
        agree().unwrap_or(false)
    }

    /// The type inside a composite along literal indices.
    fn along(&self, mut t: Type, d: &InstData, from: usize) -> Option<Type> {
        for i in from..d.operands.len() {
            t = self.module.ctx.types.element(t, d.literal(i)?)?;
        }
        Some(t)
    }

    fn composite(&mut self, op: Op, d: &InstData, result: Type, ids: &[Value]) {
        let ty = |i: usize| ids.get(i).map(|v| self.ty(*v));
        let types = &self.module.ctx.types;
        let agree = match op {
            Op::CompositeExtract => {
                ty(0).and_then(|t| self.along(t, d, 1)) == Some(result) && d.operands.len() > 1
            }
            Op::CompositeInsert => {
                ty(1) == Some(result) && self.along(result, d, 2).is_some_and(|t| Some(t) == ty(0))
            }
            Op::CompositeConstruct => self.construct(result, ids),
            Op::VectorShuffle => {
                let (a, b, r) = (
                    ty(0).and_then(|t| self.vector(t)),
                    ty(1).and_then(|t| self.vector(t)),
                    self.vector(result),
                );
                match (a, b, r) {
                    (Some(a), Some(b), Some(r)) => {
                        let total = u32::from(a.0) + u32::from(b.0);
                        let literals = (2..d.operands.len()).map(|i| d.literal(i));
                        a.1 == r.1
                            && b.1 == r.1
                            && d.operands.len() == 2 + usize::from(r.0)
                            && literals.into_iter().all(|n| n.is_some_and(|n| n < total || n == u32::MAX))
                    }
                    _ => false,
                }
            }
            Op::VectorExtractDynamic => {
                ty(0).and_then(|t| self.vector(t)).is_some_and(|v| v.1 == result)
                    && ty(1).is_some_and(|t| self.int(t).is_some_and(|i| i.0 == 1))
            }
            Op::VectorInsertDynamic => {
                ty(0) == Some(result)
                    && self.vector(result).is_some_and(|v| Some(v.1) == ty(1))
                    && ty(2).is_some_and(|t| self.int(t).is_some_and(|i| i.0 == 1))
            }
            Op::CopyObject => ty(0) == Some(result),
            Op::Select => {
                let n = ty(0).and_then(|t| self.bools(t));
                let shape = self.shape(result).map(|s| s.0);
                // A scalar condition selects between whole objects (SPIR-V 1.4).
                ty(1) == Some(result) && ty(2) == Some(result) && n.is_some() && (n == shape || n == Some(1))
            }
            Op::Bitcast => {
                let bits = |t: Type| {
                    let (n, _) = self.shape(t)?;
                    (!types.is_bool(t)).then(|| u32::from(n) * u32::from(types.width_of(t).unwrap_or(0)))
                };
                let pointers =
                    ty(0).is_some_and(|t| types.pointee(t).is_some()) || types.pointee(result).is_some();
                pointers || (bits(result).is_some() && ty(0).and_then(bits) == bits(result))
            }
            Op::BitCount => {
                let (a, b) = (ty(0).and_then(|t| self.int(t)), self.int(result));
                a.is_some() && a.map(|i| i.0) == b.map(|i| i.0)
            }
            _ => true,
        };
        if !agree {
            self.e.push(format!("operands and result of Op{op:?} do not agree in type"));
        }
    }

    fn construct(&self, result: Type, ids: &[Value]) -> bool {
        if let TypeKind::Vector { elem, len } = self.kind(result) {
            // A vector may be made of smaller vectors.
            let mut n = 0;
            for v in ids {
                match self.shape(self.ty(*v)) {
                    Some((k, _)) if self.module.ctx.types.scalar_of(self.ty(*v)) == *elem => {
                        n += u32::from(k)
                    }
                    _ => return false,
                }
            }
            return n == u32::from(*len) && ids.len() >= 2;
        }
        let len = match self.kind(result) {
            TypeKind::Matrix { columns, .. } => u32::from(*columns),
            TypeKind::Array { len, .. } => *len,
            TypeKind::Struct(s) => s.members.len() as u32,
            _ => return false,
        };
        ids.len() as u32 == len
            && (0..).zip(ids).all(|(i, v)| self.module.ctx.types.element(result, i) == Some(self.ty(*v)))
    }
}
