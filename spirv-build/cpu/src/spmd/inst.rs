//! Plain instructions: arithmetic and composites.

use crate::analysis::leaves::{self, Scalar};
use crate::analysis::uniformity;
use crate::ir::{BuiltIn, ExtSet, GlslOp, Inst, Op, Opcode, TypeKind, Value};
use crate::spmd::build::{Build, Leaves, Result};
use crate::spmd::images::RESIDENT;
use crate::spmd::ops::{self, Map};
use crate::spmd::widths::is_conversion;
use crate::spmd::{Arg, Builtin, Kind, Shape, Stmt, memory, samples, subgroup};
use smallvec::{SmallVec, smallvec};

/// Shape of a system value.
pub fn builtin_shape(b: Builtin, local_size: [u32; 3]) -> Shape {
    let (builtin, component) = match b {
        Builtin::GroupCount(c) => (BuiltIn::NumWorkgroups, c),
        Builtin::LaneCount | Builtin::AllLanes => (BuiltIn::SubgroupSize, 0),
        Builtin::WaveCount => (BuiltIn::NumSubgroups, 0),
        Builtin::WaveIndex => (BuiltIn::SubgroupId, 0),
        Builtin::Lane => (BuiltIn::SubgroupLocalInvocationId, 0),
        Builtin::GroupId(c) => (BuiltIn::WorkgroupId, c),
        Builtin::LocalIndex => (BuiltIn::LocalInvocationIndex, 0),
        Builtin::LocalId(c) => (BuiltIn::LocalInvocationId, c),
        Builtin::GlobalId(c) => (BuiltIn::GlobalInvocationId, c),
    };
    uniformity::of_builtin(builtin, usize::from(component), local_size).0
}

