//! The contract between the compiler and the launch stubs.
//!
//! `spirv-build` writes one interface file a kernel into `OUT_DIR/spirv`, `spirv-macros` reads it back and
//! generates the typed stub. The file is text, one fact a line, with the format's version in the first line: a
//! file of another version is refused with a message that says so, since both crates are pinned to each other
//! and a mismatch means a stale `OUT_DIR`.
//!
//! ```text
//! spirv-interface 5
//! kernel saxpy
//! source kernels/saxpy.hlsl
//! spirv saxpy.vk.spv
//! library spirv_kernel_1f00
//! file saxpy.vk.spv bytes 1204 digest 9d3bc6a6f43a4a6dcbdc4b64cbb8d9c1
//! struct Params size 8 align 4
//! member n offset 0 line 2 type u32 hlsl uint
//! member a offset 4 line 3 type f32 hlsl float
//! resource x line 7 read descriptor 0 0 buffer stride 4 type f32 hlsl StructuredBuffer<float>
//! resource y line 8 write descriptor 0 1 buffer stride 4 type f32 hlsl RWStructuredBuffer<float>
//! resource params line 1 read push 0 8 constants type struct 0 hlsl cbuffer
//! resource list line 9 read address 2 8 buffer stride 4 type u32 hlsl global uint*
//! resource tmp line 9 write length 100 4 local stride 4 type f32 hlsl local float*
//! resource photo line 9 read descriptor 0 2 image 2d single sampled any 4 f32 hlsl Texture2D<float4>
//! resource list line 10 read descriptor 0 3 texels sampled any 4 f32 hlsl Buffer<float4>
//! resource smooth line 11 read descriptor 0 4 sampler plain hlsl SamplerState
//! constant taps id 3 line 2 type u32 default 5 hlsl uint
//! entry main size 64 1 1 resources 0 1 2
//! cl saxpy.0.cl.spv pointer 0 length 0 pointer 1 length 1 constants 2
//! cpu symbol spirv_kernel_1f00_main scratch 0 isas avx2 scalar
//! entry show size 8 8 1 resources 5 7
//! wave 8 64 32
//! samples 5 7
//! cl saxpy.1.cl.spv image 5
//! cl-memory saxpy.2.cl.spv texels 5 extent 5
//! entry turn size 8 8 1 resources 1 5 7
//! unused 5 7
//! optional 5 7 8
//! cl none kernels/saxpy.hlsl:20:5: kernels for level-zero do not have images that are not of two dimensions yet
//! cpu none kernels/saxpy.hlsl:22:9: CPU code does not support atomic operations on images yet
//! end 5e1f0c7f6b1b0c1f4b1d2a3c4d5e6f70
//! ```
//!
//! The other files are made before this one, which says what is in them (`file`): a build that ended in between leaves nothing
//! that passes for a kernel. The last line is the digest of those before it.
#![deny(missing_docs)]

mod digest;
mod files;
mod index;
mod paths;
mod read;
mod write;

pub use digest::Digest;
pub use files::File;
pub use index::Compiled;
pub use paths::{full_path, recorded_path};
pub use read::ParseError;

/// Version of the file format. Raised with every change that an older reader would misunderstand.
pub const FORMAT_VERSION: u32 = 5;

/// The variable that a build script sets for the compilation of its package, if it compiled a kernel: to the folder of the
/// artifacts.
pub const KERNELS_VARIABLE: &str = "SPIRV_KERNELS";

/// Everything that the host side of one kernel file needs to know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interface {
    /// Name of the kernel and of its artifacts: the file stem of its source, or its whole path where another kernel has
    /// that name; a valid Rust identifier.
    pub kernel: String,
    /// Path of the source relative to the package root, with `/`.
    pub source: String,
    /// File name (beside the interface file) of the SPIR-V module for Vulkan: every entry point in one module.
    pub spirv: Option<String>,
    /// Name of the static library of the native code, which the stub links.
    pub library: Option<String>,
    /// The files that were made with this one.
    pub files: Vec<File>,
    /// Structs that appear in resources, dependencies first.
    pub structs: Vec<Struct>,
    /// Resources of the module in declaration order. A resource's index is its *slot* in the CPU ABI.
    pub resources: Vec<Resource>,
    /// Specialization constants in declaration order. On the CPU they lie in this order, eight bytes each, in the slot behind
    /// the resources.
    pub constants: Vec<Constant>,
    /// Entry points in declaration order.
    pub entries: Vec<EntryPoint>,
}

