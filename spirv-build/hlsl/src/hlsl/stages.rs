//! What belongs to other shader stages than compute: types of objects, and their methods. Functions have rows in
//! [`super::intrinsics`].
//!
//! A file may hold the shaders of several stages. Those of other stages are checked as far as the tables here go, and a use of
//! what is in them is a mistake only in a function that an entry point reaches.

/// What a function or method gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // Named after their types.
pub enum Gives {
    Nothing,
    Bool,
    Uint,
    Uint3,
    Float,
    Float2,
    Float3,
    Float3x4,
    Float4x3,
    /// What the first argument is.
    First,
    /// An element of the object, which may be written.
    Elem,
    /// An object of this name, of the same elements.
    Object(&'static str),
    /// `BuiltInTrianglePositions`.
    Positions,
}

/// A set of shader stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StageSet(u16);

/// Who has something: stages, and the minor version of shader model 6 that gave it to them.
pub type Since = (StageSet, u32);

impl StageSet {
    /// All stages.
    pub const ALL: StageSet = StageSet(0xffff);
    /// Compute shaders.
    pub const COMPUTE: StageSet = StageSet(1);
    /// Pixel shaders.
    pub const PIXEL: StageSet = StageSet(2);
    const HULL: StageSet = StageSet(4);
    const DOMAIN: StageSet = StageSet(8);
    const GEOMETRY: StageSet = StageSet(0x10);
    const MESH: StageSet = StageSet(0x20);
    const AMPLIFICATION: StageSet = StageSet(0x40);
    const RAYS: StageSet = StageSet(0x80);
    const NODES: StageSet = StageSet(0x100);
    const EFFECTS: StageSet = StageSet(0x200);

    const fn and(self, other: StageSet) -> StageSet {
        StageSet(self.0 | other.0)
    }

    /// Whether it has all stages of another.
    pub const fn has(self, other: StageSet) -> bool {
        self.0 & other.0 == other.0
    }

    /// As messages call it; empty where they have no name for it.
    pub fn name(self) -> &'static str {
        const TESSELLATION: StageSet = StageSet::HULL.and(StageSet::DOMAIN);
        match self {
            Self::PIXEL => "pixel shaders",
            Self::HULL => "hull shaders",
            TESSELLATION => "hull and domain shaders",
            Self::GEOMETRY => "geometry shaders",
            Self::MESH => "mesh shaders",
            Self::AMPLIFICATION => "amplification shaders",
            Self::RAYS => "ray tracing",
            Self::NODES => "work graphs",
            Self::EFFECTS => "effects",
            _ => "",
        }
    }
}

// Who has the functions of [`super::intrinsics`] that not all stages have from the start.
pub(super) const PIXEL: &[Since] = &[(StageSet::PIXEL, 0)];
pub(super) const HULL: &[Since] = &[(StageSet::HULL, 0)];
pub(super) const MESH: &[Since] = &[(StageSet::MESH, 0)];
pub(super) const AMPLIFICATION: &[Since] = &[(StageSet::AMPLIFICATION, 0)];
pub(super) const RAYS: &[Since] = &[(StageSet::RAYS, 0)];
pub(super) const NODES: &[Since] = &[(StageSet::NODES, 0)];
pub(super) const MODEL_8: &[Since] = &[(StageSet::ALL, 8)];
pub(super) const MODEL_10: &[Since] = &[(StageSet::ALL, 10)];
/// What needs quads of threads, which groups of compute shaders form since shader model 6.6.
pub(super) const DERIVATIVES: &[Since] =
    &[(StageSet::PIXEL, 0), (StageSet::COMPUTE.and(StageSet::MESH).and(StageSet::AMPLIFICATION), 6)];

/// Template arguments of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Args {
    /// None.
    None,
    /// The type of its elements.
    Elem,
    /// That, or `float4`.
    ElemOrFloat4,
    /// The type of its elements and how many there are.
    ElemAndCount,
    /// A number.
    Number,
}

impl Args {
    /// Fewest and most.
    pub(crate) fn counts(self) -> (usize, usize) {
        match self {
            Self::None => (0, 0),
            Self::Elem | Self::Number => (1, 1),
            Self::ElemAndCount => (2, 2),
            // The number of samples may follow.
            Self::ElemOrFloat4 => (0, 2),
        }
    }
}

