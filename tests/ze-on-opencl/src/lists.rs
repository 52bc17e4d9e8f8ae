//! Command queues and lists, and what is appended to them.

use crate::clock::{setting, ticks};
use crate::events::{Event, signal_after};
use crate::modules::Kernel;
use crate::order::{Ties, order};
use crate::worker::{Action, Command, Worker};
use level_zero_sys::*;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Queues of the one group.
pub const QUEUES: u32 = 4;
/// Bytes of a fill pattern.
pub const MAX_PATTERN: usize = 128;

/// A command queue.
pub struct Queue {
    pub worker: Worker,
}

/// A command list.
struct List {
    /// The queue of an immediate list.
    immediate: Option<Queue>,
    in_order: bool,
    state: Mutex<Recorded>,
}

#[derive(Default)]
struct Recorded {
    closed: bool,
    commands: Vec<Command>,
}

/// An address that a command uses.
#[derive(Clone, Copy)]
pub struct Address(pub *mut c_void);

// SAFETY: commands use the memory as the application ordered it.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Address {
    pub fn get(self) -> *mut c_void {
        self.0
    }
}

impl List {
    /// # Safety
    /// The handle is valid.
    unsafe fn of<'a>(handle: ze_command_list_handle_t) -> &'a List {
        // SAFETY: handles of lists come from `Box::into_raw`.
        unsafe { &*handle.cast() }
    }

