//! Instructions that a target lacks become ones that it has. What they mean is written here once, for all targets.
//!
//! | file | instructions |
//! | --- | --- |
//! | `numbers` | of numbers, component by component |
//! | `vectors` | geometry: lengths, reflections |
//! | `matrices` | products, determinants, inverses: of columns |
//! | `fields` | bit fields |
//! | `packing` | small numbers in words |
//! | `kernels` | functions that kernels have under other names |

mod fields;
mod kernels;
mod matrices;
mod numbers;
mod packing;
mod vectors;

use super::precise::CONTRACTED;
use super::{Changed, Pass};
use crate::analysis::{Analyses, Preserved};
use crate::diag::Findings;
use crate::ir::edit::Replacements;
use crate::ir::{
    Builder, Const, ConstKind, Context, ExtSet, Function, GlslOp, Inst, Module, Op, Opcode, Operand, Type,
    TypeKind, Value, walk,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use spirv_spec::ClOp;
use std::borrow::Cow;

/// What lacks the instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Kernels of OpenCL's flavour: they have those of `OpenCL.std`, and no matrices.
    Kernels,
    /// Native code for the CPU. It computes in 32 bits what has 16, and rounds once.
    Cpu,
    /// LLVM IR for the host.
    Host,
    /// What is precise: each instruction computes one step.
    Precise,
}

/// The pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expand(pub Target);

impl Pass for Expand {
    fn name(&self) -> &'static str {
        "expand"
    }

    fn run(&self, module: &mut Module, _: &mut Analyses, _: &mut Findings) -> Changed {
        let mut changed = false;
        for (_, f) in module.functions.iter_mut() {
            changed |= expand(self.0, &mut module.ctx, f, &|_| true);
        }
        changed.into()
    }

    fn preserves(&self) -> Preserved {
        Preserved::STRUCTURE
    }
}

