//! Attributes and modifiers: what they stand at, what they take, and which exclude each other.
use super::ast::Quals;
use super::types::{Dim, Resource};

/// What a declaration declares. Each is a bit, so that a row can name several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declares(u16);

impl Declares {
    /// Nothing that has attributes of its own.
    pub const NOTHING: Self = Self(0);
    /// A variable outside functions.
    pub const GLOBAL: Self = Self(1);
    /// A variable in a function.
    pub const LOCAL: Self = Self(2);
    /// A member of a structure.
    pub const MEMBER: Self = Self(4);
    /// A parameter.
    pub const PARAMETER: Self = Self(8);
    /// A function.
    pub const FUNCTION: Self = Self(16);
    /// A function in a structure.
    pub const METHOD: Self = Self(32);
    /// A name of a type.
    pub const TYPEDEF: Self = Self(64);
    /// A `cbuffer` or `tbuffer`.
    pub const BLOCK: Self = Self(128);
    /// A member of one.
    pub const BLOCK_MEMBER: Self = Self(256);
    const ALL: Self = Self(511);

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether they have something in common.
    pub const fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// With its article.
    pub fn name(self) -> &'static str {
        match self {
            Self::NOTHING => "a statement",
            Self::GLOBAL => "a global variable",
            Self::LOCAL => "a local variable",
            Self::MEMBER => "a member",
            Self::PARAMETER => "a parameter",
            Self::FUNCTION => "a function",
            Self::METHOD => "a method",
            Self::BLOCK => "a buffer",
            Self::BLOCK_MEMBER => "a member of a buffer; `packoffset` places those",
            _ => "a typedef",
        }
    }
}

/// What an attribute is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum For {
    /// What the host binds.
    Bound,
    /// Buffers with a counter.
    Counter,
    /// Typed buffers and textures that can be written.
    Format,
    /// A structure as a global variable.
    StructVariable,
    /// A global variable.
    Variable,
    /// A member of a structure.
    Member,
    /// A parameter.
    Parameter,
    /// A function.
    Function,
    /// What goes from one stage to the next.
    Stage,
    /// A texture or a sampler.
    TextureOrSampler,
    /// Whatever its own check says.
    Anything,
}

impl For {
    /// As messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bound => "resources and buffers at the top level",
            Self::Counter => "`RWStructuredBuffer`, `AppendStructuredBuffer` and `ConsumeStructuredBuffer`",
            Self::Format => "typed buffers, and textures that can be written",
            Self::StructVariable => "global variables that are structures",
            Self::Variable => "global variables",
            Self::Member => "members of structures",
            Self::Parameter => "parameters",
            Self::Function => "functions",
            Self::Stage => "what goes from one shader stage to the next",
            Self::TextureOrSampler => "textures and samplers",
            Self::Anything => "what it belongs to",
        }
    }

    /// Where it may stand.
    pub fn places(self) -> Declares {
        type D = Declares;
        match self {
            Self::Bound | Self::StructVariable => D::GLOBAL.or(D::BLOCK),
            Self::Counter | Self::Variable | Self::TextureOrSampler => D::GLOBAL,
            // A member that is a resource becomes a variable of its own.
            Self::Format => D::GLOBAL.or(D::MEMBER),
            Self::Member => D::MEMBER,
            Self::Parameter => D::PARAMETER,
            Self::Function => D::FUNCTION.or(D::METHOD),
            Self::Stage => D::MEMBER.or(D::PARAMETER).or(D::FUNCTION).or(D::METHOD),
            Self::Anything => D::ALL,
        }
    }

    /// Whether it is for variables of a type of resources; `None` where the type does not decide.
    pub fn fits(self, r: Option<Resource>) -> Option<bool> {
        Some(match (self, r) {
            (Self::Counter, r) => {
                matches!(r, Some(Resource::Structured { writable: true, .. } | Resource::Queue { .. }))
            }
            (Self::Format, Some(Resource::Texture { shape, writable, .. })) => {
                writable || shape.dim == Dim::Buffer
            }
            (Self::Format, _) => false,
            (Self::TextureOrSampler, r) => {
                matches!(r, Some(Resource::Texture { .. } | Resource::Sampler { .. }))
            }
            _ => return None,
        })
    }
}

