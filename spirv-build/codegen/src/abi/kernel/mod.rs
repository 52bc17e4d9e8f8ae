//! Makes a module a set of OpenCL-flavour kernels, for Level Zero: resources become parameters.
//!
//! | before | after |
//! | --- | --- |
//! | buffer | `uchar CrossWorkgroup *`, and its length in bytes as `ulong` |
//! | 2-D image | an image with an access qualifier (`images`), or memory (`texels`) |
//! | cbuffer | a struct of bytes by value (`ByVal`) |
//! | system value | `Input` variable of 64-bit components, converted where it is read |
//! | groupshared variable | `Workgroup` variable without layout |
//! | constant table (`Private`) | `UniformConstant` variable |
//! | matrix | array of its columns (`matrices`) |
//! | operation of a wave | of a subgroup, on scalars (`waves`) |
//! | signed integer | integer (kernels have no signs) |
//! | `GLSL.std.450` | `OpenCL.std`, or a few instructions (`math`) |
//!
//! Memory that the host sees is addressed in bytes, so that the layout of the source holds whatever the natural layout of
//! kernels is (`memory`). Reads behind the end of a buffer give 0 and writes there are dropped.
//!
//! The module must be inlined and have gone through the passes: an entry point calls nothing.

mod body;
mod formats;
mod images;
mod matrices;
mod memory;
mod texels;
mod waves;

use self::body::Root;
use self::texels::Layout;
use crate::diag::{Code, Finding};
use crate::ir::{
    BuiltIn, Const, ConstKind, EntryPoint, Func, Function, Global, GlobalData, Member, Mode, Module,
    ResourceClass, StorageClass, StructType, Type, TypeKind, ValueDef,
};
use crate::ir::{edit, walk};
use crate::ir::{resource_order, slots};
use crate::passes::expand::{self, Target};
use crate::source::Span;
use rustc_hash::FxHashMap;
use spirv_interface::ClArg;
use spirv_spec::{
    AddressingModel, Decoration, ExecutionMode, ExecutionModel, FunctionParameterAttribute, MemoryModel,
};

/// Kernels, and what their parameters are.
#[derive(Debug, Clone)]
pub struct Kernels {
    /// The module, to be written for a target that has kernels.
    pub module: Module,
    /// By entry point of `module`: the parameters in order. Numbers are those of [`resource_order`].
    pub args: Vec<Vec<ClArg>>,
}

/// What an image is in a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImageForm {
    /// An image, which the device reads and writes.
    #[default]
    Object,
    /// Memory with rows of texels, for devices that have no images.
    Memory,
}

/// What the host knows of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Slot {
    /// Bytes of a block of constants as the host passes it. Otherwise the block ends where its last member does.
    pub constants: Option<u32>,
    /// Components of an image's texels. Otherwise they may have any number.
    pub components: Option<u8>,
}

/// What kernels to make. The default: of each entry point one that takes images as such.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// What images become.
    pub images: ImageForm,
    /// Resources by slot.
    pub slots: &'a [Slot],
    /// Only this entry point, by index.
    pub entry: Option<usize>,
    /// Lanes of a subgroup, where the source says.
    pub wave: Option<u32>,
    /// Accesses by 64-bit address are checked against the buffers of the launch (`passes::addresses`); otherwise there are none.
    pub guarded: bool,
}

