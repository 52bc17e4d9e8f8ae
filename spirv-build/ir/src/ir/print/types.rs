//! Text of types and constants.

use super::{Names, Unique, Written};
use crate::ir::entity::Entity;
use crate::ir::walk::MAX_NESTING;
use crate::ir::{Const, ConstKind, ConstOperand, ImageType, Module, StructType, Type, TypeKind, TypeOperand};
use spirv_spec::FPEncoding;
use std::fmt::Write;

/// Floats that have names in MLIR. A row each: name, width, encoding.
pub(in crate::ir) const ENCODED_FLOATS: &[(&str, u8, FPEncoding)] = &[
    ("bf16", 16, FPEncoding::BFloat16KHR),
    ("f8E4M3FN", 8, FPEncoding::Float8E4M3EXT),
    ("f8E5M2", 8, FPEncoding::Float8E5M2EXT),
];

/// Names of the struct types by index.
pub(super) fn struct_names(module: &Module) -> Vec<String> {
    let mut unique = Unique::default();
    let name = |kind: &TypeKind| match kind {
        // Aliases are not to look like the dialect's own types.
        TypeKind::Struct(s) if s.name.starts_with("spirv.") => unique.name(&format!("_{}", s.name), "struct"),
        TypeKind::Struct(s) => unique.name(&s.name, "struct"),
        _ => String::new(),
    };
    module.ctx.types.iter().map(|(_, k)| k).map(name).collect()
}

/// One alias for each struct.
pub(super) fn aliases(module: &Module, names: &Names, out: &mut String) {
    for (t, kind) in module.ctx.types.iter() {
        if let TypeKind::Struct(s) = kind {
            let _ = write!(out, "!{} = ", names.structure(t));
            structure(module, names, t, s, out);
            out.push('\n');
        }
    }
}

fn structure(module: &Module, names: &Names, t: Type, s: &StructType, out: &mut String) {
    out.push_str("!spirv.struct<");
    if names.structure(t).0 != s.name {
        let _ = write!(out, "{:?}, ", s.name);
    }
    out.push('(');
    for (i, m) in s.members.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        if !m.name.is_empty() {
            let _ = match m.name.starts_with(|c: char| c.is_ascii_digit()) {
                true => write!(out, "{:?}: ", m.name),
                false => write!(out, "{}: ", Written(&m.name)),
            };
        }
        ty(module, names, m.ty, 1, out);
        let mut facts = Vec::new();
        facts.extend(m.offset.map(|o| o.to_string()));
        if let Some(l) = m.matrix {
            facts.push(if l.row_major { "RowMajor" } else { "ColMajor" }.into());
            facts.push(format!("MatrixStride={}", l.stride));
        }
        for d in &m.decorations {
            let mut text = String::new();
            super::decoration(module, names, d, &mut text);
            facts.push(text);
        }
        facts.extend(m.declared.iter().flat_map(|d| super::declared::facts(d)));
        if !facts.is_empty() {
            let _ = write!(out, " [{}]", facts.join(", "));
        }
    }
    out.push(')');
    for d in &s.decorations {
        out.push_str(", ");
        super::decoration(module, names, d, out);
    }
    out.push('>');
}

/// A type.
pub(super) fn ty(module: &Module, names: &Names, t: Type, depth: usize, out: &mut String) {
    if depth > MAX_NESTING || t.index() >= names.structs.len() {
        out.push_str("<bad type>");
        return;
    }
    let sub = |t: Type, out: &mut String| ty(module, names, t, depth + 1, out);
    let stride = |stride: Option<u32>, out: &mut String| {
        if let Some(n) = stride {
            let _ = write!(out, ", stride={n}");
        }
        out.push('>');
    };
    match module.ctx.types.kind(t) {
        TypeKind::Void => out.push_str("()"),
        TypeKind::Bool => out.push_str("i1"),
        TypeKind::Int { width, signed } => {
            let _ = write!(out, "{}{width}", if *signed { "si" } else { "i" });
        }
        TypeKind::Float { width } => {
            let _ = write!(out, "f{width}");
        }
        TypeKind::EncodedFloat { width, encoding } => {
            let known = ENCODED_FLOATS.iter().find(|f| (f.1, f.2) == (*width, *encoding));
            let _ = match (known, encoding.name()) {
                (Some(row), _) => write!(out, "{}", row.0),
                (None, Some(name)) => write!(out, "f{width}_{name}"),
                (None, None) => write!(out, "f{width}_{}", encoding.0),
            };
        }
        TypeKind::Vector { elem, len } => {
            let _ = write!(out, "vector<{len}x");
            sub(*elem, out);
            out.push('>');
        }
        TypeKind::Matrix { column, columns } => {
            let _ = write!(out, "!spirv.matrix<{columns} x ");
            sub(*column, out);
            out.push('>');
        }
        TypeKind::Array { elem, len, stride: s } => {
            let _ = write!(out, "!spirv.array<{len} x ");
            sub(*elem, out);
            stride(*s, out);
        }
        TypeKind::RuntimeArray { elem, stride: s } => {
            out.push_str("!spirv.rtarray<");
            sub(*elem, out);
            stride(*s, out);
        }
        TypeKind::SpecArray { elem, len, stride: s } => {
            out.push_str("!spirv.specarray<");
            // Types may stand before what is declared in the module.
            form(module, names, *len, depth + 1, false, out);
            if len.index() < module.ctx.consts.len() {
                out.push_str(" : ");
                sub(module.ctx.consts.ty(*len), out);
            }
            out.push_str(", ");
            sub(*elem, out);
            stride(*s, out);
        }
        TypeKind::Struct(_) => {
            let _ = write!(out, "!{}", names.structure(t));
        }
        TypeKind::Pointer { pointee, storage } => {
            out.push_str("!spirv.ptr<");
            sub(*pointee, out);
            let _ = write!(out, ", {storage:?}>");
        }
        TypeKind::Image(i) => {
            out.push_str("!spirv.image<");
            sub(i.sampled_type, out);
            image(i, out);
        }
        TypeKind::Sampler => out.push_str("!spirv.sampler"),
        TypeKind::SampledImage(i) => {
            out.push_str("!spirv.sampled_image<");
            sub(*i, out);
            out.push('>');
        }
        TypeKind::Opaque(o) => {
            let _ = write!(out, "!spirv.opaque<{:?}", o.op);
            for t in &o.types {
                out.push_str(", ");
                sub(*t, out);
            }
            for n in &o.words {
                let _ = write!(out, ", {n}");
            }
            out.push('>');
        }
        TypeKind::Custom(o) => {
            let _ = write!(out, "!spirv.custom<{:?}", o.op);
            for o in &o.operands {
                out.push_str(", ");
                match o {
                    TypeOperand::Type(t) => sub(*t, out),
                    TypeOperand::Literal(n) => {
                        let _ = write!(out, "{n}");
                    }
                    TypeOperand::Const(n) => {
                        let _ = write!(out, "const {n}");
                    }
                }
            }
            out.push('>');
        }
        TypeKind::Function { result, params } => {
            out.push('(');
            for (i, p) in params.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                sub(*p, out);
            }
            out.push_str(") -> ");
            sub(*result, out);
        }
    }
}

