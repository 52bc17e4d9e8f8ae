//! What the host needs to know of a module: the contents of the interface file.
//!
//! Resources are those of [`resource_order`], so that a resource's index is its slot. Layouts come from the types of the HIR,
//! by the same rules by which the lowering laid them out.

use crate::abi::resource_order;
use crate::hlsl::hir::{self, GlobalKind, MatrixOrder, StructId, TypeId};
use crate::hlsl::hir::{Resource as HlslResource, Scalar as HlslScalar, Type as HlslType};
use crate::hlsl::layout::{Layout, Rules};
use crate::ir::{BufferAccess, Global, ImageFormat, Module, ResourceClass, TypeKind};
use crate::source::{SourceMap, Span};
use rustc_hash::FxHashMap;
use spirv_interface::{
    Binding, EntryPoint, ImageDim, Interface, Member, Resource, ResourceKind, Scalar, Struct, Type,
};

/// Describes a module that went through an ABI. Kernel, source and file names are left to the caller.
pub fn build(module: &Module, hir: &hir::Module, sources: &SourceMap) -> Interface {
    let mut b = Build { module, hir, sources, structs: Vec::new(), known: FxHashMap::default() };
    let order = resource_order(module);
    let declared = hir.globals.iter().filter(|g| is_resource(g));
    let resources = order.iter().zip(declared).map(|(g, h)| b.resource(*g, h)).collect();
    let entries = module
        .entry_points
        .iter()
        .map(|e| EntryPoint {
            name: e.name.clone(),
            local_size: e.local_size,
            resources: (0..).zip(&order).filter(|(_, g)| e.interface.contains(g)).map(|(i, _)| i).collect(),
            cpu: None,
        })
        .collect();
    Interface { structs: b.structs, resources, entries, ..Interface::default() }
}

/// Resources of a module that an interface file cannot describe: where, and what.
pub fn undescribable(module: &Module) -> Vec<(Span, String)> {
    let mut found = Vec::new();
    for g in resource_order(module) {
        let data = &module.globals[g];
        if matches!(module.ctx.types.kind(data.ty), TypeKind::Array { .. } | TypeKind::RuntimeArray { .. }) {
            found.push((data.span, format!("`{}` is an array of resources", data.name)));
        }
    }
    found
}

fn is_resource(g: &hir::Global) -> bool {
    matches!(g.kind, GlobalKind::Resource(_) | GlobalKind::PushConstant)
}

struct Build<'a> {
    module: &'a Module,
    hir: &'a hir::Module,
    sources: &'a SourceMap,
    structs: Vec<Struct>,
    known: FxHashMap<(StructId, Rules), u32>,
}

