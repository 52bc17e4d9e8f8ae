//! Plain instructions: arithmetic, composites, memory, images, atomics.

use crate::ir::BuiltIn;
use crate::ir::{Dim, ExtSet, Global, GlslOp, Inst, Op, Opcode, StorageClass, TypeKind, Value, ValueDef};
use crate::spmd::address::{self, Pointer, Root};
use crate::spmd::build::{Build, Leaves, Result};
use crate::spmd::ops::{self, Map};
use crate::spmd::shape::WIDEST_VECTOR;
use crate::spmd::{Address, Arg, Builtin, Kind, Leaf, Memory, PrivateData, Shape, Stmt, leaves};
use smallvec::{SmallVec, smallvec};

/// Whether an operation only computes from its operands.
pub fn is_pure(op: Op) -> bool {
    ops::map(Opcode::Op(op)).is_some() || ROUND_ABOUT.contains(&op)
}

/// Pure operations that are not one row a component.
const ROUND_ABOUT: &[Op] = &[
    Op::Bitcast,
    Op::Select,
    Op::Dot,
    Op::VectorTimesScalar,
    Op::MatrixTimesScalar,
    Op::VectorTimesMatrix,
    Op::MatrixTimesVector,
    Op::MatrixTimesMatrix,
    Op::OuterProduct,
    Op::Any,
    Op::All,
    Op::VectorExtractDynamic,
    Op::VectorInsertDynamic,
    Op::FOrdNotEqual,
    Op::FUnordEqual,
    Op::QuantizeToF16,
    Op::UMulExtended,
    Op::SMulExtended,
    Op::IAddCarry,
    Op::ISubBorrow,
];

/// Whether leaf `i` of the result depends only on leaf `i` of each operand (or on the only leaf of a scalar).
pub fn is_component_wise(op: Opcode) -> bool {
    let also = match op {
        Opcode::Op(op) => {
            matches!(
                op,
                Op::Bitcast
                    | Op::Select
                    | Op::VectorTimesScalar
                    | Op::MatrixTimesScalar
                    | Op::FOrdNotEqual
                    | Op::FUnordEqual
                    | Op::QuantizeToF16
            )
        }
        Opcode::Ext(ExtSet::Glsl, n) => matches!(
            GlslOp::from_u32(n),
            Some(
                GlslOp::FClamp
                    | GlslOp::NClamp
                    | GlslOp::UClamp
                    | GlslOp::SClamp
                    | GlslOp::FMix
                    | GlslOp::Step
                    | GlslOp::SmoothStep
                    | GlslOp::Radians
                    | GlslOp::Degrees
            )
        ),
        _ => false,
    };
    also || ops::map(op).is_some()
}

/// Shape of a system value.
pub fn builtin_shape(b: Builtin, [x, y, z]: [u32; 3]) -> Shape {
    match b {
        Builtin::GroupCount(_) => Shape::Launch,
        Builtin::GroupId(_) => Shape::Group,
        Builtin::LocalIndex => Shape::Contiguous,
        Builtin::LocalId(c) | Builtin::GlobalId(c) => match [x, y, z].get(usize::from(c)) {
            Some(1) => Shape::Group,
            _ if c == 0 && (y == 1 && z == 1 || x % WIDEST_VECTOR == 0) => Shape::Contiguous,
            _ => Shape::Varying,
        },
    }
}

