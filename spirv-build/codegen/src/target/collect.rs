//! What a module needs.

use super::{Requirements, TargetEnv, implied};
use crate::ir::entity::Entity;
use crate::ir::parts;
use crate::ir::walk;
use crate::ir::{
    Decoration, ExtSet, Function, ImageFormat, ImageType, InstData, ModeOperands, Module, Op, OpaqueType,
    Opcode, Operand, StorageClass, Type, TypeKind,
};
use crate::source::Span;
use smallvec::{SmallVec, smallvec};
use spirv_spec::{AddressingModel, BuiltIn, Capability, Dim};
use spirv_spec::{Category, EnumRow, Kind, OpRow, Quantifier};

/// Computes what a module needs on a target. Where one of several capabilities will do, one that is needed anyway is
/// taken, else the first that the target has.
pub fn requirements(module: &Module, target: &TargetEnv) -> Requirements {
    let mut c = Collect {
        module,
        target,
        version: (0, Span::default()),
        capabilities: Vec::new(),
        choices: Vec::new(),
        extensions: Vec::new(),
        extension_choices: Vec::new(),
        met: Met::new(),
    };
    c.module();
    c.finish()
}

struct Collect<'a> {
    module: &'a Module,
    target: &'a TargetEnv,
    version: (u8, Span),
    capabilities: Vec<(Capability, Span)>,
    /// Where one of several will do.
    choices: Vec<(Vec<Capability>, Span)>,
    extensions: Vec<(String, Span)>,
    /// Where one of several will do, the one to prefer first.
    extension_choices: Vec<(SmallVec<[&'static str; 4]>, Span)>,
    /// Instructions and enumerants whose rows are taken into account: only the first of each matters.
    met: Met,
}

impl Collect<'_> {
    fn need(&mut self, capability: Capability, span: Span) {
        if !self.capabilities.iter().any(|c| c.0 == capability) {
            self.capabilities.push((capability, span));
        }
    }

    fn one_of(&mut self, choice: impl Iterator<Item = Capability>, span: Span) {
        let choice: SmallVec<[Capability; 8]> = choice.collect();
        match choice[..] {
            [] => {}
            [one] => self.need(one, span),
            _ if self.choices.iter().any(|c| c.0[..] == choice[..]) => {}
            _ => self.choices.push((choice.into_vec(), span)),
        }
    }

    /// A version, or below it one of the extensions.
    fn version(
        &mut self,
        version: Option<u8>,
        mut extensions: impl Iterator<Item = &'static str>,
        span: Span,
    ) {
        match (version.filter(|v| *v <= self.target.version), extensions.next()) {
            (Some(version), _) => self.at_least(version, span),
            (None, None) => version.into_iter().for_each(|v| self.at_least(v, span)),
            (None, Some(first)) => {
                let choice: SmallVec<[&'static str; 4]> = std::iter::once(first).chain(extensions).collect();
                match choice[..] {
                    [one] => self.extension(one, span),
                    _ => self.extension_choices.push((choice, span)),
                }
            }
        }
    }

    /// Whether the target's version has what came with a version.
    fn has(&self, version: Option<u8>) -> bool {
        version.is_some_and(|v| v <= self.target.version)
    }

    fn at_least(&mut self, version: u8, span: Span) {
        if version > self.version.0 {
            self.version = (version, span);
        }
    }

    fn extension(&mut self, name: &str, span: Span) {
        self.at_least(spirv_spec::extension_since(name), span);
        if !self.extensions.iter().any(|e| e.0 == name) {
            self.extensions.push((name.into(), span));
        }
    }

    fn enumerant(&mut self, row: Option<EnumRow>, span: Span) {
        let Some(row) = row else { return };
        if !self.met.enumerant(row) {
            return;
        }
        self.one_of(row.capabilities(), span);
        // What says nothing itself came with its capability.
        let promoted = row.capabilities().next().and_then(super::extension_of);
        match promoted.filter(|_| !self.has(row.version()) && row.extensions().len() == 0) {
            Some(e) => self.extension(e, span),
            None => self.version(row.version(), row.extensions(), span),
        }
    }

    fn module(&mut self) {
        let module = self.module;
        let whole = Span::default();
        if module.addressing != AddressingModel::Logical {
            self.enumerant(spirv_spec::enumerant(Kind::AddressingModel, module.addressing.0), whole);
        }
        self.enumerant(spirv_spec::enumerant(Kind::MemoryModel, module.memory.0), whole);
        for name in &module.requested_extensions {
            self.extension(name, whole);
        }
        for capability in module.requested_capabilities.iter().filter_map(|n| Capability::from_u32(*n)) {
            self.need(capability, whole);
        }
        for e in &module.entry_points {
            let span = module.functions.get(e.func).map_or(whole, |f| f.span);
            if let Some(group) = super::derivatives::group(module, e) {
                self.need(group.capability(), span);
                self.extension(super::derivatives::extension(self.target), span);
            }
            self.enumerant(spirv_spec::enumerant(Kind::ExecutionModel, e.model.0), span);
            for mode in &e.modes {
                self.enumerant(spirv_spec::enumerant(Kind::ExecutionMode, mode.kind.0), span);
                if let (ModeOperands::Consts(_), Some(row)) = (&mode.operands, Op::ExecutionModeId.row()) {
                    self.version(row.version(), row.extensions(), span);
                }
            }
        }
        for (_, f) in module.functions.iter() {
            f.decorations.iter().for_each(|d| self.decoration(d, whole));
        }
        for (_, g) in module.globals.iter() {
            let own = g.decorations.iter().filter(|d| d.kind != spirv_spec::Decoration::BuiltIn);
            own.for_each(|d| self.decoration(d, whole));
        }
        if module.is_linked() {
            self.need(Capability::Linkage, whole);
        }
        // Where a type is used first is not recorded; globals and values tell.
        let mut spans: SmallVec<[Option<Span>; 64]> = smallvec![None; module.ctx.types.len()];
        for (_, g) in module.globals.iter() {
            self.storage(g.storage, g.ty, g.span);
            if let Some(b) = g.builtin() {
                self.builtin(b, g.span);
            }
            mark(module, &mut spans, g.ty, g.span);
        }
        let reached = walk::reached(module);
        for (_, f) in module.functions.iter().filter(|(f, _)| reached[f.index()]) {
            self.function(f, &mut spans);
        }
        for (t, kind) in module.ctx.types.iter() {
            if let Some(span) = spans[t.index()] {
                self.ty(kind, span);
            }
        }
    }

    fn builtin(&mut self, b: BuiltIn, span: Span) {
        self.enumerant(spirv_spec::enumerant(Kind::BuiltIn, b.0), span);
    }

    fn function(&mut self, f: &Function, spans: &mut [Option<Span>]) {
        if f.body.is_none() {
            self.need(Capability::Linkage, f.span);
        }
        mark(self.module, spans, f.result, f.span);
        for p in &f.params {
            mark(self.module, spans, f.values[*p].ty, f.span);
        }
        for d in f.decorated().flat_map(|(_, list)| list) {
            self.decoration(d, f.span);
        }
        for inst in walk::insts(f) {
            let data = &f.insts[inst];
            let passed = data.successors.iter().flat_map(|s| s.args.iter().copied());
            for v in data.results.iter().copied().chain(data.ids()).chain(passed) {
                if let Some(d) = f.values.get(v) {
                    mark(self.module, spans, d.ty, data.span);
                }
            }
            self.inst(f, data);
        }
    }

    fn inst(&mut self, f: &Function, data: &InstData) {
        let row = match data.op {
            Opcode::Op(op) => op.row(),
            Opcode::Ext(ExtSet::Glsl, n) => ExtSet::Glsl.row(n),
            Opcode::Ext(ExtSet::DebugPrintf | ExtSet::DebugBreak, _) => {
                self.extension("SPV_KHR_non_semantic_info", data.span);
                return;
            }
            _ => None,
        };
        for d in &data.decorations {
            self.decoration(d, data.span);
        }
        let Some(row) = row else { return };
        match float_atomic(data.op) {
            // The grammar lists what is for any width; only one of them is for this.
            Some(by_width) => {
                let object = data.id(0).and_then(|p| self.module.ctx.types.pointee(f.values.get(p)?.ty));
                let width = object.and_then(|(t, _)| self.module.ctx.types.width_of(t));
                let capability = by_width[match width {
                    Some(16) => 0,
                    Some(64) => 2,
                    _ => 1,
                }];
                self.need(capability, data.span);
                self.enumerant(spirv_spec::enumerant(Kind::Capability, capability.0), data.span);
            }
            None if self.met.op(row) => {
                self.one_of(row.capabilities(), data.span);
                self.version(row.version(), row.extensions(), data.span);
            }
            None => {}
        }
        let kinds = row.operands();
        for (i, o) in data.operands.iter().enumerate() {
            let Operand::Literal(n) = o else { continue };
            let kind =
                kinds.get(i).or(kinds.last().filter(|k| k.quantifier == Quantifier::Any)).map(|k| k.kind);
            if let Some(kind) = kind
                && matches!(kind.category(), Category::BitEnum | Category::ValueEnum)
            {
                spirv_spec::enumerants(kind, *n).for_each(|e| self.enumerant(Some(e), data.span));
            }
        }
        self.special(f, data);
        self.non_uniform(f, data);
    }

    /// Which arrays of descriptors are indexed with what differs between threads.
    fn non_uniform(&mut self, f: &Function, data: &InstData) {
        use spirv_spec::capability::*;
        if !matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain))
            || !data.decorations.has(spirv_spec::Decoration::NonUniform)
        {
            return;
        }
        let types = &self.module.ctx.types;
        let base = data.id(0).and_then(|v| f.values.get(v)).and_then(|v| types.pointee(v.ty));
        let Some((mut ty, storage)) = base else { return };
        let (TypeKind::Array { elem, .. } | TypeKind::RuntimeArray { elem, .. }) = types.kind(ty) else {
            return;
        };
        ty = *elem;
        let capability = match (types.kind(ty), storage) {
            (TypeKind::Image(i), _) => match (i.dim == Dim::DimBuffer, i.sampled == 2) {
                (true, true) => StorageTexelBufferArrayNonUniformIndexing,
                (true, false) => UniformTexelBufferArrayNonUniformIndexing,
                (false, true) => StorageImageArrayNonUniformIndexing,
                (false, false) => SampledImageArrayNonUniformIndexing,
            },
            (TypeKind::Sampler | TypeKind::SampledImage(_), _) => SampledImageArrayNonUniformIndexing,
            (TypeKind::Struct(_), StorageClass::StorageBuffer) => StorageBufferArrayNonUniformIndexing,
            (TypeKind::Struct(_), StorageClass::Uniform) => UniformBufferArrayNonUniformIndexing,
            _ => return,
        };
        self.need(capability, data.span);
    }

    /// What the grammar does not say: formats of storage images, 64-bit atomics.
    fn special(&mut self, f: &Function, data: &InstData) {
        let Opcode::Op(op) = data.op else { return };
        let types = &self.module.ctx.types;
        let ty = |i: usize| data.id(i).and_then(|v| f.values.get(v)).map(|d| d.ty);
        let unknown = |i: usize| {
            matches!(ty(i).map(|t| types.kind(t)),
                Some(TypeKind::Image(i)) if i.format == ImageFormat::Unknown && i.dim != Dim::DimSubpassData)
        };
        match op {
            Op::ImageRead | Op::ImageSparseRead if unknown(0) => {
                self.need(Capability::StorageImageReadWithoutFormat, data.span)
            }
            Op::ImageWrite if unknown(0) => self.need(Capability::StorageImageWriteWithoutFormat, data.span),
            _ if op.is_atomic() => {
                let pointee = ty(0).and_then(|t| types.pointee(t));
                if pointee
                    .is_some_and(|(t, _)| types.width_of(t) == Some(64) && types.int_signed(t).is_some())
                {
                    self.need(Capability::Int64Atomics, data.span);
                }
            }
            _ => {}
        }
    }

    fn storage(&mut self, storage: StorageClass, ty: Type, span: Span) {
        let row = spirv_spec::enumerant(Kind::StorageClass, storage.0);
        let as_uniform =
            storage == StorageClass::StorageBuffer && !self.target.has_storage_buffers(self.module);
        if !as_uniform {
            self.enumerant(row, span);
        }
        use spirv_spec::capability::*;
        let (small16, small8) = match storage {
            StorageClass::StorageBuffer => (StorageBuffer16BitAccess, StorageBuffer8BitAccess),
            StorageClass::Uniform => (UniformAndStorageBuffer16BitAccess, UniformAndStorageBuffer8BitAccess),
            StorageClass::PushConstant => (StoragePushConstant16, StoragePushConstant8),
            StorageClass::Input | StorageClass::Output => (StorageInputOutput16, Int8),
            _ => return,
        };
        let widths = self.widths(ty);
        for (width, capability) in [(16, small16), (8, small8)] {
            if widths.contains(&width) {
                self.need(capability, span);
                self.enumerant(
                    spirv_spec::enumerant(Kind::Capability, capability.0).filter(|r| r.version() != Some(0)),
                    span,
                );
            }
        }
    }

    /// Widths of the scalars in a type.
    fn widths(&self, ty: Type) -> SmallVec<[u8; 16]> {
        let mut found = SmallVec::new();
        let mut seen: SmallVec<[bool; 64]> = smallvec![false; self.module.ctx.types.len()];
        let mut stack: SmallVec<[Type; 16]> = smallvec![ty];
        while let Some(t) = stack.pop() {
            if seen.get_mut(t.index()).is_none_or(|s| std::mem::replace(s, true)) {
                continue;
            }
            match self.module.ctx.types.kind(t) {
                TypeKind::Int { width, .. }
                | TypeKind::Float { width }
                | TypeKind::EncodedFloat { width, .. } => found.push(*width),
                TypeKind::Pointer { .. } => {}
                kind => parts(kind, &mut stack),
            }
        }
        found
    }

    fn decoration(&mut self, d: &Decoration, span: Span) {
        use spirv_spec::Decoration as Kind;
        // Where they are not in the core these came with an extension that the table no longer names.
        let named = matches!(d.kind, Kind::HlslCounterBufferGOOGLE | Kind::UserSemantic);
        if named && self.target.version < 4 {
            self.extension("SPV_GOOGLE_hlsl_functionality1", span);
        } else {
            self.enumerant(spirv_spec::enumerant(spirv_spec::Kind::Decoration, d.kind.0), span);
        }
        if let (Kind::BuiltIn, Some(n)) = (d.kind, d.word(0)) {
            self.builtin(BuiltIn(n), span);
        }
        // Before they were in the core, instructions with other operands than literals came with extensions.
        let op = d.instruction();
        let extension = match op {
            Op::DecorateString => "SPV_GOOGLE_decorate_string",
            Op::DecorateId => "SPV_GOOGLE_hlsl_functionality1",
            _ => return,
        };
        match op.row() {
            Some(row) if self.has(row.version()) => self.version(row.version(), std::iter::empty(), span),
            _ => self.extension(extension, span),
        }
    }

    fn ty(&mut self, kind: &TypeKind, span: Span) {
        use spirv_spec::capability::*;
        match kind {
            TypeKind::Int { width: 8, .. } => self.need(Int8, span),
            TypeKind::Int { width: 16, .. } => self.need(Int16, span),
            TypeKind::Int { width: 64, .. } => self.need(Int64, span),
            TypeKind::Float { width: 16 } => self.need(Float16, span),
            TypeKind::Float { width: 64 } => self.need(Float64, span),
            TypeKind::EncodedFloat { encoding, .. } => {
                self.enumerant(spirv_spec::enumerant(Kind::FPEncoding, encoding.0), span);
            }
            TypeKind::Vector { len: 8 | 16, .. } => self.need(Vector16, span),
            TypeKind::Matrix { .. } => self.need(Matrix, span),
            TypeKind::Struct(s) => {
                for d in s.members.iter().flat_map(|m| &m.decorations).chain(&s.decorations) {
                    self.decoration(d, span);
                }
            }
            // Of resources; in a buffer it has a stride.
            TypeKind::RuntimeArray { stride: None, .. } => self.need(RuntimeDescriptorArray, span),
            TypeKind::RuntimeArray { .. } => self.need(Shader, span),
            TypeKind::Image(i) => self.image(i, span),
            TypeKind::Opaque(o) => self.opaque(o, span),
            TypeKind::Custom(o) => {
                if let Some(row) = o.op.row() {
                    self.one_of(row.capabilities(), span);
                    self.version(row.version(), row.extensions(), span);
                }
            }
            TypeKind::Pointer { storage: StorageClass::Generic, .. } => self.need(GenericPointer, span),
            // Classes of an extension: no variable has them, so that the type is the only place that tells.
            TypeKind::Pointer {
                storage: StorageClass::DeviceOnlyINTEL | StorageClass::HostOnlyINTEL,
                ..
            } => {
                self.need(USMStorageClassesALTERA, span);
                self.extension("SPV_INTEL_usm_storage_classes", span);
            }
            _ => {}
        }
    }

    fn opaque(&mut self, o: &OpaqueType, span: Span) {
        if let Some(row) = o.op.row() {
            self.one_of(row.capabilities(), span);
            self.version(row.version(), row.extensions(), span);
        }
        // Literal 0 of an image is its dimensionality, literal 6 its access qualifier.
        if o.op == Op::TypeImage {
            let dim = o.words.first().copied().unwrap_or(1);
            self.enumerant(spirv_spec::enumerant(Kind::Dim, dim), span);
            self.need(Capability::ImageBasic, span);
            if o.words.get(6) == Some(&2) {
                self.need(Capability::ImageReadWrite, span);
            }
        }
    }

    fn image(&mut self, i: &ImageType, span: Span) {
        use spirv_spec::capability::*;
        let storage = i.sampled == 2;
        if self.module.ctx.types.width_of(i.sampled_type) == Some(64) {
            self.need(Int64ImageEXT, span);
        }
        self.enumerant(spirv_spec::enumerant(Kind::ImageFormat, i.format.0), span);
        let needed = match (i.dim, i.arrayed, storage) {
            (Dim::Dim1D, _, true) => Some(Image1D),
            (Dim::Dim1D, _, false) => Some(Sampled1D),
            (Dim::DimBuffer, _, true) => Some(ImageBuffer),
            (Dim::DimBuffer, _, false) => Some(SampledBuffer),
            (Dim::DimCube, true, true) => Some(ImageCubeArray),
            (Dim::DimCube, true, false) => Some(SampledCubeArray),
            _ => None,
        };
        needed.into_iter().for_each(|c| self.need(c, span));
        if storage && i.multisampled {
            self.need(if i.arrayed { ImageMSArray } else { StorageImageMultisample }, span);
        }
    }

    fn finish(mut self) -> Requirements {
        let mut held: SmallVec<[Capability; 64]> =
            self.capabilities.iter().flat_map(|c| implied(c.0)).collect();
        for (choice, span) in std::mem::take(&mut self.choices) {
            if choice.iter().any(|c| held.contains(c)) {
                continue;
            }
            let pick = choice.iter().find(|c| self.target.has_capability(**c)).or(choice.first());
            if let Some(c) = pick {
                self.need(*c, span);
                held.extend(implied(*c));
            }
        }
        // What a capability itself asks for.
        for (c, span) in self.capabilities.clone() {
            // These came with their extension, of which there are two.
            if super::derivatives::is_group(c) {
                continue;
            }
            if let Some(row) = spirv_spec::enumerant(Kind::Capability, c.0) {
                match super::extension_of(c).filter(|_| !self.has(row.version())) {
                    Some(e) => self.extension(e, span),
                    None => self.version(row.version(), row.extensions(), span),
                }
            }
        }
        for (choice, span) in std::mem::take(&mut self.extension_choices) {
            if !self.extensions.iter().any(|(e, _)| choice.contains(&e.as_str())) {
                self.extension(choice[0], span);
            }
        }
        // Not all tools know that images of 64-bit integers, clocks and derivatives of kernels imply shaders.
        let all: SmallVec<[_; 16]> = self
            .capabilities
            .iter()
            .filter(|c| !matches!(c.0, Capability::Int64ImageEXT | Capability::ShaderClockKHR))
            .filter(|c| !super::derivatives::is_group(c.0))
            .map(|c| (c.0, implied(c.0)))
            .collect();
        let redundant = |c: Capability| all.iter().any(|(o, implied)| *o != c && implied.contains(&c));
        // OpenCL makes ImageReadWrite depend on ImageBasic being declared, too.
        self.capabilities.retain(|(c, _)| !redundant(*c) || *c == Capability::ImageBasic);
        self.capabilities.sort_by_key(|c| c.0.0);
        self.extensions.sort_by(|a, b| a.0.cmp(&b.0));
        Requirements {
            version: self.version.0,
            version_span: self.version.1,
            capabilities: self.capabilities,
            extensions: self.extensions,
        }
    }
}

