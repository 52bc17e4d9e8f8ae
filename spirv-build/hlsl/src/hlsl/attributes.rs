//! Attributes: what they stand at, what they take, and which exclude each other.
use super::types::{Dim, Resource};

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
