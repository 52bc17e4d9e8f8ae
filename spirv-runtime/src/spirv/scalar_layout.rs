//! Whether what lies in buffers is packed more densely than every device of Vulkan takes.
//!
//! Without `scalarBlockLayout` the relaxed rules hold: arrays, matrices and structures lie at multiples of their base alignment
//! (in uniform buffers of 16 bytes at least) with nothing in the padding behind them, scalars and vectors at multiples of their
//! component, and no vector across a boundary of 16 bytes that it need not cross.

use super::{Module, op};
use std::collections::HashMap;

/// Decorations.
mod decoration {
    pub const ROW_MAJOR: u32 = 4;
    pub const ARRAY_STRIDE: u32 = 6;
    pub const MATRIX_STRIDE: u32 = 7;
    pub const OFFSET: u32 = 35;
}

const TYPE_RUNTIME_ARRAY: u32 = 29;
const MEMBER_DECORATE: u32 = 72;
/// Storage classes whose variables have a layout: uniform buffers, push constants, storage buffers.
const UNIFORM: u32 = 2;
const BLOCKS: &[u32] = &[UNIFORM, 9, 12];
/// Nested deeper than this nothing is looked at: compilers of ours do not write it.
const MAX_DEPTH: u32 = 64;

enum Type<'a> {
    Scalar(u32),
    Vector(u32, u32),
    Matrix(u32, u32),
    Array(u32, u32),
    RuntimeArray(u32),
    Struct(&'a [u32]),
}

#[derive(Default)]
struct Types<'a> {
    types: HashMap<u32, Type<'a>>,
    constants: HashMap<u32, u32>,
    strides: HashMap<u32, u32>,
    /// By structure, member and decoration.
    members: HashMap<(u32, u32, u32), u32>,
}

fn round_up(n: u32, to: u32) -> u32 {
    n.div_ceil(to.max(1)).saturating_mul(to.max(1))
}

impl Module {
    /// Whether it needs `scalarBlockLayout`.
    pub fn needs_scalar_layout(&self) -> bool {
        let mut all = Types::default();
        let (mut pointers, mut blocks) = (HashMap::new(), Vec::new());
        for instruction in self.instructions() {
            match (instruction[0] & 0xffff, &instruction[1..]) {
                (op::FUNCTION, _) => break,
                (op::DECORATE, [id, decoration::ARRAY_STRIDE, n, ..]) => {
                    all.strides.insert(*id, *n);
                }
                (MEMBER_DECORATE, [id, member, which, rest @ ..]) => {
                    all.members.insert((*id, *member, *which), rest.first().copied().unwrap_or(1));
                }
                (op::CONSTANT, [_, id, value, ..]) => {
                    all.constants.insert(*id, *value);
                }
                (op::TYPE_INT | op::TYPE_FLOAT, [id, bits, ..]) => {
                    all.types.insert(*id, Type::Scalar(bits.div_ceil(8)));
                }
                (op::TYPE_VECTOR, [id, part, n, ..]) => {
                    all.types.insert(*id, Type::Vector(*part, *n));
                }
                (op::TYPE_MATRIX, [id, part, n, ..]) => {
                    all.types.insert(*id, Type::Matrix(*part, *n));
                }
                (op::TYPE_ARRAY, [id, part, n, ..]) => {
                    all.types.insert(*id, Type::Array(*part, *n));
                }
                (TYPE_RUNTIME_ARRAY, [id, part, ..]) => {
                    all.types.insert(*id, Type::RuntimeArray(*part));
                }
                (op::TYPE_STRUCT, [id, members @ ..]) => {
                    all.types.insert(*id, Type::Struct(members));
                }
                (op::TYPE_POINTER, [id, class, pointee]) => {
                    pointers.insert(*id, (*class, *pointee));
                }
                (op::VARIABLE, [pointer, ..]) => {
                    blocks.extend(pointers.get(pointer).filter(|p| BLOCKS.contains(&p.0)));
                }
                _ => {}
            }
        }
        blocks.iter().any(|&(class, ty)| !all.is_relaxed(ty, class == UNIFORM, MAX_DEPTH))
    }
}

