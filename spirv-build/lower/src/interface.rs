//! What the host needs to know of a module: resources with their bindings, the layout of every struct that the host
//! sees, entry points with the resources they use.
//!
//! Types and layouts come from the HIR, whose names are the user's, and so do the arguments of entry points: what the source
//! names, not what optimisation leaves of it. Bindings, and which arguments are used, come from the IR after `abi::vulkan`.
//! The slot of a resource is its place in [`resource_order`].

use crate::hlsl::hir::{
    self, GlobalId, GlobalKind, MatrixOrder, Named, Resource as Hlsl, StructId, Type as HirType, TypeId,
};
use crate::hlsl::layout::{Layout, Rules};
use crate::ir::resource_order;
use crate::ir::unique::Unique;
use crate::ir::{
    BufferAccess, ConstKind, Counter, Dim, Function, Global, ImageFormat, Module, Op, Opcode, ResourceClass,
    TypeKind, Value, ValueDef, walk,
};
use crate::source::{SourceMap, Span};
use rustc_hash::FxHashMap;
use spirv_interface::{
    Binding, ClEntry, Constant, CpuEntry, EntryPoint, IMAGE_FORMATS, ImageDim, Interface, Member, Resource,
    ResourceKind, Scalar, Struct, Type, WaveSize,
};
use std::collections::BTreeSet;

/// Something that launch stubs cannot express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// Where it is declared.
    pub span: Span,
    /// What, as a noun phrase.
    pub what: String,
}

/// Describes a module that `abi::vulkan` has bound. `kernel`, `source` and `spirv` are left empty, native code too. With
/// `shared` all entry points have the same arguments.
///
/// # Errors
/// The resources that no stub can take.
pub fn build(
    module: &Module,
    hir: &hir::Module,
    sources: &SourceMap,
    shared: bool,
) -> Result<Interface, Vec<Unsupported>> {
    let mut b = Build { hir, sources, out: Interface::default(), errors: Vec::new() };
    let order = resource_order(module);
    let slots: FxHashMap<Global, u32> = (0..).zip(&order).map(|(i, g)| (*g, i)).collect();
    let mut declared = FxHashMap::default();
    for (i, h) in hir.globals.iter().enumerate() {
        declared.entry((h.name.as_str(), h.span)).or_insert((GlobalId(i as u32), h));
    }
    // The global that each slot is of, and whether it is its counter.
    let mut origins: Vec<Option<(GlobalId, bool)>> = Vec::with_capacity(order.len());
    for &g in &order {
        let data = &module.globals[g];
        let of = module.counters.iter().find(|c| c.var == g).map(|c| &module.globals[c.of]);
        let origin = of.unwrap_or(data);
        let origin = declared.get(&(origin.name.as_str(), origin.span));
        origins.push(origin.map(|o| (o.0, of.is_some())));
        let Some(interface) = &data.interface else { continue };
        if let Some(c) = module.counters.iter().find(|c| c.var == g) {
            b.counter(module, c, &interface.spelling);
            continue;
        }
        let Some((_, global)) = declared.get(&(data.name.as_str(), data.span)) else {
            b.unsupported(data.span, format!("the resource `{}`", data.name));
            continue;
        };
        let one = match *module.ctx.types.kind(data.ty) {
            TypeKind::Array { elem, .. } => elem,
            _ => data.ty,
        };
        let format = match module.ctx.types.kind(one) {
            TypeKind::Image(i) if i.format != ImageFormat::Unknown => Some(format!("{:?}", i.format)),
            _ => None,
        };
        let Some(kind) = b.kind(global, format) else { continue };
        let size = match &kind {
            ResourceKind::Constants(s) => b.out.structs[*s as usize].size,
            _ => 0,
        };
        let binding = match (interface.class, interface.binding) {
            (ResourceClass::PushConstant, _) => Binding::PushConstant { offset: 0, size },
            (_, Some((set, binding))) => Binding::Descriptor { set, binding },
            (_, None) => {
                b.unsupported(data.span, format!("the resource `{}` without a binding", data.name));
                continue;
            }
        };
        let (line, name) = (b.line(global.span), host_name(&global.name));
        let writable = interface.access == BufferAccess::ReadWrite;
        let hlsl = interface.spelling.clone();
        b.out.resources.push(Resource { name, line, writable, binding, kind, hlsl });
    }
    let arguments = Arguments::new(hir, sources, &origins, shared);
    for point in &module.entry_points {
        let slot = |g: Global| slots.get(&module.viewed(g)).copied();
        let used: BTreeSet<u32> = point.interface.iter().filter_map(|g| slot(*g)).collect();
        let named = arguments.named(&point.name);
        let resources = arguments.of(&named, &used);
        let samples = samples(&module.functions[point.func]);
        let samples = samples.into_iter().filter_map(|(image, sampler)| Some((slot(image)?, slot(sampler)?)));
        b.out.entries.push(EntryPoint {
            name: point.name.clone(),
            local_size: point.local_size,
            unused: resources.difference(&used).copied().collect(),
            optional: (0..order.len() as u32).filter(|r| !named.contains(r) && !used.contains(r)).collect(),
            resources: resources.into_iter().collect(),
            wave: hir
                .entry_points
                .iter()
                .find(|e| e.name == point.name)
                .and_then(|e| e.wave_size)
                .map(|w| WaveSize { least: w.least, most: w.most, wanted: w.wanted }),
            samples: samples.collect(),
            cl: ClEntry::Absent,
            cl_memory: ClEntry::Absent,
            cpu: CpuEntry::Absent,
        });
    }
    b.constants(module);
    b.check_bindings(module, &order);
    if b.errors.is_empty() { Ok(b.out) } else { Err(b.errors) }
}