fn image(i: &ImageType, out: &mut String) {
    let depth = ["NoDepth", "IsDepth", "DepthUnknown"].get(usize::from(i.depth)).unwrap_or(&"<bad depth>");
    let sampled = ["SamplerUnknown", "NeedSampler", "NoSampler"]
        .get(usize::from(i.sampled))
        .unwrap_or(&"<bad sampled>");
    let arrayed = if i.arrayed { "Arrayed" } else { "NonArrayed" };
    let samples = if i.multisampled { "MultiSampled" } else { "SingleSampled" };
    let _ = write!(out, ", {}, {depth}, {arrayed}, {samples}, {sampled}, {}>", i.dim, i.format);
}

/// A constant without its type: by its name, if it is declared under one.
pub(super) fn constant(module: &Module, names: &Names, c: Const, depth: usize, out: &mut String) {
    if names.consts.contains_key(&c) {
        let _ = write!(out, "@{}", names.constant(c));
    } else {
        form(module, names, c, depth, true, out);
    }
}

/// What a constant is, without its type. Its parts are named, if that is wanted.
pub(super) fn form(module: &Module, names: &Names, c: Const, depth: usize, by_name: bool, out: &mut String) {
    if c.index() >= module.ctx.consts.len() || depth > MAX_NESTING {
        out.push_str("<bad constant>");
        return;
    }
    let part = |p: Const, out: &mut String| match by_name {
        true => constant(module, names, p, depth + 1, out),
        false => form(module, names, p, depth + 1, false, out),
    };
    let t = module.ctx.consts.ty(c);
    match module.ctx.consts.kind(c) {
        ConstKind::Bool(b) => {
            let _ = write!(out, "{b}");
        }
        ConstKind::Bits(bits) => scalar(module, t, *bits, out),
        ConstKind::Composite(parts) => {
            out.push('[');
            for (i, p) in parts.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                part(*p, out);
            }
            out.push(']');
        }
        ConstKind::Null => out.push_str("null"),
        ConstKind::Undef => out.push_str("undef"),
        ConstKind::Spec { id, default, number } => {
            let _ = match id {
                Some(id) => write!(out, "spec_id({id}) = "),
                None => write!(out, "spec({number}) = "),
            };
            scalar(module, t, *default, out);
        }
        ConstKind::Address(g) => {
            let _ = write!(out, "@{}", names.global(*g));
        }
        ConstKind::Computed(op, operands) => {
            let _ = write!(out, "compute {op:?}(");
            for (i, o) in operands.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                match *o {
                    ConstOperand::Literal(n) => {
                        let _ = write!(out, "literal {n}");
                    }
                    ConstOperand::Const(p) => {
                        part(p, out);
                        if p.index() < module.ctx.consts.len() {
                            out.push_str(" : ");
                            ty(module, names, module.ctx.consts.ty(p), depth + 1, out);
                        }
                    }
                }
            }
            out.push(')');
        }
    }
}

/// `1 : i32`.
pub(super) fn typed_constant(module: &Module, names: &Names, c: Const, out: &mut String) {
    constant(module, names, c, 0, out);
    if c.index() < module.ctx.consts.len() {
        out.push_str(" : ");
        ty(module, names, module.ctx.consts.ty(c), 0, out);
    }
}

fn scalar(module: &Module, t: Type, bits: u64, out: &mut String) {
    let _ = match module.ctx.types.kind(t) {
        TypeKind::Float { width: 32 } if f32::from_bits(bits as u32).is_finite() => {
            write!(out, "{:?}", f32::from_bits(bits as u32))
        }
        TypeKind::Float { width: 64 } if f64::from_bits(bits).is_finite() => {
            write!(out, "{:?}", f64::from_bits(bits))
        }
        TypeKind::Int { width, signed: true } => {
            let unused = 64 - u32::from((*width).clamp(1, 64));
            write!(out, "{}", ((bits << unused) as i64) >> unused)
        }
        TypeKind::Int { .. } => write!(out, "{bits}"),
        TypeKind::Bool => write!(out, "{}", bits != 0),
        _ => write!(out, "{bits:#x}"),
    };
}