/// Makes the value that an instruction gives of its operands. None: it cannot, and the instruction stays.
type Make = fn(&mut Expansion<'_>, Type, &[Value]) -> Option<Value>;

/// Targets of a row.
const KERNELS: u8 = 1;
const CPU: u8 = 2;
const HOST: u8 = 4;
const PRECISE: u8 = 8;

/// A row each: an instruction, who lacks it, and what it is made of.
const CORE: &[(Op, u8, Make)] = &[
    (Op::MatrixTimesScalar, KERNELS | CPU | HOST, matrices::times_scalar),
    (Op::MatrixTimesVector, KERNELS | CPU | HOST | PRECISE, matrices::times_vector),
    (Op::VectorTimesMatrix, KERNELS | CPU | HOST | PRECISE, matrices::vector_times),
    (Op::MatrixTimesMatrix, KERNELS | CPU | HOST | PRECISE, matrices::times_matrix),
    (Op::OuterProduct, KERNELS | CPU | HOST, matrices::outer_product),
    (Op::Transpose, KERNELS | CPU | HOST, matrices::transpose),
    (Op::BitFieldInsert, KERNELS | HOST, fields::insert),
    (Op::BitFieldUExtract, KERNELS | HOST, fields::extract),
    (Op::BitFieldSExtract, KERNELS | HOST, fields::extract_signed),
    (Op::BitReverse, KERNELS, fields::reverse),
];

const GLSL: &[(GlslOp, u8, Make)] = &[
    (GlslOp::SSign, KERNELS | HOST, numbers::int_sign),
    (GlslOp::Fract, KERNELS | HOST, numbers::fraction),
    (GlslOp::FindILsb, KERNELS, kernels::lowest_bit),
    (GlslOp::FindUMsb, KERNELS, kernels::highest_bit),
    (GlslOp::FindSMsb, KERNELS, kernels::highest_but_sign),
    (GlslOp::FClamp, CPU | HOST, numbers::clamp),
    (GlslOp::NClamp, CPU | HOST, numbers::clamp_but_nan),
    (GlslOp::UClamp, CPU | HOST, numbers::clamp_unsigned),
    (GlslOp::SClamp, CPU | HOST, numbers::clamp_signed),
    (GlslOp::Radians, CPU | HOST, numbers::radians),
    (GlslOp::Degrees, CPU | HOST, numbers::degrees),
    (GlslOp::FMix, CPU | HOST, numbers::glsl_mix),
    (GlslOp::Step, CPU | HOST, numbers::step),
    (GlslOp::SmoothStep, CPU | HOST, numbers::smooth_step),
    (GlslOp::Fma, PRECISE, numbers::product_and_sum),
    (GlslOp::ModfStruct, KERNELS | CPU, numbers::whole_and_rest),
    (GlslOp::FrexpStruct, KERNELS | CPU, numbers::significand_and_exponent),
    (GlslOp::Length, CPU | HOST, vectors::length),
    (GlslOp::Distance, CPU | HOST, vectors::distance),
    (GlslOp::Normalize, CPU | HOST, vectors::normalize),
    (GlslOp::Cross, CPU | HOST, vectors::cross),
    (GlslOp::Reflect, KERNELS | CPU | HOST, vectors::reflect),
    (GlslOp::Refract, KERNELS | CPU | HOST, vectors::refract),
    (GlslOp::FaceForward, KERNELS | CPU | HOST, vectors::face_forward),
    (GlslOp::Determinant, KERNELS | CPU | HOST, matrices::determinant),
    (GlslOp::MatrixInverse, KERNELS | CPU | HOST, matrices::inverse),
    (GlslOp::PackHalf2x16, KERNELS | CPU | HOST, packing::pack_halves),
    (GlslOp::UnpackHalf2x16, KERNELS | CPU | HOST, packing::unpack_halves),
    (GlslOp::PackSnorm4x8, KERNELS | CPU | HOST, packing::pack_signed_bytes),
    (GlslOp::PackUnorm4x8, KERNELS | CPU | HOST, packing::pack_bytes),
    (GlslOp::PackSnorm2x16, KERNELS | CPU | HOST, packing::pack_signed_words),
    (GlslOp::PackUnorm2x16, KERNELS | CPU | HOST, packing::pack_words),
    (GlslOp::UnpackSnorm4x8, KERNELS | CPU | HOST, packing::unpack_signed_bytes),
    (GlslOp::UnpackUnorm4x8, KERNELS | CPU | HOST, packing::unpack_bytes),
    (GlslOp::UnpackSnorm2x16, KERNELS | CPU | HOST, packing::unpack_signed_words),
    (GlslOp::UnpackUnorm2x16, KERNELS | CPU | HOST, packing::unpack_words),
    (GlslOp::PackDouble2x32, KERNELS | CPU | HOST, packing::same_bits),
    (GlslOp::UnpackDouble2x32, KERNELS | CPU | HOST, packing::same_bits),
];

const OPENCL: &[(ClOp, u8, Make)] = &[
    (ClOp::fclamp, HOST, numbers::clamp),
    (ClOp::u_clamp, HOST, numbers::clamp_unsigned),
    (ClOp::s_clamp, HOST, numbers::clamp_signed),
    (ClOp::radians, HOST, numbers::radians),
    (ClOp::degrees, HOST, numbers::degrees),
    (ClOp::mix, HOST, numbers::mix),
    (ClOp::step, HOST, numbers::step),
    (ClOp::smoothstep, HOST, numbers::smooth_step),
    (ClOp::length, HOST, vectors::length),
    (ClOp::fast_length, HOST, vectors::length),
    (ClOp::distance, HOST, vectors::distance),
    (ClOp::fast_distance, HOST, vectors::distance),
    (ClOp::normalize, HOST, vectors::normalize),
    (ClOp::fast_normalize, HOST, vectors::normalize),
    (ClOp::cross, HOST, vectors::cross),
];

/// Whether a target lacks an instruction: none is left behind the pass that could be expanded.
pub fn is_lacking(target: Target, op: Opcode) -> bool {
    row(target, op).is_some() || named(target, op).is_some()
}

/// What the target calls an instruction that it has under another name, with the same operands.
fn named(target: Target, op: Opcode) -> Option<Opcode> {
    if target == Target::Kernels { kernels::named(op) } else { None }
}

/// A module without the instructions that a target lacks: itself, if it has none.
pub fn expanded(target: Target, module: &Module) -> Cow<'_, Module> {
    let lacks = |f: &Function| walk::insts(f).any(|inst| is_lacking(target, f.insts[inst].op));
    if !module.functions.iter().any(|(_, f)| lacks(f)) {
        return Cow::Borrowed(module);
    }
    let mut module = module.clone();
    for (_, f) in module.functions.iter_mut() {
        expand(target, &mut module.ctx, f, &|_| true);
    }
    Cow::Owned(module)
}

