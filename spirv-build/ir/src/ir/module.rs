//! Modules: what functions share.

use crate::ir::constant::{Const, ConstKind, ConstTable};
use crate::ir::declared::{Declared, HlslResource, WaveSize};
use crate::ir::decoration::{Decorated, Decoration, Decorations};
use crate::ir::entity::PrimaryMap;
use crate::ir::float::float_bits;
use crate::ir::function::Function;
use crate::ir::types::{Type, TypeKind, TypeTable};
use crate::source::Span;
use smallvec::SmallVec;
use spirv_spec::{
    AddressingModel, BuiltIn, ExecutionMode, ExecutionModel, ExtSet, MemoryModel, StorageClass,
};
use std::sync::Arc;

crate::entity! {
    /// A function of a module.
    Func = "@f";
    /// A module-scope variable.
    Global = "@g";
}

/// A module.
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// Types and constants.
    pub ctx: Context,
    /// Module-scope variables.
    pub globals: PrimaryMap<Global, GlobalData>,
    /// Functions.
    pub functions: PrimaryMap<Func, Function>,
    /// Entry points.
    pub entry_points: Vec<EntryPoint>,
    /// Addressing model.
    pub addressing: AddressingModel,
    /// Memory model.
    pub memory: MemoryModel,
    /// Extra capabilities and extensions that the source asked for by name; the rest is computed.
    pub requested_extensions: Vec<String>,
    /// Capabilities that the source asked for by number.
    pub requested_capabilities: Vec<u32>,
    /// Language (its number in SPIR-V) and version of the source, if it is to be recorded.
    pub source: Option<(u32, u32)>,
    /// Strings that instructions name by their place here.
    pub strings: Vec<String>,
    /// Sets of instructions that no table has, by name: [`Module::ext_set`].
    pub other_sets: Vec<String>,
}

/// Types and constants of a module: what a builder needs besides the function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    /// Types.
    pub types: TypeTable,
    /// Constants.
    pub consts: ConstTable,
}

impl Context {
    /// A constant.
    pub fn constant(&mut self, ty: Type, kind: ConstKind) -> Const {
        self.consts.intern(ty, kind)
    }

    /// A 32-bit unsigned integer constant.
    pub fn u32(&mut self, value: u32) -> Const {
        let ty = self.types.u32();
        self.consts.intern(ty, ConstKind::Bits(u64::from(value)))
    }

    /// A 32-bit signed integer constant.
    pub fn i32(&mut self, value: i32) -> Const {
        let ty = self.types.i32();
        self.consts.intern(ty, ConstKind::Bits(u64::from(value as u32)))
    }

    /// A 32-bit float constant.
    pub fn f32(&mut self, value: f32) -> Const {
        let ty = self.types.float(32);
        self.consts.intern(ty, ConstKind::Bits(u64::from(value.to_bits())))
    }

    /// The float nearest to a number, in every component of a scalar or vector type.
    pub fn float(&mut self, ty: Type, x: f64) -> Const {
        let bits = float_bits(self.types.width_of(ty).unwrap_or(32), x);
        self.splat(ty, ConstKind::Bits(bits))
    }

    /// The same constant in every component of a scalar or vector type.
    pub fn splat(&mut self, ty: Type, kind: ConstKind) -> Const {
        match *self.types.kind(ty) {
            TypeKind::Vector { elem, len } => {
                let c = self.consts.intern(elem, kind);
                self.consts.intern(ty, ConstKind::Composite(vec![c; usize::from(len)]))
            }
            _ => self.consts.intern(ty, kind),
        }
    }
}

/// A module-scope variable. Its address has type pointer to `ty` in `storage`.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalData {
    /// Name.
    pub name: String,
    /// Type of the object. Buffers are `Block` structs: structured buffers `{ runtime array }`, cbuffers the struct
    /// of their members; images, samplers and arrays of them are opaque.
    pub ty: Type,
    /// Storage class.
    pub storage: StorageClass,
    /// Initial value (`Private` variables only; in kernels also others).
    pub init: Option<Const>,
    /// Decorations: `BuiltIn`, `Location`, `Coherent`, linkage, ...
    pub decorations: Decorations,
    /// How the host reaches it; None for variables that it does not.
    pub interface: Option<Interface>,
    /// Where it was declared.
    pub span: Span,
}