/// A scalar in memory. `Bool` is a 32-bit word: zero is false, all else is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// 32-bit word used as a truth value.
    Bool,
    /// 8-bit signed integer.
    I8,
    /// 8-bit unsigned integer.
    U8,
    /// 16-bit signed integer.
    I16,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit signed integer.
    I32,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit signed integer.
    I64,
    /// 64-bit unsigned integer.
    U64,
    /// 16-bit float (IEEE 754 binary16).
    F16,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
}

/// One row a scalar: the type, its name in interface files, its Rust spelling, its size in bytes.
pub const SCALARS: &[(Scalar, &str, &str, u32)] = &[
    (Scalar::Bool, "bool", "u32", 4),
    (Scalar::I8, "i8", "i8", 1),
    (Scalar::U8, "u8", "u8", 1),
    (Scalar::I16, "i16", "i16", 2),
    (Scalar::U16, "u16", "u16", 2),
    (Scalar::I32, "i32", "i32", 4),
    (Scalar::U32, "u32", "u32", 4),
    (Scalar::I64, "i64", "i64", 8),
    (Scalar::U64, "u64", "u64", 8),
    (Scalar::F16, "f16", "u16", 2),
    (Scalar::F32, "f32", "f32", 4),
    (Scalar::F64, "f64", "f64", 8),
];

impl Scalar {
    fn row(self) -> &'static (Scalar, &'static str, &'static str, u32) {
        SCALARS.iter().find(|row| row.0 == self).expect("every scalar has a row in SCALARS")
    }

    /// Name in interface files.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The Rust type with the same bits (`Bool` is `u32`, `F16` is its bits as `u16`).
    pub fn rust(self) -> &'static str {
        self.row().2
    }

    /// Size in bytes, which is also the alignment.
    pub fn size(self) -> u32 {
        self.row().3
    }
}

/// A type in memory, with its layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// One scalar.
    Scalar(Scalar),
    /// `len` scalars side by side (1 to 4; OpenCL kernels also 8 and 16).
    Vector(Scalar, u32),
    /// A matrix: `major` vectors of `minor` scalars, `stride` bytes from one vector to the next. Row-major
    /// matrices store rows (`major` is the number of rows), column-major ones columns.
    Matrix {
        /// Scalar of the elements.
        scalar: Scalar,
        /// Number of stored vectors.
        major: u32,
        /// Scalars in each stored vector.
        minor: u32,
        /// Bytes from one stored vector to the next.
        stride: u32,
        /// Whether the stored vectors are rows.
        row_major: bool,
    },
    /// `len` elements, `stride` bytes apart.
    Array {
        /// Element type.
        elem: Box<Type>,
        /// Number of elements.
        len: u32,
        /// Bytes from one element to the next; may exceed the element's size (cbuffers: a multiple of 16).
        stride: u32,
    },
    /// A struct: index into [`Interface::structs`].
    Struct(u32),
}

/// A struct in memory. Bytes that no member covers are padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Struct {
    /// Name in the kernel; for a cbuffer, the cbuffer's name.
    pub name: String,
    /// Size in bytes, trailing padding included.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Members by increasing offset.
    pub members: Vec<Member>,
}

/// A member of a [`Struct`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Name in the kernel.
    pub name: String,
    /// Offset in bytes from the start of the struct.
    pub offset: u32,
    /// Type and layout.
    pub ty: Type,
    /// Line of the declaration in the source, from 1.
    pub line: u32,
    /// The type as the kernel spells it (`float3`), for messages.
    pub hlsl: String,
}

/// How a resource reaches a Vulkan pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// A descriptor.
    Descriptor {
        /// Descriptor set.
        set: u32,
        /// Binding number in the set.
        binding: u32,
    },
    /// Bytes of the push constants.
    PushConstant {
        /// First byte.
        offset: u32,
        /// Number of bytes.
        size: u32,
    },
    /// By the buffer's address, which lies with its size in bytes behind it (64 bits each) in a block of constants. The CPU
    /// finds the number of the buffer's slot plus one, shifted by 48, in place of an address.
    Address {
        /// The block: index into [`Interface::resources`].
        block: u32,
        /// First byte of the address in it.
        offset: u32,
    },
    /// By a specialization constant: the number of words of an array of the work-group.
    Length {
        /// Its `SpecId`.
        id: u32,
        /// Bytes of a word.
        unit: u32,
    },
}