/// The arguments of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Args {
    /// None.
    Nothing,
    /// So many integers, at least and at most.
    Ints(usize, usize),
    /// A constant number.
    Number,
    /// A string.
    Text,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// What reads them looks.
    Any,
}

/// Namespaces of attributes for SPIR-V. Each is a name for the same: `Vulkan` is what it was called at first, `spv` what other
/// compilers call it.
pub const SCOPES: &[&str] = &["vk", "Vulkan", "spv"];

/// A row: name, what it is for, arguments.
pub type Row = (&'static str, For, Args);

/// Attributes of these namespaces. `aliased_pointer` says what holds for all pointers here: others may point there too.
pub const VK: &[Row] = {
    use Args::*;
    &[
        ("binding", For::Bound, Ints(1, 2)),
        ("set", For::Bound, Ints(1, 1)),
        ("counter_binding", For::Counter, Ints(1, 1)),
        ("image_format", For::Format, Text),
        ("push_constant", For::StructVariable, Any),
        ("shader_record_nv", For::StructVariable, Any),
        ("shader_record_ext", For::StructVariable, Any),
        ("constant_id", For::Variable, Ints(1, 1)),
        ("offset", For::Member, Ints(1, 1)),
        ("location", For::Stage, Any),
        ("index", For::Stage, Any),
        ("builtin", For::Stage, Any),
        ("combinedImageSampler", For::TextureOrSampler, Any),
        ("spvexecutionmode", For::Function, Ints(1, 1)),
        ("ext_instruction", For::Function, Any),
        ("ext_type_def", For::Function, Ints(2, 2)),
        ("ext_literal", For::Parameter, Any),
        ("ext_reference", For::Parameter, Any),
        ("ext_capability", For::Anything, Any),
        ("ext_extension", For::Anything, Text),
        ("ext_builtin_input", For::Anything, Ints(1, 1)),
        ("ext_builtin_output", For::Anything, Any),
        ("ext_decorate", For::Anything, Any),
        ("ext_decorate_id", For::Anything, Any),
        ("ext_decorate_string", For::Anything, Any),
        ("ext_storage_class", For::Anything, Ints(1, 1)),
        ("input_attachment_index", For::Anything, Any),
        ("aliased_pointer", For::Anything, Any),
    ]
};

/// Pairs of those that exclude each other.
pub const EXCLUSIVE: &[(&str, &str)] = &[
    ("push_constant", "binding"),
    ("push_constant", "constant_id"),
    ("push_constant", "shader_record_ext"),
    ("push_constant", "shader_record_nv"),
    ("shader_record_ext", "binding"),
    ("shader_record_nv", "binding"),
    ("ext_builtin_input", "ext_builtin_output"),
];

/// Attributes of functions, of other stages, too: those mean nothing here but are checked all the same.
pub const OF_FUNCTIONS: &[(&str, Args)] = &[
    ("numthreads", Args::Ints(3, 3)),
    ("wavesize", Args::Ints(1, 3)),
    ("shader", Args::OneOf(STAGES)),
    ("maxvertexcount", Args::Number),
    ("instance", Args::Number),
    ("outputcontrolpoints", Args::Number),
    ("maxtessfactor", Args::Number),
    ("earlydepthstencil", Args::Nothing),
    ("patchconstantfunc", Args::Text),
    ("domain", Args::OneOf(&["tri", "quad", "isoline"])),
    ("partitioning", Args::OneOf(&["integer", "fractional_even", "fractional_odd", "pow2"])),
    ("outputtopology", Args::OneOf(&["point", "line", "triangle", "triangle_cw", "triangle_ccw"])),
];

/// What `[shader(…)]` may name.
pub const STAGES: &[&str] = &[
    "compute",
    "vertex",
    "pixel",
    "hull",
    "domain",
    "geometry",
    "raygeneration",
    "intersection",
    "anyhit",
    "closesthit",
    "miss",
    "callable",
    "mesh",
    "amplification",
    "node",
];

/// The row of a name of `vk`.
pub fn find(name: &str) -> Option<&'static Row> {
    VK.iter().find(|r| r.0 == name)
}