impl GlobalData {
    /// A variable that nothing more is said of.
    pub fn new(name: impl Into<String>, ty: Type, storage: StorageClass, span: Span) -> GlobalData {
        let decorations = Decorations::new();
        GlobalData { name: name.into(), ty, storage, init: None, decorations, interface: None, span }
    }

    /// The variable of a system value.
    pub fn system_value(which: BuiltIn, ty: Type) -> GlobalData {
        let mut data = GlobalData::new(format!("{which:?}"), ty, StorageClass::Input, Span::default());
        data.decorations.add(Decoration::words(spirv_spec::Decoration::BuiltIn, &[which.0]));
        data
    }

    /// The system value that it is.
    pub fn builtin(&self) -> Option<BuiltIn> {
        self.decorations.builtin()
    }
}

/// The interface attributes of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// What kind of resource.
    pub class: ResourceClass,
    /// What the kernel may do with it.
    pub access: BufferAccess,
    /// Descriptor set and binding, if given explicitly (`[[vk::binding]]`) or assigned by the ABI.
    pub binding: Option<(u32, u32)>,
    /// The resource whose memory this variable is, too, with other types: it has that one's binding and slot.
    pub view_of: Option<Global>,
    /// Of a block of constants: the buffers whose 64-bit addresses lie in it, each with the byte where that begins. Their sizes follow.
    pub addresses: Vec<(Global, u32)>,
    /// It is a parameter of the entry point that names it: no other can have it.
    pub parameter: bool,
    /// How the source declares it.
    pub declared: Option<Arc<Declared>>,
    /// What HLSL says of it.
    pub hlsl: Option<Box<HlslResource>>,
}

/// Kind of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResourceClass {
    /// `{ T elements[] }` in `StorageBuffer`.
    StructuredBuffer,
    /// `{ uint words[] }` in `StorageBuffer`.
    ByteAddressBuffer,
    /// cbuffer or `ConstantBuffer<T>`.
    ConstantBuffer,
    /// cbuffer that the source puts in push constants.
    PushConstant,
    /// Texture, storage image or texel buffer.
    Image,
    /// Sampler.
    Sampler,
    /// A buffer that is reached by its address alone. No instruction names it and it is not written: it is there for its slot.
    Address,
    /// Memory of the work-group, of a length that the host chooses.
    LocalMemory,
}

/// What a kernel may do with a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BufferAccess {
    /// Only read.
    Read,
    /// Read and write.
    ReadWrite,
}

/// An entry point.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryPoint {
    /// Its function, which returns nothing. Only kernels take parameters.
    pub func: Func,
    /// Name under which the host finds it.
    pub name: String,
    /// Execution model.
    pub model: ExecutionModel,
    /// Work-items in a work-group. All zero where there are none, or a mode (`LocalSizeId`) or the host of a kernel says.
    pub local_size: [u32; 3],
    /// Execution modes beside the size.
    pub modes: Vec<Mode>,
    /// Globals that it reaches; filled by the ABI, all storage classes.
    pub interface: Vec<Global>,
    /// Resources that its source names, whatever optimisation leaves of it: they are arguments of launches.
    pub named: Vec<Global>,
    /// The lanes of its waves, where the source says.
    pub wave: Option<WaveSize>,
}

/// An execution mode of an entry point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mode {
    /// Which; its number need not be one that the tables know.
    pub kind: ExecutionMode,
    /// Operands: all words, or all ids.
    pub operands: ModeOperands,
}

/// Operands of a [`Mode`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModeOperands {
    /// Words (`OpExecutionMode`).
    Words(SmallVec<[u32; 3]>),
    /// The `<id>`s of constants (`OpExecutionModeId`).
    Consts(SmallVec<[Const; 3]>),
}

impl Mode {
    /// One whose operands are words.
    pub fn words(kind: ExecutionMode, words: &[u32]) -> Mode {
        Mode { kind, operands: ModeOperands::Words(words.into()) }
    }

    /// One whose operands are constants.
    pub fn consts(kind: ExecutionMode, consts: &[Const]) -> Mode {
        Mode { kind, operands: ModeOperands::Consts(consts.into()) }
    }