impl Build<'_> {
    fn line(&self, span: Span) -> u32 {
        self.sources.position(span).line
    }

    fn resource(&mut self, g: Global, h: &hir::Global) -> Resource {
        let data = &self.module.globals[g];
        let interface = data.interface.as_ref();
        let size = self.module.ctx.types.size(data.ty).unwrap_or(0).next_multiple_of(4);
        let push = interface.is_some_and(|i| i.class == ResourceClass::PushConstant);
        let binding = match interface.and_then(|i| i.binding) {
            _ if push => Binding::PushConstant { offset: 0, size },
            Some((set, binding)) => Binding::Descriptor { set, binding },
            None => Binding::Descriptor { set: 0, binding: 0 },
        };
        Resource {
            name: h.name.clone(),
            line: self.line(h.span),
            writable: interface.is_some_and(|i| i.access == BufferAccess::ReadWrite),
            binding,
            kind: self.kind(g, h),
            hlsl: interface.map_or(String::new(), |i| i.spelling.clone()),
        }
    }

    fn kind(&mut self, g: Global, h: &hir::Global) -> ResourceKind {
        let types = &self.hir.types;
        match types.resource(h.ty) {
            Some(HlslResource::Structured { elem, .. }) => {
                let stride = Layout::new(types, Rules::Structured).array_stride(elem, h.order) as u32;
                ResourceKind::Buffer { elem: self.ty(elem, h.order, Rules::Structured), stride }
            }
            Some(HlslResource::ByteAddress { .. }) => ResourceKind::Bytes,
            Some(HlslResource::Constant { elem }) => self.constants(elem, h),
            Some(HlslResource::Texture { shape, elem, writable }) => ResourceKind::Image {
                dim: match shape.dim {
                    hir::Dim::Buffer | hir::Dim::D1 => ImageDim::D1,
                    hir::Dim::D2 => ImageDim::D2,
                    hir::Dim::D3 => ImageDim::D3,
                    hir::Dim::Cube => ImageDim::Cube,
                },
                arrayed: shape.arrayed,
                scalar: types.component(elem).map_or(Scalar::F32, scalar),
                components: types.component_count(elem).unwrap_or(1),
                format: self.format(g),
                storage: writable,
            },
            Some(HlslResource::Sampler { .. }) => ResourceKind::Sampler,
            None => self.constants(h.ty, h),
        }
    }

    /// Name of the format that an image is declared with.
    fn format(&self, g: Global) -> Option<String> {
        let types = &self.module.ctx.types;
        match types.kind(self.module.globals[g].ty) {
            TypeKind::Image(i) if i.format != ImageFormat::Unknown => Some(format!("{:?}", i.format)),
            _ => None,
        }
    }

    fn constants(&mut self, elem: TypeId, h: &hir::Global) -> ResourceKind {
        let HlslType::Struct(s) = self.hir.types.get(elem) else { return ResourceKind::Constants(0) };
        let block = match &h.kind {
            GlobalKind::Resource(b) => b.block.as_ref().map(|b| b.offsets.clone()),
            _ => None,
        };
        ResourceKind::Constants(self.structure(s, Rules::Constant, block.as_deref()))
    }

    /// The index of a struct, which is described if it is new.
    fn structure(&mut self, s: StructId, rules: Rules, offsets: Option<&[u32]>) -> u32 {
        if let Some(i) = self.known.get(&(s, rules)) {
            return *i;
        }
        let hir = self.hir;
        let data = hir.types.structure(s);
        let natural: Vec<u32> =
            Layout::new(&hir.types, rules).members(s).0.iter().map(|o| *o as u32).collect();
        let offsets = offsets.unwrap_or(&natural);
        let (mut members, mut align, mut end) = (Vec::new(), 1, 0);
        for (f, offset) in data.fields.iter().zip(offsets) {
            let ty = self.ty(f.ty, f.order, rules);
            align = align.max(self.align(&ty));
            end = end.max(offset + ty.size(&self.structs).unwrap_or(0));
            members.push(Member {
                // A base is a member of its own.
                name: f.name.trim_start_matches('$').into(),
                offset: *offset,
                ty,
                line: self.line(f.span),
                hlsl: hir.types.name(f.ty),
            });
        }
        members.sort_by_key(|m| m.offset);
        let size = match rules {
            Rules::Structured => Layout::new(&hir.types, rules).members(s).1.size as u32,
            Rules::Constant => end.next_multiple_of(align),
        };
        let index = self.structs.len() as u32;
        let name = self.struct_name(&data.name);
        self.structs.push(Struct { name, size, align, members });
        self.known.insert((s, rules), index);
        index
    }

    /// A struct that lies in both constant and other buffers has two layouts, hence two names.
    fn struct_name(&self, name: &str) -> String {
        let mut name = name.trim_start_matches('$').replace("::", "_");
        name.retain(|c| c.is_alphanumeric() || c == '_');
        let mut unique = name.clone();
        let mut n = 2;
        while self.structs.iter().any(|s| s.name == unique) {
            unique = format!("{name}{n}");
            n += 1;
        }
        unique
    }

    fn align(&self, ty: &Type) -> u32 {
        match ty {
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix { scalar: s, .. } => s.size(),
            Type::Array { elem, .. } => self.align(elem),
            Type::Struct(i) => self.structs[*i as usize].align,
        }
    }

    fn ty(&mut self, ty: TypeId, order: MatrixOrder, rules: Rules) -> Type {
        let hir = self.hir;
        let layout = Layout::new(&hir.types, rules);
        match hir.types.get(ty) {
            HlslType::Vector(s, n) => Type::Vector(scalar(s), u32::from(n)),
            HlslType::Matrix(s, rows, columns) => {
                let row_major = order == MatrixOrder::RowMajor;
                let (major, minor) = if row_major { (rows, columns) } else { (columns, rows) };
                Type::Matrix {
                    scalar: scalar(s),
                    major: u32::from(major),
                    minor: u32::from(minor),
                    stride: layout.matrix_stride(ty, order) as u32,
                    row_major,
                }
            }
            HlslType::Array(elem, len) => Type::Array {
                stride: layout.array_stride(elem, order) as u32,
                elem: Box::new(self.ty(elem, order, rules)),
                len,
            },
            HlslType::Struct(s) => Type::Struct(self.structure(s, rules, None)),
            _ => Type::Scalar(hir.types.component(ty).map_or(Scalar::U32, scalar)),
        }
    }
}

/// A scalar as it lies in memory.
fn scalar(s: HlslScalar) -> Scalar {
    match s {
        HlslScalar::Bool => Scalar::Bool,
        HlslScalar::I16 => Scalar::I16,
        HlslScalar::U16 => Scalar::U16,
        HlslScalar::I32 | HlslScalar::MinI16 | HlslScalar::LitInt => Scalar::I32,
        HlslScalar::U32 | HlslScalar::MinU16 => Scalar::U32,
        HlslScalar::I64 => Scalar::I64,
        HlslScalar::U64 => Scalar::U64,
        HlslScalar::F16 => Scalar::F16,
        HlslScalar::F32 | HlslScalar::MinF16 | HlslScalar::LitFloat => Scalar::F32,
        HlslScalar::F64 => Scalar::F64,
    }
}