impl Types<'_> {
    /// Bytes, and the alignment that the rules without scalar layout ask for. `stride` is that of a matrix.
    fn extent(&self, ty: u32, stride: u32, rows: bool, uniform: bool, depth: u32) -> (u32, u32) {
        let Some(depth) = depth.checked_sub(1) else { return (0, 1) };
        let of = |ty| self.extent(ty, 0, false, uniform, depth);
        let aggregate = |align: u32| if uniform { round_up(align, 16) } else { align };
        match self.types.get(&ty) {
            Some(Type::Scalar(bytes)) => (*bytes, *bytes),
            Some(Type::Vector(part, n)) => {
                let bytes = of(*part).0;
                (bytes.saturating_mul(*n), bytes.saturating_mul(if *n == 3 { 4 } else { *n }))
            }
            Some(Type::Matrix(column, n)) => {
                let Some(Type::Vector(scalar, len)) = self.types.get(column) else { return (0, 1) };
                let (count, len) = if rows { (*len, *n) } else { (*n, *len) };
                let scalar = of(*scalar).0;
                let last = scalar.saturating_mul(len);
                let align = scalar.saturating_mul(if len == 3 { 4 } else { len });
                (stride.saturating_mul(count.saturating_sub(1)).saturating_add(last), aggregate(align))
            }
            Some(Type::Array(part, n)) => {
                let count = self.constants.get(n).copied().unwrap_or(1);
                let step = self.strides.get(&ty).copied().unwrap_or(0);
                let (bytes, align) = self.extent(*part, stride, rows, uniform, depth);
                (step.saturating_mul(count.saturating_sub(1)).saturating_add(bytes), aggregate(align))
            }
            Some(Type::RuntimeArray(part)) => {
                (0, aggregate(self.extent(*part, stride, rows, uniform, depth).1))
            }
            Some(Type::Struct(members)) => {
                let parts = (0..).zip(*members).map(|(i, member)| {
                    let (bytes, align) = self.member(ty, i, *member, uniform, depth);
                    (self.of_member(ty, i, decoration::OFFSET).saturating_add(bytes), align)
                });
                let (end, align) = parts.fold((0, 1), |(end, most), (e, a)| (end.max(e), most.max(a)));
                (end, aggregate(align))
            }
            None => (0, 1),
        }
    }

    fn of_member(&self, ty: u32, member: u32, which: u32) -> u32 {
        self.members.get(&(ty, member, which)).copied().unwrap_or(0)
    }

    fn member(&self, ty: u32, i: u32, member: u32, uniform: bool, depth: u32) -> (u32, u32) {
        let rows = self.members.contains_key(&(ty, i, decoration::ROW_MAJOR));
        self.extent(member, self.of_member(ty, i, decoration::MATRIX_STRIDE), rows, uniform, depth)
    }

    /// Whether a type lies as every device takes it.
    fn is_relaxed(&self, ty: u32, uniform: bool, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        match self.types.get(&ty) {
            Some(Type::Array(part, _) | Type::RuntimeArray(part)) => {
                let align = self.extent(ty, 0, false, uniform, depth).1;
                let stride = self.strides.get(&ty).copied().unwrap_or(0);
                // Descriptors have no stride; the elements of an array of matrices are looked at as members.
                stride.is_multiple_of(align.max(1)) && self.is_relaxed(*part, uniform, depth)
            }
            Some(Type::Struct(members)) => {
                let mut free = 0;
                (0..).zip(*members).all(|(i, &member)| {
                    let at = self.of_member(ty, i, decoration::OFFSET);
                    let (bytes, align) = self.member(ty, i, member, uniform, depth);
                    let is_value =
                        matches!(self.types.get(&member), Some(Type::Scalar(_) | Type::Vector(..)));
                    let fits = match self.types.get(&member) {
                        Some(Type::Vector(scalar, _)) => {
                            let scalar = self.extent(*scalar, 0, false, uniform, depth).0;
                            let crosses = match bytes {
                                0..=16 => at % 16 + bytes > 16,
                                _ => !at.is_multiple_of(16),
                            };
                            at.is_multiple_of(scalar.max(1)) && !crosses
                        }
                        _ => at.is_multiple_of(align.max(1)),
                    };
                    let stride = self.of_member(ty, i, decoration::MATRIX_STRIDE);
                    let follows = at >= free;
                    let end = at.saturating_add(bytes);
                    free = if is_value { end } else { round_up(end, align) };
                    let steps = is_value || stride.is_multiple_of(align.max(1));
                    fits && follows && steps && self.is_relaxed(member, uniform, depth)
                })
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::spirv::Module;
    use spirv_build::hlsl::layout::LayoutRules;
    use spirv_build::hlsl::{self, MemoryIncludes};
    use spirv_build::pipeline::{self, Options};

    fn needs(layout: LayoutRules, text: &str) -> bool {
        let text = format!("{text}\n[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {{ f(i); }}");
        let options = Options {
            passes: Default::default(),
            hlsl: hlsl::Options { layout, profile: "cs_6_6".into(), ..Default::default() },
            warnings: Default::default(),
            target: Default::default(),
            vulkan: Default::default(),
            error_limit: None,
            shared_arguments: false,
            cpu_arch: None,
            level_zero: false,
            kernel: "k".into(),
            source: "k.hlsl".into(),
            symbol: "k".into(),
        };
        let done = pipeline::compile("k.hlsl", text.as_bytes(), &options, &MemoryIncludes::default());
        let words = done.compiled.unwrap_or_else(|| panic!("{:?}", done.diagnostics)).spirv;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        Module::read(&bytes).unwrap().needs_scalar_layout()
    }

    #[test]
    fn packed_buffers_need_it_and_others_do_not() {
        let rows: &[(&str, bool, bool)] = &[
            // program, with -fvk-use-dx-layout, with -fvk-use-scalar-layout
            ("RWStructuredBuffer<float> b; void f(uint i) { b[i] = 1; }", false, false),
            ("RWStructuredBuffer<float4> b; void f(uint i) { b[i] = 1; }", false, false),
            ("RWStructuredBuffer<float3> b; void f(uint i) { b[i] = 1; }", true, true),
            (
                "struct S { float3 p; float m; float2 q; float3x3 r; double d; }; RWStructuredBuffer<S> b; void f(uint i) { b[i] = b[i + 1]; }",
                true,
                true,
            ),
            (
                "struct S { float a; float3 b; }; RWStructuredBuffer<S> b; void f(uint i) { b[i].b += b[i].a; }",
                false,
                false,
            ),
            (
                "struct S { float2 a; float3 b; float c[2]; }; RWStructuredBuffer<S> b; void f(uint i) { b[i].b += b[i].c[1]; }",
                true,
                true,
            ),
            (
                "cbuffer C { float3 a; float w[3]; float2 q; float4x4 m; } RWStructuredBuffer<float> b; void f(uint i) { b[i] = a.x + w[i] + q.y + m[1][i]; }",
                false,
                false,
            ),
            (
                "cbuffer C { float3 a; float w[64]; } RWStructuredBuffer<float> b; void f(uint i) { b[i] = a.x + w[i]; }",
                false,
                true,
            ),
            (
                "struct P { float w[40]; }; struct S { float a[2]; P p; float z; }; cbuffer C { S s; float y; } RWByteAddressBuffer o; void f(uint i) { o.Store(0, s.a[i] + s.p.w[i] + s.z + y); }",
                true,
                true,
            ),
        ];
        for (program, dx, scalar) in rows {
            for layout in [LayoutRules::VULKAN, LayoutRules::GL] {
                assert!(!needs(layout, program), "{program}");
            }
            assert_eq!(
                [needs(LayoutRules::DX, program), needs(LayoutRules::SCALAR, program)],
                [*dx, *scalar],
                "{program}"
            );
        }
    }
}
