//! Events and fences.

use crate::lists::Queue;
use level_zero_sys::*;
use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// An event or a fence.
#[derive(Default)]
pub struct Event {
    state: Mutex<State>,
    changed: Condvar,
    timed: bool,
}

#[derive(Default, Clone, Copy)]
struct State {
    signalled: bool,
    begin: u64,
    end: u64,
}

struct Pool {
    timed: bool,
    count: u32,
}

impl Event {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn signal(&self, begin: u64, end: u64) {
        *self.state() = State { signalled: true, begin, end };
        self.changed.notify_all();
    }

    pub fn reset(&self) {
        self.state().signalled = false;
    }

    /// Waits for the signal, for that many nanoseconds.
    pub fn wait(&self, timeout: u64) -> ze_result_t {
        let unsignalled = |state: &mut State| !state.signalled;
        let state = self.state();
        let signalled = if timeout == u64::MAX {
            let waited = self.changed.wait_while(state, unsignalled);
            waited.unwrap_or_else(PoisonError::into_inner).signalled
        } else {
            let waited = self.changed.wait_timeout_while(state, Duration::from_nanos(timeout), unsignalled);
            waited.unwrap_or_else(PoisonError::into_inner).0.signalled
        };
        if signalled { ZE_RESULT_SUCCESS } else { ZE_RESULT_NOT_READY }
    }

    /// The event behind a handle; commands hold it, so that it may be destroyed once it was waited for.
    ///
    /// # Safety
    /// The handle is valid.
    pub unsafe fn of(handle: *mut c_void) -> Arc<Event> {
        let event: *const Event = handle.cast_const().cast();
        // SAFETY: handles of events come from `Arc::into_raw`.
        unsafe {
            Arc::increment_strong_count(event);
            Arc::from_raw(event)
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventPoolCreate(
    _context: ze_context_handle_t,
    desc: *const ze_event_pool_desc_t,
    _devices: u32,
    _list: *mut ze_device_handle_t,
    out: *mut ze_event_pool_handle_t,
) -> ze_result_t {
    // SAFETY: the structure is valid, by the specification.
    let desc = unsafe { &*desc };
    if desc.count == 0 {
        return ZE_RESULT_ERROR_INVALID_SIZE;
    }
    let pool = Pool { timed: desc.flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP != 0, count: desc.count };
    // SAFETY: as above.
    unsafe { out.write(Box::into_raw(Box::new(pool)).cast()) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventPoolDestroy(pool: ze_event_pool_handle_t) -> ze_result_t {
    // SAFETY: the handle comes from `zeEventPoolCreate` and is not used again.
    drop(unsafe { Box::from_raw(pool.cast::<Pool>()) });
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventCreate(
    pool: ze_event_pool_handle_t,
    desc: *const ze_event_desc_t,
    out: *mut ze_event_handle_t,
) -> ze_result_t {
    // SAFETY: handle and structure are valid, by the specification.
    let (pool, desc) = unsafe { (&*pool.cast::<Pool>(), &*desc) };
    if desc.index >= pool.count {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    let event = Arc::new(Event { timed: pool.timed, ..Event::default() });
    // SAFETY: as above.
    unsafe { out.write(Arc::into_raw(event).cast_mut().cast()) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventDestroy(event: ze_event_handle_t) -> ze_result_t {
    // SAFETY: the handle is valid and is not used again.
    drop(unsafe { Arc::from_raw(event.cast_const().cast::<Event>()) });
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventHostSignal(event: ze_event_handle_t) -> ze_result_t {
    // SAFETY: the handle is valid.
    unsafe { Event::of(event) }.signal(0, 0);
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventHostReset(event: ze_event_handle_t) -> ze_result_t {
    // SAFETY: the handle is valid.
    unsafe { Event::of(event) }.reset();
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventHostSynchronize(event: ze_event_handle_t, timeout: u64) -> ze_result_t {
    // SAFETY: the handle is valid.
    unsafe { Event::of(event) }.wait(timeout)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventQueryStatus(event: ze_event_handle_t) -> ze_result_t {
    // SAFETY: the handle is valid.
    unsafe { Event::of(event) }.wait(0)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventQueryKernelTimestamp(
    event: ze_event_handle_t,
    out: *mut ze_kernel_timestamp_result_t,
) -> ze_result_t {
    // SAFETY: the handle is valid.
    let event = unsafe { Event::of(event) };
    let state = *event.state();
    if !event.timed {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if !state.signalled {
        return ZE_RESULT_NOT_READY;
    }
    let times = ze_kernel_timestamp_data_t { kernelStart: state.begin, kernelEnd: state.end };
    // SAFETY: there is room for the result, by the specification.
    unsafe { out.write(ze_kernel_timestamp_result_t { global: times, context: times }) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeFenceCreate(
    _queue: ze_command_queue_handle_t,
    desc: *const ze_fence_desc_t,
    out: *mut ze_fence_handle_t,
) -> ze_result_t {
    let fence = Arc::new(Event::default());
    // SAFETY: the structure is valid, by the specification.
    unsafe {
        if (*desc).flags & ZE_FENCE_FLAG_SIGNALED != 0 {
            fence.signal(0, 0);
        }
        out.write(Arc::into_raw(fence).cast_mut().cast());
    }
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeFenceDestroy(fence: ze_fence_handle_t) -> ze_result_t {
    // SAFETY: fences are events here.
    unsafe { zeEventDestroy(fence) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeFenceHostSynchronize(fence: ze_fence_handle_t, timeout: u64) -> ze_result_t {
    // SAFETY: as above.
    unsafe { Event::of(fence) }.wait(timeout)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeFenceQueryStatus(fence: ze_fence_handle_t) -> ze_result_t {
    // SAFETY: as above.
    unsafe { Event::of(fence) }.wait(0)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeFenceReset(fence: ze_fence_handle_t) -> ze_result_t {
    // SAFETY: as above.
    unsafe { Event::of(fence) }.reset();
    ZE_RESULT_SUCCESS
}

/// Signals the fence, if there is one, after all that was pushed to the queue.
///
/// # Safety
/// The handle is null or valid.
pub unsafe fn signal_after(queue: &Queue, fence: ze_fence_handle_t) {
    if !fence.is_null() {
        // SAFETY: the caller's promise.
        let fence = unsafe { Event::of(fence) };
        queue.worker.then(move || fence.signal(0, 0));
    }
}
