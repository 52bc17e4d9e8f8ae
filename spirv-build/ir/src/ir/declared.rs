//! Typed attributes: what a source says of what it declares beyond what a module is made of. Passes carry them along; the numbering
//! of resources, reflection, messages and the interface of a module read them.

use crate::ir::module::{BufferAccess, Global, GlobalData, Interface, Module, ResourceClass};
use crate::source::Span;
use spirv_spec::ImageFormat;

/// How the source declares a resource, a member of a struct or a constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Declared {
    /// Its type as the source spells it, for messages.
    pub spelling: String,
    /// What its scalars are, where the types of the module do not tell.
    pub scalar: Option<ScalarKind>,
    /// How its matrices lie in memory, in terms of the source: the module has them as columns that are rows, or as arrays.
    pub matrix: Option<MatrixOrder>,
    /// Of a struct, or the structs in an array: types of modules end where their last member does, and have no alignment.
    pub extent: Option<Extent>,
    /// Where it is declared, if nothing else knows.
    pub span: Span,
}

/// A number by kind and width, as the source has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// A truth value. In memory it is a word.
    Bool,
    /// Integer with a sign.
    Signed(u8),
    /// Integer without.
    Unsigned(u8),
    /// Float.
    Float(u8),
    /// An address of a device, which is no number for a host.
    Address,
}

/// Which vectors of a matrix lie in one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatrixOrder {
    /// Rows.
    RowMajor,
    /// Columns.
    ColumnMajor,
}

/// Size and alignment in bytes of a struct by the rules of its source, with the padding at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Size.
    pub size: u32,
    /// Alignment.
    pub align: u32,
}

/// What HLSL says of a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HlslResource {
    /// `register(t3, space1)`: class letter, number, space.
    pub register: Option<(char, u32, u32)>,
    /// `register(space1)`: the space alone.
    pub space: Option<u32>,
    /// Number of the variable of the source that it is a part of, if that holds several resources.
    pub part_of: Option<u32>,
    /// The counter of a structured buffer.
    pub counter: Option<Counter>,
    /// The descriptor heap that it stands for; all of a kind are bound to one place.
    pub heap: Option<Heap>,
    /// Components of an image's texels.
    pub texel: Option<u8>,
    /// The format of its texels: types of images that are only read have none.
    pub format: Option<ImageFormat>,
    /// A sampler compares texels with a reference.
    pub compares: bool,
    /// It stands in the file that is compiled, not in one that this includes: what is alone there has it as an argument.
    pub in_main: bool,
}

/// The counter of a structured buffer (or an array of counters, one for each of an array of buffers).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// The counter.
    pub var: Global,
    /// Its binding, if that is given; the set is the buffer's.
    pub binding: Option<u32>,
}

/// A descriptor heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heap {
    /// Resources.
    Resources,
    /// Samplers.
    Samplers,
    /// Counters of the resources.
    Counters,
}

impl Heap {
    /// All of them, by number.
    pub const ALL: [Heap; 3] = [Heap::Resources, Heap::Samplers, Heap::Counters];
}

/// How many lanes the waves of an entry point have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaveSize {
    /// Fewest.
    pub least: u32,
    /// Most.
    pub most: u32,
    /// Which number is best.
    pub wanted: Option<u32>,
}

/// What the source says of a kernel's parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelArg {
    /// Name.
    pub name: String,
    /// Type as it is spelled there, without qualifiers.
    pub type_name: String,
    /// The source promises not to write through it.
    pub readonly: bool,
    /// The scalar that the type, or what it points to, consists of.
    pub scalar: Option<ScalarKind>,
}

/// What nothing is said of.
static SILENT: HlslResource = HlslResource {
    register: None,
    space: None,
    part_of: None,
    counter: None,
    heap: None,
    texel: None,
    format: None,
    compares: false,
    in_main: false,
};

impl Interface {
    /// A resource that nothing more is said of.
    pub fn new(class: ResourceClass, access: BufferAccess) -> Interface {
        Interface {
            class,
            access,
            binding: None,
            view_of: None,
            addresses: Vec::new(),
            parameter: false,
            declared: None,
            hlsl: None,
        }
    }

    /// What HLSL says of it.
    pub fn hlsl(&self) -> &HlslResource {
        self.hlsl.as_deref().unwrap_or(&SILENT)
    }

    /// Its type as the source spells it; empty if that is not known.
    pub fn spelling(&self) -> &str {
        self.declared.as_deref().map_or("", |d| &d.spelling)
    }
}

impl GlobalData {
    /// What HLSL says of the resource that it is.
    pub fn hlsl(&self) -> &HlslResource {
        self.interface.as_ref().map_or(&SILENT, Interface::hlsl)
    }
}

impl Module {
    /// The buffers that have counters, each with its counter.
    pub fn counters(&self) -> impl Iterator<Item = (Global, Counter)> + '_ {
        self.globals.iter().filter_map(|(g, data)| Some((g, data.hlsl().counter?)))
    }
}