/// Runs on a module.
///
/// # Errors
/// What the kernels use that cannot be carried over, as noun phrases.
pub fn run(module: &Module, options: Options<'_>) -> Result<Kernels, Vec<Finding>> {
    let expanded = expand::expanded(Target::Kernels, module);
    let module = &*expanded;
    let mut l = Lower {
        old: module,
        slots: slots(module, &resource_order(module)),
        options,
        new: Module {
            addressing: AddressingModel::Physical64,
            memory: MemoryModel::OpenCL,
            ..Module::default()
        },
        types: FxHashMap::default(),
        consts: FxHashMap::default(),
        globals: FxHashMap::default(),
        accessors: FxHashMap::default(),
        refused: Vec::new(),
    };
    // What each entry point reaches decides its parameters.
    let mut args = Vec::new();
    for (i, e) in module.entry_points.iter().enumerate() {
        if options.entry.is_some_and(|only| only != i) {
            continue;
        }
        let globals = walk::globals_reached(module, e.func);
        if e.model != ExecutionModel::GLCompute {
            l.refuse(format!("entry points for `{:?}`", e.model), module.functions[e.func].span);
            continue;
        }
        if walk::uses_computed(module, e.func) {
            let span = module.functions[e.func].span;
            l.refuse("constants that are computed when a program is specialised", span);
            continue;
        }
        if let Some(mode) = e.modes.first() {
            l.refuse(format!("execution mode `{:?}`", mode.kind), module.functions[e.func].span);
        }
        args.push(l.entry(e, &globals));
    }
    if !l.refused.is_empty() {
        return Err(l.refused);
    }
    let mut module = l.new;
    edit::list_interfaces(&mut module);
    Ok(Kernels { module, args })
}

/// Whether an entry point uses images.
pub fn uses_images(module: &Module, entry: &EntryPoint) -> bool {
    let class = |g: &Global| module.globals[*g].interface.as_ref().map(|i| i.class);
    walk::globals_reached(module, entry.func).iter().any(|g| class(g) == Some(ResourceClass::Image))
}

/// State of one run.
struct Lower<'a> {
    old: &'a Module,
    slots: FxHashMap<Global, u32>,
    options: Options<'a>,
    new: Module,
    types: FxHashMap<Type, Type>,
    consts: FxHashMap<Const, Const>,
    globals: FxHashMap<Global, Global>,
    /// Functions that load (false) or store (true) texels in memory.
    accessors: FxHashMap<(Layout, bool), Func>,
    refused: Vec<Finding>,
}

impl<'a> Lower<'a> {
    fn refuse(&mut self, what: impl Into<String>, span: Span) {
        let refused = Finding::new(Code::NotSupported, span, what);
        if !self.refused.contains(&refused) {
            self.refused.push(refused);
        }
    }

    fn u8(&mut self) -> Type {
        self.new.ctx.types.int(8, false)
    }

    fn u64(&mut self) -> Type {
        self.new.ctx.types.int(64, false)
    }

    /// A type of values, or of memory that the host does not see: without signs and layout.
    fn ty(&mut self, old: Type, span: Span) -> Type {
        if let Some(t) = self.types.get(&old) {
            return *t;
        }
        let kind = match self.old.ctx.types.kind(old) {
            TypeKind::Int { width, .. } => TypeKind::Int { width: *width, signed: false },
            TypeKind::Vector { elem, len } => TypeKind::Vector { elem: self.ty(*elem, span), len: *len },
            TypeKind::Array { elem, len, .. } => {
                TypeKind::Array { elem: self.ty(*elem, span), len: *len, stride: None }
            }
            TypeKind::Struct(s) => {
                let members = s.members.iter().map(|m| Member::new(&m.name, self.ty(m.ty, span)));
                let members = members.collect();
                TypeKind::Struct(StructType::new(&s.name, members))
            }
            TypeKind::Pointer { storage: StorageClass::PhysicalStorageBuffer, .. }
                if !self.options.guarded =>
            {
                self.refuse("addresses of buffers", span);
                TypeKind::Float { width: 32 }
            }
            TypeKind::Pointer { pointee, storage } => {
                let pointee = self.ty(*pointee, span);
                TypeKind::Pointer { pointee, storage: storage_class(*storage) }
            }
            TypeKind::Function { result, params } => TypeKind::Function {
                result: self.ty(*result, span),
                params: params.iter().map(|p| self.ty(*p, span)).collect(),
            },
            kind @ (TypeKind::Void | TypeKind::Bool | TypeKind::Float { .. } | TypeKind::Opaque(_)) => {
                kind.clone()
            }
            TypeKind::EncodedFloat { .. } => {
                self.refuse("floats of another encoding than IEEE 754's", span);
                TypeKind::Float { width: 32 }
            }
            TypeKind::Custom(_) => {
                self.refuse("types of inline SPIR-V", span);
                TypeKind::Float { width: 32 }
            }
            TypeKind::Matrix { column, columns } => {
                let elem = self.ty(*column, span);
                TypeKind::Array { elem, len: u32::from(*columns), stride: None }
            }
            TypeKind::RuntimeArray { .. } | TypeKind::SpecArray { .. } => {
                self.refuse("arrays of unknown length", span);
                TypeKind::Float { width: 32 }
            }
            TypeKind::Image(_) | TypeKind::Sampler | TypeKind::SampledImage(_) => {
                // A resource of this kind was refused by name.
                if self.refused.is_empty() {
                    self.refuse("images and samplers", span);
                }
                TypeKind::Float { width: 32 }
            }
        };
        let new = self.new.ctx.types.intern(kind);
        self.types.insert(old, new);
        new
    }

