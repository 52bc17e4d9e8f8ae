//! The stream of commands: where they are appended, and their completion.

use super::device::{Device, Shared};
use super::errors::{check, failed};
use crate::error::{Error, Result};
use crate::gpu::Commands;
use level_zero_sys::*;
use std::any::Any;
use std::collections::VecDeque;
use std::ptr::null_mut;

/// Regular lists are executed after this many commands, so that the device has work while the host appends more.
const COMMANDS_PER_LIST: u64 = 64;
/// More lists than this are not in flight; the host waits.
const MAX_LISTS: usize = 64;
/// From this many commands in flight on it is looked now and then whether they have completed ...
const LOOK_AT: usize = 512;
/// ... and at this many the host waits.
const MAX_IN_FLIGHT: usize = 8192;

/// Where commands go.
enum Road {
    /// An in-order immediate list, whose commands begin as they are appended.
    InOrder(ze_command_list_handle_t),
    /// Regular lists, executed on a queue.
    Regular {
        queue: ze_command_queue_handle_t,
        /// The list that is being appended to, and how many commands it has.
        open: Option<(ze_command_list_handle_t, u64)>,
        /// Executed lists, each with its last command.
        flying: VecDeque<(u64, ze_command_list_handle_t)>,
        /// Lists to use again.
        idle: Vec<ze_command_list_handle_t>,
    },
}

/// What to wait for; waited for without the stream's lock.
enum Waiter {
    List(ze_command_list_handle_t),
    Queue(ze_command_queue_handle_t),
}

/// See the module `level_zero` for the invariants.
pub(super) struct Stream {
    road: Road,
    /// Number of the last command.
    command: u64,
    /// Number of the last command known to have completed.
    completed: u64,
    /// What commands use.
    kept: VecDeque<(u64, Box<dyn Any + Send + Sync>)>,
    /// Why nothing works any more.
    broken: Option<Error>,
}

// SAFETY: lists and queues may be used from any thread, if not from several at once; the stream's lock sees to that.
unsafe impl Send for Stream {}

impl Stream {
    pub fn new(shared: &Shared, in_order: bool) -> Result<Stream> {
        let mut desc = ze_command_queue_desc_t::new();
        desc.ordinal = shared.ordinal;
        desc.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
        let (api, context, device) = (&shared.api, shared.context, shared.raw);
        let mut road = None;
        if in_order {
            desc.flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER;
            let mut list = null_mut();
            // SAFETY: the ordinal is one of the device's.
            let result = unsafe { api.zeCommandListCreateImmediate(context, device, &desc, &mut list) };
            // A driver that has no such lists says so in one of many ways; the other road is always open.
            if result == ZE_RESULT_SUCCESS {
                road = Some(Road::InOrder(list));
            }
            desc.flags = 0;
        }
        let road = match road {
            Some(road) => road,
            None => {
                let mut queue = null_mut();
                // SAFETY: as above.
                let result = unsafe { api.zeCommandQueueCreate(context, device, &desc, &mut queue) };
                check("zeCommandQueueCreate", result)?;
                Road::Regular { queue, open: None, flying: VecDeque::new(), idle: Vec::new() }
            }
        };
        Ok(Stream { road, command: 0, completed: 0, kept: VecDeque::new(), broken: None })
    }

    /// Destroys everything, when nobody uses the device any more.
    pub fn destroy(&mut self, shared: &Shared) {
        let api = &shared.api;
        // SAFETY: lists and queue are valid and nobody else uses them; they are destroyed when their commands have
        // completed. If the device was lost there is nothing to wait for. An open list was not executed.
        unsafe {
            match &mut self.road {
                Road::InOrder(list) => {
                    api.zeCommandListHostSynchronize(*list, u64::MAX);
                    api.zeCommandListDestroy(*list);
                }
                Road::Regular { queue, open, flying, idle } => {
                    api.zeCommandQueueSynchronize(*queue, u64::MAX);
                    let open = open.take().map(|(list, _)| list);
                    for list in open.into_iter().chain(flying.drain(..).map(|f| f.1)).chain(idle.drain(..)) {
                        api.zeCommandListDestroy(list);
                    }
                    api.zeCommandQueueDestroy(*queue);
                }
            }
        }
        self.kept.clear();
    }

    /// The list to append one command to, and the command's number.
    pub fn begin(&mut self, shared: &Shared) -> Result<(ze_command_list_handle_t, u64)> {
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        self.make_room(shared)?;
        let list = match &mut self.road {
            Road::InOrder(list) => *list,
            Road::Regular { open, idle, .. } => {
                let (list, commands) = match open {
                    Some(open) => open,
                    None => {
                        let list = idle.pop().map_or_else(|| new_list(shared), Ok)?;
                        open.insert((list, 0))
                    }
                };
                // SAFETY: the list is open. The barrier separates the command from all before it, those of earlier
                // lists included.
                let result =
                    unsafe { shared.api.zeCommandListAppendBarrier(*list, null_mut(), 0, null_mut()) };
                check("zeCommandListAppendBarrier", result)?;
                *commands += 1;
                *list
            }
        };
        self.command += 1;
        Ok((list, self.command))
    }

    /// Keeps something until the last command has completed.
    pub fn keep(&mut self, what: impl Any + Send + Sync) {
        self.kept.push_back((self.command, Box::new(what)));
    }