    /// Its operands as words, as far as they are known before the program is specialised.
    pub fn known_words(&self, consts: &ConstTable) -> Option<SmallVec<[u32; 3]>> {
        match &self.operands {
            ModeOperands::Words(words) => Some(words.clone()),
            ModeOperands::Consts(list) => list.iter().map(|c| consts.bits(*c).map(|n| n as u32)).collect(),
        }
    }
}

impl EntryPoint {
    /// Its execution mode of a kind.
    pub fn mode(&self, kind: ExecutionMode) -> Option<&Mode> {
        self.modes.iter().find(|m| m.kind == kind)
    }
}

impl Default for Module {
    fn default() -> Self {
        Module {
            ctx: Context::default(),
            globals: PrimaryMap::default(),
            functions: PrimaryMap::default(),
            entry_points: Vec::new(),
            addressing: AddressingModel::Logical,
            memory: MemoryModel::GLSL450,
            requested_extensions: Vec::new(),
            requested_capabilities: Vec::new(),
            source: None,
            strings: Vec::new(),
            other_sets: Vec::new(),
        }
    }
}

/// The number of the first set of instructions that no table has.
const FIRST_OTHER_SET: u16 = 0x8000;

impl Module {
    /// The set of instructions of a name, which need not be one that the tables have. None if there are too many of them.
    pub fn ext_set(&mut self, name: &str) -> Option<ExtSet> {
        if let Some(known) = ExtSet::by_name(name) {
            return Some(known);
        }
        let at = self.other_sets.iter().position(|s| s == name).unwrap_or_else(|| {
            self.other_sets.push(name.to_string());
            self.other_sets.len() - 1
        });
        Some(ExtSet(FIRST_OTHER_SET.checked_add(u16::try_from(at).ok()?)?))
    }

    /// The name of a set of instructions, if the tables or the module have it.
    pub fn set_name(&self, set: ExtSet) -> Option<&str> {
        match set.0.checked_sub(FIRST_OTHER_SET) {
            Some(at) => self.other_sets.get(usize::from(at)).map(String::as_str),
            None => Some(set.name()).filter(|n| !n.is_empty()),
        }
    }

    /// Whether it holds kernels of OpenCL's flavour: memory is addressed by numbers.
    pub fn has_kernels(&self) -> bool {
        matches!(self.addressing, AddressingModel::Physical32 | AddressingModel::Physical64)
    }

    /// The decorations of an entity.
    pub fn decorations(&self, of: Decorated) -> &Decorations {
        let structure = |t| self.ctx.types.structure(t);
        let list = match of {
            Decorated::Func(f) => self.functions.get(f).map(|f| &f.decorations),
            Decorated::Global(g) => self.globals.get(g).map(|g| &g.decorations),
            Decorated::Const(c) => self.ctx.consts.symbol(c).map(|s| &s.decorations),
            Decorated::Type(t) => structure(t).map(|s| &s.decorations),
            Decorated::Member(t, i) => {
                structure(t).and_then(|s| s.members.get(i as usize)).map(|m| &m.decorations)
            }
            Decorated::Value(f, v) => self.functions.get(f).map(|f| f.decorations_of(v)),
        };
        list.unwrap_or(Decorations::none())
    }

    /// Whether other modules know something of this one by name, or the other way round.
    pub fn is_linked(&self) -> bool {
        let linked = |d: &Decorations| d.has(spirv_spec::Decoration::LinkageAttributes);
        self.functions.iter().any(|(_, f)| linked(&f.decorations))
            || self.globals.iter().any(|(_, g)| linked(&g.decorations))
    }

    /// The resource whose memory a global is: itself, unless it is a view of another.
    pub fn viewed(&self, g: Global) -> Global {
        viewed(&self.globals, g)
    }

    /// The pointer type of a global's address.
    pub fn global_pointer(&mut self, g: Global) -> Type {
        let data = &self.globals[g];
        let (ty, storage) = (data.ty, data.storage);
        self.ctx.types.pointer(ty, storage)
    }
}

/// The resource whose memory a global is: itself, unless it is a view of another.
pub fn viewed(globals: &PrimaryMap<Global, GlobalData>, g: Global) -> Global {
    globals.get(g).and_then(|d| d.interface.as_ref()?.view_of).unwrap_or(g)
}
