//! Functions of `OpenCL.std` that read or write memory.

use super::body::Body;
use super::layout;
use super::memory::Access;
use super::place::Place;
use crate::ir::{GlslOp, InstData, Op, Type, Value};
use spirv_spec::ClOp as Cl;

impl<'a> Body<'_, 'a> {
    /// Lowers such a function; false if it is not known.
    pub fn memory_function(&mut self, cl: Cl, d: &'a InstData, r: Value) -> bool {
        match cl {
            Cl::vloadn | Cl::vload_half | Cl::vload_halfn | Cl::vloada_halfn => self.vector_load(cl, d, r),
            Cl::vstoren
            | Cl::vstore_half
            | Cl::vstore_half_r
            | Cl::vstore_halfn
            | Cl::vstore_halfn_r
            | Cl::vstorea_halfn
            | Cl::vstorea_halfn_r => self.vector_store(cl, d),
            Cl::fract | Cl::modf | Cl::sincos | Cl::frexp | Cl::remquo => self.two_results(cl, d, r),
            _ => false,
        }
    }

    /// Whether halves are kept as vectors of four where there are three.
    fn spacing(cl: Cl, n: u64) -> u64 {
        let whole = matches!(cl, Cl::vloada_halfn | Cl::vstorea_halfn | Cl::vstorea_halfn_r);
        if whole && n == 3 { 4 } else { n }
    }

    fn element_place(&mut self, offset: Value, p: Value, bytes: u64) -> Option<Place> {
        let place = self.place(p)?;
        let known = self.old.as_const(offset).and_then(|c| self.l.old.ctx.consts.bits(c));
        let step = match known {
            Some(k) => super::steps::Step::Constant((k as i64).wrapping_mul(bytes as i64)),
            None => super::steps::Step::Term(offset, bytes),
        };
        Some(self.step(place, &[step]))
    }

    fn vector_load(&mut self, cl: Cl, d: &'a InstData, r: Value) -> bool {
        let (Some(offset), Some(p)) = (d.id(0), d.id(1)) else { return false };
        let ty = self.ty(r);
        let n = u64::from(self.l.old.ctx.types.len_of(ty));
        let scalar = self.l.old.ctx.types.scalar_of(ty);
        let half = cl != Cl::vloadn;
        let size = if half { 2 } else { layout::size(self.l.old, scalar).unwrap_or(4) };
        let Some(place) = self.element_place(offset, p, Self::spacing(cl, n) * size) else { return true };
        let mut parts = Vec::new();
        for i in 0..n {
            let v = if half {
                let bits = self.int(16);
                self.load_scalar(&place, i * size, bits, Access::aligned(size))
                    .map(|v| self.half_as_float(v, scalar))
            } else {
                self.load_scalar(&place, i * size, scalar, Access::aligned(size))
            };
            let Some(v) = v else { return true };
            parts.push(v);
        }
        let new = self.map(ty);
        let v = if n == 1 { parts[0] } else { self.b().op(Op::CompositeConstruct, new, &parts) };
        self.values.insert(r, v);
        true
    }

    fn vector_store(&mut self, cl: Cl, d: &'a InstData) -> bool {
        let (Some(v), Some(offset), Some(p)) = (d.id(0), d.id(1), d.id(2)) else { return false };
        let rounding = d.literal(3).and_then(spirv_spec::FPRoundingMode::from_u32);
        if rounding.is_some_and(|r| r != spirv_spec::FPRoundingMode::RTE) {
            self.refuse("a store of halves that does not round to the nearest");
            return true;
        }
        let ty = self.ty(v);
        let n = u64::from(self.l.old.ctx.types.len_of(ty));
        let scalar = self.l.old.ctx.types.scalar_of(ty);
        let half = cl != Cl::vstoren;
        let size = if half { 2 } else { layout::size(self.l.old, scalar).unwrap_or(4) };
        let Some(place) = self.element_place(offset, p, Self::spacing(cl, n) * size) else { return true };
        let v = self.value(v);
        for i in 0..n {
            let x = self.component_of(v, ty, i as u32);
            let x = if half { self.float_as_half(x) } else { x };
            self.store_scalar(&place, i * size, x, Access::aligned(size));
        }
        true
    }

    /// A float from the bits of a half.
    fn half_as_float(&mut self, bits: Value, ty: Type) -> Value {
        let (word, float) = (self.l.new.ctx.types.u32(), self.l.new.ctx.types.float(32));
        let pair = self.l.new.ctx.types.vector(float, 2);
        let bits = self.b().op(Op::UConvert, word, &[bits]);
        let both = self.glsl(GlslOp::UnpackHalf2x16, pair, &[bits]);
        let v = self.b().extract(both, float, &[0]);
        if ty == float { v } else { self.b().op(Op::FConvert, ty, &[v]) }
    }

    /// The bits of a float as a half.
    fn float_as_half(&mut self, x: Value) -> Value {
        let (word, float) = (self.l.new.ctx.types.u32(), self.l.new.ctx.types.float(32));
        let pair = self.l.new.ctx.types.vector(float, 2);
        let x = if self.f.values[x].ty == float { x } else { self.b().op(Op::FConvert, float, &[x]) };
        let zero = self.float(float, 0.0);
        let both = self.b().op(Op::CompositeConstruct, pair, &[x, zero]);
        let bits = self.glsl(GlslOp::PackHalf2x16, word, &[both]);
        let half = self.int(16);
        self.b().op(Op::UConvert, half, &[bits])
    }

    /// Functions that store one of their results.
    fn two_results(&mut self, cl: Cl, d: &'a InstData, r: Value) -> bool {
        let ids: Vec<Value> = d.ids().collect();
        let Some((p, values)) = ids.split_last() else { return false };
        let (ty, Some(place)) = (self.ty(r), self.place(*p)) else { return true };
        let args: Vec<Value> = values.iter().map(|v| self.value(*v)).collect();
        let types: Vec<Type> = values.iter().map(|v| self.ty(*v)).collect();
        let Some((stored, _)) = self.pointee(*p) else { return false };
        // Both results by components; the second collected beside the first.
        let mut seconds = Vec::new();
        let first = if self.is_long(ty) {
            self.each(ty, &args, &types, |s, elem, args, _| {
                let (a, b) = s.pair(cl, elem, args)?;
                seconds.push(b);
                Some(a)
            })
        } else {
            self.pair(cl, ty, &args).map(|(a, b)| {
                seconds.push(b);
                a
            })
        };
        let Some(first) = first else { return false };
        // What is stored is of the shape of the result, of the type that the pointer tells if that is known.
        let elem = self.f.values[seconds[0]].ty;
        let (scalar, len) = (self.l.new.ctx.types.scalar_of(elem), self.l.old.ctx.types.len_of(ty));
        let object = self.l.new.ctx.types.vector(scalar, len);
        let _ = stored;
        if self.is_long(ty) {
            let size = layout::size(self.l.old, scalar).unwrap_or(4);
            for (i, v) in (0..).zip(seconds) {
                self.store_scalar(&place, i * size, v, Access::default());
            }
        } else {
            self.store_value(&place, 0, object, seconds[0], Access::default());
        }
        self.values.insert(r, first);
        true
    }

    fn pair(&mut self, cl: Cl, ty: Type, args: &[Value]) -> Option<(Value, Value)> {
        match (cl, args) {
            (Cl::fract, [x]) => {
                let floor = self.glsl(GlslOp::Floor, ty, &[*x]);
                let rest = self.b().op(Op::FSub, ty, &[*x, floor]);
                // Just below 1, which the difference may round to.
                let most = match self.float_width(ty)? {
                    16 => self.float(ty, 1.0 - 2f64.powi(-11)),
                    32 => self.float(ty, 1.0 - 2f64.powi(-24)),
                    _ => self.float(ty, 1.0 - 2f64.powi(-53)),
                };
                Some((self.glsl(GlslOp::FMin, ty, &[rest, most]), floor))
            }
            (Cl::modf, [x]) => {
                let whole = self.glsl(GlslOp::Trunc, ty, &[*x]);
                let bools = self.bools_like(ty);
                let rest = self.b().op(Op::FSub, ty, &[*x, whole]);
                // Of an infinity nothing is left.
                let same = self.b().op(Op::FOrdEqual, bools, &[*x, whole]);
                let zero = self.float(ty, 0.0);
                let rest = self.b().op(Op::Select, ty, &[same, zero, rest]);
                Some((self.by_component(Cl::copysign, ty, &[rest, *x])?, whole))
            }
            (Cl::sincos, [x]) => {
                if self.float_width(ty) == Some(64) {
                    return Some(self.angle(ty, *x));
                }
                Some((self.glsl(GlslOp::Sin, ty, &[*x]), self.glsl(GlslOp::Cos, ty, &[*x])))
            }
            (Cl::frexp, [x]) => self.split(*x),
            (Cl::remquo, [a, b]) => {
                let q = self.b().op(Op::FDiv, ty, &[*a, *b]);
                let q = self.glsl(GlslOp::RoundEven, ty, &[q]);
                let minus = self.b().op(Op::FNegate, ty, &[q]);
                let rest = self.glsl(GlslOp::Fma, ty, &[minus, *b, *a]);
                let ints = self.ints_like(ty, 32);
                Some((rest, self.b().op(Op::ConvertFToS, ints, &[q])))
            }
            _ => None,
        }
    }
}