/// Dimensionality of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageDim {
    /// One dimension.
    D1,
    /// Two dimensions.
    D2,
    /// Three dimensions.
    D3,
    /// Cube map.
    Cube,
}

/// One row a dimensionality: value and name in interface files.
pub const IMAGE_DIMS: &[(ImageDim, &str)] =
    &[(ImageDim::D1, "1d"), (ImageDim::D2, "2d"), (ImageDim::D3, "3d"), (ImageDim::Cube, "cube")];

/// One row an image format: its name in SPIR-V (and interface files), its number in SPIR-V, the runtime's marker type.
pub const IMAGE_FORMATS: &[(&str, u32, &str)] = &[
    ("Rgba32f", 1, "Rgba32Float"),
    ("Rgba16f", 2, "Rgba16Float"),
    ("R32f", 3, "R32Float"),
    ("Rgba8", 4, "Rgba8Unorm"),
    ("Rgba8Snorm", 5, "Rgba8Snorm"),
    ("Rg32f", 6, "Rg32Float"),
    ("Rg16f", 7, "Rg16Float"),
    ("R11fG11fB10f", 8, "Rg11b10Float"),
    ("R16f", 9, "R16Float"),
    ("Rgba16", 10, "Rgba16Unorm"),
    ("Rgb10A2", 11, "Rgb10a2Unorm"),
    ("Rg16", 12, "Rg16Unorm"),
    ("Rg8", 13, "Rg8Unorm"),
    ("R16", 14, "R16Unorm"),
    ("R8", 15, "R8Unorm"),
    ("Rgba16Snorm", 16, "Rgba16Snorm"),
    ("Rg16Snorm", 17, "Rg16Snorm"),
    ("Rg8Snorm", 18, "Rg8Snorm"),
    ("R16Snorm", 19, "R16Snorm"),
    ("R8Snorm", 20, "R8Snorm"),
    ("Rgba32i", 21, "Rgba32Sint"),
    ("Rgba16i", 22, "Rgba16Sint"),
    ("Rgba8i", 23, "Rgba8Sint"),
    ("R32i", 24, "R32Sint"),
    ("Rg32i", 25, "Rg32Sint"),
    ("Rg16i", 26, "Rg16Sint"),
    ("Rg8i", 27, "Rg8Sint"),
    ("R16i", 28, "R16Sint"),
    ("R8i", 29, "R8Sint"),
    ("Rgba32ui", 30, "Rgba32Uint"),
    ("Rgba16ui", 31, "Rgba16Uint"),
    ("Rgba8ui", 32, "Rgba8Uint"),
    ("R32ui", 33, "R32Uint"),
    ("Rgb10a2ui", 34, "Rgb10a2Uint"),
    ("Rg32ui", 35, "Rg32Uint"),
    ("Rg16ui", 36, "Rg16Uint"),
    ("Rg8ui", 37, "Rg8Uint"),
    ("R16ui", 38, "R16Uint"),
    ("R8ui", 39, "R8Uint"),
];

