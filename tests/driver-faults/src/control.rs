//! Which call fails, and what was counted.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_char};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A call that is to fail.
struct Fault {
    call: String,
    /// How many more of them succeed before.
    skip: u64,
    /// How many fail.
    times: u64,
    result: i32,
    fired: u64,
}

struct State {
    fault: Option<Fault>,
    calls: BTreeMap<&'static str, u64>,
    live: BTreeMap<&'static str, i64>,
    /// Devices that were lost.
    lost: BTreeSet<u64>,
    /// What the semaphore of a slow device has come to.
    reached: Option<u64>,
}

fn state() -> MutexGuard<'static, State> {
    static STATE: Mutex<State> = Mutex::new(State {
        fault: None,
        calls: BTreeMap::new(),
        live: BTreeMap::new(),
        lost: BTreeSet::new(),
        reached: None,
    });
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts a call, and says with what it is to fail.
pub fn call(name: &'static str) -> Option<i32> {
    let mut state = state();
    *state.calls.entry(name).or_default() += 1;
    let fault = state.fault.as_mut().filter(|fault| fault.call == name)?;
    if fault.skip > 0 {
        fault.skip -= 1;
        return None;
    }
    if fault.fired == fault.times {
        return None;
    }
    fault.fired += 1;
    Some(fault.result)
}

/// Counts objects that were made, or destroyed.
pub fn count(kind: &'static str, n: i64) {
    *state().live.entry(kind).or_default() += n;
}

/// Notes that a device was lost.
pub fn lose(device: u64) {
    state().lost.insert(device);
}

pub fn is_lost(device: u64) -> bool {
    state().lost.contains(&device)
}

/// A device of this handle is a new one.
pub fn is_new(device: u64) {
    state().lost.remove(&device);
}

/// What the semaphore of a slow device has come to; none is slow.
pub fn reached() -> Option<u64> {
    state().reached
}

/// This value was waited for.
pub fn reach(value: u64) {
    if let Some(reached) = &mut state().reached {
        *reached = value.max(*reached);
    }
}

/// Makes a Vulkan device with a timeline, of which there is one then, seem to do no more than what is waited for.
#[unsafe(no_mangle)]
pub extern "C" fn faults_slow(slow: bool) {
    state().reached = slow.then_some(0);
}

/// From now on, after `skip` calls of this function, `times` of them fail with this result. In place of what was to fail
/// before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn faults_arm(name: *const c_char, skip: u64, times: u64, result: i32) {
    // SAFETY: the caller gives a string.
    let call = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    state().fault = Some(Fault { call, skip, times, result, fired: 0 });
}

/// Nothing fails any more. Returns how many calls did.
#[unsafe(no_mangle)]
pub extern "C" fn faults_disarm() -> u64 {
    state().fault.take().map_or(0, |fault| fault.fired)
}

/// Counts calls from the beginning.
#[unsafe(no_mangle)]
pub extern "C" fn faults_restart() {
    state().calls.clear();
}

/// Tells of each function that was called, and how often.
#[unsafe(no_mangle)]
pub extern "C" fn faults_calls(tell: extern "C" fn(*const u8, usize, i64)) {
    let calls = state().calls.clone();
    calls.iter().for_each(|(name, n)| tell(name.as_ptr(), name.len(), *n as i64));
}

/// Tells of each kind of object, and how many there are.
#[unsafe(no_mangle)]
pub extern "C" fn faults_live(tell: extern "C" fn(*const u8, usize, i64)) {
    let live = state().live.clone();
    live.iter().for_each(|(name, n)| tell(name.as_ptr(), name.len(), *n));
}
