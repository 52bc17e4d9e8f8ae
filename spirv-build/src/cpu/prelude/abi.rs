// The CPU ABI, as spirv-runtime has it.
#[repr(C)]
pub struct Slot {
    data: *mut u8,
    bytes: u64,
    width: u32,
    height: u32,
    depth: u32,
    row_pitch: u32,
    slice_pitch: u32,
    format: u32,
    level_count: u32,
    levels: *const Slot,
}
#[repr(C)]
pub struct Launch {
    slots: *const Slot,
    slot_count: u32,
    groups: [u32; 3],
}
