//! What the host needs to know of a module: resources with their bindings, the layout of every struct that the host sees, entry
//! points with the resources they use.
//!
//! All of it is in the module, whatever it comes from: bindings, layouts and what is used in its variables, types and entry points; names
//! in these, too; and what the source says beyond that in their attributes ([`crate::ir::Declared`], [`crate::ir::HlslResource`],
//! [`named`](crate::ir::EntryPoint::named)). Arguments are what the source names, not what optimisation leaves of it. The slot of
//! a resource is its place in [`resource_order`].

mod types;

use crate::diag::{Code, Finding};
use crate::ir::unique::Unique;
use crate::ir::{
    BufferAccess, ConstKind, Dim, Extent, Function, Global, GlobalData, ImageFormat, ImageType, Module, Op,
    Opcode, ResourceClass, TypeKind, Value, ValueDef, resource_order, walk,
};
use crate::source::{SourceMap, Span};
use rustc_hash::FxHashMap;
use spirv_interface::{
    Binding, ClEntry, Constant, CpuEntry, EntryPoint, ImageDim, Interface, Resource, ResourceKind, Scalar,
    Type as Host, WaveSize,
};
use std::collections::BTreeSet;

/// Describes a module that `abi::vulkan` has bound. `kernel`, `source` and `spirv` are left empty, native code too. With
/// `shared` all entry points have the same arguments.
///
/// # Errors
/// The resources that no stub can take, as noun phrases.
pub fn build(module: &Module, sources: &SourceMap, shared: bool) -> Result<Interface, Vec<Finding>> {
    let order = resource_order(module);
    let mut b = Build {
        module,
        sources,
        slots: (0..).zip(&order).map(|(i, g)| (*g, i)).collect(),
        counted: module.counters().map(|(buffer, c)| (c.var, buffer)).collect(),
        known: FxHashMap::default(),
        in_constants: false,
        out: Interface::default(),
        errors: Vec::new(),
    };
    for &g in &order {
        b.resource(g, &order);
    }
    b.constants();
    b.check_bindings(&order);
    b.entries(&order, shared);
    if b.errors.is_empty() { Ok(b.out) } else { Err(b.errors) }
}

/// A name as the host writes it: `$Globals` and namespaces have characters that no Rust name has.
fn host_name(name: &str) -> String {
    word(&name.trim_start_matches('$').replace("::", "_"))
}

/// A name that stays one word in the file.
fn word(name: &str) -> String {
    name.replace(char::is_whitespace, "_")
}

struct Build<'a> {
    module: &'a Module,
    sources: &'a SourceMap,
    slots: FxHashMap<Global, u32>,
    /// The buffers of counters.
    counted: FxHashMap<Global, Global>,
    /// Structs that are in the table, by their types.
    known: FxHashMap<(crate::ir::Type, Option<Extent>), u32>,
    /// What is looked at lies in a block of constants.
    in_constants: bool,
    out: Interface,
    errors: Vec<Finding>,
}

