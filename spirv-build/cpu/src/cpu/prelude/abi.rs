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
    control: *const Control,
}
#[repr(C)]
pub struct Control {
    stop: core::sync::atomic::AtomicU32,
    fault: core::sync::atomic::AtomicPtr<Fault>,
}
#[repr(C)]
pub struct Fault {
    kind: u32,
    line: u32,
    column: u32,
    file_len: u32,
    file: *const u8,
}
unsafe impl Sync for Fault {}
// Rounds of a loop between two looks at whether the launch is to end.
const ROUNDS: u32 = 256;
#[inline(always)]
fn stopped(launch: &Launch) -> bool { unsafe { (*launch.control).stop.load(core::sync::atomic::Ordering::Relaxed) != 0 } }
// Ends the launch, and says why; the first one to do so is heard.
#[cold]
#[inline(never)]
fn fail(launch: &Launch, fault: &'static Fault) {
    let control = unsafe { &*launch.control };
    let (null, fault) = (core::ptr::null_mut(), fault as *const Fault as *mut Fault);
    let _ = control.fault.compare_exchange(null, fault, core::sync::atomic::Ordering::Release, core::sync::atomic::Ordering::Relaxed);
    control.stop.store(1, core::sync::atomic::Ordering::Relaxed);
}