impl Build<'_> {
    /// Does one instruction that is neither structured nor a terminator.
    pub fn inst(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        self.span = data.span;
        if let Some(result) = data.result() {
            if uniformity::is_pointer(self.input.ctx, f, result) || self.is_opaque(result) {
                return Ok(());
            }
            if let Some(moves) = leaves::moves(self.input.ctx, f, inst) {
                let ids: Vec<Value> = data.ids().collect();
                let sources = ids.iter().map(|v| self.args(*v)).collect::<Result<Vec<_>>>()?;
                let leaves = moves.into_iter().map(|(o, l)| sources[o][l as usize]).collect();
                self.values.insert(result, leaves);
                return Ok(());
            }
        }
        match data.op {
            Opcode::Op(Op::Load) => self.load(inst),
            Opcode::Op(Op::Store) => self.store(inst),
            Opcode::Op(Op::MemoryBarrier) => {
                self.push(Stmt::Fence);
                Ok(())
            }
            Opcode::Op(Op::ImageFetch | Op::ImageRead | Op::ImageSparseFetch | Op::ImageSparseRead) => {
                self.image_read(inst)
            }
            Opcode::Op(Op::ImageSparseTexelsResident) => {
                let (Some(code), Some(result)) = (data.id(0), data.result()) else { return Ok(()) };
                let code = self.arg(code)?;
                let resident = self.op("ieq", &[code, Arg::Const(Kind::Int, RESIDENT)]);
                self.values.insert(result, smallvec![resident]);
                Ok(())
            }
            Opcode::Op(Op::ImageWrite) => self.image_write(inst),
            Opcode::Op(Op::ImageQuerySize | Op::ImageQuerySizeLod) => self.image_size(inst),
            Opcode::Op(Op::ImageQueryLevels) => self.image_levels(inst),
            Opcode::Op(op) if samples::is_sample(op) => self.sample(inst, op),
            Opcode::Op(Op::ArrayLength) => self.array_length(inst),
            Opcode::Op(op) if subgroup::is_subgroup(op) => self.subgroup(inst, op),
            Opcode::Op(op) if memory::atomic(op).is_some() => self.atomic(inst, op),
            Opcode::Op(op) if op.is_atomic() => self.unsupported(describe(op.into())),
            Opcode::Op(Op::Undef) => Ok(()),
            op => {
                let Some(result) = data.result() else { return self.unsupported(describe(op)) };
                let ids: Vec<Value> = data.ids().collect();
                let mut args = ids.iter().map(|v| self.args(*v)).collect::<Result<Vec<_>>>()?;
                let scalars = self.scalars_of(result)?;
                let exact = data.decorations.iter().any(|d| d.kind == spirv_spec::Decoration::NoContraction);
                self.operands(op, &ids, &mut args);
                self.missing = false;
                let leaves = self.compute(op, &ids, &args, &scalars, exact)?;
                if self.missing {
                    return self.unsupported(format!("{} on 64-bit operands", describe(op)));
                }
                let leaves = self.results(op, self.scalar_of(result), leaves);
                self.values.insert(result, leaves);
                Ok(())
            }
        }
    }

    fn is_opaque(&self, v: Value) -> bool {
        matches!(
            self.input.ctx.types.kind(self.f().values[v].ty),
            TypeKind::Image(_) | TypeKind::Sampler | TypeKind::SampledImage(_)
        )
    }

    fn compute(
        &mut self,
        op: Opcode,
        ids: &[Value],
        args: &[Leaves],
        scalars: &[Scalar],
        exact: bool,
    ) -> Result<Leaves> {
        let n = scalars.len();
        let at = |a: &Leaves, i: usize| if a.len() == 1 { a[0] } else { a[i] };
        if let Opcode::Op(op) = op
            && (op == Op::Bitcast || is_conversion(op))
        {
            let (Some(from), Some(to)) = (self.scalar_of(ids[0]), scalars.first().copied()) else {
                return self.unsupported("a conversion of this type");
            };
            if op == Op::Bitcast {
                return Ok(self.bitcast(&args[0], from, to));
            }
            return args[0].iter().map(|a| self.convert(op, *a, from, to)).collect();
        }
        if let Some(map) = ops::map(op) {
            let mut out = Leaves::new();
            for i in 0..n {
                let operands: SmallVec<[Arg; 4]> = args.iter().map(|a| at(a, i)).collect();
                out.push(self.mapped(map, &operands, exact));
            }
            return Ok(out);
        }
        let each = |b: &mut Self, g: &mut dyn FnMut(&mut Self, usize) -> Arg| -> Leaves {
            (0..n).map(|i| g(b, i)).collect()
        };
        Ok(match op {
            Opcode::Op(op) => match op {
                Op::Select => each(self, &mut |b, i| b.select(at(&args[0], i), args[1][i], args[2][i])),
                Op::Dot => smallvec![self.dot(&args[0], &args[1], exact)],
                Op::VectorTimesScalar => each(self, &mut |b, i| b.mul(args[0][i], args[1][0], exact)),
                Op::Any => smallvec![self.fold("bor", &args[0])],
                Op::All => smallvec![self.fold("band", &args[0])],
                Op::VectorExtractDynamic => {
                    let mut out = args[0][0];
                    for (i, v) in args[0].iter().enumerate().skip(1) {
                        let here = self.op("ieq", &[args[1][0], Arg::Const(Kind::Int, i as u32)]);
                        out = self.select(here, *v, out);
                    }
                    smallvec![out]
                }
                Op::VectorInsertDynamic => each(self, &mut |b, i| {
                    let here = b.op("ieq", &[args[2][0], Arg::Const(Kind::Int, i as u32)]);
                    b.select(here, args[1][0], args[0][i])
                }),
                Op::FOrdNotEqual => each(self, &mut |b, i| {
                    let (less, more) =
                        (b.op("flt", &[args[0][i], args[1][i]]), b.op("flt", &[args[1][i], args[0][i]]));
                    b.op("bor", &[less, more])
                }),
                Op::FUnordEqual => each(self, &mut |b, i| {
                    let (less, more) =
                        (b.op("flt", &[args[0][i], args[1][i]]), b.op("flt", &[args[1][i], args[0][i]]));
                    let either = b.op("bor", &[less, more]);
                    b.op("bnot", &[either])
                }),
                Op::QuantizeToF16 => each(self, &mut |b, i| {
                    let half = b.op("f2h", &[args[0][i]]);
                    b.op("h2f", &[half])
                }),
                Op::UMulExtended | Op::SMulExtended | Op::IAddCarry | Op::ISubBorrow => {
                    let (low, high) = match op {
                        Op::UMulExtended => ("imul", "umulhi"),
                        Op::SMulExtended => ("imul", "smulhi"),
                        Op::IAddCarry => ("iadd", "uaddc"),
                        _ => ("isub", "usubb"),
                    };
                    let parts = n / 2;
                    each(self, &mut |b, i| {
                        let name = if i < parts { low } else { high };
                        b.op(name, &[args[0][i % parts], args[1][i % parts]])
                    })
                }
                _ => return self.unsupported(describe(op.into())),
            },
            Opcode::Ext(ExtSet::Glsl, number) => {
                let what = GlslOp::from_u32(number).map_or_else(|| describe(op), crate::ir::words::function);
                return self.unsupported(what);
            }
            _ => return self.unsupported(describe(op)),
        })
    }

    pub fn mapped(&mut self, map: Map, args: &[Arg], exact: bool) -> Arg {
        let swapped = |args: &[Arg]| [args[1], args[0]];
        match map {
            Map::Copy => args[0],
            Map::Row("fmul") => self.mul(args[0], args[1], exact),
            // A sum that must be exact is taken of values that are no known products.
            Map::Row(name @ ("fadd" | "fsub")) if exact => {
                let products = std::mem::take(&mut self.products);
                let out = self.op(name, args);
                self.products = products;
                out
            }
            Map::Row(name) => self.op(name, args),
            Map::Swap(name) => self.op(name, &swapped(args)),
            Map::Not(name) => {
                let v = self.op(name, args);
                self.op("bnot", &[v])
            }
            Map::SwapNot(name) => {
                let v = self.op(name, &swapped(args));
                self.op("bnot", &[v])
            }
        }
    }

    /// A product; unless it must stay exact, sums with it are contracted.
    pub fn mul(&mut self, a: Arg, b: Arg, exact: bool) -> Arg {
        let v = self.op("fmul", &[a, b]);
        if let (Arg::Leaf(l), false) = (v, exact) {
            self.products.insert(l, (a, b));
        }
        v
    }

    /// A sum of products, each rounded on its own if the result must be exact.
    pub fn dot(&mut self, a: &[Arg], b: &[Arg], exact: bool) -> Arg {
        let mut sum = self.mul(a[0], b[0], true);
        for (x, y) in a.iter().zip(b).skip(1) {
            let p = self.mul(*x, *y, exact);
            sum = self.mapped(Map::Row("fadd"), &[p, sum], exact);
        }
        sum
    }

    fn fold(&mut self, name: &str, args: &[Arg]) -> Arg {
        args.iter().skip(1).fold(args[0], |a, b| self.op(name, &[a, *b]))
    }

    pub fn select(&mut self, c: Arg, a: Arg, b: Arg) -> Arg {
        let name = match self.kind(a) {
            Kind::Float | Kind::Double => "fsel",
            Kind::Int | Kind::Long => "isel",
            Kind::Bool => "bsel",
        };
        self.op(name, &[c, a, b])
    }
}

pub use crate::ir::words::instruction as describe;
