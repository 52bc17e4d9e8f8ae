//! Constants that are there without a declaration; all are `uint`.

/// A row: name, value, and the minor version of shader model 6 that it came with.
pub type Row = (&'static str, i64, u32);

/// Asks for states of opacity micromaps.
pub const FORCE_OMM_2_STATE: i64 = 0x400;
/// Memory of resources.
pub const UAV: i64 = 1;
/// Memory of a group.
pub const GROUP_SHARED: i64 = 2;
/// Memory of work graphs, which there are none of here.
pub const NODES: i64 = 4 | 8;
/// All memory.
pub const ALL: i64 = 0xf;
/// Threads of a group wait.
pub const SYNC: i64 = 1;
/// A group sees an order.
pub const GROUP_SCOPE: i64 = 2;
/// The device does.
pub const DEVICE_SCOPE: i64 = 4;

/// Flags and states of rays, then of barriers, then what other stages have.
pub const CONSTANTS: &[Row] = &[
    ("RAY_FLAG_NONE", 0, 0),
    ("RAY_FLAG_FORCE_OPAQUE", 1, 0),
    ("RAY_FLAG_FORCE_NON_OPAQUE", 2, 0),
    ("RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH", 4, 0),
    ("RAY_FLAG_SKIP_CLOSEST_HIT_SHADER", 8, 0),
    ("RAY_FLAG_CULL_BACK_FACING_TRIANGLES", 0x10, 0),
    ("RAY_FLAG_CULL_FRONT_FACING_TRIANGLES", 0x20, 0),
    ("RAY_FLAG_CULL_OPAQUE", 0x40, 0),
    ("RAY_FLAG_CULL_NON_OPAQUE", 0x80, 0),
    ("RAY_FLAG_SKIP_TRIANGLES", 0x100, 0),
    ("RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES", 0x200, 0),
    ("RAY_FLAG_FORCE_OMM_2_STATE", FORCE_OMM_2_STATE, 9),
    ("RAYQUERY_FLAG_NONE", 0, 0),
    ("RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS", 1, 9),
    ("CANDIDATE_NON_OPAQUE_TRIANGLE", 0, 0),
    ("CANDIDATE_PROCEDURAL_PRIMITIVE", 1, 0),
    ("COMMITTED_NOTHING", 0, 0),
    ("COMMITTED_TRIANGLE_HIT", 1, 0),
    ("COMMITTED_PROCEDURAL_PRIMITIVE_HIT", 2, 0),
    ("UAV_MEMORY", UAV, 0),
    ("GROUP_SHARED_MEMORY", GROUP_SHARED, 0),
    ("NODE_INPUT_MEMORY", 4, 0),
    ("NODE_OUTPUT_MEMORY", 8, 0),
    ("ALL_MEMORY", ALL, 0),
    ("GROUP_SYNC", SYNC, 0),
    ("GROUP_SCOPE", GROUP_SCOPE, 0),
    ("DEVICE_SCOPE", DEVICE_SCOPE, 0),
    ("REORDER_SCOPE", 8, 9),
    ("HIT_KIND_NONE", 0, 0),
    ("HIT_KIND_TRIANGLE_FRONT_FACE", 0xfe, 0),
    ("HIT_KIND_TRIANGLE_BACK_FACE", 0xff, 0),
    ("CLUSTER_ID_INVALID", 0xffff_ffff, 0),
    ("STATE_OBJECT_FLAGS_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITONS", 1, 0),
    ("STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITONS", 1, 0),
    ("STATE_OBJECT_FLAGS_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS", 2, 0),
    ("STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS", 2, 0),
    ("STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS", 4, 0),
    ("RAYTRACING_PIPELINE_FLAG_NONE", 0, 0),
    ("RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES", 0x100, 0),
    ("RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES", 0x200, 0),
    ("RAYTRACING_PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS", 0x400, 9),
    ("SAMPLER_FEEDBACK_MIN_MIP", 0, 0),
    ("SAMPLER_FEEDBACK_MIP_REGION_USED", 1, 0),
];
