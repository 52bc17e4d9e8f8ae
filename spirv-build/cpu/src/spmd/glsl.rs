//! Instructions of GLSL.std.450 that are not one row a component.

use crate::ir::GlslOp;
use crate::spmd::build::{Build, Leaves, Result};
use crate::spmd::ops::Map;
use crate::spmd::{Arg, Kind};
use smallvec::smallvec;

impl Build<'_> {
    pub fn glsl(&mut self, op: GlslOp, args: &[Leaves], n: usize) -> Result<Leaves> {
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
                let d = self.dot(&args[0], &args[0], false);
                smallvec![self.op("fsqrt", &[d])]
            }
            GlslOp::Distance => {
                let d: Leaves =
                    args[0].iter().zip(&args[1]).map(|(a, b)| self.op("fsub", &[*a, *b])).collect();
                let d = self.dot(&d, &d, false);
                smallvec![self.op("fsqrt", &[d])]
            }
            GlslOp::Normalize => {
                let d = self.dot(&args[0], &args[0], false);
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
                let d = self.dot(&args[1], &args[0], false);
                let d = self.mul(d, float(2.0), true);
                each(self, &mut |b, i| {
                    let p = b.mul(d, args[1][i], false);
                    b.op("fsub", &[args[0][i], p])
                })
            }
            GlslOp::Refract => {
                // k = 1 - eta^2 (1 - (n.i)^2); zero if k < 0, else eta i - (eta n.i + sqrt k) n
                let (i, nrm, eta) = (&args[0], &args[1], args[2][0]);
                let d = self.dot(nrm, i, false);
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
                let d = self.dot(&args[2], &args[1], false);
                let facing = self.op("flt", &[d, float(0.0)]);
                each(self, &mut |b, i| {
                    let minus = b.op("fneg", &[args[0][i]]);
                    b.select(facing, args[0][i], minus)
                })
            }
            GlslOp::ModfStruct => {
                let whole: Leaves = args[0].iter().map(|a| self.op("ftrunc", &[*a])).collect();
                // Exact, whatever the operand is a product of: both parts make it again.
                let mut out: Leaves = args[0]
                    .iter()
                    .zip(&whole)
                    .map(|(a, w)| self.mapped(Map::Row("fsub"), &[*a, *w], true))
                    .collect();
                out.extend(whole);
                out
            }
            GlslOp::FrexpStruct => {
                let word = |bits: u32| Arg::Const(Kind::Int, bits);
                let (mut parts, mut exponents) = (Leaves::new(), Leaves::new());
                for &a in &args[0] {
                    // Denormals are made normal first.
                    let size = self.op("fabs", &[a]);
                    let tiny = self.op("flt", &[size, Arg::Const(Kind::Float, 0x0080_0000)]);
                    let scaled = self.mul(a, float(16_777_216.0), true);
                    let normal = self.select(tiny, scaled, a);
                    let bias = self.select(tiny, word(126 + 24), word(126));
                    let bits = self.op("fbits", &[normal]);
                    let field = self.op("uextract", &[bits, word(23), word(8)]);
                    let exponent = self.op("isub", &[field, bias]);
                    let kept = self.op("iand", &[bits, word(0x807f_ffff)]);
                    let half = self.op("ior", &[kept, word(0x3f00_0000)]);
                    let part = self.op("ffrom", &[half]);
                    // Zero, infinity and NaN are their own parts.
                    let zero = self.op("feq", &[a, float(0.0)]);
                    let special = self.op("ieq", &[field, word(255)]);
                    let special = self.op("bor", &[zero, special]);
                    parts.push(self.select(special, a, part));
                    exponents.push(self.select(special, word(0), exponent));
                }
                parts.extend(exponents);
                parts
            }
            GlslOp::Determinant => {
                let size = args[0].len().isqrt();
                let rows: Vec<usize> = (0..size).collect();
                smallvec![self.determinant(&args[0], size, 0, &rows)]
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
            _ => return self.unsupported(crate::ir::words::function(op)),
        })
    }

    /// The determinant of these rows of a matrix and the columns from `column` on, by minors.
    fn determinant(&mut self, m: &[Arg], size: usize, column: usize, rows: &[usize]) -> Arg {
        if let [row] = rows {
            return m[column * size + row];
        }
        let mut sum = None;
        for (i, row) in rows.iter().enumerate() {
            let others: Vec<usize> = rows.iter().copied().filter(|r| r != row).collect();
            let minor = self.determinant(m, size, column + 1, &others);
            let term = self.mul(m[column * size + row], minor, true);
            sum = Some(match sum {
                None => term,
                Some(sum) => self.op(if i % 2 == 0 { "fadd" } else { "fsub" }, &[sum, term]),
            });
        }
        sum.unwrap_or(Arg::Const(Kind::Float, 0))
    }
}