/// Marks a type and what it is made of as used at `span`, unless they are already.
fn mark(module: &Module, spans: &mut [Option<Span>], ty: Type, span: Span) {
    if spans.get(ty.index()).is_none_or(Option::is_some) {
        return;
    }
    let mut stack: SmallVec<[Type; 16]> = smallvec![ty];
    while let Some(t) = stack.pop() {
        match spans.get_mut(t.index()) {
            Some(slot @ None) => *slot = Some(span),
            _ => continue,
        }
        parts(module.ctx.types.kind(t), &mut stack);
    }
}

/// The capabilities of an atomic operation on floats, for 16, 32 and 64 bits.
fn float_atomic(op: Opcode) -> Option<[Capability; 3]> {
    use spirv_spec::capability::*;
    match op {
        Opcode::Op(Op::AtomicFAddEXT) => {
            Some([AtomicFloat16AddEXT, AtomicFloat32AddEXT, AtomicFloat64AddEXT])
        }
        Opcode::Op(Op::AtomicFMinEXT | Op::AtomicFMaxEXT) => {
            Some([AtomicFloat16MinMaxEXT, AtomicFloat32MinMaxEXT, AtomicFloat64MinMaxEXT])
        }
        _ => None,
    }
}

/// Which rows were met, a bit for each.
struct Met {
    ops: [u64; OpRow::COUNT.div_ceil(64)],
    enums: [u64; EnumRow::COUNT.div_ceil(64)],
}

impl Met {
    fn new() -> Met {
        Met { ops: [0; OpRow::COUNT.div_ceil(64)], enums: [0; EnumRow::COUNT.div_ceil(64)] }
    }

    /// Whether this is the first time.
    fn op(&mut self, row: OpRow) -> bool {
        set(&mut self.ops, row.index())
    }

    /// Whether this is the first time.
    fn enumerant(&mut self, row: EnumRow) -> bool {
        set(&mut self.enums, row.index())
    }
}

fn set(bits: &mut [u64], place: usize) -> bool {
    let (word, bit) = (&mut bits[place / 64], 1 << (place % 64));
    let new = *word & bit == 0;
    *word |= bit;
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_met_once() {
        let mut met = Met::new();
        let glsl = |n| ExtSet::Glsl.row(n).unwrap();
        let rows = [Op::FAdd.row().unwrap(), Op::Nop.row().unwrap(), glsl(31), glsl(1)];
        assert!(rows.iter().all(|r| met.op(*r)));
        assert!(!rows.iter().any(|r| met.op(*r)));
        let last = Kind::Capability.rows().last().unwrap();
        assert!(met.enumerant(last) && !met.enumerant(last));
    }
}