/// The row of an instruction that the target lacks.
fn row(target: Target, op: Opcode) -> Option<Make> {
    let bit = match target {
        Target::Kernels => KERNELS,
        Target::Cpu => CPU,
        Target::Host => HOST,
        Target::Precise => PRECISE,
    };
    let (targets, make) = match op {
        Opcode::Op(op) => CORE.iter().find(|r| r.0 == op).map(|r| (r.1, r.2))?,
        Opcode::Ext(ExtSet::Glsl, n) => GLSL.iter().find(|r| r.0.0 == n).map(|r| (r.1, r.2))?,
        Opcode::Ext(ExtSet::OpenCl, n) => OPENCL.iter().find(|r| r.0.0 == n).map(|r| (r.1, r.2))?,
        _ => return None,
    };
    (targets & bit != 0).then_some(make)
}

/// Makes steps of precise instructions that each compute several; tells whether there are any.
pub(super) fn take_apart(ctx: &mut Context, f: &mut Function, insts: &FxHashSet<Inst>) -> bool {
    !insts.is_empty() && expand(Target::Precise, ctx, f, &|inst| insts.contains(&inst))
}

fn expand(target: Target, ctx: &mut Context, f: &mut Function, wanted: &dyn Fn(Inst) -> bool) -> bool {
    let row = |f: &Function, inst: Inst| row(target, f.insts[inst].op).filter(|_| wanted(inst));
    let renames = walk::insts(f).any(|inst| named(target, f.insts[inst].op).is_some());
    if !renames && walk::insts(f).all(|inst| row(f, inst).is_none()) {
        return false;
    }
    let mut replaced = Replacements::default();
    for (block, _) in walk::blocks(f) {
        let old = std::mem::take(&mut f.blocks[block].insts);
        f.blocks[block].insts.reserve(old.len());
        for inst in old {
            let new = match (row(f, inst), f.insts[inst].result()) {
                (Some(make), Some(result)) => {
                    let mut e = Expansion::new(target, ctx, f, block, inst);
                    e.run(make, result)
                }
                _ => None,
            };
            match (new, f.insts[inst].result()) {
                (Some(new), Some(result)) => {
                    if f.values[new].name.is_none() && f.def_inst(new).is_some() {
                        f.values[new].name = f.values[result].name.clone();
                    }
                    replaced[result] = Some(new);
                }
                _ => f.blocks[block].insts.push(inst),
            }
        }
    }
    f.replace_all_uses(&replaced);
    // Of what instructions are made of, too.
    for (_, data) in f.insts.iter_mut() {
        if let Some(op) = named(target, data.op) {
            data.op = op;
        }
    }
    true
}

/// What one instruction becomes.
struct Expansion<'a> {
    target: Target,
    b: Builder<'a>,
    inst: Inst,
    /// Nothing that it is made of is contracted.
    precise: bool,
}