    fn constant(&mut self, old: Const, span: Span) -> Const {
        if let Some(c) = self.consts.get(&old) {
            return *c;
        }
        let (ty, kind) = (self.old.ctx.consts.ty(old), self.old.ctx.consts.kind(old));
        let ty = self.ty(ty, span);
        let kind = match kind {
            ConstKind::Composite(parts) => {
                ConstKind::Composite(parts.iter().map(|p| self.constant(*p, span)).collect())
            }
            kind => kind.clone(),
        };
        let new = self.new.ctx.constant(ty, kind);
        self.consts.insert(old, new);
        new
    }

    /// A global that stays one.
    fn global(&mut self, old: Global) -> Global {
        if let Some(g) = self.globals.get(&old) {
            return *g;
        }
        let data = &self.old.globals[old];
        // A module with two variables of one system value does not link.
        let builtin = data.builtin();
        let same = |g: &GlobalData| builtin.is_some() && g.builtin() == builtin;
        if let Some(found) = self.new.globals.iter().find(|(_, g)| same(g)).map(|(g, _)| g) {
            self.globals.insert(old, found);
            return found;
        }
        let ty = match builtin {
            Some(b) if is_size(b) => {
                let elem = self.u64();
                let len = self.old.ctx.types.len_of(data.ty);
                self.new.ctx.types.vector(elem, len)
            }
            _ => self.ty(data.ty, data.span),
        };
        let init = data.init.map(|c| self.constant(c, data.span));
        let storage = storage_class(data.storage);
        let mut new = GlobalData { init, ..GlobalData::new(&data.name, ty, storage, data.span) };
        match (storage, builtin) {
            (_, Some(b)) => new.decorations.add(crate::ir::Decoration::words(Decoration::BuiltIn, &[b.0])),
            (StorageClass::UniformConstant, None) => new.decorations.mark(Decoration::Constant),
            _ => {}
        }
        let new = self.new.globals.push(new);
        self.globals.insert(old, new);
        new
    }

    /// The variable that is the place of a work-item in its group, and its type.
    fn local_id(&mut self) -> (Global, Type) {
        let elem = self.u64();
        let ty = self.new.ctx.types.vector(elem, 3);
        self.input(BuiltIn::LocalInvocationId, ty)
    }

    /// The variable that is a system value of this type.
    fn input(&mut self, which: BuiltIn, ty: Type) -> (Global, Type) {
        if let Some((g, _)) = self.new.globals.iter().find(|(_, g)| g.builtin() == Some(which)) {
            return (g, ty);
        }
        (self.new.globals.push(GlobalData::system_value(which, ty)), ty)
    }

