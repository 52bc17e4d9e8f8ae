//! What belongs to other shader stages than compute: functions, types of objects, and their methods.
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

/// A function: name, who has it, least and greatest number of arguments, result.
pub type Function = (&'static str, &'static str, u8, u8, Gives);

const PIXEL: &str = "pixel shaders";
const HULL: &str = "hull shaders";
const TESSELLATION: &str = "hull and domain shaders";
const GEOMETRY: &str = "geometry shaders";
const MESH: &str = "mesh shaders";
const AMPLIFICATION: &str = "amplification shaders";
const RAYS: &str = "ray tracing";
const NODES: &str = "work graphs";
const EFFECTS: &str = "effects";

/// Functions at the top level.
const FUNCTIONS: &[Function] = {
    use Gives::*;
    &[
        ("AcceptHitAndEndSearch", RAYS, 0, 0, Nothing),
        ("CallShader", RAYS, 2, 2, Nothing),
        ("ClusterID", RAYS, 0, 0, Uint),
        ("DispatchMesh", AMPLIFICATION, 4, 4, Nothing),
        ("DispatchRaysDimensions", RAYS, 0, 0, Uint3),
        ("DispatchRaysIndex", RAYS, 0, 0, Uint3),
        ("EvaluateAttributeAtSample", PIXEL, 2, 2, First),
        ("EvaluateAttributeCentroid", PIXEL, 1, 1, First),
        ("EvaluateAttributeSnapped", PIXEL, 2, 2, First),
        ("GeometryIndex", RAYS, 0, 0, Uint),
        ("GetAttributeAtVertex", PIXEL, 2, 2, First),
        ("GetRemainingRecursionLevels", NODES, 0, 0, Uint),
        ("GetRenderTargetSampleCount", PIXEL, 0, 0, Uint),
        ("GetRenderTargetSamplePosition", PIXEL, 1, 1, Float2),
        ("HitKind", RAYS, 0, 0, Uint),
        ("IgnoreHit", RAYS, 0, 0, Nothing),
        ("InstanceID", RAYS, 0, 0, Uint),
        ("InstanceIndex", RAYS, 0, 0, Uint),
        ("ObjectRayDirection", RAYS, 0, 0, Float3),
        ("ObjectRayOrigin", RAYS, 0, 0, Float3),
        ("ObjectToWorld", RAYS, 0, 0, Float3x4),
        ("ObjectToWorld3x4", RAYS, 0, 0, Float3x4),
        ("ObjectToWorld4x3", RAYS, 0, 0, Float4x3),
        ("PrimitiveIndex", RAYS, 0, 0, Uint),
        ("Process2DQuadTessFactorsAvg", HULL, 5, 5, Nothing),
        ("Process2DQuadTessFactorsMax", HULL, 5, 5, Nothing),
        ("Process2DQuadTessFactorsMin", HULL, 5, 5, Nothing),
        ("ProcessIsolineTessFactors", HULL, 4, 4, Nothing),
        ("ProcessQuadTessFactorsAvg", HULL, 5, 5, Nothing),
        ("ProcessQuadTessFactorsMax", HULL, 5, 5, Nothing),
        ("ProcessQuadTessFactorsMin", HULL, 5, 5, Nothing),
        ("ProcessTriTessFactorsAvg", HULL, 5, 5, Nothing),
        ("ProcessTriTessFactorsMax", HULL, 5, 5, Nothing),
        ("ProcessTriTessFactorsMin", HULL, 5, 5, Nothing),
        ("RayFlags", RAYS, 0, 0, Uint),
        ("RayTCurrent", RAYS, 0, 0, Float),
        ("RayTMin", RAYS, 0, 0, Float),
        ("ReportHit", RAYS, 3, 3, Bool),
        ("SetMeshOutputCounts", MESH, 2, 2, Nothing),
        ("TraceRay", RAYS, 8, 8, Nothing),
        ("TriangleObjectPositions", RAYS, 0, 0, Positions),
        ("WorldRayDirection", RAYS, 0, 0, Float3),
        ("WorldRayOrigin", RAYS, 0, 0, Float3),
        ("WorldToObject", RAYS, 0, 0, Float3x4),
        ("WorldToObject3x4", RAYS, 0, 0, Float3x4),
        ("WorldToObject4x3", RAYS, 0, 0, Float4x3),
    ]
};

/// Functions with a scope before them: of namespace `dx`, and static methods of its types.
const SCOPED: &[Function] = {
    use Gives::*;
    &[
        ("dx::HitObject::FromRayQuery", RAYS, 1, 3, Object(HIT)),
        ("dx::HitObject::Invoke", RAYS, 2, 2, Nothing),
        ("dx::HitObject::MakeMiss", RAYS, 3, 3, Object(HIT)),
        ("dx::HitObject::MakeNop", RAYS, 0, 0, Object(HIT)),
        ("dx::HitObject::TraceRay", RAYS, 8, 8, Object(HIT)),
        ("dx::MaybeReorderThread", RAYS, 1, 3, Nothing),
    ]
};

/// Functions whose last argument is what one shader hands to another: a structure.
pub const LAST_IS_STRUCT: &[&str] = &[
    "CallShader",
    "DispatchMesh",
    "ReportHit",
    "TraceRay",
    "dx::HitObject::Invoke",
    "dx::HitObject::TraceRay",
];

/// A function of another stage; its name with the scope before it.
pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().chain(SCOPED).find(|f| f.0 == name)
}

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