/// What a resource is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceKind {
    /// Structured buffer: an array of `elem`, `stride` bytes apart.
    Buffer {
        /// Element type.
        elem: Type,
        /// Bytes from one element to the next.
        stride: u32,
    },
    /// Byte address buffer: raw bytes, read and written as 32-bit words.
    Bytes,
    /// Constant buffer with the layout of [`Interface::structs`]`[n]`.
    Constants(u32),
    /// A texel of an image is a vector of `components` scalars in the kernel; memory has a format of its own.
    Image {
        /// Dimensionality.
        dim: ImageDim,
        /// Whether it is an array of images.
        arrayed: bool,
        /// Scalar that the kernel sees (`F32` for unorm formats too).
        scalar: Scalar,
        /// Components that the kernel sees (1 to 4).
        components: u32,
        /// The format that a storage image is declared with, by its SPIR-V name (`Rgba8`, `Rgba32f`, ...).
        /// None: any format whose texels are such vectors (sampled images; storage images without a format).
        format: Option<String>,
        /// A storage image (`RWTexture`), otherwise a sampled one (`Texture`).
        storage: bool,
        /// How many there are, in an array of resources (`Texture2D t[4]`).
        count: Option<u32>,
    },
    /// A typed buffer: texels in a row. A texel is a vector of `components` scalars in the kernel.
    Texels {
        /// Scalar that the kernel sees (`F32` for unorm formats too).
        scalar: Scalar,
        /// Components that the kernel sees (1 to 4).
        components: u32,
        /// The format in memory, by its SPIR-V name. None: the components as they are, 32 bits each.
        format: Option<String>,
        /// A storage texel buffer (`RWBuffer`), otherwise a uniform one (`Buffer`).
        storage: bool,
    },
    /// A sampler.
    Sampler {
        /// Whether it compares texels with a reference (`SamplerComparisonState`).
        compares: bool,
    },
    /// Memory of the work-group: the host chooses the number of elements.
    Local {
        /// Element type.
        elem: Type,
        /// Bytes from one element to the next.
        stride: u32,
    },
}

/// A resource of the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Name in the kernel.
    pub name: String,
    /// Line of the declaration in the source, from 1.
    pub line: u32,
    /// Whether the kernel may write it. Writable resources are `&mut` in the stub, others `&` (constants by value).
    pub writable: bool,
    /// Where Vulkan finds it.
    pub binding: Binding,
    /// What it is.
    pub kind: ResourceKind,
    /// The type as the kernel spells it (`RWStructuredBuffer<float>`), for messages.
    pub hlsl: String,
}

/// A specialization constant: a number that the host chooses when it loads a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// Name in the kernel.
    pub name: String,
    /// Its `SpecId`.
    pub id: u32,
    /// Line of the declaration in the source, from 1.
    pub line: u32,
    /// Its type.
    pub scalar: Scalar,
    /// The bits of its default, as many as the type has (`Bool`: 0 or 1).
    pub default: u64,
    /// The type as the kernel spells it, for messages.
    pub hlsl: String,
}

/// An entry point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPoint {
    /// Name of the function, which is the entry point's name in the SPIR-V module.
    pub name: String,
    /// Work-items in a work-group (`[numthreads]`).
    pub local_size: [u32; 3],
    /// Indices into [`Interface::resources`] of its arguments, in declaration order. They follow from the source as written,
    /// not from what optimisation leaves of it.
    pub resources: Vec<u32>,
    /// Those of the arguments that its code does not use: no device is given them.
    pub unused: Vec<u32>,
    /// The resources that a signature declared in Rust may have or leave out: those that the source of the entry point does
    /// not name, arguments or not.
    pub optional: Vec<u32>,
    /// The lanes of its waves, where the source says.
    pub wave: Option<WaveSize>,
    /// What it samples with what: indices of image and sampler.
    pub samples: Vec<(u32, u32)>,
    /// Its form for Level Zero: a kernel of OpenCL's flavour.
    pub cl: ClEntry,
    /// The same for devices without images, where they are memory. Not made if it uses no image: the other is for all
    /// devices.
    pub cl_memory: ClEntry,
    /// Its code for the CPU.
    pub cpu: CpuEntry,
}

impl EntryPoint {
    /// The arguments that its code uses.
    pub fn used(&self) -> impl Iterator<Item = u32> + '_ {
        self.resources.iter().copied().filter(|r| !self.unused.contains(r))
    }
}

/// How many lanes the waves of an entry point have: powers of two from 4 to 128.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaveSize {
    /// Fewest.
    pub least: u32,
    /// Most.
    pub most: u32,
    /// Which number is best; None: any.
    pub wanted: Option<u32>,
}

/// The form of an entry point as a kernel of OpenCL's flavour.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ClEntry {
    /// None was made.
    #[default]
    Absent,
    /// A kernel, which has a module of its own: what one entry point needs of a device is not asked of it for another.
    Kernel {
        /// File name of the SPIR-V module, beside the interface file.
        module: String,
        /// Its parameters, in order.
        args: Vec<ClArg>,
    },
    /// There is none, for this reason: place and message, in one line.
    Refused(String),
}

impl ClEntry {
    /// The parameters; none without a kernel.
    pub fn args(&self) -> &[ClArg] {
        match self {
            ClEntry::Kernel { args, .. } => args,
            ClEntry::Absent | ClEntry::Refused(_) => &[],
        }
    }
}