/// A method: name, least and greatest number of arguments, result.
pub type Method = (&'static str, u8, u8, Gives);

/// A type of objects.
#[derive(Debug)]
pub struct Object {
    /// Name, with the namespace before it.
    pub name: &'static str,
    /// Who has it.
    pub stage: StageSet,
    /// Its template arguments.
    pub args: Args,
    /// Its methods.
    pub methods: &'static [&'static [Method]],
    /// What an index gives.
    pub index: Option<Gives>,
    /// Whether it knows its length, as a member.
    pub length: bool,
}

/// The type of what a ray has met.
pub(super) const HIT: &str = "dx::HitObject";
const THREAD_RECORDS: &str = "ThreadNodeOutputRecords";
const GROUP_RECORDS: &str = "GroupNodeOutputRecords";

const STREAM: &[Method] = &[("Append", 1, 1, Gives::Nothing), ("RestartStrip", 0, 0, Gives::Nothing)];
const GET: &[Method] = &[("Get", 0, 1, Gives::Elem)];
const COUNT: &[Method] = &[("Count", 0, 0, Gives::Uint)];
const SHARED: &[Method] = &[("FinishedCrossGroupSharing", 0, 0, Gives::Bool)];
const COMPLETE: &[Method] = &[("OutputComplete", 0, 0, Gives::Nothing)];
const OUTPUT: &[Method] = &[
    ("GetThreadNodeOutputRecords", 1, 1, Gives::Object(THREAD_RECORDS)),
    ("GetGroupNodeOutputRecords", 1, 1, Gives::Object(GROUP_RECORDS)),
    ("IsValid", 0, 0, Gives::Bool),
];
const EMPTY_OUTPUT: &[Method] = &[
    ("GroupIncrementOutputCount", 1, 1, Gives::Nothing),
    ("ThreadIncrementOutputCount", 1, 1, Gives::Nothing),
    ("IsValid", 0, 0, Gives::Bool),
];
const FEEDBACK: &[Method] = &[
    ("GetDimensions", 2, 5, Gives::Nothing),
    ("WriteSamplerFeedback", 3, 4, Gives::Nothing),
    ("WriteSamplerFeedbackBias", 4, 5, Gives::Nothing),
    ("WriteSamplerFeedbackGrad", 5, 6, Gives::Nothing),
    ("WriteSamplerFeedbackLevel", 4, 4, Gives::Nothing),
];
const HIT_METHODS: &[Method] = &[
    ("IsMiss", 0, 0, Gives::Bool),
    ("IsHit", 0, 0, Gives::Bool),
    ("IsNop", 0, 0, Gives::Bool),
    ("GetRayFlags", 0, 0, Gives::Uint),
    ("GetRayTMin", 0, 0, Gives::Float),
    ("GetRayTCurrent", 0, 0, Gives::Float),
    ("GetWorldRayOrigin", 0, 0, Gives::Float3),
    ("GetWorldRayDirection", 0, 0, Gives::Float3),
    ("GetObjectRayOrigin", 0, 0, Gives::Float3),
    ("GetObjectRayDirection", 0, 0, Gives::Float3),
    ("GetObjectToWorld3x4", 0, 0, Gives::Float3x4),
    ("GetObjectToWorld4x3", 0, 0, Gives::Float4x3),
    ("GetWorldToObject3x4", 0, 0, Gives::Float3x4),
    ("GetWorldToObject4x3", 0, 0, Gives::Float4x3),
    ("GetGeometryIndex", 0, 0, Gives::Uint),
    ("GetInstanceIndex", 0, 0, Gives::Uint),
    ("GetInstanceID", 0, 0, Gives::Uint),
    ("GetPrimitiveIndex", 0, 0, Gives::Uint),
    ("GetHitKind", 0, 0, Gives::Uint),
    ("GetShaderTableIndex", 0, 0, Gives::Uint),
    // Its attributes are the only argument, or the type before it and the result.
    ("GetAttributes", 0, 1, Gives::First),
    ("SetShaderTableIndex", 1, 1, Gives::Nothing),
    ("LoadLocalRootTableConstant", 1, 1, Gives::Uint),
    ("GetClusterID", 0, 0, Gives::Uint),
    ("TriangleObjectPositions", 0, 0, Gives::Positions),
];

const fn object(
    name: &'static str,
    stage: StageSet,
    args: Args,
    methods: &'static [&'static [Method]],
    index: Option<Gives>,
) -> Object {
    Object { name, stage, args, methods, index, length: false }
}

/// One that is only declared.
const fn plain(name: &'static str, stage: StageSet) -> Object {
    object(name, stage, Args::None, &[], None)
}

