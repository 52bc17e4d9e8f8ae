//! Names of SPIR-V extensions, as `-fspv-extension=` takes them.

use crate::diag::suggest::closest;
use crate::spv;

/// Extensions that the tables do not know: those that bring no enumerants, and those that are newer.
const BARE_EXTENSIONS: &[&str] = &[
    "SPV_AMDX_shader_enqueue",
    "SPV_AMD_weak_linkage",
    "SPV_ARM_cooperative_matrix_layouts",
    "SPV_ARM_graph",
    "SPV_ARM_tensors",
    "SPV_EXT_arithmetic_fence",
    "SPV_EXT_descriptor_heap",
    "SPV_EXT_descriptor_indexing",
    "SPV_EXT_float8",
    "SPV_EXT_long_vector",
    "SPV_EXT_optnone",
    "SPV_EXT_relaxed_printf_string_address_space",
    "SPV_EXT_replicated_composites",
    "SPV_EXT_shader_64bit_indexing",
    "SPV_GOOGLE_decorate_string",
    "SPV_GOOGLE_hlsl_functionality1",
    "SPV_GOOGLE_user_type",
    "SPV_KHR_abort",
    "SPV_KHR_bfloat16",
    "SPV_KHR_compute_shader_derivatives",
    "SPV_KHR_device_group",
    "SPV_KHR_float_controls2",
    "SPV_KHR_fma",
    "SPV_KHR_maximal_reconvergence",
    "SPV_KHR_multiview",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_quad_control",
    "SPV_KHR_relaxed_extended_instruction",
    "SPV_KHR_storage_buffer_storage_class",
    "SPV_KHR_untyped_pointers",
    "SPV_KHR_variable_pointers",
    "SPV_NV_cluster_acceleration_structure",
    "SPV_NV_cooperative_matrix2",
    "SPV_NV_cooperative_vector",
    "SPV_NV_linear_swept_spheres",
    "SPV_NV_push_constant_bank",
    "SPV_NV_raw_access_chains",
    "SPV_NV_tensor_addressing",
    "SPV_QCOM_cooperative_matrix_conversion",
    "SPV_QCOM_image_processing2",
    "SPV_QCOM_tile_shading",
];

/// The extensions that a name means: itself, or all of Khronos.
pub(super) fn extension(name: &str) -> Result<Vec<String>, String> {
    let known = || spv::op_table::extensions().iter().chain(BARE_EXTENSIONS).copied();
    if name == "KHR" {
        return Ok(known().filter(|e| e.starts_with("SPV_KHR_")).map(String::from).collect());
    }
    if known().any(|e| e == name) {
        return Ok(vec![name.into()]);
    }
    Err(match closest(name, known()) {
        Some(like) => format!("unknown extension of SPIR-V `{name}`; did you mean `{like}`?"),
        None => format!("unknown extension of SPIR-V `{name}`"),
    })
}
