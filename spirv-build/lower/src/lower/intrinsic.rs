//! Intrinsics.

use super::function::Body;
use super::types::{MatrixForm, matrix_form};
use crate::hlsl::hir::Type as Hlsl;
use crate::hlsl::hir::{BinaryOp, ExprId, Intrinsic, Scalar, TypeId};
use crate::ir::{ExtSet, GlslOp, InstData, Member, Op, Opcode, Operand, StructType, Type, TypeKind, Value};

/// The instruction for floats, signed and unsigned integers; applied to scalars, vectors and rows of matrices.
#[derive(Clone, Copy)]
enum By {
    /// The same for all.
    Op(Op),
    /// `GLSL.std.450`, the same for all.
    Glsl(GlslOp),
    /// By kind.
    Kind(GlslOp, GlslOp, GlslOp),
}

/// Intrinsics that are one instruction: operands in order, result as the node says.
const ROWS: &[(Intrinsic, By)] = {
    use By::*;
    use GlslOp as G;
    use Intrinsic as I;
    &[
        (I::Abs, Kind(G::FAbs, G::SAbs, G::SAbs)),
        (I::Acos, Glsl(G::Acos)),
        (I::Asin, Glsl(G::Asin)),
        (I::Atan, Glsl(G::Atan)),
        (I::Atan2, Glsl(G::Atan2)),
        (I::Ceil, Glsl(G::Ceil)),
        (I::Clamp, Kind(G::FClamp, G::SClamp, G::UClamp)),
        (I::Cos, Glsl(G::Cos)),
        (I::Cosh, Glsl(G::Cosh)),
        (I::CountBits, Op(crate::ir::Op::BitCount)),
        (I::Cross, Glsl(G::Cross)),
        (I::Ddx, Op(crate::ir::Op::DPdx)),
        (I::DdxCoarse, Op(crate::ir::Op::DPdxCoarse)),
        (I::DdxFine, Op(crate::ir::Op::DPdxFine)),
        (I::Ddy, Op(crate::ir::Op::DPdy)),
        (I::DdyCoarse, Op(crate::ir::Op::DPdyCoarse)),
        (I::DdyFine, Op(crate::ir::Op::DPdyFine)),
        (I::Fwidth, Op(crate::ir::Op::Fwidth)),
        (I::Degrees, Glsl(G::Degrees)),
        (I::Distance, Glsl(G::Distance)),
        (I::Exp, Glsl(G::Exp)),
        (I::Exp2, Glsl(G::Exp2)),
        (I::CheckAccessFullyMapped, Op(crate::ir::Op::ImageSparseTexelsResident)),
        (I::FaceForward, Glsl(G::FaceForward)),
        (I::FirstBitHigh, Kind(G::FindUMsb, G::FindSMsb, G::FindUMsb)),
        (I::FirstBitLow, Kind(G::FindILsb, G::FindILsb, G::FindILsb)),
        (I::Floor, Glsl(G::Floor)),
        (I::Fmod, Op(crate::ir::Op::FRem)),
        (I::Frac, Glsl(G::Fract)),
        (I::IsInf, Op(crate::ir::Op::IsInf)),
        (I::IsNan, Op(crate::ir::Op::IsNan)),
        (I::Length, Glsl(G::Length)),
        (I::Lerp, Glsl(G::FMix)),
        (I::Log, Glsl(G::Log)),
        (I::Log2, Glsl(G::Log2)),
        (I::Max, Kind(G::FMax, G::SMax, G::UMax)),
        (I::Min, Kind(G::FMin, G::SMin, G::UMin)),
        (I::Normalize, Glsl(G::Normalize)),
        (I::Pow, Glsl(G::Pow)),
        (I::Radians, Glsl(G::Radians)),
        (I::Reflect, Glsl(G::Reflect)),
        (I::Refract, Glsl(G::Refract)),
        (I::ReverseBits, Op(crate::ir::Op::BitReverse)),
        (I::Round, Glsl(G::RoundEven)),
        (I::Rsqrt, Glsl(G::InverseSqrt)),
        (I::Sin, Glsl(G::Sin)),
        (I::Sinh, Glsl(G::Sinh)),
        (I::SmoothStep, Glsl(G::SmoothStep)),
        (I::Sqrt, Glsl(G::Sqrt)),
        (I::Step, Glsl(G::Step)),
        (I::Tan, Glsl(G::Tan)),
        (I::Tanh, Glsl(G::Tanh)),
        (I::Trunc, Glsl(G::Trunc)),
    ]
};

