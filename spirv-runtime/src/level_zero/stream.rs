//! The stream of commands: where they are appended, and their completion.

use super::device::{Device, Shared};
use crate::error::{ErrorKind, Result};
use crate::gpu::{Commands, DROPPED_PER_SUBMISSION, Dropped, MAX_HELD};
use level_zero_sys::*;
use std::any::Any;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::ptr::null_mut;
use std::time::Duration;

/// Regular lists are executed after this many commands, so that the device has work while the host appends more.
const COMMANDS_PER_LIST: u64 = 64;
/// More lists than this are not in flight; the host waits.
const MAX_LISTS: usize = 64;
/// From this many commands in flight on it is looked now and then whether they have completed ...
const LOOK_AT: usize = 512;
/// ... and at this many the host waits.
const MAX_IN_FLIGHT: usize = 8192;
/// How often, and how long apart, it is asked whether a device is idle that cannot say so for want of memory.
const IDLE_TRIES: (u32, Duration) = (100, Duration::from_millis(10));

/// Where commands go.
enum Road {
    /// An in-order immediate list, whose commands begin as they are appended.
    InOrder(ze_command_list_handle_t),
    /// Regular lists, executed on a queue.
    Regular {
        queue: ze_command_queue_handle_t,
        /// The list that is being appended to.
        open: Option<Open>,
        /// Complete, but the driver had no memory to execute it: it is executed before anything else. With its last command.
        closed: Option<(u64, ze_command_list_handle_t)>,
        /// Executed lists, each with its last command.
        flying: VecDeque<(u64, ze_command_list_handle_t)>,
        /// Lists to use again.
        idle: Vec<ze_command_list_handle_t>,
    },
}

/// A list that is being appended to.
struct Open {
    list: ze_command_list_handle_t,
    /// Its first command, and how many it has.
    first: u64,
    commands: u64,
    /// Bytes of memory of its commands that users have dropped.
    dropped: u64,
}