/// Which resources are arguments of an entry point.
struct Arguments<'a> {
    hir: &'a hir::Module,
    origins: &'a [Option<(GlobalId, bool)>],
    /// Those that are whether the entry point names them or not.
    always: BTreeSet<u32>,
}

impl<'a> Arguments<'a> {
    fn new(
        hir: &'a hir::Module,
        sources: &SourceMap,
        origins: &'a [Option<(GlobalId, bool)>],
        shared: bool,
    ) -> Arguments<'a> {
        let mut out = Arguments { hir, origins, always: BTreeSet::new() };
        if !shared && hir.entry_points.len() != 1 {
            return out;
        }
        // What an include declares is for other programs too.
        let main = sources.files().find(|(_, f)| f.on_disk && f.included_from.is_none()).map(|f| f.0);
        let in_main = |origin: &(GlobalId, bool)| {
            let span = sources.locate(hir.global(origin.0).span);
            Some(span.file) == main
        };
        let declared = (0..).zip(origins).filter(|(_, o)| o.as_ref().is_some_and(in_main)).map(|(i, _)| i);
        out.always = declared.collect();
        for entry in &hir.entry_points {
            let named = out.slots(&hir.named_by(entry));
            out.always.extend(named);
        }
        out
    }

    fn slots(&self, named: &Named) -> BTreeSet<u32> {
        let is_named = |(g, counter): &(GlobalId, bool)| match counter {
            true => named.counters.contains(g),
            false => named.resources.contains(g),
        };
        let slots = (0..).zip(self.origins).filter(|(_, o)| o.as_ref().is_some_and(is_named));
        slots.map(|(i, _)| i).collect()
    }

    /// What the source of an entry point names.
    fn named(&self, entry: &str) -> BTreeSet<u32> {
        let entry = self.hir.entry_points.iter().find(|e| e.name == entry);
        entry.map(|e| self.slots(&self.hir.named_by(e))).unwrap_or_default()
    }

    /// The arguments. What code uses is named; that it is an argument must not hang on that.
    fn of(&self, named: &BTreeSet<u32>, used: &BTreeSet<u32>) -> BTreeSet<u32> {
        [named, used, &self.always].into_iter().flatten().copied().collect()
    }
}

/// The images that a function without calls samples, each with its sampler, once.
fn samples(f: &Function) -> Vec<(Global, Global)> {
    let variable = |v: Value| {
        let load = f.def_inst(v)?;
        let mut from = f.insts[load].id(0)?;
        // One of an array.
        if let Some(chain) = f.def_inst(from) {
            from = f.insts[chain].id(0)?;
        }
        match f.values[from].def {
            ValueDef::Global(g) => Some(g),
            _ => None,
        }
    };
    let mut out = Unique::default();
    for inst in walk::insts(f).filter(|i| f.insts[*i].op == Opcode::Op(Op::SampledImage)) {
        let data = &f.insts[inst];
        let pair = data.id(0).and_then(variable).zip(data.id(1).and_then(variable));
        if let Some(pair) = pair {
            out.insert(pair);
        }
    }
    out.iter().copied().collect()
}

