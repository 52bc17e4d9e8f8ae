// How code meets spirv-runtime, beside the structures of spirv-abi.
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