const fn patch(name: &'static str) -> Object {
    Object {
        length: true,
        ..object(name, StageSet::HULL.and(StageSet::DOMAIN), Args::ElemAndCount, &[], Some(Gives::Elem))
    }
}

pub(super) static OBJECTS: &[Object] = {
    const ELEM: Option<Gives> = Some(Gives::Elem);
    &[
        patch("InputPatch"),
        patch("OutputPatch"),
        object("PointStream", StageSet::GEOMETRY, Args::Elem, &[STREAM], None),
        object("LineStream", StageSet::GEOMETRY, Args::Elem, &[STREAM], None),
        object("TriangleStream", StageSet::GEOMETRY, Args::Elem, &[STREAM], None),
        object(
            "SubpassInput",
            StageSet::PIXEL,
            Args::ElemOrFloat4,
            &[&[("SubpassLoad", 0, 0, Gives::Elem)]],
            None,
        ),
        object(
            "SubpassInputMS",
            StageSet::PIXEL,
            Args::ElemOrFloat4,
            &[&[("SubpassLoad", 1, 1, Gives::Elem)]],
            None,
        ),
        object("FeedbackTexture2D", StageSet::PIXEL, Args::Number, &[FEEDBACK], None),
        object("FeedbackTexture2DArray", StageSet::PIXEL, Args::Number, &[FEEDBACK], None),
        object(HIT, StageSet::RAYS, Args::None, &[HIT_METHODS], None),
        object("DispatchNodeInputRecord", StageSet::NODES, Args::Elem, &[GET], None),
        object("RWDispatchNodeInputRecord", StageSet::NODES, Args::Elem, &[GET, SHARED], None),
        object("GroupNodeInputRecords", StageSet::NODES, Args::Elem, &[GET, COUNT], ELEM),
        object("RWGroupNodeInputRecords", StageSet::NODES, Args::Elem, &[GET, COUNT], ELEM),
        object("ThreadNodeInputRecord", StageSet::NODES, Args::Elem, &[GET], None),
        object("RWThreadNodeInputRecord", StageSet::NODES, Args::Elem, &[GET], None),
        object("EmptyNodeInput", StageSet::NODES, Args::None, &[COUNT], None),
        object("NodeOutput", StageSet::NODES, Args::Elem, &[OUTPUT], None),
        object("NodeOutputArray", StageSet::NODES, Args::Elem, &[], Some(Gives::Object("NodeOutput"))),
        object("EmptyNodeOutput", StageSet::NODES, Args::None, &[EMPTY_OUTPUT], None),
        object(
            "EmptyNodeOutputArray",
            StageSet::NODES,
            Args::None,
            &[],
            Some(Gives::Object("EmptyNodeOutput")),
        ),
        object(THREAD_RECORDS, StageSet::NODES, Args::Elem, &[GET, COMPLETE], ELEM),
        object(GROUP_RECORDS, StageSet::NODES, Args::Elem, &[GET, COMPLETE], ELEM),
        plain("GlobalRootSignature", StageSet::RAYS),
        plain("LocalRootSignature", StageSet::RAYS),
        plain("ProceduralPrimitiveHitGroup", StageSet::RAYS),
        plain("RaytracingPipelineConfig", StageSet::RAYS),
        plain("RaytracingPipelineConfig1", StageSet::RAYS),
        plain("RaytracingShaderConfig", StageSet::RAYS),
        plain("StateObjectConfig", StageSet::RAYS),
        plain("SubobjectToExportsAssociation", StageSet::RAYS),
        plain("TriangleHitGroup", StageSet::RAYS),
        plain("BlendState", StageSet::EFFECTS),
        plain("ComputeShader", StageSet::EFFECTS),
        plain("DepthStencilState", StageSet::EFFECTS),
        plain("DepthStencilView", StageSet::EFFECTS),
        plain("DomainShader", StageSet::EFFECTS),
        plain("GeometryShader", StageSet::EFFECTS),
        plain("HullShader", StageSet::EFFECTS),
        plain("PixelShader", StageSet::EFFECTS),
        plain("RasterizerState", StageSet::EFFECTS),
        plain("RenderTargetView", StageSet::EFFECTS),
        plain("VertexShader", StageSet::EFFECTS),
    ]
};

/// A type of objects of another stage.
pub fn find(name: &str) -> Option<&'static Object> {
    OBJECTS.iter().find(|o| o.name == name)
}