impl<'h> Body<'_, 'h> {
    #[inline(never)]
    pub(super) fn intrinsic(&mut self, op: Intrinsic, args: &'h [ExprId], ty: TypeId) -> Value {
        let span = self.span;
        let values: Vec<Value> = args.iter().map(|a| self.expr(*a)).collect();
        self.span = span;
        let from = args.first().map_or(ty, |a| self.f.expr(*a).ty);
        let scalar = self.l.component(from).unwrap_or(Scalar::F32);
        if !op.takes(scalar) {
            let help = "convert the operand to a 32-bit type";
            self.l.unsupported(span, format!("`{}` of `{}`", op.name(), scalar.name()), help);
            return self.undef(ty);
        }
        if let Some((_, by)) = ROWS.iter().find(|r| r.0 == op) {
            let code = match by {
                By::Op(op) => Opcode::Op(*op),
                By::Glsl(g) => Opcode::glsl(*g),
                By::Kind(f, s, u) => Opcode::glsl(match scalar {
                    s if s.is_float() => *f,
                    x if x.is_signed_int() => *s,
                    _ => *u,
                }),
            };
            if op == Intrinsic::Abs && scalar.is_unsigned_int() {
                return values[0];
            }
            return self.each_row(&values, args, ty, |s, row| {
                let t = s.row_type(row[0], ty);
                s.op(code, t, row)
            });
        }
        self.special(op, args, &values, ty, scalar)
    }

    /// The type of one row of a result of type `ty`: as many components as `like`, of `ty`'s component type; `ty` itself
    /// where that has a shape of its own.
    fn row_type(&mut self, like: Value, ty: TypeId) -> Type {
        match self.l.hlsl(ty) {
            Hlsl::Matrix(s, ..) => {
                let n = self.l.out.ctx.types.len_of(self.ty(like));
                self.l.vector_type(s, n)
            }
            _ => self.l.value_type(ty),
        }
    }

    /// Applies an operation to the rows of matrices, or to the values themselves.
    fn each_row(
        &mut self,
        values: &[Value],
        args: &[ExprId],
        ty: TypeId,
        mut f: impl FnMut(&mut Self, &[Value]) -> Value,
    ) -> Value {
        let from = args.first().map_or(ty, |a| self.f.expr(*a).ty);
        let Hlsl::Matrix(s, r, c) = self.l.hlsl(from) else { return f(self, values) };
        if matches!(matrix_form(s, r, c), MatrixForm::Scalar | MatrixForm::Vector) {
            return f(self, values);
        }
        let mut rows = Vec::new();
        for i in 0..r {
            let row: Vec<Value> = values.iter().map(|v| self.matrix_row(*v, (s, r, c), i)).collect();
            rows.push(f(self, &row));
        }
        let to = self.l.component(ty).unwrap_or(s);
        self.matrix_from_rows(to, r, c, &rows)
    }

    fn glsl(&mut self, op: GlslOp, ty: Type, operands: &[Value]) -> Value {
        self.op(Opcode::glsl(op), ty, operands)
    }

    #[inline(never)]
    fn special(
        &mut self,
        op: Intrinsic,
        args: &'h [ExprId],
        values: &[Value],
        ty: TypeId,
        scalar: Scalar,
    ) -> Value {
        use Intrinsic as I;
        match op {
            I::All | I::Any => self.all_or_any(op == I::All, values[0], args[0]),
            I::Bitcast => self.each_row(values, args, ty, |s, v| {
                let t = s.row_type(v[0], ty);
                if s.ty(v[0]) == t { v[0] } else { s.op(Op::Bitcast, t, v) }
            }),
            I::Determinant => {
                let Hlsl::Matrix(s, r, c) = self.l.hlsl(self.f.expr(args[0]).ty) else { return values[0] };
                match matrix_form(s, r, c) {
                    MatrixForm::Native => {
                        let t = self.l.value_type(ty);
                        self.glsl(GlslOp::Determinant, t, values)
                    }
                    _ => values[0],
                }
            }
            I::Dot => self.dot(values[0], values[1], scalar),
            I::F16ToF32 => self.each_component(values[0], Scalar::F32, |s, v| {
                let pair = s.l.vector_type(Scalar::F32, 2);
                let float = s.l.scalar_type(Scalar::F32);
                let both = s.glsl(GlslOp::UnpackHalf2x16, pair, &[v]);
                s.b().extract(both, float, &[0])
            }),
            I::F32ToF16 => self.each_component(values[0], Scalar::U32, |s, v| {
                let uint = s.l.scalar_type(Scalar::U32);
                let zero = s.b().f32(0.0);
                let pair = s.vector(Scalar::F32, &[v, zero]);
                s.glsl(GlslOp::PackHalf2x16, uint, &[pair])
            }),
            I::FrexpExponent | I::FrexpSignificand => {
                self.each_row(values, args, ty, |s, v| s.frexp(v[0], scalar, op == I::FrexpExponent))
            }
            I::ModfFraction => self.each_row(values, args, ty, |s, v| s.modf(v[0])),
            I::IsFinite => self.each_row(values, args, ty, |s, v| {
                let t = s.row_type(v[0], ty);
                let (nan, inf) = (s.op(Op::IsNan, t, v), s.op(Op::IsInf, t, v));
                let either = s.op(Op::LogicalOr, t, &[nan, inf]);
                s.op(Op::LogicalNot, t, &[either])
            }),
            I::Ldexp => self.each_row(values, args, ty, |s, v| {
                let t = s.ty(v[0]);
                let power = s.glsl(GlslOp::Exp2, t, &[v[1]]);
                s.op(Op::FMul, t, &[v[0], power])
            }),
            I::Log10 => self.each_row(values, args, ty, |s, v| {
                let t = s.ty(v[0]);
                let log = s.glsl(GlslOp::Log2, t, v);
                let factor = std::f32::consts::LOG10_2;
                let bits = match scalar {
                    Scalar::F16 => crate::ir::float_bits(16, f64::from(factor)),
                    _ => u64::from(factor.to_bits()),
                };
                let factor = s.bits(t, bits);
                s.op(Op::FMul, t, &[log, factor])
            }),
            // Marked, it is one operation wherever it goes.
            I::Fma => self.each_row(values, args, ty, |s, v| {
                let t = s.ty(v[0]);
                let fused = s.glsl(GlslOp::Fma, t, v);
                s.func.decorate(fused, crate::ir::Decoration::plain(spirv_spec::Decoration::NoContraction));
                fused
            }),
            I::Mad => self.each_row(values, args, ty, |s, v| {
                let t = s.ty(v[0]);
                if scalar.is_float() {
                    return s.glsl(GlslOp::Fma, t, v);
                }
                let product = s.binary_op(BinaryOp::Mul, v[0], v[1], scalar);
                s.binary_op(BinaryOp::Add, product, v[2], scalar)
            }),
            I::MulMatrixMatrix | I::MulMatrixVector | I::MulVectorMatrix => {
                self.product(op, args, values, ty)
            }
            I::NonUniform => {
                let t = self.ty(values[0]);
                let mut data = InstData::new(Op::CopyObject, [Operand::Id(values[0])], self.span);
                data.decorations.mark(spirv_spec::Decoration::NonUniform);
                let inst = self.append(data, &[t]);
                self.func.insts[inst].results[0]
            }
            I::Rcp => self.each_row(values, args, ty, |s, v| {
                let t = s.ty(v[0]);
                let one = s.one(scalar);
                let one = s.bits(t, one);
                s.op(Op::FDiv, t, &[one, v[0]])
            }),
            I::Saturate => self.each_row(values, args, ty, |s, v| {
                let t = s.ty(v[0]);
                let one = s.one(scalar);
                let (zero, one) = (s.bits(t, 0), s.bits(t, one));
                s.glsl(GlslOp::FClamp, t, &[v[0], zero, one])
            }),
            I::Select => self.select(args, values, ty),
            I::Sign => self.each_row(values, args, ty, |s, v| {
                let (from, to) = (s.ty(v[0]), s.row_type(v[0], ty));
                if scalar.is_float() {
                    let sign = s.glsl(GlslOp::FSign, from, v);
                    return s.op(Op::ConvertFToS, to, &[sign]);
                }
                let sign = if scalar.is_unsigned_int() {
                    let one = s.bits(from, 1);
                    s.glsl(GlslOp::UMin, from, &[v[0], one])
                } else {
                    s.glsl(GlslOp::SSign, from, v)
                };
                s.cast(sign, scalar, Scalar::I32)
            }),
            I::DebugBreak => {
                let void = self.l.out.ctx.types.void();
                self.value(Opcode::Ext(ExtSet::DebugBreak, 1), void, &[])
            }
            I::Transpose => self.transpose(values[0], args[0], ty),
            _ => self.wave(op, values, ty, scalar),
        }
    }

    fn all_or_any(&mut self, all: bool, v: Value, arg: ExprId) -> Value {
        let ty = self.f.expr(arg).ty;
        let boolean = self.l.scalar_type(Scalar::Bool);
        let (reduce, join) = if all { (Op::All, Op::LogicalAnd) } else { (Op::Any, Op::LogicalOr) };
        let rows = match self.l.hlsl(ty) {
            Hlsl::Matrix(s, r, c) if matrix_form(s, r, c) == MatrixForm::Rows => {
                (0..r).map(|i| self.matrix_row(v, (s, r, c), i)).collect()
            }
            _ => vec![v],
        };
        let mut result = None;
        for row in rows {
            let one = if self.ty(row) == boolean { row } else { self.op(reduce, boolean, &[row]) };
            result = Some(match result {
                None => one,
                Some(before) => self.op(join, boolean, &[before, one]),
            });
        }
        result.unwrap_or(v)
    }

    fn dot(&mut self, a: Value, b: Value, scalar: Scalar) -> Value {
        let t = self.ty(a);
        let (n, elem) = (self.l.out.ctx.types.len_of(t), self.l.out.ctx.types.scalar_of(t));
        if n > 1 && scalar.is_float() {
            return self.op(Op::Dot, elem, &[a, b]);
        }
        let product = self.binary_op(BinaryOp::Mul, a, b, scalar);
        let mut sum = self.shuffle(product, &[0]);
        for i in 1..n {
            let part = self.shuffle(product, &[i]);
            sum = self.binary_op(BinaryOp::Add, sum, part, scalar);
        }
        sum
    }

    /// Applies an operation to each component of a scalar or vector.
    pub(super) fn each_component(
        &mut self,
        v: Value,
        to: Scalar,
        mut f: impl FnMut(&mut Self, Value) -> Value,
    ) -> Value {
        let n = self.l.out.ctx.types.len_of(self.ty(v));
        let mut parts = Vec::new();
        for i in 0..n {
            let part = self.shuffle(v, &[i]);
            parts.push(f(self, part));
        }
        self.vector(to, &parts)
    }

    fn frexp(&mut self, v: Value, scalar: Scalar, exponent: bool) -> Value {
        let float = self.ty(v);
        let n = self.l.out.ctx.types.len_of(float);
        let int = self.l.vector_type(Scalar::I32, n);
        let both = self.pair("Frexp", ("significand", float), ("exponent", int));
        let both = self.glsl(GlslOp::FrexpStruct, both, &[v]);
        if exponent {
            let e = self.b().extract(both, int, &[1]);
            return self.cast(e, Scalar::I32, scalar);
        }
        self.b().extract(both, float, &[0])
    }

    /// The fraction of a number; together with `trunc` it is the number again, which no contraction may change.
    fn modf(&mut self, v: Value) -> Value {
        let float = self.ty(v);
        let both = self.pair("Modf", ("fraction", float), ("whole", float));
        let both = self.glsl(GlslOp::ModfStruct, both, &[v]);
        self.b().extract(both, float, &[0])
    }

    /// A struct of two results.
    fn pair(&mut self, name: &str, a: (&str, Type), b: (&str, Type)) -> Type {
        let members = [a, b].map(|(name, ty)| Member::new(name, ty));
        self.l.out.ctx.types.intern(TypeKind::Struct(StructType::new(name, members.into())))
    }

    fn select(&mut self, args: &[ExprId], values: &[Value], ty: TypeId) -> Value {
        let [c, a, b] = values[..] else { return self.undef(ty) };
        let Hlsl::Matrix(s, r, cols) = self.l.hlsl(ty) else {
            let t = self.l.value_type(ty);
            let n = self.l.out.ctx.types.len_of(t);
            let c = if self.l.out.ctx.types.len_of(self.ty(c)) < n {
                self.splat_vector(c, Scalar::Bool, n)
            } else {
                c
            };
            return self.op(Op::Select, t, &[c, a, b]);
        };
        if matches!(matrix_form(s, r, cols), MatrixForm::Scalar | MatrixForm::Vector) {
            let t = self.l.value_type(ty);
            return self.op(Op::Select, t, &[c, a, b]);
        }
        let conditions = matches!(self.l.hlsl(self.f.expr(args[0]).ty), Hlsl::Matrix(..));
        let mut rows = Vec::new();
        for i in 0..r {
            let row = self.l.vector_type(s, cols);
            let c = if conditions {
                self.matrix_row(c, (Scalar::Bool, r, cols), i)
            } else {
                self.splat_vector(c, Scalar::Bool, cols)
            };
            let (a, b) = (self.matrix_row(a, (s, r, cols), i), self.matrix_row(b, (s, r, cols), i));
            rows.push(self.op(Op::Select, row, &[c, a, b]));
        }
        self.matrix_from_rows(s, r, cols, &rows)
    }

    fn transpose(&mut self, m: Value, arg: ExprId, ty: TypeId) -> Value {
        let Hlsl::Matrix(s, r, c) = self.l.hlsl(self.f.expr(arg).ty) else { return m };
        match matrix_form(s, r, c) {
            MatrixForm::Scalar | MatrixForm::Vector => m,
            MatrixForm::Native => {
                let t = self.l.value_type(ty);
                self.op(Op::Transpose, t, &[m])
            }
            MatrixForm::Rows => {
                let mut rows = Vec::new();
                for j in 0..c {
                    let row: Vec<Value> = (0..r).map(|i| self.matrix_part(m, (s, r, c), i, j)).collect();
                    rows.push(self.vector(s, &row));
                }
                self.matrix_from_rows(s, c, r, &rows)
            }
        }
    }

    /// Products. SPIR-V's matrices are the transposes of HLSL's, so operands change places.
    fn product(&mut self, op: Intrinsic, args: &[ExprId], values: &[Value], ty: TypeId) -> Value {
        let shape = |s: &Self, i: usize| match s.l.hlsl(s.f.expr(args[i]).ty) {
            Hlsl::Matrix(s, r, c) => (s, r, c),
            Hlsl::Vector(s, n) if i == 0 => (s, 1, n),
            Hlsl::Vector(s, n) => (s, n, 1),
            Hlsl::Scalar(s) => (s, 1, 1),
            _ => (Scalar::F32, 1, 1),
        };
        let ((s, r, k), (_, _, c)) = (shape(self, 0), shape(self, 1));
        let native = |m: (Scalar, u8, u8)| matrix_form(m.0, m.1, m.2) == MatrixForm::Native;
        let t = self.l.value_type(ty);
        let (a, b) = (values[0], values[1]);
        let (left, right) = (shape(self, 0), shape(self, 1));
        match op {
            Intrinsic::MulMatrixMatrix if native(left) && native(right) => {
                return self.op(Op::MatrixTimesMatrix, t, &[b, a]);
            }
            Intrinsic::MulMatrixVector if native(left) => {
                return self.op(Op::VectorTimesMatrix, t, &[b, a]);
            }
            Intrinsic::MulVectorMatrix if native(right) => {
                return self.op(Op::MatrixTimesVector, t, &[b, a]);
            }
            _ => {}
        }
        // Element by element: sums of products, k terms each.
        let mut rows = Vec::new();
        for i in 0..r {
            let mut row = Vec::new();
            for j in 0..c {
                let mut sum = None;
                for n in 0..k {
                    let (x, y) = (self.matrix_part(a, left, i, n), self.matrix_part(b, right, n, j));
                    let product = self.binary_op(BinaryOp::Mul, x, y, s);
                    sum = Some(match sum {
                        None => product,
                        Some(before) => self.binary_op(BinaryOp::Add, before, product, s),
                    });
                }
                row.extend(sum);
            }
            rows.push(self.vector(s, &row));
        }
        self.matrix_from_rows(s, r, c, &rows)
    }
}