impl Build<'_> {
    /// Does one instruction that is neither structured nor a terminator.
    pub fn inst(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        self.span = data.span;
        if let Some(result) = data.result() {
            if crate::spmd::shape::is_pointer(self.input.ctx, f, result) || self.is_opaque(result) {
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
            Opcode::Op(Op::ImageFetch | Op::ImageRead) => self.image_read(inst),
            Opcode::Op(Op::ImageWrite) => self.image_write(inst),
            Opcode::Op(Op::ImageQuerySize | Op::ImageQuerySizeLod) => self.image_size(inst),
            Opcode::Op(Op::ArrayLength) => self.array_length(inst),
            Opcode::Op(op) if atomic(op).is_some() || matches!(op, Op::AtomicLoad | Op::AtomicStore) => {
                self.atomic(inst, op)
            }
            Opcode::Op(Op::Undef) => Ok(()),
            op => {
                let Some(result) = data.result() else { return self.unsupported(describe(op)) };
                let ids: Vec<Value> = data.ids().collect();
                let args = ids.iter().map(|v| self.args(*v)).collect::<Result<Vec<_>>>()?;
                let kinds = self.kinds_of(result)?;
                let exact = data.decorations.iter().any(|d| d.kind == spirv::Decoration::NoContraction);
                let leaves = self.compute(op, &ids, &args, &kinds, exact)?;
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
        kinds: &[Kind],
        exact: bool,
    ) -> Result<Leaves> {
        let n = kinds.len();
        let at = |a: &Leaves, i: usize| if a.len() == 1 { a[0] } else { a[i] };
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
                Op::Bitcast if args[0].len() == n => each(self, &mut |b, i| b.bitcast(args[0][i], kinds[i])),
                Op::Select => each(self, &mut |b, i| b.select(at(&args[0], i), args[1][i], args[2][i])),
                Op::Dot => smallvec![self.dot(&args[0], &args[1])],
                Op::VectorTimesScalar | Op::MatrixTimesScalar => {
                    each(self, &mut |b, i| b.mul(args[0][i], args[1][0], exact))
                }
                Op::MatrixTimesVector => {
                    let rows = n;
                    each(self, &mut |b, r| {
                        let row: Leaves = (0..args[1].len()).map(|c| args[0][c * rows + r]).collect();
                        b.dot(&row, &args[1])
                    })
                }
                Op::VectorTimesMatrix => {
                    let rows = args[0].len();
                    each(self, &mut |b, c| {
                        let column: Leaves = args[1][c * rows..(c + 1) * rows].into();
                        b.dot(&args[0], &column)
                    })
                }
                Op::MatrixTimesMatrix => {
                    let rows = self.matrix_rows(ids[0]);
                    let inner = self.matrix_rows(ids[1]);
                    each(self, &mut |b, i| {
                        let (c, r) = (i / rows, i % rows);
                        let row: Leaves = (0..inner).map(|k| args[0][k * rows + r]).collect();
                        let column: Leaves = args[1][c * inner..(c + 1) * inner].into();
                        b.dot(&row, &column)
                    })
                }
                Op::OuterProduct => {
                    let rows = args[0].len();
                    each(self, &mut |b, i| b.mul(args[0][i % rows], args[1][i / rows], exact))
                }
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
                let Some(glsl) = GlslOp::from_u32(number) else { return self.unsupported(describe(op)) };
                self.glsl(glsl, args, n)?
            }
            _ => return self.unsupported(describe(op)),
        })
    }

    fn glsl(&mut self, op: GlslOp, args: &[Leaves], n: usize) -> Result<Leaves> {
        let float = |x: f32| Arg::Const(Kind::Float, x.to_bits());
        let each = |b: &mut Self, g: &mut dyn FnMut(&mut Self, usize) -> Arg| -> Leaves {
            (0..n).map(|i| g(b, i)).collect()
        };
        Ok(match op {
            GlslOp::FClamp | GlslOp::NClamp => each(self, &mut |b, i| {
                let low = b.op("fmax", &[args[0][i], args[1][i]]);
                b.op("fmin", &[low, args[2][i]])
            }),
            GlslOp::UClamp => each(self, &mut |b, i| {
                let low = b.op("umax", &[args[0][i], args[1][i]]);
                b.op("umin", &[low, args[2][i]])
            }),
            GlslOp::SClamp => each(self, &mut |b, i| {
                let low = b.op("smax", &[args[0][i], args[1][i]]);
                b.op("smin", &[low, args[2][i]])
            }),
            // x + (y - x) * a
            GlslOp::FMix => each(self, &mut |b, i| {
                let d = b.op("fsub", &[args[1][i], args[0][i]]);
                let p = b.mul(d, args[2][i], false);
                b.op("fadd", &[p, args[0][i]])
            }),
            GlslOp::Step => each(self, &mut |b, i| {
                let below = b.op("flt", &[args[1][i], args[0][i]]);
                b.select(below, float(0.0), float(1.0))
            }),
            GlslOp::SmoothStep => each(self, &mut |b, i| {
                let over = b.op("fsub", &[args[2][i], args[0][i]]);
                let span = b.op("fsub", &[args[1][i], args[0][i]]);
                let t = b.op("fdiv", &[over, span]);
                let t = b.op("fmax", &[t, float(0.0)]);
                let t = b.op("fmin", &[t, float(1.0)]);
                let square = b.mul(t, t, false);
                let twice = b.op("fnma", &[t, float(2.0), float(3.0)]);
                b.mul(square, twice, false)
            }),
            GlslOp::Radians => {
                each(self, &mut |b, i| b.mul(args[0][i], float(std::f32::consts::PI / 180.0), true))
            }
            GlslOp::Degrees => {
                each(self, &mut |b, i| b.mul(args[0][i], float(180.0 / std::f32::consts::PI), true))
            }
            GlslOp::Length if args[0].len() == 1 => smallvec![self.op("fabs", &[args[0][0]])],
            GlslOp::Length => {
                let d = self.dot(&args[0], &args[0]);
                smallvec![self.op("fsqrt", &[d])]
            }
            GlslOp::Distance => {
                let d: Leaves =
                    args[0].iter().zip(&args[1]).map(|(a, b)| self.op("fsub", &[*a, *b])).collect();
                let d = self.dot(&d, &d);
                smallvec![self.op("fsqrt", &[d])]
            }
            GlslOp::Normalize => {
                let d = self.dot(&args[0], &args[0]);
                let r = self.op("frsqrt", &[d]);
                each(self, &mut |b, i| b.mul(args[0][i], r, true))
            }
            GlslOp::Cross => each(self, &mut |b, i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let p = b.mul(args[0][j], args[1][k], false);
                let q = b.mul(args[0][k], args[1][j], true);
                b.op("fsub", &[p, q])
            }),
            GlslOp::Reflect => {
                let d = self.dot(&args[1], &args[0]);
                let d = self.mul(d, float(2.0), true);
                each(self, &mut |b, i| {
                    let p = b.mul(d, args[1][i], false);
                    b.op("fsub", &[args[0][i], p])
                })
            }
            GlslOp::Refract => {
                // k = 1 - eta^2 (1 - (n.i)^2); zero if k < 0, else eta i - (eta n.i + sqrt k) n
                let (i, nrm, eta) = (&args[0], &args[1], args[2][0]);
                let d = self.dot(nrm, i);
                let rest = self.op("fnma", &[d, d, float(1.0)]);
                let eta2 = self.mul(eta, eta, true);
                let k = self.op("fnma", &[eta2, rest, float(1.0)]);
                let inside = self.op("flt", &[k, float(0.0)]);
                let root = self.op("fsqrt", &[k]);
                let along = self.op("fma", &[eta, d, root]);
                each(self, &mut |b, c| {
                    let p = b.mul(eta, i[c], true);
                    let r = b.op("fnma", &[along, nrm[c], p]);
                    b.select(inside, float(0.0), r)
                })
            }
            GlslOp::FaceForward => {
                let d = self.dot(&args[2], &args[1]);
                let facing = self.op("flt", &[d, float(0.0)]);
                each(self, &mut |b, i| {
                    let minus = b.op("fneg", &[args[0][i]]);
                    b.select(facing, args[0][i], minus)
                })
            }
            GlslOp::ModfStruct => {
                let whole: Leaves = args[0].iter().map(|a| self.op("ftrunc", &[*a])).collect();
                let mut out: Leaves =
                    args[0].iter().zip(&whole).map(|(a, w)| self.op("fsub", &[*a, *w])).collect();
                out.extend(whole);
                out
            }
            GlslOp::PackHalf2x16 => {
                let (low, high) = (self.op("f2h", &[args[0][0]]), self.op("f2h", &[args[0][1]]));
                let high = self.op("shl", &[high, Arg::Const(Kind::Int, 16)]);
                smallvec![self.op("ior", &[low, high])]
            }
            GlslOp::UnpackHalf2x16 => {
                let low = self.op("iand", &[args[0][0], Arg::Const(Kind::Int, 0xffff)]);
                let high = self.op("shr", &[args[0][0], Arg::Const(Kind::Int, 16)]);
                smallvec![self.op("h2f", &[low]), self.op("h2f", &[high])]
            }
            _ => return self.unsupported(format!("the GLSL.std.450 instruction {op:?}")),
        })
    }

    fn mapped(&mut self, map: Map, args: &[Arg], exact: bool) -> Arg {
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
    fn mul(&mut self, a: Arg, b: Arg, exact: bool) -> Arg {
        let v = self.op("fmul", &[a, b]);
        if let (Arg::Leaf(l), false) = (v, exact) {
            self.products.insert(l, (a, b));
        }
        v
    }

    fn dot(&mut self, a: &[Arg], b: &[Arg]) -> Arg {
        let mut sum = self.mul(a[0], b[0], true);
        for (x, y) in a.iter().zip(b).skip(1) {
            let p = self.mul(*x, *y, false);
            sum = self.op("fadd", &[p, sum]);
        }
        sum
    }

    fn fold(&mut self, name: &str, args: &[Arg]) -> Arg {
        args.iter().skip(1).fold(args[0], |a, b| self.op(name, &[a, *b]))
    }

    pub fn select(&mut self, c: Arg, a: Arg, b: Arg) -> Arg {
        let name = match self.kind(a) {
            Kind::Float => "fsel",
            Kind::Int => "isel",
            Kind::Bool => "bsel",
        };
        self.op(name, &[c, a, b])
    }

    fn bitcast(&mut self, a: Arg, to: Kind) -> Arg {
        match (self.kind(a), to) {
            (Kind::Float, Kind::Int) => self.op("fbits", &[a]),
            (Kind::Int, Kind::Float) => self.op("ffrom", &[a]),
            _ => a,
        }
    }

    fn matrix_rows(&self, v: Value) -> usize {
        match *self.input.ctx.types.kind(self.f().values[v].ty) {
            TypeKind::Matrix { column, .. } => usize::from(self.input.ctx.types.len_of(column)),
            _ => 1,
        }
    }

    // Memory.

    fn pointer(&mut self, v: Value) -> Result<Pointer> {
        match address::resolve(self.input.ctx, self.input.globals, self.f(), v) {
            Some(p) => Ok(p),
            None => self.unsupported("a pointer that is chosen at run time"),
        }
    }

    /// The memory that a pointer leads into, and whether addresses there count leaves instead of bytes.
    fn memory(&mut self, p: &Pointer) -> Result<(Memory, bool)> {
        match p.root {
            Root::Variable(v) => {
                if let Some(&c) = self.a.tables.get(&v) {
                    return Ok((Memory::Table(self.table(c)), true));
                }
                if let Some(&private) = self.privates.get(&v) {
                    return Ok((Memory::Private(private), true));
                }
                let pointee = self.input.ctx.types.pointee(self.f().values[v].ty).map(|p| p.0);
                let Some(n) = pointee.and_then(|ty| leaves::count(self.input.ctx, ty)) else {
                    return self.unsupported("a local variable of this type or size");
                };
                let name = self.f().values[v].name.clone().unwrap_or_default();
                let private = self.p.privates.push(PrivateData { leaves: n, name });
                self.privates.insert(v, private);
                Ok((Memory::Private(private), true))
            }
            Root::Global(g) => {
                if let Some(&slot) = self.slots.get(&g) {
                    return Ok((Memory::Resource(slot), false));
                }
                if let Some(&memory) = self.shared.get(&g) {
                    return Ok((memory, false));
                }
                match (self.input.globals[g].storage, self.input.globals[g].init) {
                    (StorageClass::Private, Some(c)) => Ok((Memory::Table(self.table(c)), true)),
                    _ => self.unsupported("a module-scope variable of this kind"),
                }
            }
        }
    }

    fn table(&mut self, c: crate::ir::Const) -> crate::spmd::Table {
        if let Some(t) = self.tables.get(&c) {
            return *t;
        }
        let mut bits = Vec::new();
        leaves::constant(self.input.ctx, c, &mut bits);
        let table = self.p.tables.push(bits);
        self.tables.insert(c, table);
        table
    }

    /// The addresses of an object's leaves.
    fn addresses(&mut self, p: &Pointer) -> Result<Vec<Address>> {
        let (memory, counts) = self.memory(p)?;
        let Some(offsets) = address::leaf_offsets(self.input.ctx, p) else {
            return self.unsupported("memory without a layout");
        };
        let unit = if counts { 4 } else { 1 };
        let mut terms = SmallVec::<[(Arg, u32); 2]>::new();
        for (v, stride) in &p.terms {
            terms.push((self.arg(*v)?, stride / unit));
        }
        let index = match terms[..] {
            [] => None,
            [one] => Some(one),
            _ => {
                // Several indices: add the bytes up. Where that wraps, the address is still checked.
                let mut sum = None;
                for (arg, stride) in terms {
                    let scaled = self.op("imul", &[arg, Arg::Const(Kind::Int, stride)]);
                    sum = Some(match sum {
                        None => scaled,
                        Some(sum) => self.op("iadd", &[sum, scaled]),
                    });
                }
                sum.map(|s| (s, 1))
            }
        };
        Ok(offsets
            .into_iter()
            .map(|o| Address { memory, konst: p.konst.wrapping_add(o) / unit, index })
            .collect())
    }

    fn load(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(pointer), Some(result)) = (data.id(0), data.result()) else { return Ok(()) };
        let p = self.pointer(pointer)?;
        let kinds = self.kinds_of(result)?;
        if let Root::Global(g) = p.root
            && let Some(builtin) = self.input.globals[g].builtin
        {
            let leaves = self.builtin(builtin, &p, kinds.len())?;
            self.values.insert(result, leaves);
            return Ok(());
        }
        let addresses = self.addresses(&p)?;
        let constant = matches!(p.storage, StorageClass::Uniform | StorageClass::PushConstant);
        let mut out = Leaves::new();
        for (i, (address, kind)) in addresses.into_iter().zip(kinds).enumerate() {
            if let (true, None, Memory::Resource(slot)) = (constant, address.index, address.memory) {
                out.push(self.constant_load(slot, address.konst, kind));
                continue;
            }
            let own = self.a.shape(result, i);
            let hoist = own <= Shape::Group && self.nest == 0;
            let home = if hoist { None } else { Some(self.open()) };
            let shape = match address.index {
                _ if matches!(address.memory, Memory::Private(_)) => Shape::Varying,
                Some((a, _)) if !self.shape(a).is_uniform() => Shape::Varying,
                _ if hoist => own,
                _ => own.clamp(Shape::Group, Shape::Wave),
            };
            // Bools are words in memory.
            let stored = if kind == Kind::Bool { Kind::Int } else { kind };
            let dst = self.leaf(stored, shape, home);
            let mask = if hoist { Arg::Active } else { self.mask };
            let stmt = Stmt::Load { dst, address, mask };
            if hoist {
                self.group.push(stmt)
            } else {
                self.out.push(stmt)
            }
            let value = Arg::Leaf(dst);
            out.push(match kind {
                Kind::Bool => self.op("ine", &[value, Arg::Const(Kind::Int, 0)]),
                _ => value,
            });
        }
        self.values.insert(result, out);
        Ok(())
    }

    /// A constant of a cbuffer: loaded once a launch.
    fn constant_load(&mut self, slot: u32, konst: u32, kind: Kind) -> Arg {
        if let Some(leaf) = self.constants.get(&(slot, konst, kind)) {
            return Arg::Leaf(*leaf);
        }
        let stored = if kind == Kind::Bool { Kind::Int } else { kind };
        let dst = self.leaf(stored, Shape::Launch, None);
        let address = Address { memory: Memory::Resource(slot), konst, index: None };
        self.p.prologue.push(Stmt::Load { dst, address, mask: Arg::Active });
        let leaf = if kind == Kind::Bool {
            let test = self.leaf(Kind::Bool, Shape::Launch, None);
            let args = smallvec![Arg::Leaf(dst), Arg::Const(Kind::Int, 0)];
            self.p.prologue.push(Stmt::Let { dst: test, op: ops::row("ine"), args });
            test
        } else {
            dst
        };
        self.constants.insert((slot, konst, kind), leaf);
        Arg::Leaf(leaf)
    }

    fn store(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(pointer), Some(value)) = (data.id(0), data.id(1)) else { return Ok(()) };
        let p = self.pointer(pointer)?;
        if let Root::Variable(v) = p.root
            && self.a.tables.contains_key(&v)
        {
            return Ok(());
        }
        self.open();
        let values = self.args(value)?;
        let addresses = self.addresses(&p)?;
        for (address, src) in addresses.into_iter().zip(values) {
            let src = self.word(src);
            let kind = self.kind(src);
            let mask = self.mask;
            self.push(Stmt::Store { address, src, kind, mask });
        }
        Ok(())
    }

    /// A leaf as it is in memory: bools as words.
    fn word(&mut self, a: Arg) -> Arg {
        match self.kind(a) {
            Kind::Bool => self.op("isel", &[a, Arg::Const(Kind::Int, 1), Arg::Const(Kind::Int, 0)]),
            _ => a,
        }
    }

    fn builtin(&mut self, builtin: BuiltIn, p: &Pointer, n: usize) -> Result<Leaves> {
        if !p.terms.is_empty() {
            return self.unsupported("a system value's component chosen at run time");
        }
        let first = (p.konst / 4) as usize;
        let size = self.input.local_size;
        let mut out = Leaves::new();
        for component in first..first + n {
            let c = component as u8;
            let one = size.get(component).is_none_or(|s| *s == 1);
            out.push(match builtin {
                BuiltIn::WorkgroupId => Arg::Builtin(Builtin::GroupId(c)),
                BuiltIn::NumWorkgroups => Arg::Builtin(Builtin::GroupCount(c)),
                BuiltIn::LocalInvocationIndex => Arg::Builtin(Builtin::LocalIndex),
                BuiltIn::LocalInvocationId if one => Arg::Const(Kind::Int, 0),
                BuiltIn::LocalInvocationId => Arg::Builtin(Builtin::LocalId(c)),
                BuiltIn::GlobalInvocationId if one => Arg::Builtin(Builtin::GroupId(c)),
                BuiltIn::GlobalInvocationId => Arg::Builtin(Builtin::GlobalId(c)),
                BuiltIn::WorkgroupSize => Arg::Const(Kind::Int, size.get(component).copied().unwrap_or(1)),
                other => return self.unsupported(format!("the system value {other:?}")),
            });
        }
        Ok(out)
    }

    fn array_length(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(pointer), Some(member), Some(result)) = (data.id(0), data.literal(1), data.result()) else {
            return Ok(());
        };
        let p = self.pointer(pointer)?;
        let (Memory::Resource(slot), TypeKind::Struct(s)) =
            (self.memory(&p)?.0, self.input.ctx.types.kind(p.ty))
        else {
            return self.unsupported("the length of this array");
        };
        let Some(member) = s.members.get(member as usize) else { return Ok(()) };
        let (TypeKind::RuntimeArray { stride: Some(stride), .. }, Some(offset)) =
            (self.input.ctx.types.kind(member.ty), member.offset)
        else {
            return self.unsupported("the length of this array");
        };
        let bytes = self.size(slot, 2);
        let rest = self.op("isub", &[bytes, Arg::Const(Kind::Int, offset)]);
        let n = self.op("udiv", &[rest, Arg::Const(Kind::Int, *stride)]);
        self.values.insert(result, smallvec![n]);
        Ok(())
    }

    fn size(&mut self, slot: u32, what: u32) -> Arg {
        let dst = self.leaf(Kind::Int, Shape::Launch, None);
        self.p.prologue.push(Stmt::Size { dst, slot, what });
        Arg::Leaf(dst)
    }

    fn atomic(&mut self, inst: Inst, op: Op) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let Some(pointer) = data.id(0) else { return Ok(()) };
        self.open();
        let p = self.pointer(pointer)?;
        let address = match self.addresses(&p)?[..] {
            [one] => one,
            _ => return self.unsupported("an atomic operation on a composite"),
        };
        let ids: SmallVec<[Value; 6]> = data.ids().collect();
        let one = Arg::Const(Kind::Int, 1);
        let (name, args): (&'static str, SmallVec<[Arg; 2]>) = match op {
            Op::AtomicLoad => ("load", smallvec![]),
            Op::AtomicStore => ("store", smallvec![self.arg(ids[3])?]),
            Op::AtomicIIncrement => ("add", smallvec![one]),
            Op::AtomicIDecrement => ("sub", smallvec![one]),
            Op::AtomicCompareExchange => ("cmpxchg", smallvec![self.arg(ids[4])?, self.arg(ids[5])?]),
            _ => match (atomic(op), ids.get(3)) {
                (Some(name), Some(v)) => (name, smallvec![self.arg(*v)?]),
                _ => return self.unsupported(describe(op.into())),
            },
        };
        let dst: Option<Leaf> = match data.result() {
            Some(result) => {
                let kind = match self.kinds_of(result)?[..] {
                    [kind] => kind,
                    _ => return self.unsupported("an atomic operation on a composite"),
                };
                let home = Some(self.open());
                let dst = self.leaf(kind, Shape::Varying, home);
                self.values.insert(result, smallvec![Arg::Leaf(dst)]);
                Some(dst)
            }
            None => None,
        };
        let mask = self.mask;
        self.push(Stmt::Atomic { dst, op: name, address, args, mask });
        Ok(())
    }

    // Images.

    /// The resource slot of an image operand, which must be a two-dimensional image.
    fn image(&mut self, v: Value) -> Result<u32> {
        let f = self.f();
        match *self.input.ctx.types.kind(f.values[v].ty) {
            TypeKind::Image(i) if i.dim == Dim::Dim2D && !i.arrayed && !i.multisampled => {}
            _ => return self.unsupported("an image that is not two-dimensional"),
        }
        let Some(load) = f.def_inst(v) else { return self.unsupported("an image chosen at run time") };
        let global = match f.insts[load].id(0).map(|p| f.values[p].def) {
            Some(ValueDef::Global(g)) => g,
            _ => return self.unsupported("an image chosen at run time or from an array"),
        };
        self.slot(global)
    }

    fn slot(&mut self, g: Global) -> Result<u32> {
        match self.slots.get(&g) {
            Some(slot) => Ok(*slot),
            None => self.unsupported("this resource"),
        }
    }

    fn coords(&mut self, v: Value) -> Result<[Arg; 2]> {
        let leaves = self.args(v)?;
        match leaves[..] {
            [x, y, ..] => Ok([x, y]),
            _ => self.unsupported("coordinates of one component for a two-dimensional image"),
        }
    }

    fn image_read(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(image), Some(coord), Some(result)) = (data.id(0), data.id(1), data.result()) else {
            return Ok(());
        };
        let segment = self.open();
        let slot = self.image(image)?;
        let coords = self.coords(coord)?;
        let kinds = self.kinds_of(result)?;
        let mut mask = self.mask;
        match data.literal(2) {
            None | Some(0) => {}
            Some(mask_bits) if mask_bits == spirv::ImageOperands::LOD.bits() => {
                // There is one level: any other reads as zero.
                let Some(lod) = data.id(3) else { return Ok(()) };
                let lod = self.arg(lod)?;
                if lod != Arg::Const(Kind::Int, 0) {
                    let zero = self.op("ieq", &[lod, Arg::Const(Kind::Int, 0)]);
                    let dst = self.leaf(Kind::Bool, Shape::Varying, Some(segment));
                    self.push(Stmt::MaskAnd { dst, a: mask, b: zero, not: false });
                    mask = Arg::Leaf(dst);
                }
            }
            Some(_) => return self.unsupported("an image read with offset, sample or bias"),
        }
        let kind = kinds.first().copied().unwrap_or(Kind::Float);
        let dst = [(); 4].map(|()| self.leaf(kind, Shape::Varying, Some(segment)));
        self.push(Stmt::ImageLoad { dst, slot, coords, mask });
        self.values.insert(result, dst.iter().take(kinds.len()).map(|l| Arg::Leaf(*l)).collect());
        Ok(())
    }

    fn image_write(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(image), Some(coord), Some(texel)) = (data.id(0), data.id(1), data.id(2)) else {
            return Ok(());
        };
        self.open();
        let slot = self.image(image)?;
        let coords = self.coords(coord)?;
        let texel = self.args(texel)?;
        let Some(&first) = texel.first() else { return Ok(()) };
        let kind = self.kind(first);
        let zero = Arg::Const(kind, 0);
        let src = [0, 1, 2, 3].map(|i| texel.get(i).copied().unwrap_or(zero));
        let mask = self.mask;
        self.push(Stmt::ImageStore { slot, coords, src, kind, mask });
        Ok(())
    }

    fn image_size(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(image), Some(result)) = (data.id(0), data.result()) else { return Ok(()) };
        let slot = self.image(image)?;
        let n = self.kinds_of(result)?.len() as u32;
        let leaves = (0..n).map(|what| self.size(slot, what)).collect();
        self.values.insert(result, leaves);
        Ok(())
    }
}

/// Name of the prelude's operation of a read-modify-write atomic.
fn atomic(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::AtomicIAdd => "add",
        Op::AtomicISub => "sub",
        Op::AtomicAnd => "and",
        Op::AtomicOr => "or",
        Op::AtomicXor => "xor",
        Op::AtomicSMin => "smin",
        Op::AtomicSMax => "smax",
        Op::AtomicUMin => "umin",
        Op::AtomicUMax => "umax",
        Op::AtomicExchange => "xchg",
        Op::AtomicIIncrement => "add",
        Op::AtomicIDecrement => "sub",
        Op::AtomicCompareExchange => "cmpxchg",
        _ => return None,
    })
}

/// An operation as a noun phrase.
pub fn describe(op: Opcode) -> String {
    match op {
        Opcode::Op(op) => format!("the SPIR-V instruction Op{op:?}"),
        Opcode::Ext(set, number) => format!("instruction {number} of {}", set.name()),
        other => format!("{other:?}"),
    }
}