    /// Whether a function asks how long the array is whose length is this constant.
    fn uses_length(&self, f: &Function, len: Const) -> bool {
        f.values.iter().any(|(_, v)| v.def == ValueDef::Const(len))
    }

    fn slot(&self, slot: u32) -> Slot {
        self.options.slots.get(slot as usize).copied().unwrap_or_default()
    }

    /// The struct that carries the constants of a slot.
    fn constants_type(&mut self, slot: u32, data: &GlobalData) -> Option<(Type, u32)> {
        let natural = self.old.ctx.types.size(data.ty);
        let size = self.slot(slot).constants.or(natural)?.next_multiple_of(4).max(4);
        let word = self.new.ctx.types.u32();
        let words = TypeKind::Array { elem: word, len: size / 4, stride: None };
        let ty = self.new.ctx.types.intern(words);
        let s = StructType::new(&data.name, vec![Member::new("words", ty)]);
        Some((self.new.ctx.types.intern(TypeKind::Struct(s)), size))
    }

    fn entry(&mut self, e: &EntryPoint, globals: &[Global]) -> Vec<ClArg> {
        let old = &self.old.functions[e.func];
        let used = images::used(old);
        let void = self.new.ctx.types.void();
        let mut f = Function::new(e.name.clone(), void, old.span);
        let (mut args, mut types, mut roots) = (Vec::new(), Vec::new(), Vec::new());
        let mut decorated = Vec::new();
        let bytes = self.u8();
        let pointer = self.new.ctx.types.pointer(bytes, StorageClass::CrossWorkgroup);
        let length = self.u64();
        for g in globals {
            let data = &self.old.globals[*g];
            let (Some(i), Some(slot)) = (&data.interface, self.slots.get(g).copied()) else { continue };
            // Memory is bytes here: a view is the parameter of its buffer.
            if i.view_of.is_some()
                && let Some(at) = args.iter().position(|a| *a == ClArg::Pointer(slot))
            {
                roots.push((*g, at, Root::Buffer));
                continue;
            }
            let is_block = matches!(self.old.ctx.types.kind(data.ty), TypeKind::Struct(_));
            match i.class {
                ResourceClass::Image if self.options.images == ImageForm::Memory => {
                    match self.texel_layout(*g, slot) {
                        Ok(layout) => {
                            roots.push((*g, types.len(), Root::Texels(layout)));
                            types.extend([pointer, self.extent_type()]);
                            args.extend([ClArg::Texels(slot), ClArg::Extent(slot)]);
                        }
                        Err(what) => {
                            self.refuse(format!("{what} (`{}`, {})", data.name, i.spelling()), data.span);
                        }
                    }
                }
                ResourceClass::Image => match self.image_type(&used, *g) {
                    Ok(ty) => {
                        roots.push((*g, types.len(), Root::Image));
                        types.push(ty);
                        args.push(ClArg::Image(slot));
                    }
                    Err(what) => {
                        self.refuse(format!("{what} (`{}`, {})", data.name, i.spelling()), data.span);
                    }
                },
                ResourceClass::LocalMemory => {
                    let (elem, len) = match *self.old.ctx.types.kind(data.ty) {
                        TypeKind::SpecArray { elem, len, .. } => (self.ty(elem, data.span), Some(len)),
                        _ => (bytes, None),
                    };
                    let length_of = len.filter(|len| self.uses_length(old, *len));
                    roots.push((*g, types.len(), Root::Local { length_of }));
                    types.push(self.new.ctx.types.pointer(elem, StorageClass::Workgroup));
                    args.push(ClArg::Sized(slot));
                    if length_of.is_some() {
                        types.push(length);
                        args.push(ClArg::Length(slot));
                    }
                }
                _ if !is_block => {
                    self.refuse(format!("the resource `{}` ({})", data.name, i.spelling()), data.span);
                }
                ResourceClass::StructuredBuffer | ResourceClass::ByteAddressBuffer => {
                    roots.push((*g, types.len(), Root::Buffer));
                    types.extend([pointer, length]);
                    args.extend([ClArg::Pointer(slot), ClArg::Length(slot)]);
                }
                ResourceClass::ConstantBuffer | ResourceClass::PushConstant => {
                    let Some((ty, size)) = self.constants_type(slot, data) else {
                        self.refuse(format!("the layout of `{}`", data.name), data.span);
                        continue;
                    };
                    let attribute = FunctionParameterAttribute::ByVal.0;
                    let byval = crate::ir::Decoration::words(Decoration::FuncParamAttr, &[attribute]);
                    decorated.push((types.len(), byval));
                    roots.push((*g, types.len(), Root::Constants(size)));
                    types.push(self.new.ctx.types.pointer(ty, StorageClass::Function));
                    args.push(ClArg::Constants(slot));
                }
                ResourceClass::Sampler | ResourceClass::Address => {
                    self.refuse(format!("the resource `{}` ({})", data.name, i.spelling()), data.span);
                }
            }
        }
        let block = f.make_body(&types);
        decorated.into_iter().for_each(|(i, d)| f.decorate(f.params[i], d));
        let names = roots.iter().flat_map(|(g, at, root)| {
            let name = &self.old.globals[self.old.viewed(*g)].name;
            let second = match root {
                Root::Buffer | Root::Local { length_of: Some(_) } => Some((*at + 1, format!("{name}.bytes"))),
                Root::Texels(_) => Some((*at + 1, format!("{name}.extent"))),
                _ => None,
            };
            [Some((*at, name.clone())), second]
        });
        for (at, name) in names.flatten() {
            let v = f.params[at];
            f.values[v].name = Some(name.into());
        }
        let (f, precise) = body::lower(self, old, f, block, &roots, e.local_size);
        let func = self.new.functions.push(f);
        let mut modes = Vec::new();
        if precise {
            modes.push(Mode::words(ExecutionMode::ContractionOff, &[]));
        }
        if let Some(lanes) = self.options.wave {
            modes.push(Mode::words(ExecutionMode::SubgroupSize, &[lanes]));
        }
        self.new.entry_points.push(EntryPoint {
            func,
            name: e.name.clone(),
            model: ExecutionModel::Kernel,
            local_size: e.local_size,
            modes,
            named: Vec::new(),
            wave: None,
            interface: Vec::new(),
        });
        args
    }
}