    fn state(&self) -> MutexGuard<'_, Recorded> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends a command.
///
/// # Safety
/// The handles are valid, and there are so many events to wait for.
pub unsafe fn append(
    list: ze_command_list_handle_t,
    barrier: bool,
    action: Option<Action>,
    signal: ze_event_handle_t,
    count: u32,
    waits: *mut ze_event_handle_t,
) -> ze_result_t {
    // SAFETY: the caller's promise.
    let (list, waits, signal) = unsafe {
        let waits = (0..count as usize).map(|i| Event::of(*waits.add(i))).collect();
        (List::of(list), waits, (!signal.is_null()).then(|| Event::of(signal)))
    };
    let command = Command { waits, signal, barrier, action };
    let mut state = list.state();
    if state.closed {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    match &list.immediate {
        Some(queue) => queue.worker.push(vec![command]),
        None => state.commands.push(command),
    }
    ZE_RESULT_SUCCESS
}

fn queue(desc: &ze_command_queue_desc_t) -> Result<Queue, ze_result_t> {
    if desc.ordinal != 0 || desc.index >= QUEUES {
        return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    let synchronous = desc.mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    Worker::new(synchronous).map(|worker| Queue { worker }).ok_or(ZE_RESULT_ERROR_UNINITIALIZED)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandQueueCreate(
    _context: ze_context_handle_t,
    _device: ze_device_handle_t,
    desc: *const ze_command_queue_desc_t,
    out: *mut ze_command_queue_handle_t,
) -> ze_result_t {
    // SAFETY: the structure is valid, by the specification.
    match queue(unsafe { &*desc }) {
        Ok(queue) => {
            // SAFETY: as above.
            unsafe { out.write(Box::into_raw(Box::new(queue)).cast()) };
            ZE_RESULT_SUCCESS
        }
        Err(e) => e,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandQueueDestroy(handle: ze_command_queue_handle_t) -> ze_result_t {
    // SAFETY: the handle is valid and is not used again.
    drop(unsafe { Box::from_raw(handle.cast::<Queue>()) });
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandQueueSynchronize(
    handle: ze_command_queue_handle_t,
    timeout: u64,
) -> ze_result_t {
    // SAFETY: the handle is valid.
    unsafe { &*handle.cast::<Queue>() }.worker.wait(timeout)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandQueueExecuteCommandLists(
    handle: ze_command_queue_handle_t,
    count: u32,
    lists: *mut ze_command_list_handle_t,
    fence: ze_fence_handle_t,
) -> ze_result_t {
    static SHUFFLE: OnceLock<bool> = OnceLock::new();
    let shuffle = *SHUFFLE.get_or_init(|| setting("ZEOCL_SHUFFLE", 0) != 0);
    // SAFETY: the handles are valid, and there are so many lists.
    let (queue, lists): (&Queue, Vec<&List>) =
        unsafe { (&*handle.cast(), (0..count as usize).map(|i| List::of(*lists.add(i))).collect()) };
    for list in &lists {
        let state = list.state();
        if !state.closed || list.immediate.is_some() {
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
        let ties: Vec<Ties> = state.commands.iter().map(Command::ties).collect();
        let order = order(&ties, shuffle && !list.in_order);
        queue.worker.push(order.into_iter().map(|i| state.commands[i].clone()).collect());
    }
    // SAFETY: the fence is null or valid.
    unsafe { signal_after(queue, fence) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListCreate(
    _context: ze_context_handle_t,
    _device: ze_device_handle_t,
    desc: *const ze_command_list_desc_t,
    out: *mut ze_command_list_handle_t,
) -> ze_result_t {
    // SAFETY: the structure is valid, by the specification.
    let desc = unsafe { &*desc };
    if desc.commandQueueGroupOrdinal != 0 {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    let in_order = desc.flags & ZE_COMMAND_LIST_FLAG_IN_ORDER != 0;
    let list = List { immediate: None, in_order, state: Mutex::default() };
    // SAFETY: as above.
    unsafe { out.write(Box::into_raw(Box::new(list)).cast()) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListCreateImmediate(
    _context: ze_context_handle_t,
    _device: ze_device_handle_t,
    desc: *const ze_command_queue_desc_t,
    out: *mut ze_command_list_handle_t,
) -> ze_result_t {
    // SAFETY: the structure is valid, by the specification.
    match queue(unsafe { &*desc }) {
        Ok(queue) => {
            let list = List { immediate: Some(queue), in_order: true, state: Mutex::default() };
            // SAFETY: as above.
            unsafe { out.write(Box::into_raw(Box::new(list)).cast()) };
            ZE_RESULT_SUCCESS
        }
        Err(e) => e,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListDestroy(handle: ze_command_list_handle_t) -> ze_result_t {
    // SAFETY: the handle is valid and is not used again.
    drop(unsafe { Box::from_raw(handle.cast::<List>()) });
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListClose(handle: ze_command_list_handle_t) -> ze_result_t {
    // SAFETY: the handle is valid.
    unsafe { List::of(handle) }.state().closed = true;
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListReset(handle: ze_command_list_handle_t) -> ze_result_t {
    // SAFETY: the handle is valid.
    *unsafe { List::of(handle) }.state() = Recorded::default();
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListHostSynchronize(
    handle: ze_command_list_handle_t,
    timeout: u64,
) -> ze_result_t {
    // SAFETY: the handle is valid.
    match &unsafe { List::of(handle) }.immediate {
        Some(queue) => queue.worker.wait(timeout),
        None => ZE_RESULT_ERROR_INVALID_ARGUMENT,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendBarrier(
    list: ze_command_list_handle_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *mut ze_event_handle_t,
) -> ze_result_t {
    // SAFETY: handles are valid, by the specification.
    unsafe { append(list, true, None, signal, count, waits) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendMemoryRangesBarrier(
    list: ze_command_list_handle_t,
    _ranges: u32,
    _sizes: *const usize,
    _pointers: *mut *const c_void,
    signal: ze_event_handle_t,
    count: u32,
    waits: *mut ze_event_handle_t,
) -> ze_result_t {
    // SAFETY: handles are valid, by the specification.
    unsafe { append(list, true, None, signal, count, waits) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendMemoryCopy(
    list: ze_command_list_handle_t,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    signal: ze_event_handle_t,
    count: u32,
    waits: *mut ze_event_handle_t,
) -> ze_result_t {
    let (to, from) = (Address(to), Address(from.cast_mut()));
    let action: Action = Arc::new(move |_| {
        // SAFETY: both have so many bytes, by the specification; the ranges may overlap.
        unsafe { to.get().cast::<u8>().copy_from(from.get().cast(), size) };
        Ok(())
    });
    // SAFETY: handles are valid, by the specification.
    unsafe { append(list, false, Some(action), signal, count, waits) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendMemoryFill(
    list: ze_command_list_handle_t,
    to: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    signal: ze_event_handle_t,
    count: u32,
    waits: *mut ze_event_handle_t,
) -> ze_result_t {
    if !pattern_size.is_power_of_two() || pattern_size > MAX_PATTERN || !size.is_multiple_of(pattern_size) {
        return ZE_RESULT_ERROR_INVALID_SIZE;
    }
    // SAFETY: the pattern has so many bytes, by the specification.
    let pattern = unsafe { std::slice::from_raw_parts(pattern.cast::<u8>(), pattern_size) }.to_vec();
    let to = Address(to);
    let action: Action = Arc::new(move |_| {
        // SAFETY: the memory has so many bytes, by the specification, and no other command uses it meanwhile.
        let bytes = unsafe { std::slice::from_raw_parts_mut(to.get().cast::<u8>(), size) };
        match pattern[..] {
            [byte] => bytes.fill(byte),
            _ => bytes.chunks_exact_mut(pattern.len()).for_each(|chunk| chunk.copy_from_slice(&pattern)),
        }
        Ok(())
    });
    // SAFETY: handles are valid, by the specification.
    unsafe { append(list, false, Some(action), signal, count, waits) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendWriteGlobalTimestamp(
    list: ze_command_list_handle_t,
    to: *mut u64,
    signal: ze_event_handle_t,
    count: u32,
    waits: *mut ze_event_handle_t,
) -> ze_result_t {
    let to = Address(to.cast());
    let action: Action = Arc::new(move |_| {
        // SAFETY: there is room for the time, by the specification.
        unsafe { to.get().cast::<u64>().write_unaligned(ticks()) };
        Ok(())
    });
    // SAFETY: handles are valid, by the specification.
    unsafe { append(list, false, Some(action), signal, count, waits) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendSignalEvent(
    list: ze_command_list_handle_t,
    event: ze_event_handle_t,
) -> ze_result_t {
    // SAFETY: handles are valid, by the specification.
    unsafe { append(list, false, None, event, 0, std::ptr::null_mut()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendWaitOnEvents(
    list: ze_command_list_handle_t,
    count: u32,
    events: *mut ze_event_handle_t,
) -> ze_result_t {
    // SAFETY: handles are valid, by the specification.
    unsafe { append(list, true, None, std::ptr::null_mut(), count, events) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendEventReset(
    list: ze_command_list_handle_t,
    event: ze_event_handle_t,
) -> ze_result_t {
    // SAFETY: handles are valid, by the specification.
    let event = unsafe { Event::of(event) };
    let action: Action = Arc::new(move |_| {
        event.reset();
        Ok(())
    });
    // SAFETY: as above.
    unsafe { append(list, true, Some(action), std::ptr::null_mut(), 0, std::ptr::null_mut()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendLaunchKernel(
    list: ze_command_list_handle_t,
    kernel: ze_kernel_handle_t,
    groups: *const ze_group_count_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *mut ze_event_handle_t,
) -> ze_result_t {
    // SAFETY: handles are valid, by the specification.
    let (kernel, groups) = unsafe { (Kernel::of(kernel), *groups) };
    let groups = [groups.groupCountX, groups.groupCountY, groups.groupCountZ];
    match kernel.launch() {
        Ok(launch) => {
            let action: Action = Arc::new(move |queue| launch.run(queue, groups));
            // SAFETY: as above.
            unsafe { append(list, false, Some(action), signal, count, waits) }
        }
        Err(e) => e,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendLaunchKernelIndirect(
    list: ze_command_list_handle_t,
    kernel: ze_kernel_handle_t,
    groups: *const ze_group_count_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *mut ze_event_handle_t,
) -> ze_result_t {
    // SAFETY: handles are valid, by the specification.
    let kernel = unsafe { Kernel::of(kernel) };
    let groups = Address(groups.cast_mut().cast());
    match kernel.launch() {
        Ok(launch) => {
            let action: Action = Arc::new(move |queue| {
                // SAFETY: the counts are there when the command runs, by the specification.
                let n = unsafe { groups.get().cast::<ze_group_count_t>().read_unaligned() };
                launch.run(queue, [n.groupCountX, n.groupCountY, n.groupCountZ])
            });
            // SAFETY: as above.
            unsafe { append(list, false, Some(action), signal, count, waits) }
        }
        Err(e) => e,
    }
}