impl Build<'_> {
    fn unsupported(&mut self, span: Span, what: impl Into<String>) {
        self.errors.push(Finding::new(Code::NotSupported, span, what));
    }

    fn line(&self, span: Span) -> u32 {
        if span == Span::default() { 1 } else { self.sources.position(span).line }
    }

    /// Enters a resource.
    fn resource(&mut self, g: Global, order: &[Global]) {
        let module = self.module;
        let data = &module.globals[g];
        let Some(interface) = &data.interface else { return };
        let counted = self.counted.get(&g).copied();
        let kind = match counted {
            Some(_) => self.counter(data),
            None => self.kind(data),
        };
        let Some(kind) = kind else { return };
        let Some(binding) = self.binding(g, data, &kind) else {
            return self.unsupported(data.span, format!("the resource `{}` without a binding", data.name));
        };
        let mut name = host_name(&data.name);
        if let Some(buffer) = counted {
            name = format!("{}_counter", host_name(&module.globals[buffer].name));
            while order.iter().any(|o| host_name(&module.globals[*o].name) == name) {
                name.push('_');
            }
        }
        let (line, writable) = (self.line(data.span), interface.access == BufferAccess::ReadWrite);
        let hlsl = interface.spelling().to_string();
        self.out.resources.push(Resource { name, line, writable, binding, kind, hlsl });
    }

    /// How a resource reaches a pipeline.
    fn binding(&self, g: Global, data: &GlobalData, kind: &ResourceKind) -> Option<Binding> {
        let interface = data.interface.as_ref()?;
        let types = &self.module.ctx.types;
        Some(match interface.class {
            ResourceClass::PushConstant => {
                let ResourceKind::Constants(s) = kind else { return None };
                Binding::PushConstant { offset: 0, size: self.out.structs.get(*s as usize)?.size }
            }
            ResourceClass::Address => {
                let blocks = self.module.globals.iter().filter_map(|(b, d)| Some((b, d.interface.as_ref()?)));
                let mut places = blocks.flat_map(|(b, i)| i.addresses.iter().map(move |a| (b, a)));
                let (block, (_, offset)) = places.find(|(_, (of, _))| *of == g)?;
                Binding::Address { block: *self.slots.get(&block)?, offset: *offset }
            }
            ResourceClass::LocalMemory => {
                let TypeKind::SpecArray { elem, len, .. } = *types.kind(data.ty) else { return None };
                let ConstKind::Spec { id: Some(id), .. } = *self.module.ctx.consts.kind(len) else {
                    return None;
                };
                Binding::Length { id, unit: types.size(elem)? }
            }
            _ => {
                let (set, binding) = interface.binding?;
                Binding::Descriptor { set, binding }
            }
        })
    }

    /// A counter of a buffer: a buffer of one number, which the host sets and reads.
    fn counter(&mut self, data: &GlobalData) -> Option<ResourceKind> {
        if !matches!(self.module.ctx.types.kind(data.ty), TypeKind::Struct(_)) {
            self.unsupported(data.span, "the counters of an array of buffers as a launch argument");
            return None;
        }
        Some(ResourceKind::Buffer { elem: Host::Scalar(Scalar::U32), stride: 4 })
    }

    fn kind(&mut self, data: &GlobalData) -> Option<ResourceKind> {
        let module = self.module;
        let types = &module.ctx.types;
        let interface = data.interface.as_ref()?;
        let (one, count) = match *types.kind(data.ty) {
            TypeKind::Array { elem, len, .. } => (elem, Some(len)),
            _ => (data.ty, None),
        };
        match (interface.class, types.kind(one), count) {
            (ResourceClass::Image, TypeKind::Image(image), _) => self.image(image, data, count),
            (ResourceClass::Image, TypeKind::SampledImage(_), _) => {
                self.unsupported(data.span, "a texture that comes with its sampler as a launch argument");
                None
            }
            (ResourceClass::Sampler, TypeKind::Sampler, None) => {
                Some(ResourceKind::Sampler { compares: interface.hlsl().compares })
            }
            (ResourceClass::ByteAddressBuffer, TypeKind::Struct(_), None) => Some(ResourceKind::Bytes),
            (ResourceClass::StructuredBuffer | ResourceClass::Address, TypeKind::Struct(s), None) if matches!(s.members[..], [ref m] if matches!(types.kind(m.ty), TypeKind::RuntimeArray { .. })) =>
            {
                let (elem, stride) = self.elements(&s.members[0], data.span)?;
                Some(ResourceKind::Buffer { elem, stride })
            }
            (ResourceClass::LocalMemory, TypeKind::SpecArray { elem, .. }, _) => {
                let words = crate::ir::Member {
                    declared: interface.declared.clone(),
                    ..crate::ir::Member::new("", *elem)
                };
                let (elem, stride) = self.elements(&words, data.span)?;
                Some(ResourceKind::Local { elem, stride })
            }
            (ResourceClass::ConstantBuffer | ResourceClass::PushConstant, TypeKind::Struct(_), None) => {
                self.in_constants = true;
                let extent = interface.declared.as_ref().and_then(|d| d.extent);
                let s = self.structure(data.ty, extent, &interface.addresses, data.span);
                self.in_constants = false;
                s.map(ResourceKind::Constants)
            }
            (_, kind, count) => {
                let many = count.is_some() || matches!(kind, TypeKind::RuntimeArray { .. });
                let many = if many { " (an array of resources)" } else { "" };
                let what = match interface.spelling() {
                    "" => format!("the resource `{}`{many} as a launch argument", data.name),
                    spelling => format!("`{spelling}`{many} as a launch argument"),
                };
                self.unsupported(data.span, what);
                None
            }
        }
    }

    fn image(&mut self, image: &ImageType, data: &GlobalData, count: Option<u32>) -> Option<ResourceKind> {
        let interface = data.interface.as_ref()?;
        if image.multisampled {
            self.unsupported(data.span, "a multisampled texture as a launch argument");
            return None;
        }
        let Some(scalar) = self.scalar(image.sampled_type, interface.declared.as_deref()) else {
            self.unsupported(data.span, format!("the texels of `{}` as a launch argument", data.name));
            return None;
        };
        let hlsl = interface.hlsl();
        let components = u32::from(hlsl.texel.unwrap_or(4));
        let storage = image.sampled == 2;
        let named = |f: &ImageFormat| (*f != ImageFormat::Unknown).then(|| format!("{f:?}"));
        let format = named(&image.format);
        let dim = match image.dim {
            Dim::Dim1D => ImageDim::D1,
            Dim::Dim2D => ImageDim::D2,
            Dim::Dim3D => ImageDim::D3,
            Dim::DimCube => ImageDim::Cube,
            Dim::DimBuffer if count.is_some() => {
                self.unsupported(data.span, "an array of typed buffers as a launch argument");
                return None;
            }
            Dim::DimBuffer => {
                // One that is only read has no format in the module.
                let declared = hlsl.format.as_ref().and_then(named);
                let format = declared.or(format.filter(|_| components != 3));
                return Some(ResourceKind::Texels { scalar, components, format, storage });
            }
            _ => {
                self.unsupported(data.span, format!("the image `{}` as a launch argument", data.name));
                return None;
            }
        };
        let arrayed = image.arrayed;
        Some(ResourceKind::Image { dim, arrayed, scalar, components, format, storage, count })
    }

    /// The numbers that are chosen when a kernel is loaded.
    fn constants(&mut self) {
        let consts = &self.module.ctx.consts;
        for (c, ty, kind) in consts.iter() {
            let (ConstKind::Spec { id: Some(id), default, .. }, Some(symbol)) = (kind, consts.symbol(c))
            else {
                continue;
            };
            let span = symbol.declared.as_ref().map_or(Span::default(), |d| d.span);
            let Some(scalar) = self.scalar(ty, symbol.declared.as_ref()) else {
                self.unsupported(span, format!("the constant `{}`", symbol.name));
                continue;
            };
            if self.out.constants.iter().any(|c| c.id == *id) {
                self.unsupported(span, format!("another constant of number {id}, `{}`,", symbol.name));
                continue;
            }
            let (name, line) = (host_name(&symbol.name), self.line(span));
            let hlsl = symbol.declared.as_ref().map_or(scalar.name(), |d| &d.spelling).to_string();
            self.out.constants.push(Constant { name, id: *id, line, scalar, default: *default, hlsl });
        }
    }

    /// What the source puts into one place with something else has no descriptor of its own, unless it is a texture with its
    /// sampler.
    fn check_bindings(&mut self, order: &[Global]) {
        let module = self.module;
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

    fn entries(&mut self, order: &[Global], shared: bool) {
        let module = self.module;
        let slot = |g: Global| self.slots.get(&module.viewed(g)).copied();
        let is_parameter = |g: &Global| module.globals[*g].interface.as_ref().is_some_and(|i| i.parameter);
        // Arguments whether an entry point names them or not.
        let mut always = BTreeSet::new();
        if shared || module.entry_points.len() == 1 {
            let named = module.entry_points.iter().flat_map(|e| &e.named).filter(|g| !is_parameter(g));
            always.extend(named.filter_map(|g| slot(*g)));
            // What an include declares is for other programs too.
            let in_main = |g: &Global| module.globals[*self.counted.get(g).unwrap_or(g)].hlsl().in_main;
            always.extend(order.iter().filter(|g| in_main(g)).filter_map(|g| slot(*g)));
        }
        let mut entries = Vec::with_capacity(module.entry_points.len());
        for point in &module.entry_points {
            let named: BTreeSet<u32> = point.named.iter().filter_map(|g| slot(*g)).collect();
            let mut used: BTreeSet<u32> = point.interface.iter().filter_map(|g| slot(*g)).collect();
            // An address is used if the block is that has it; local memory has a length either way.
            for (n, r) in (0..).zip(&self.out.resources).filter(|(n, _)| named.contains(n)) {
                match r.binding {
                    Binding::Address { block, .. } if used.contains(&block) => used.insert(n),
                    Binding::Length { .. } => used.insert(n),
                    _ => false,
                };
            }
            // What code uses is named; that it is an argument must not hang on that.
            let resources: BTreeSet<u32> = [&named, &used, &always].into_iter().flatten().copied().collect();
            let samples = samples(&module.functions[point.func]);
            let samples =
                samples.into_iter().filter_map(|(image, sampler)| Some((slot(image)?, slot(sampler)?)));
            let free =
                (0..).zip(order).filter(|(r, g)| !named.contains(r) && !used.contains(r) && !is_parameter(g));
            entries.push(EntryPoint {
                name: point.name.clone(),
                local_size: point.local_size,
                unused: resources.difference(&used).copied().collect(),
                optional: free.map(|(r, _)| r).collect(),
                resources: resources.into_iter().collect(),
                wave: point.wave.map(|w| WaveSize { least: w.least, most: w.most, wanted: w.wanted }),
                samples: samples.collect(),
                cl: ClEntry::Absent,
                cl_memory: ClEntry::Absent,
                cpu: CpuEntry::Absent,
            });
        }
        self.out.entries = entries;
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