/// Whether a system value has the width of an address in kernels.
fn is_size(b: spirv_spec::BuiltIn) -> bool {
    matches!(
        b,
        BuiltIn::GlobalInvocationId
            | BuiltIn::LocalInvocationId
            | BuiltIn::WorkgroupId
            | BuiltIn::NumWorkgroups
            | BuiltIn::WorkgroupSize
            | BuiltIn::LocalInvocationIndex
            | BuiltIn::GlobalSize
            | BuiltIn::GlobalLinearId
    )
}

fn storage_class(old: StorageClass) -> StorageClass {
    match old {
        StorageClass::Private => StorageClass::UniformConstant,
        // Addresses are those of buffers in either.
        StorageClass::PhysicalStorageBuffer => StorageClass::CrossWorkgroup,
        other => other,
    }
}

/// Bits of memory semantics: what Vulkan calls uniform memory is that of all work-groups here.
pub(super) fn semantics(bits: u32) -> u32 {
    const UNIFORM: u32 = 0x40;
    const CROSS_WORKGROUP: u32 = 0x200;
    // The bits of the Vulkan memory model have no meaning here.
    const KNOWN: u32 = 0x1f | 0x100 | 0x200 | 0x400 | 0x800;
    let bits = if bits & UNIFORM != 0 { bits | CROSS_WORKGROUP } else { bits };
    bits & KNOWN
}

pub(super) use crate::ir::words::operation as op_name;