/// A method: name, least and greatest number of arguments, result.
pub type Method = (&'static str, u8, u8, Gives);

/// A type of objects.
#[derive(Debug)]
pub struct Object {
    /// Name, with the namespace before it.
    pub name: &'static str,
    /// Who has it.
    pub stage: &'static str,
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
const HIT: &str = "dx::HitObject";
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
    stage: &'static str,
    args: Args,
    methods: &'static [&'static [Method]],
    index: Option<Gives>,
) -> Object {
    Object { name, stage, args, methods, index, length: false }
}

/// One that is only declared.
const fn plain(name: &'static str, stage: &'static str) -> Object {
    object(name, stage, Args::None, &[], None)
}

const fn patch(name: &'static str) -> Object {
    Object { length: true, ..object(name, TESSELLATION, Args::ElemAndCount, &[], Some(Gives::Elem)) }
}

pub(super) static OBJECTS: &[Object] = {
    const ELEM: Option<Gives> = Some(Gives::Elem);
    &[
        patch("InputPatch"),
        patch("OutputPatch"),
        object("PointStream", GEOMETRY, Args::Elem, &[STREAM], None),
        object("LineStream", GEOMETRY, Args::Elem, &[STREAM], None),
        object("TriangleStream", GEOMETRY, Args::Elem, &[STREAM], None),
        object("SubpassInput", PIXEL, Args::ElemOrFloat4, &[&[("SubpassLoad", 0, 0, Gives::Elem)]], None),
        object("SubpassInputMS", PIXEL, Args::ElemOrFloat4, &[&[("SubpassLoad", 1, 1, Gives::Elem)]], None),
        object("FeedbackTexture2D", PIXEL, Args::Number, &[FEEDBACK], None),
        object("FeedbackTexture2DArray", PIXEL, Args::Number, &[FEEDBACK], None),
        object(HIT, RAYS, Args::None, &[HIT_METHODS], None),
        object("DispatchNodeInputRecord", NODES, Args::Elem, &[GET], None),
        object("RWDispatchNodeInputRecord", NODES, Args::Elem, &[GET, SHARED], None),
        object("GroupNodeInputRecords", NODES, Args::Elem, &[GET, COUNT], ELEM),
        object("RWGroupNodeInputRecords", NODES, Args::Elem, &[GET, COUNT], ELEM),
        object("ThreadNodeInputRecord", NODES, Args::Elem, &[GET], None),
        object("RWThreadNodeInputRecord", NODES, Args::Elem, &[GET], None),
        object("EmptyNodeInput", NODES, Args::None, &[COUNT], None),
        object("NodeOutput", NODES, Args::Elem, &[OUTPUT], None),
        object("NodeOutputArray", NODES, Args::Elem, &[], Some(Gives::Object("NodeOutput"))),
        object("EmptyNodeOutput", NODES, Args::None, &[EMPTY_OUTPUT], None),
        object("EmptyNodeOutputArray", NODES, Args::None, &[], Some(Gives::Object("EmptyNodeOutput"))),
        object(THREAD_RECORDS, NODES, Args::Elem, &[GET, COMPLETE], ELEM),
        object(GROUP_RECORDS, NODES, Args::Elem, &[GET, COMPLETE], ELEM),
        plain("GlobalRootSignature", RAYS),
        plain("LocalRootSignature", RAYS),
        plain("ProceduralPrimitiveHitGroup", RAYS),
        plain("RaytracingPipelineConfig", RAYS),
        plain("RaytracingPipelineConfig1", RAYS),
        plain("RaytracingShaderConfig", RAYS),
        plain("StateObjectConfig", RAYS),
        plain("SubobjectToExportsAssociation", RAYS),
        plain("TriangleHitGroup", RAYS),
        plain("BlendState", EFFECTS),
        plain("ComputeShader", EFFECTS),
        plain("DepthStencilState", EFFECTS),
        plain("DepthStencilView", EFFECTS),
        plain("DomainShader", EFFECTS),
        plain("GeometryShader", EFFECTS),
        plain("HullShader", EFFECTS),
        plain("PixelShader", EFFECTS),
        plain("RasterizerState", EFFECTS),
        plain("RenderTargetView", EFFECTS),
        plain("VertexShader", EFFECTS),
    ]
};

/// A type of objects of another stage.
pub fn find(name: &str) -> Option<&'static Object> {
    OBJECTS.iter().find(|o| o.name == name)
}

/// Constants that are there without a declaration.
pub const CONSTANTS: &[(&str, i64)] = &[
    ("HIT_KIND_NONE", 0),
    ("HIT_KIND_TRIANGLE_FRONT_FACE", 0xfe),
    ("HIT_KIND_TRIANGLE_BACK_FACE", 0xff),
    ("CLUSTER_ID_INVALID", 0xffff_ffff),
    ("STATE_OBJECT_FLAGS_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITONS", 1),
    ("STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITONS", 1),
    ("STATE_OBJECT_FLAGS_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS", 2),
    ("STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS", 2),
    ("STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS", 4),
    ("RAYTRACING_PIPELINE_FLAG_NONE", 0),
    ("RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES", 0x100),
    ("RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES", 0x200),
    ("RAYTRACING_PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS", 0x400),
    ("SAMPLER_FEEDBACK_MIN_MIP", 0),
    ("SAMPLER_FEEDBACK_MIP_REGION_USED", 1),
];