/// A name as the host writes it: `$Globals` and namespaces have characters that no Rust name has.
fn host_name(name: &str) -> String {
    name.trim_start_matches('$').replace("::", "_")
}

struct Build<'a> {
    hir: &'a hir::Module,
    sources: &'a SourceMap,
    out: Interface,
    errors: Vec<Unsupported>,
}

impl Build<'_> {
    fn unsupported(&mut self, span: Span, what: impl Into<String>) {
        self.errors.push(Unsupported { span, what: what.into() });
    }

    /// What the source puts into one place with something else has no descriptor of its own, unless it is a texture with its
    /// sampler.
    fn check_bindings(&mut self, module: &Module, order: &[Global]) {
        let binding = |g: &Global| module.globals[*g].interface.as_ref().and_then(|i| i.binding);
        let mut there: FxHashMap<(u32, u32), Vec<&Global>> = FxHashMap::default();
        for g in order {
            let Some(at) = binding(g) else { continue };
            let before = there.entry(at).or_default();
            let kind = |g: &Global| module.ctx.types.kind(module.globals[*g].ty);
            let pair = |a: &Global, b: &Global| {
                matches!(kind(a), TypeKind::Image(i) if i.sampled == 1 && i.dim != Dim::DimBuffer)
                    && matches!(kind(b), TypeKind::Sampler)
            };
            let fits = match before[..] {
                [] => true,
                [one] => pair(one, g) || pair(g, one),
                _ => false,
            };
            before.push(g);
            if !fits {
                let what = format!("`{}`, which shares its binding,", module.globals[*g].name);
                self.unsupported(module.globals[*g].span, format!("{what} as a launch argument"));
            }
        }
    }

    /// The numbers that are chosen when a kernel is loaded.
    fn constants(&mut self, module: &Module) {
        for g in &self.hir.globals {
            let GlobalKind::SpecConstant(id) = g.kind else { continue };
            let scalar = match self.hir.types.get(g.ty) {
                HirType::Scalar(s) => scalar_of(s),
                HirType::Enum(e) => scalar_of(self.hir.types.enumeration(e).scalar),
                _ => None,
            };
            let default = module.ctx.consts.iter().find_map(|(_, _, kind)| match kind {
                ConstKind::Spec { id: Some(own), default, .. } if *own == id => Some(*default),
                _ => None,
            });
            let (Some(scalar), Some(default)) = (scalar, default) else {
                self.unsupported(g.span, format!("the constant `{}`", g.name));
                continue;
            };
            if self.out.constants.iter().any(|c| c.id == id) {
                self.unsupported(g.span, format!("another constant of number {id}, `{}`,", g.name));
                continue;
            }
            let (name, line) = (host_name(&g.name), self.line(g.span));
            let hlsl = self.hir.types.name(g.ty);
            self.out.constants.push(Constant { name, id, line, scalar, default, hlsl });
        }
    }

    fn line(&self, span: Span) -> u32 {
        self.sources.position(span).line
    }

    /// The counter of a buffer: a buffer of one number, which the host sets and reads.
    fn counter(&mut self, module: &Module, c: &Counter, spelling: &str) {
        let (data, of) = (&module.globals[c.var], &module.globals[c.of]);
        let TypeKind::Struct(_) = module.ctx.types.kind(data.ty) else {
            return self.unsupported(data.span, "the counters of an array of buffers as a launch argument");
        };
        let Some((set, binding)) = data.interface.as_ref().and_then(|i| i.binding) else {
            return self.unsupported(data.span, format!("the resource `{}` without a binding", data.name));
        };
        let mut name = format!("{}_counter", host_name(&of.name));
        while self.hir.globals.iter().any(|g| host_name(&g.name) == name) {
            name.push('_');
        }
        self.out.resources.push(Resource {
            name,
            line: self.line(data.span),
            writable: true,
            binding: Binding::Descriptor { set, binding },
            kind: ResourceKind::Buffer { elem: Type::Scalar(Scalar::U32), stride: 4 },
            hlsl: spelling.to_string(),
        });
    }

    fn kind(&mut self, g: &hir::Global, format: Option<String>) -> Option<ResourceKind> {
        let block = match &g.kind {
            GlobalKind::Resource(binding) => binding.block.as_ref(),
            _ => None,
        };
        match self.hir.types.get(g.ty) {
            HirType::Resource(r) => match r {
                Hlsl::Structured { elem, .. } | Hlsl::Queue { elem, .. } => {
                    let layout = Layout::new(&self.hir.types, self.hir.layout.storage);
                    let stride = u32::try_from(layout.array_stride(elem, g.order)).ok()?;
                    let elem = self.ty(elem, g.order, self.hir.layout.storage, g.span)?;
                    Some(ResourceKind::Buffer { elem, stride })
                }
                Hlsl::ByteAddress { .. } => Some(ResourceKind::Bytes),
                Hlsl::Texture { shape, elem, writable } => {
                    let declared = match &g.kind {
                        GlobalKind::Resource(binding) => binding.image_format.as_deref(),
                        _ => None,
                    };
                    self.image(g.span, shape, elem, writable, format, declared)
                }
                Hlsl::Sampler { comparison } => Some(ResourceKind::Sampler { compares: comparison }),
                Hlsl::Constant { elem } => match self.hir.types.get(elem) {
                    HirType::Struct(s) => {
                        let fixed = block.map(|b| (b.offsets.clone(), b.size));
                        self.structure(s, self.hir.layout.constant, fixed, g.span)
                            .map(ResourceKind::Constants)
                    }
                    _ => None,
                },
                _ => {
                    self.unsupported(
                        g.span,
                        format!("`{}` as a launch argument", self.hir.types.resource_name(r)),
                    );
                    None
                }
            },
            HirType::Struct(s) => {
                self.structure(s, self.hir.layout.push, None, g.span).map(ResourceKind::Constants)
            }
            HirType::Array(of, n)
                if matches!(self.hir.types.get(of), HirType::Resource(Hlsl::Texture { .. })) =>
            {
                let HirType::Resource(Hlsl::Texture { shape, elem, writable }) = self.hir.types.get(of)
                else {
                    return None;
                };
                match self.image(g.span, shape, elem, writable, format, None)? {
                    ResourceKind::Image { dim, arrayed, scalar, components, format, storage, .. } => {
                        let count = Some(n);
                        Some(ResourceKind::Image { dim, arrayed, scalar, components, format, storage, count })
                    }
                    _ => {
                        self.unsupported(g.span, "an array of typed buffers as a launch argument");
                        None
                    }
                }
            }
            _ => {
                self.unsupported(
                    g.span,
                    format!("`{}` (an array of resources) as a launch argument", self.hir.types.name(g.ty)),
                );
                None
            }
        }
    }

    fn image(
        &mut self,
        span: Span,
        shape: hir::TextureShape,
        elem: TypeId,
        storage: bool,
        format: Option<String>,
        declared: Option<&str>,
    ) -> Option<ResourceKind> {
        if shape.combined {
            self.unsupported(span, "a texture that comes with its sampler as a launch argument");
            return None;
        }
        if shape.multisampled {
            self.unsupported(span, "a multisampled texture as a launch argument");
            return None;
        }
        let (scalar, components) = match self.hir.types.get(elem) {
            HirType::Scalar(s) => (s, 1),
            HirType::Vector(s, n) => (s, u32::from(n)),
            _ => return None,
        };
        let scalar = scalar_of(scalar)?;
        let dim = match shape.dim {
            hir::Dim::D1 => ImageDim::D1,
            hir::Dim::D2 => ImageDim::D2,
            hir::Dim::D3 => ImageDim::D3,
            hir::Dim::Cube => ImageDim::Cube,
            hir::Dim::Buffer => {
                // One that is only read has no format in the module.
                let declared = declared.map(|name| {
                    let row = IMAGE_FORMATS.iter().find(|f| f.0.eq_ignore_ascii_case(name));
                    row.map_or_else(|| name.to_string(), |f| f.0.to_string())
                });
                let format = declared.or(format.filter(|_| components != 3));
                return Some(ResourceKind::Texels { scalar, components, format, storage });
            }
        };
        Some(ResourceKind::Image {
            dim,
            arrayed: shape.arrayed,
            scalar,
            components,
            format,
            storage,
            count: None,
        })
    }

    fn ty(&mut self, ty: TypeId, order: MatrixOrder, rules: Rules, span: Span) -> Option<Type> {
        Some(match self.hir.types.get(ty) {
            HirType::Scalar(s) => Type::Scalar(scalar_of(s)?),
            HirType::Enum(e) => Type::Scalar(scalar_of(self.hir.types.enumeration(e).scalar)?),
            HirType::Vector(s, n) => Type::Vector(scalar_of(s)?, u32::from(n)),
            // Lies like a vector.
            HirType::Matrix(s, rows, columns) if rows == 1 || columns == 1 => {
                Type::Vector(scalar_of(s)?, u32::from(rows.max(columns)))
            }
            HirType::Matrix(s, rows, columns) => {
                let row_major = order == MatrixOrder::RowMajor;
                let stride =
                    u32::try_from(Layout::new(&self.hir.types, rules).matrix_stride(ty, order)).ok()?;
                let (major, minor) = if row_major { (rows, columns) } else { (columns, rows) };
                Type::Matrix {
                    scalar: scalar_of(s)?,
                    major: u32::from(major),
                    minor: u32::from(minor),
                    stride,
                    row_major,
                }
            }
            HirType::Array(elem, len) => {
                let stride =
                    u32::try_from(Layout::new(&self.hir.types, rules).array_stride(elem, order)).ok()?;
                Type::Array { elem: Box::new(self.ty(elem, order, rules, span)?), len, stride }
            }
            HirType::Struct(s) => Type::Struct(self.structure(s, rules, None, span)?),
            _ => {
                self.unsupported(span, format!("`{}` in memory that the host sees", self.hir.types.name(ty)));
                return None;
            }
        })
    }

    /// Index of a struct in the table. One that lies differently in constant and in other buffers has two entries.
    fn structure(
        &mut self,
        s: StructId,
        rules: Rules,
        fixed: Option<(Vec<u32>, u32)>,
        span: Span,
    ) -> Option<u32> {
        let def = self.hir.types.structure(s);
        let layout = Layout::new(&self.hir.types, rules);
        let (offsets, extent) = layout.members(s);
        let (offsets, size) = match fixed {
            Some(fixed) => fixed,
            None => {
                let size = match rules {
                    r if r.pads_rows() => extent.size.next_multiple_of(16),
                    _ => extent.size,
                };
                let offsets: Option<Vec<u32>> = offsets.into_iter().map(|o| u32::try_from(o).ok()).collect();
                (offsets?, u32::try_from(size).ok()?)
            }
        };
        let mut members = Vec::new();
        for (field, offset) in def.fields.iter().zip(offsets) {
            members.push(Member {
                name: field.name.clone(),
                offset,
                ty: self.ty(field.ty, field.order, rules, span)?,
                line: self.line(field.span),
                hlsl: self.hir.types.name(field.ty),
            });
        }
        // `packoffset` may put members in any order; the file has them by offset.
        members.sort_by_key(|m| m.offset);
        let mut name = host_name(&def.name);
        let align = u32::try_from(extent.align).ok()?;
        loop {
            let new = Struct { name: name.clone(), size, align, members: members.clone() };
            match self.out.structs.iter().position(|o| o.name == name) {
                Some(i) if self.out.structs[i] == new => return Some(i as u32),
                Some(_) => name.push_str(if rules == Rules::Constant { "InConstants" } else { "InBuffer" }),
                None => {
                    self.out.structs.push(new);
                    return Some(self.out.structs.len() as u32 - 1);
                }
            }
        }
    }
}

/// The scalar in memory. Literals have no place there.
fn scalar_of(s: hir::Scalar) -> Option<Scalar> {
    use hir::Scalar as S;
    Some(match s.erased() {
        S::Bool => Scalar::Bool,
        S::I16 => Scalar::I16,
        S::U16 => Scalar::U16,
        S::I32 | S::MinI16 => Scalar::I32,
        S::U32 | S::MinU16 => Scalar::U32,
        S::I64 => Scalar::I64,
        S::U64 => Scalar::U64,
        S::F16 => Scalar::F16,
        S::F32 | S::MinF16 => Scalar::F32,
        S::F64 => Scalar::F64,
        // No literals are left in a module.
        _ => return None,
    })
}
