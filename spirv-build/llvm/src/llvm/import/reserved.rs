//! Names of builtin functions: a call of one that is not known here cannot be left to the linker, since no library has it.

/// What the names of OpenCL C's builtin functions begin with, those of common extensions among them. Functions of mathematics
/// are known by the table of `OpenCL.std`.
const FAMILIES: &[&str] = &[
    "amd_",
    "as_",
    "async_work_group_",
    "atom_",
    "atomic_",
    "barrier",
    "bitfield_",
    "capture_event_profiling_info",
    "commit_read_pipe",
    "commit_write_pipe",
    "convert_",
    "create_user_event",
    "dot_4x8packed_",
    "dot_acc_sat",
    "enqueue_kernel",
    "enqueue_marker",
    "get_default_queue",
    "get_enqueued_",
    "get_global_",
    "get_group_id",
    "get_image_",
    "get_kernel_",
    "get_local_",
    "get_max_sub_group_size",
    "get_num_",
    "get_pipe_",
    "get_sub_group_",
    "get_work_dim",
    "intel_",
    "is_valid_event",
    "mem_fence",
    "ndrange_",
    "prefetch",
    "read_image",
    "read_mem_fence",
    "read_pipe",
    "release_event",
    "reserve_read_pipe",
    "reserve_write_pipe",
    "retain_event",
    "set_user_event_status",
    "sub_group_",
    "to_global",
    "to_local",
    "to_private",
    "vload",
    "vstore",
    "wait_group_events",
    "work_group_",
    "write_image",
    "write_mem_fence",
    "write_pipe",
];

/// Whether a function of this name, without its mangling, can only be a builtin. Builtins are overloaded, so that a name that is
/// not mangled is a user's own unless SPIR-V's own names begin with it.
pub(super) fn is_builtin(name: &str, mangled: bool) -> bool {
    name.starts_with("__spirv_") || mangled && FAMILIES.iter().any(|f| name.starts_with(f))
}