impl<'a> Expansion<'a> {
    fn new(
        target: Target,
        ctx: &'a mut Context,
        f: &'a mut Function,
        block: crate::ir::Block,
        inst: Inst,
    ) -> Expansion<'a> {
        let data = &f.insts[inst];
        let marked = data.decorations.has(spirv_spec::Decoration::NoContraction);
        let (span, precise) = (data.span, marked || target == Target::Precise);
        let mut b = Builder::new(ctx, f, block);
        b.span = span;
        Expansion { target, b, inst, precise }
    }

    /// The value that stands for the result.
    fn run(&mut self, make: Make, result: Value) -> Option<Value> {
        let ids: SmallVec<[Value; 4]> = self.b.func.insts[self.inst].ids().collect();
        let ty = self.b.ty(result);
        let narrow = |e: &Self, ty: Type| {
            let scalar = e.scalar(ty);
            e.b.ctx.types.is_float(scalar) && e.b.ctx.types.width_of(scalar) == Some(16)
        };
        let halves = ids.iter().any(|v| narrow(self, self.b.ty(*v)));
        if self.target != Target::Cpu || !halves {
            return make(self, ty, &ids);
        }
        let wide: SmallVec<[Value; 4]> = ids.iter().map(|v| self.converted(*v, 32)).collect();
        let wide_ty = self.of_width(ty, 32);
        let value = make(self, wide_ty, &wide)?;
        Some(self.converted(value, 16))
    }

    /// The scalar that a scalar, vector or matrix consists of.
    fn scalar(&self, ty: Type) -> Type {
        match *self.b.ctx.types.kind(ty) {
            TypeKind::Matrix { column, .. } => self.b.ctx.types.scalar_of(column),
            _ => self.b.ctx.types.scalar_of(ty),
        }
    }

    /// The same type with floats of another width.
    fn of_width(&mut self, ty: Type, width: u8) -> Type {
        let kind = match self.b.ctx.types.kind(ty).clone() {
            TypeKind::Float { .. } => return self.b.ctx.types.float(width),
            TypeKind::Vector { elem, len } => TypeKind::Vector { elem: self.of_width(elem, width), len },
            TypeKind::Matrix { column, columns } => {
                TypeKind::Matrix { column: self.of_width(column, width), columns }
            }
            TypeKind::Struct(mut s) => {
                for m in &mut s.members {
                    m.ty = self.of_width(m.ty, width);
                }
                TypeKind::Struct(s)
            }
            _ => return ty,
        };
        self.b.ctx.types.intern(kind)
    }

    /// A value with its floats in another width.
    fn converted(&mut self, v: Value, width: u8) -> Value {
        let ty = self.b.ty(v);
        let new = self.of_width(ty, width);
        if ty == new {
            return v;
        }
        let parts: Vec<Type> = match self.b.ctx.types.kind(ty) {
            TypeKind::Matrix { column, columns } => vec![*column; usize::from(*columns)],
            TypeKind::Struct(s) => s.members.iter().map(|m| m.ty).collect(),
            _ => return self.b.op(Op::FConvert, new, &[v]),
        };
        let parts: Vec<Value> = (0..)
            .zip(parts)
            .map(|(i, t)| {
                let part = self.b.extract(v, t, &[i]);
                self.converted(part, width)
            })
            .collect();
        self.b.op(Op::CompositeConstruct, new, &parts)
    }

    /// An instruction; what may be contracted is not if the whole may not.
    fn op(&mut self, op: Op, ty: Type, ids: &[Value]) -> Value {
        self.arithmetic(op, ty, ids, self.precise)
    }

    /// An instruction that code for the CPU, which contracts by itself, must not contract with what uses it: other devices have
    /// the whole as one instruction.
    fn apart(&mut self, op: Op, ty: Type, ids: &[Value]) -> Value {
        self.arithmetic(op, ty, ids, self.precise || self.target == Target::Cpu)
    }

    fn arithmetic(&mut self, op: Op, ty: Type, ids: &[Value], apart: bool) -> Value {
        let v = self.b.op(op, ty, ids);
        if let Some(inst) = self.b.func.def_inst(v).filter(|_| apart && CONTRACTED.contains(&op)) {
            self.b.func.insts[inst].decorations.mark(spirv_spec::Decoration::NoContraction);
        }
        v
    }

    fn glsl(&mut self, op: GlslOp, ty: Type, ids: &[Value]) -> Value {
        self.b.op(Opcode::glsl(op), ty, ids)
    }

    fn constant(&mut self, c: Const) -> Value {
        self.b.constant(c)
    }

    /// A number in each component of a float type.
    fn float(&mut self, ty: Type, x: f64) -> Value {
        let c = self.b.ctx.float(ty, x);
        self.constant(c)
    }

    /// Bits in each component of an integer type, as many as it has.
    fn int(&mut self, ty: Type, bits: u64) -> Value {
        let width = u32::from(self.b.ctx.types.width_of(ty).unwrap_or(32));
        let bits = bits << (64 - width) >> (64 - width);
        let c = self.b.ctx.splat(ty, ConstKind::Bits(bits));
        self.constant(c)
    }

    /// A type of as many components.
    fn like(&mut self, shape: Type, scalar: Type) -> Type {
        match self.b.ctx.types.len_of(shape) {
            1 => scalar,
            len => self.b.ctx.types.vector(scalar, len),
        }
    }

    /// Truth values, as many as a type has components.
    fn truth(&mut self, shape: Type) -> Type {
        let scalar = self.b.ctx.types.bool();
        self.like(shape, scalar)
    }

    /// A scalar in each component.
    fn spread(&mut self, shape: Type, v: Value) -> Value {
        let scalar = self.b.ty(v);
        let ty = self.like(shape, scalar);
        if ty == scalar {
            return v;
        }
        let parts: SmallVec<[Operand; 4]> =
            (0..self.b.ctx.types.len_of(ty)).map(|_| Operand::Id(v)).collect();
        self.b.value(Op::CompositeConstruct, ty, &parts)
    }

    /// A scalar or vector times a scalar.
    fn scaled(&mut self, v: Value, by: Value, apart: bool) -> Value {
        let ty = self.b.ty(v);
        let op = if self.b.ctx.types.len_of(ty) == 1 { Op::FMul } else { Op::VectorTimesScalar };
        if apart { self.apart(op, ty, &[v, by]) } else { self.op(op, ty, &[v, by]) }
    }

    /// The dot product of vectors, or the product of scalars.
    fn dot(&mut self, x: Value, y: Value) -> Value {
        let ty = self.b.ty(x);
        match *self.b.ctx.types.kind(ty) {
            TypeKind::Vector { elem, .. } if self.target == Target::Precise => {
                let mut sum = None;
                for (x, y) in self.components(x).into_iter().zip(self.components(y)) {
                    let product = self.op(Op::FMul, elem, &[x, y]);
                    sum = Some(match sum {
                        Some(sum) => self.op(Op::FAdd, elem, &[sum, product]),
                        None => product,
                    });
                }
                sum.unwrap_or(x)
            }
            TypeKind::Vector { elem, .. } => self.op(Op::Dot, elem, &[x, y]),
            _ => self.op(Op::FMul, ty, &[x, y]),
        }
    }

    /// The components of a vector; a scalar is its own.
    fn components(&mut self, v: Value) -> SmallVec<[Value; 4]> {
        match *self.b.ctx.types.kind(self.b.ty(v)) {
            TypeKind::Vector { elem, len } => {
                (0..u32::from(len)).map(|i| self.b.extract(v, elem, &[i])).collect()
            }
            _ => SmallVec::from_slice(&[v]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unique_and_found() {
        for (i, row) in CORE.iter().enumerate() {
            assert!(CORE[i + 1..].iter().all(|r| r.0 != row.0));
        }
        for (i, row) in GLSL.iter().enumerate() {
            assert!(GLSL[i + 1..].iter().all(|r| r.0 != row.0));
        }
        for (i, row) in OPENCL.iter().enumerate() {
            assert!(OPENCL[i + 1..].iter().all(|r| r.0 != row.0));
        }
        for (op, _) in kernels::NAMES {
            assert!(row(Target::Kernels, Opcode::glsl(*op)).is_none(), "{op:?} has a name and a row");
        }
        assert!(row(Target::Cpu, Opcode::glsl(GlslOp::Refract)).is_some());
        assert!(row(Target::Kernels, Opcode::glsl(GlslOp::Length)).is_none());
        assert!(row(Target::Host, Op::FAdd.into()).is_none());
    }
}