    /// Executes the open list if it has become long.
    pub fn submit_if_long(&mut self, shared: &Shared) -> Result<()> {
        match &self.road {
            Road::Regular { open: Some((_, commands)), .. } if *commands >= COMMANDS_PER_LIST => {
                self.submit(shared)
            }
            _ => Ok(()),
        }
    }

    /// Executes the open list, if there is one.
    pub fn submit(&mut self, shared: &Shared) -> Result<()> {
        let Road::Regular { queue, open, flying, .. } = &mut self.road else { return Ok(()) };
        let Some((mut list, _)) = open.take() else { return Ok(()) };
        // Even if it fails: the list must not be destroyed under a device in an unknown state.
        flying.push_back((self.command, list));
        // SAFETY: the list is open and complete, and what it uses is kept.
        let result = unsafe {
            match shared.api.zeCommandListClose(list) {
                ZE_RESULT_SUCCESS => {
                    shared.api.zeCommandQueueExecuteCommandLists(*queue, 1, &mut list, null_mut())
                }
                failed => failed,
            }
        };
        self.checked("executing commands", result)
    }

    /// Whether this command has completed; 0 always has.
    pub fn is_complete(&mut self, shared: &Shared, command: u64) -> Result<bool> {
        if command > self.completed && !self.has_open() {
            let waiter = self.waiter();
            match waiter.wait(shared, 0) {
                ZE_RESULT_NOT_READY => {}
                result => {
                    self.checked("looking for completion", result)?;
                    self.retire(shared, self.command);
                }
            }
        }
        Ok(command <= self.completed)
    }

    /// Takes back what commands up to this one used, which have completed.
    fn retire(&mut self, shared: &Shared, command: u64) {
        self.completed = self.completed.max(command);
        while self.kept.front().is_some_and(|k| k.0 <= self.completed) {
            self.kept.pop_front();
        }
        if let Road::Regular { flying, idle, .. } = &mut self.road {
            while flying.front().is_some_and(|f| f.0 <= self.completed) {
                let Some((_, list)) = flying.pop_front() else { break };
                // SAFETY: the list's commands have completed.
                match unsafe { shared.api.zeCommandListReset(list) } {
                    ZE_RESULT_SUCCESS => idle.push(list),
                    // SAFETY: as above.
                    _ => unsafe {
                        shared.api.zeCommandListDestroy(list);
                    },
                }
            }
        }
    }

    /// Takes back what it can when much is in flight; waits when it is too much.
    fn make_room(&mut self, shared: &Shared) -> Result<()> {
        let lists = if let Road::Regular { flying, .. } = &self.road { flying.len() } else { 0 };
        let timeout = if self.kept.len() >= MAX_IN_FLIGHT || lists >= MAX_LISTS {
            self.submit(shared)?;
            u64::MAX
        } else if self.kept.len() >= LOOK_AT && self.kept.len().is_multiple_of(LOOK_AT) && !self.has_open() {
            0
        } else {
            return Ok(());
        };
        match self.waiter().wait(shared, timeout) {
            ZE_RESULT_NOT_READY => Ok(()),
            result => {
                self.checked("waiting", result)?;
                self.retire(shared, self.command);
                Ok(())
            }
        }
    }

    fn has_open(&self) -> bool {
        matches!(self.road, Road::Regular { open: Some(_), .. })
    }

    fn waiter(&self) -> Waiter {
        match self.road {
            Road::InOrder(list) => Waiter::List(list),
            Road::Regular { queue, .. } => Waiter::Queue(queue),
        }
    }

    fn checked(&mut self, call: &str, result: ze_result_t) -> Result<()> {
        if result == ZE_RESULT_SUCCESS {
            return Ok(());
        }
        let error = failed(call, result);
        self.broken = Some(error.clone());
        Err(error)
    }
}

impl Waiter {
    /// Waits for all commands so far, for that many nanoseconds.
    fn wait(&self, shared: &Shared, timeout: u64) -> ze_result_t {
        // SAFETY: the device, which has list and queue, is there while somebody waits; both calls may be made from
        // several threads at once.
        unsafe {
            match *self {
                Waiter::List(list) => shared.api.zeCommandListHostSynchronize(list, timeout),
                Waiter::Queue(queue) => shared.api.zeCommandQueueSynchronize(queue, timeout),
            }
        }
    }
}

impl Commands for Device {
    fn wait(&self, command: u64) -> Result<()> {
        let (waiter, last) = {
            let mut stream = self.stream();
            if let Some(error) = &stream.broken {
                return Err(error.clone());
            }
            if command <= stream.completed {
                return Ok(());
            }
            stream.submit(&self.shared)?;
            (stream.waiter(), stream.command)
        };
        let result = waiter.wait(&self.shared, u64::MAX);
        let mut stream = self.stream();
        stream.checked("waiting", result)?;
        stream.retire(&self.shared, last);
        Ok(())
    }

    fn submit(&self) -> Result<()> {
        self.stream().submit(&self.shared)
    }
}

fn new_list(shared: &Shared) -> Result<ze_command_list_handle_t> {
    let mut desc = ze_command_list_desc_t::new();
    desc.commandQueueGroupOrdinal = shared.ordinal;
    let mut list = null_mut();
    // SAFETY: the ordinal is one of the device's.
    let result = unsafe { shared.api.zeCommandListCreate(shared.context, shared.raw, &desc, &mut list) };
    check("zeCommandListCreate", result).map(|()| list)
}