/// What a command uses.
struct Kept {
    command: u64,
    /// Bytes that nobody else holds.
    bytes: u64,
    _what: Box<dyn Any + Send + Sync>,
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
    kept: VecDeque<Kept>,
    /// Bytes that only commands in flight hold.
    held: u64,
    dropped: Dropped,
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
            match result {
                ZE_RESULT_SUCCESS => road = Some(Road::InOrder(list)),
                ZE_RESULT_ERROR_DEVICE_LOST => {
                    return Err(shared.failed("zeCommandListCreateImmediate", result));
                }
                _ => {}
            }
            desc.flags = 0;
        }
        let road = match road {
            Some(road) => road,
            None => {
                let mut queue = null_mut();
                // SAFETY: as above.
                let result = unsafe { api.zeCommandQueueCreate(context, device, &desc, &mut queue) };
                shared.check("zeCommandQueueCreate", result)?;
                Road::Regular { queue, open: None, closed: None, flying: VecDeque::new(), idle: Vec::new() }
            }
        };
        let (kept, dropped) = (VecDeque::new(), Dropped::default());
        Ok(Stream { road, command: 0, completed: 0, kept, held: 0, dropped })
    }

    /// Destroys everything, when nobody uses the device any more. False if the device may be using it all the same, and
    /// nothing was destroyed.
    pub fn destroy(&mut self, shared: &Shared) -> bool {
        if !self.waiter().is_idle(shared) {
            std::mem::take(&mut self.kept).into_iter().for_each(std::mem::forget);
            return false;
        }
        let api = &shared.api;
        // SAFETY: lists and queue are valid and nobody else uses them; their commands have completed, or the device was
        // lost. An open list was not executed.
        unsafe {
            match &mut self.road {
                Road::InOrder(list) => {
                    api.zeCommandListDestroy(*list);
                }
                Road::Regular { queue, open, closed, flying, idle } => {
                    let unexecuted =
                        open.take().map(|o| o.list).into_iter().chain(closed.take().map(|c| c.1));
                    for list in unexecuted.chain(flying.drain(..).map(|f| f.1)).chain(idle.drain(..)) {
                        api.zeCommandListDestroy(list);
                    }
                    api.zeCommandQueueDestroy(*queue);
                }
            }
        }
        self.kept.clear();
        true
    }

    /// The list to append one command to, and the command's number.
    pub fn begin(&mut self, shared: &Shared) -> Result<(ze_command_list_handle_t, u64)> {
        shared.alive()?;
        if self.kept.len() >= LOOK_AT && self.kept.len().is_multiple_of(LOOK_AT) && !self.has_open() {
            self.look(shared)?;
        }
        self.execute(shared)?;
        let first = self.command + 1;
        let list = match &mut self.road {
            Road::InOrder(list) => *list,
            Road::Regular { open, idle, .. } => {
                let open = match open {
                    Some(open) => open,
                    None => {
                        let list = idle.pop().map_or_else(|| new_list(shared), Ok)?;
                        open.insert(Open { list, first, commands: 0, dropped: 0 })
                    }
                };
                // SAFETY: the list is open. The barrier separates the command from all before it, those of earlier
                // lists included.
                let result =
                    unsafe { shared.api.zeCommandListAppendBarrier(open.list, null_mut(), 0, null_mut()) };
                shared.check("zeCommandListAppendBarrier", result)?;
                open.commands += 1;
                open.list
            }
        };
        self.command += 1;
        Ok((list, self.command))
    }

    /// Keeps something until the last command has completed, so many bytes of which nobody else holds.
    pub fn keep(&mut self, bytes: usize, what: impl Any + Send + Sync) {
        self.held += bytes as u64;
        self.kept.push_back(Kept { command: self.command, bytes: bytes as u64, _what: Box::new(what) });
    }

    /// The user has dropped memory of so many bytes, which this command was the last to use.
    pub fn release(&mut self, shared: &Shared, command: u64, bytes: usize) {
        if let Ok(at) = self.kept.binary_search_by_key(&command, |k| k.command) {
            self.kept[at].bytes += bytes as u64;
            self.held += bytes as u64;
        }
        // Errors come out where something is waited for.
        if let Road::Regular { open: Some(open), .. } = &mut self.road
            && open.first <= command
        {
            open.dropped += bytes as u64;
            if open.dropped >= DROPPED_PER_SUBMISSION {
                let _ = self.submit(shared);
            }
        }
        if !self.has_open() {
            let _ = self.look(shared);
        }
    }

    /// An error if the command that was to write some memory is not among those that run.
    pub fn check_writer(&self, command: u64) -> Result<()> {
        self.dropped.check_writer(command)
    }

    /// Executes the open list if it has become long.
    pub fn submit_if_long(&mut self, shared: &Shared) -> Result<()> {
        let long = |open: &Open| open.commands >= COMMANDS_PER_LIST;
        if !matches!(&self.road, Road::Regular { open: Some(open), .. } if long(open)) {
            return Ok(());
        }
        match self.submit(shared) {
            // It is complete and will be executed: nothing of it is lost.
            Err(e) if e.kind() == ErrorKind::OutOfMemory && self.has_closed() => Ok(()),
            done => done,
        }
    }

    /// Executes the open list, if there is one.
    pub fn submit(&mut self, shared: &Shared) -> Result<()> {
        self.execute(shared)?;
        let last = self.command;
        let Road::Regular { open, closed, .. } = &mut self.road else { return Ok(()) };
        let Some(Open { list, first, .. }) = open.take() else { return Ok(()) };
        // SAFETY: the list is open, and what it uses is kept.
        let result = unsafe { shared.api.zeCommandListClose(list) };
        if result != ZE_RESULT_SUCCESS {
            // SAFETY: the list was not executed.
            unsafe { shared.api.zeCommandListDestroy(list) };
            let error = shared.failed("zeCommandListClose", result);
            if first <= last {
                self.dropped.add(first..=last, error.clone());
            }
            return Err(error);
        }
        *closed = Some((last, list));
        self.execute(shared)
    }

    /// Executes the complete list, if there is one.
    fn execute(&mut self, shared: &Shared) -> Result<()> {
        shared.alive()?;
        let Road::Regular { queue, closed, flying, .. } = &mut self.road else { return Ok(()) };
        let Some((last, mut list)) = *closed else { return Ok(()) };
        // SAFETY: the list is complete, and what it uses is kept.
        let result =
            unsafe { shared.api.zeCommandQueueExecuteCommandLists(*queue, 1, &mut list, null_mut()) };
        let done = shared.check("zeCommandQueueExecuteCommandLists", result);
        match &done {
            // It is as it was.
            Err(e) if e.kind() == ErrorKind::OutOfMemory => return done,
            Err(e) => {
                let first = flying.back().map_or(self.completed, |f| f.0) + 1;
                self.dropped.add(first..=last, e.clone());
            }
            Ok(()) => {}
        }
        // Also if it failed: nobody knows whether the device uses it.
        flying.extend(closed.take());
        done
    }

    /// Whether this command has completed; 0 always has.
    pub fn is_complete(&mut self, shared: &Shared, command: u64) -> Result<bool> {
        shared.alive()?;
        if command > self.completed && !self.has_open() {
            self.look(shared)?;
        }
        Ok(command <= self.completed)
    }

    /// Looks whether everything has completed; nothing is open.
    fn look(&mut self, shared: &Shared) -> Result<()> {
        if self.has_closed() {
            return Ok(());
        }
        match self.waiter().wait(shared, 0) {
            ZE_RESULT_NOT_READY => Ok(()),
            result => {
                shared.check("looking for completion", result)?;
                self.retire(shared, self.command);
                Ok(())
            }
        }
    }

    /// Takes back what commands up to this one used, which have completed.
    fn retire(&mut self, shared: &Shared, command: u64) {
        self.completed = self.completed.max(command);
        while let Some(first) = self.kept.front().filter(|k| k.command <= self.completed) {
            self.held -= first.bytes;
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

    /// Whether so much is in flight that the host waits before there is more.
    fn is_full(&self) -> bool {
        let lists = if let Road::Regular { flying, .. } = &self.road { flying.len() } else { 0 };
        self.kept.len() >= MAX_IN_FLIGHT || lists >= MAX_LISTS || self.held > MAX_HELD
    }

    /// Destroys what is kept for the next lists.
    fn give_back(&mut self, shared: &Shared) {
        if let Road::Regular { idle, .. } = &mut self.road {
            for list in idle.drain(..) {
                // SAFETY: its commands have completed.
                unsafe { shared.api.zeCommandListDestroy(list) };
            }
        }
    }

    fn has_open(&self) -> bool {
        matches!(self.road, Road::Regular { open: Some(_), .. })
    }

    fn has_closed(&self) -> bool {
        matches!(self.road, Road::Regular { closed: Some(_), .. })
    }

    fn waiter(&self) -> Waiter {
        match self.road {
            Road::InOrder(list) => Waiter::List(list),
            Road::Regular { queue, .. } => Waiter::Queue(queue),
        }
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

    /// Waits until the device does nothing; a lost one does nothing. False if it cannot be known.
    fn is_idle(&self, shared: &Shared) -> bool {
        for _ in 0..IDLE_TRIES.0 {
            match self.wait(shared, u64::MAX) {
                ZE_RESULT_SUCCESS | ZE_RESULT_ERROR_DEVICE_LOST => return true,
                _ => std::thread::sleep(IDLE_TRIES.1),
            }
        }
        false
    }
}

impl Device {
    /// Waits if too much is in flight.
    pub(super) fn throttle(&self) -> Result<()> {
        let full = {
            let mut stream = self.stream();
            // What nobody else holds is given back as soon as it can be.
            if stream.held >= DROPPED_PER_SUBMISSION && !stream.has_open() {
                stream.look(&self.shared)?;
            }
            stream.is_full()
        };
        if full { self.wait(u64::MAX) } else { Ok(()) }
    }

    fn wait_once(&self, command: u64, nanoseconds: u64) -> Result<bool> {
        let shared = &self.shared;
        let (waiter, last) = {
            let mut stream = self.stream();
            shared.alive()?;
            if command.min(stream.command) <= stream.completed {
                // What has completed gives back what it used, if all has.
                if !stream.has_open() && !stream.kept.is_empty() {
                    stream.look(shared)?;
                }
                return Ok(true);
            }
            stream.submit(shared)?;
            (stream.waiter(), stream.command)
        };
        let result = waiter.wait(shared, nanoseconds);
        if result == ZE_RESULT_NOT_READY {
            return Ok(false);
        }
        shared.check("waiting", result)?;
        self.stream().retire(shared, last);
        Ok(true)
    }
}

impl Commands for Device {
    fn wait_for(&self, command: u64, nanoseconds: u64) -> Result<bool> {
        match self.wait_once(command, nanoseconds) {
            Err(e) if e.kind() == ErrorKind::OutOfMemory => self.wait_once(command, nanoseconds),
            done => done,
        }
    }

    fn submit(&self) -> Result<()> {
        let mut stream = self.stream();
        match stream.submit(&self.shared) {
            Err(e) if e.kind() == ErrorKind::OutOfMemory && stream.has_closed() => {
                stream.submit(&self.shared)
            }
            done => done,
        }
    }

    fn alive(&self) -> Result<()> {
        self.shared.alive()
    }

    fn check_dropped(&self, commands: RangeInclusive<u64>) -> Result<()> {
        self.stream().dropped.check(commands)
    }

    fn give_back(&self) {
        self.stream().give_back(&self.shared);
    }
}

fn new_list(shared: &Shared) -> Result<ze_command_list_handle_t> {
    let mut desc = ze_command_list_desc_t::new();
    desc.commandQueueGroupOrdinal = shared.ordinal;
    let mut list = null_mut();
    // SAFETY: the ordinal is one of the device's.
    let result = unsafe { shared.api.zeCommandListCreate(shared.context, shared.raw, &desc, &mut list) };
    shared.check("zeCommandListCreate", result).map(|()| list)
}