/// The row of an attribute of functions; case does not matter.
pub fn find_of_function(name: &str) -> Option<&'static (&'static str, Args)> {
    OF_FUNCTIONS.iter().find(|r| r.0.eq_ignore_ascii_case(name))
}

/// How a value gets from one stage to the next: without meaning here, but with rules.
const INTERPOLATION: &[Quals] = &[
    Quals::NOINTERPOLATION,
    Quals::LINEAR,
    Quals::CENTROID,
    Quals::CENTER,
    Quals::NOPERSPECTIVE,
    Quals::SAMPLE,
];
/// What primitives a geometry shader takes.
const TOPOLOGY: &[Quals] = &[Quals::POINT, Quals::LINE, Quals::TRIANGLE, Quals::LINEADJ, Quals::TRIANGLEADJ];

/// A row for each group of modifiers that do not fit everywhere: what they may stand at, and what to do.
pub const MODIFIERS: &[(&[Quals], Declares, &str)] = {
    type D = Declares;
    &[
        (
            &[Quals::VOLATILE],
            D::LOCAL.or(D::TYPEDEF),
            "remove it: the word is reserved; `globallycoherent` is for buffers that groups share",
        ),
        (&[Quals::EXTERN, Quals::SHARED], D::GLOBAL, "remove it"),
        (&[Quals::STATIC], D::GLOBAL.or(D::LOCAL).or(D::MEMBER).or(D::FUNCTION).or(D::METHOD), "remove it"),
        (&[Quals::GROUPSHARED], D::GLOBAL.or(D::PARAMETER), "declare a global variable `groupshared`"),
        (&[Quals::UNIFORM], D::GLOBAL.or(D::PARAMETER), "only global variables come from the host"),
        (&[Quals::INOUT, Quals::OUT, Quals::IN], D::PARAMETER, "only parameters have a direction"),
        (INTERPOLATION, D::PARAMETER.or(D::MEMBER).or(D::FUNCTION), "remove it"),
        (TOPOLOGY, D::PARAMETER, "remove it"),
        (
            &[Quals::INDICES, Quals::VERTICES, Quals::PRIMITIVES, Quals::PAYLOAD],
            D::PARAMETER,
            "it belongs to parameters of mesh shaders",
        ),
        (&[Quals::EXPORT], D::FUNCTION, "only functions are exported"),
        (&[Quals::INLINE], D::FUNCTION.or(D::METHOD), "remove it"),
    ]
};

/// Modifiers of which a declaration has one of the first or one of the second list.
pub const EXCLUSIVE_MODIFIERS: &[(&[Quals], &[Quals])] = &[
    (&[Quals::STATIC], &[Quals::EXTERN, Quals::SHARED, Quals::UNIFORM, Quals::EXPORT]),
    (&[Quals::EXTERN], &[Quals::GROUPSHARED]),
    (&[Quals::GROUPSHARED], &[Quals::IN, Quals::OUT, Quals::INOUT]),
    (&[Quals::UNIFORM], &[Quals::OUT, Quals::INOUT]),
    (
        &[Quals::NOINTERPOLATION],
        &[Quals::LINEAR, Quals::CENTROID, Quals::CENTER, Quals::NOPERSPECTIVE, Quals::SAMPLE],
    ),
    (&[Quals::UNIFORM], INTERPOLATION),
    (&[Quals::UNIFORM], TOPOLOGY),
    (INTERPOLATION, TOPOLOGY),
    (TOPOLOGY, TOPOLOGY),
];
