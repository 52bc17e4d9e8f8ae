//! A launch from the call that makes it until it has run.

use super::abi::{Control, Fault, KernelFn, Launch, Slot};
use super::block::Block;
use super::locked::{Key, Locked};
use super::memory::Shared;
use super::pool::{Patience, Pool, with_scratch};
use crate::error::{Error, Result, error};
use crate::kernel::EntryDesc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Nanoseconds that it takes to wake a thread, and to wait for it.
const WAKE: u64 = 5_000;

/// What a launch uses. The pointers in `slots` are to what the rest owns, to `memory` and to what is static.
pub(crate) struct Resources {
    /// One slot a resource of the kernel.
    pub(super) slots: Vec<Slot>,
    /// Where images with several levels, or several images, have them.
    pub(super) levels: Vec<Vec<Slot>>,
    /// Bytes of blocks of constants, and samplers.
    pub(super) constants: Block,
    /// Memory of buffers and images, and whether the kernel may write it.
    pub(super) memory: Vec<(Arc<Shared>, bool)>,
    /// Bytes of local memory of a work-group.
    pub(super) local: usize,
}

/// Why a job did not run to its end.
struct Failure {
    error: Error,
    tell: Tell,
}

/// Whom a failure is an error to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tell {
    /// All.
    All,
    /// Those that waited for the job already: those that come later asked for it.
    Waiting,
    /// Nobody: none can see what it does.
    Nobody,
}

/// What changes under the lock of the pool only.
#[derive(Default)]
pub(super) struct Order {
    /// Threads that run groups of it.
    pub threads: usize,
    /// Jobs that it comes after and that are not done.
    pub unmet: usize,
    /// How often the pool had looked for work when it became ready.
    pub posted: u64,
    /// Jobs that it comes after, and some that are done; whether they write what it uses.
    pub before: Vec<(Arc<Job>, bool)>,
    /// Jobs that come after it; whether they use what it writes.
    pub after: Vec<(Arc<Job>, bool)>,
    /// What it uses, until it is done.
    pub memory: Vec<(Arc<Shared>, bool)>,
    started: Option<Instant>,
}

impl Order {
    /// Whether nobody can come to see what the job does: all that it writes has been dropped, by the host and by the jobs
    /// that come after it.
    pub fn is_useless(&self) -> bool {
        let mut written = self.memory.iter().filter(|m| m.1).peekable();
        written.peek().is_some()
            && written.all(|m| m.0.is_orphan())
            && self.after.iter().all(|(job, _)| job.is_stopped())
    }
}

/// Native code of an entry point, with what is known of how long it takes.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub(super) entry: &'static EntryDesc,
    pub(super) call: KernelFn,
    /// Bytes of scratch memory.
    pub(super) scratch: usize,
    pub(super) cost: Arc<Cost>,
}

/// How long a kernel takes, as far as it is known.
#[derive(Debug)]
pub(super) struct Cost {
    /// Nanoseconds that a group took lately; `u32::MAX` until one has run.
    group: AtomicU32,
    /// Calls, about: not all are timed.
    calls: AtomicU32,
}

impl Cost {
    pub const fn unknown() -> Cost {
        Cost { group: AtomicU32::new(u32::MAX), calls: AtomicU32::new(0) }
    }

    /// Begins to time a call, if it is its turn.
    fn start(&self) -> Option<Instant> {
        let calls = self.calls.load(Ordering::Relaxed);
        self.calls.store(calls.wrapping_add(1), Ordering::Relaxed);
        (calls.is_multiple_of(16) || self.group.load(Ordering::Relaxed) == u32::MAX).then(Instant::now)
    }

    fn stop(&self, start: Instant, groups: u64) {
        let cost = start.elapsed().as_nanos() / u128::from(groups.max(1));
        self.group.store(u32::try_from(cost).unwrap_or(u32::MAX - 1).max(1), Ordering::Relaxed);
    }
}

/// A launch.
pub(crate) struct Job {
    function: Function,
    slots: Vec<Slot>,
    groups: [u32; 3],
    /// Bytes of scratch and local memory.
    scratch: usize,
    /// The first group that no thread has taken.
    next: AtomicU64,
    end: u64,
    chunk: u64,
    control: Control,
    /// It has run, or never will.
    done: AtomicBool,
    failure: OnceLock<Failure>,
    timed: bool,
    elapsed: OnceLock<Duration>,
    order: Locked<Order>,
    /// Kept for the pointers to them.
    _levels: Vec<Vec<Slot>>,
    _constants: Block,
}