/// A parameter of a kernel of OpenCL's flavour. Numbers but that of `Local` are indices into [`Interface::resources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClArg {
    /// The address of a buffer (CrossWorkgroup).
    Pointer(u32),
    /// The number of bytes of a buffer, 64 bits.
    Length(u32),
    /// The bytes of a block of constants, by value: a struct, or a pointer to one with the `ByVal` attribute.
    Constants(u32),
    /// An image.
    Image(u32),
    /// The address of an image's texels, which lie row by row without gaps (CrossWorkgroup).
    Texels(u32),
    /// The extent and format of an image: a vector of four 32-bit words, which are width, height, depth and the number of
    /// the format in SPIR-V.
    Extent(u32),
    /// A scalar or vector by value: the bytes of a block of constants that has only that.
    Scalar(u32),
    /// Memory of the work-group (Workgroup) of this many bytes.
    Local(u32),
    /// Memory of the work-group of as many bytes as the host chooses.
    Sized(u32),
}

/// Makes a parameter from its number.
pub type MakeClArg = fn(u32) -> ClArg;

/// One row a kind of parameter: its name in interface files, the parameter from its number.
pub const CL_ARGS: &[(&str, MakeClArg)] = &[
    ("pointer", ClArg::Pointer),
    ("length", ClArg::Length),
    ("constants", ClArg::Constants),
    ("image", ClArg::Image),
    ("texels", ClArg::Texels),
    ("extent", ClArg::Extent),
    ("scalar", ClArg::Scalar),
    ("local", ClArg::Local),
    ("sized", ClArg::Sized),
];

impl ClArg {
    /// Its number: a resource, or bytes for `Local`.
    pub fn number(self) -> u32 {
        match self {
            ClArg::Pointer(n)
            | ClArg::Length(n)
            | ClArg::Constants(n)
            | ClArg::Image(n)
            | ClArg::Texels(n)
            | ClArg::Extent(n)
            | ClArg::Scalar(n)
            | ClArg::Local(n)
            | ClArg::Sized(n) => n,
        }
    }

    /// The name of its kind in interface files.
    pub fn name(self) -> &'static str {
        let row = CL_ARGS.iter().find(|row| row.1(self.number()) == self);
        row.expect("every kind of parameter has a row in CL_ARGS").0
    }
}

/// The form of an entry point on the CPU.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CpuEntry {
    /// None was made.
    #[default]
    Absent,
    /// Native code.
    Code(Cpu),
    /// There is none, for this reason: place and message, in one line.
    Refused(String),
}

impl CpuEntry {
    /// The code, if there is some.
    pub fn code(&self) -> Option<&Cpu> {
        match self {
            CpuEntry::Code(code) => Some(code),
            CpuEntry::Absent | CpuEntry::Refused(_) => None,
        }
    }
}

/// Native code of an entry point. For each instruction set the object has a function `{symbol}_{isa}` with the
/// signature of the runtime's CPU ABI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cpu {
    /// Common prefix of the symbols.
    pub symbol: String,
    /// Bytes of scratch memory that a thread needs (groupshared memory and values that live across barriers),
    /// aligned to 64.
    pub scratch: u32,
    /// Instruction sets, best first: `avx2`, `scalar`.
    pub isas: Vec<String>,
}

impl Type {
    /// Size in bytes, given the struct table it indexes. None if an index is out of range or the size
    /// does not fit 32 bits.
    pub fn size(&self, structs: &[Struct]) -> Option<u32> {
        match self {
            Type::Scalar(s) => Some(s.size()),
            Type::Vector(s, n) => s.size().checked_mul(*n),
            Type::Matrix { scalar, major, minor, stride, .. } => {
                stride.checked_mul(major.checked_sub(1)?)?.checked_add(scalar.size().checked_mul(*minor)?)
            }
            // The last element ends with its own size: what follows an array in a cbuffer may sit in the gap.
            Type::Array { elem, len, stride } => match len.checked_sub(1) {
                None => Some(0),
                Some(n) => stride.checked_mul(n)?.checked_add(elem.size(structs)?),
            },
            Type::Struct(i) => structs.get(*i as usize).map(|s| s.size),
        }
    }
}