// SAFETY: what the slots point to is owned by the job (see `Resources`); it is used by kernel code only, which the ABI lets
// run on several threads at once, between the jobs that it comes after and those that come after it.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    /// # Safety
    /// The slots are as the entry point has them: those that it uses point to memory that `resources` keep, which is
    /// marked as written there where the kernel may write it. `function` is code of the entry point that the processor can
    /// run, with the scratch memory that it needs.
    pub unsafe fn new(
        function: Function,
        groups: [u32; 3],
        resources: Resources,
        (chunks, timed): (u64, bool),
    ) -> Arc<Job> {
        let Resources { slots, levels, constants, memory, local } = resources;
        let end = groups.iter().map(|g| u64::from(*g)).product::<u64>();
        Arc::new(Job {
            scratch: function.scratch + local,
            function,
            slots,
            groups,
            next: AtomicU64::new(0),
            end,
            chunk: (end / chunks).max(1),
            control: Control::new(),
            done: AtomicBool::new(end == 0),
            failure: OnceLock::new(),
            timed,
            elapsed: OnceLock::new(),
            order: Locked::new(Order { memory, ..Order::default() }),
            _levels: levels,
            _constants: constants,
        })
    }

    pub(super) fn order<'a>(&'a self, key: &'a mut Key) -> &'a mut Order {
        self.order.get(key)
    }

    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Whether it is likely to run in less time than it takes to wake a thread.
    pub(super) fn is_short(&self) -> bool {
        self.end.saturating_mul(u64::from(self.function.cost.group.load(Ordering::Relaxed))) < WAKE
    }

    /// How many threads it is worth to wake: those that get groups.
    pub(super) fn worth(&self) -> usize {
        if self.is_short() { 1 } else { usize::try_from(self.end).unwrap_or(usize::MAX) }
    }

    /// Whether it was told to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.control.stop.load(Ordering::Relaxed) != 0
    }

    /// Takes groups, if there are any left that no thread has taken: the first of them.
    pub(super) fn take(&self) -> Option<u64> {
        if self.is_stopped() || self.next.load(Ordering::Relaxed) >= self.end {
            return None;
        }
        Some(self.next.fetch_add(self.chunk, Ordering::Relaxed)).filter(|begin| *begin < self.end)
    }

    /// Whether no groups are left to take.
    pub(super) fn is_taken(&self) -> bool {
        self.is_stopped() || self.next.load(Ordering::Relaxed) >= self.end
    }

    /// Runs the groups from `begin` on that were taken, and more, until none are left or the thread is wanted elsewhere.
    pub(super) fn run(&self, begin: u64, leave: impl Fn() -> bool) {
        let launch = Launch {
            slots: self.slots.as_ptr(),
            slot_count: self.slots.len() as u32,
            groups: self.groups,
            control: &self.control,
        };
        let start = self.function.cost.start();
        let mut groups = 0;
        let ran = with_scratch(self.scratch, |scratch| {
            let mut next = Some(begin);
            while let Some(begin) = next {
                let end = self.end.min(begin + self.chunk);
                groups += end - begin;
                // SAFETY: as `new` asks for; what the slots point to is kept until the job is done, and it is not while
                // this thread runs it; the scratch memory is aligned, large enough and the thread's own.
                unsafe { (self.function.call)(&launch, begin, end, scratch) };
                next = if leave() { None } else { self.take() };
            }
        });
        if let Err(e) = ran {
            self.fail(e, Tell::All);
        }
        if let Some(start) = start {
            self.function.cost.stop(start, groups);
        }
    }

    /// Ends it with an error, unless it has one.
    pub(super) fn fail(&self, error: Error, tell: Tell) {
        let _ = self.failure.set(Failure { error, tell });
        self.control.stop.store(1, Ordering::Relaxed);
    }

    /// Nobody wants it any more.
    pub(super) fn cancel(&self, tell: Tell) {
        self.fail(error!(Cancelled, "the launch was cancelled before it had run"), tell);
    }

    /// What went wrong, once it is done; `late`: it was done when the caller came.
    pub fn failure(&self, late: bool) -> Option<Error> {
        let failure = self.failure.get().filter(|f| match f.tell {
            Tell::All => true,
            Tell::Waiting => !late,
            Tell::Nobody => false,
        })?;
        Some(failure.error.clone().at(self.place()))
    }

    /// As [`Job::failure`], for a launch that uses what this one was to write.
    pub(super) fn inherited(&self) -> Option<Error> {
        self.failure
            .get()
            .map(|f| f.error.clone().at(format_args!("what it uses was not written: {}", self.place())))
    }

    fn place(&self) -> String {
        format!("kernel `{}` ({}) on the CPU", self.function.entry.label(), self.function.entry.kernel.source)
    }

    /// How long it ran, if it was timed and is done.
    pub fn elapsed(&self) -> Option<Duration> {
        self.elapsed.get().copied()
    }

    /// A thread begins to run groups.
    pub(super) fn join(&self, key: &mut Key) {
        let order = self.order(key);
        order.threads += 1;
        if self.timed && order.started.is_none() {
            order.started = Some(Instant::now());
        }
    }

    /// Marks it as done. What it used is returned, to be dropped without the lock.
    pub(super) fn finish(&self, key: &mut Key) -> Vec<(Arc<Shared>, bool)> {
        let order = self.order(key);
        // SAFETY: where it is not null it was set by kernel code, to memory that is never freed.
        if let Some(fault) = unsafe { self.control.fault.load(Ordering::Acquire).as_ref() } {
            let _ = self.failure.set(Failure { error: describe(fault), tell: Tell::All });
        }
        if let Some(started) = order.started {
            let _ = self.elapsed.set(started.elapsed());
        }
        order.before.clear();
        self.done.store(true, Ordering::Release);
        std::mem::take(&mut order.memory)
    }

    /// Waits until it has run.
    pub fn wait(self: &Arc<Job>) -> Result<()> {
        let pool = Pool::global()?;
        drop(pool.wait(pool.lock(), self, &mut Patience::new(None)));
        Ok(())
    }
}

/// What a kernel did wrong.
fn describe(fault: &Fault) -> Error {
    // SAFETY: such memory has a name of so many bytes (see the ABI).
    let file = unsafe { std::slice::from_raw_parts(fault.file, fault.file_len as usize) };
    let file = String::from_utf8_lossy(file);
    let place = match fault.line {
        0 => String::new(),
        line => format!("{file}:{line}:{}: ", fault.column),
    };
    error!(
        Fault,
        "{place}the invocations of a work-group do not agree on the way to a barrier, where all of them have to meet; make \
         this condition the same for the whole group, or move the barrier out of it"
    )
}
