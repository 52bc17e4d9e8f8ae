//! The thread pool of the CPU device.
//!
//! Invariants:
//! - One job at a time (`turn`), shared by the pool's threads and the thread that launched it.
//! - Work is handed out in chunks by one atomic counter; each thread takes the next until none is left.
//! - `State::job` points to a job on the launcher's stack. A thread joins it (`joined += 1`) and leaves it under
//!   `state`'s lock; the launcher withdraws the pointer under the same lock and then waits for `joined == 0`, so
//!   no thread looks at a job that is gone.

use super::memory::Block;
use crate::error::Result;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// Chunks that each thread gets on average: enough to even out groups of unequal cost.
const CHUNKS_PER_THREAD: u64 = 8;
/// More threads than this are never started.
const MAX_THREADS: usize = 512;

/// What a job does with a range of its items, given scratch memory.
pub(super) type Work<'a> = &'a (dyn Fn(u64, u64, *mut u8) + Sync);

struct Job<'a> {
    work: Work<'a>,
    next: AtomicU64,
    end: u64,
    chunk: u64,
    scratch: usize,
}

impl Job<'_> {
    fn run(&self, scratch: *mut u8) {
        loop {
            let begin = self.next.fetch_add(self.chunk, Ordering::Relaxed);
            if begin >= self.end {
                return;
            }
            (self.work)(begin, self.end.min(begin + self.chunk), scratch);
        }
    }
}

#[derive(Clone, Copy)]
struct JobPtr(*const Job<'static>);
// SAFETY: the pointer is only followed between joining and leaving a job (see the module's invariants), and a
// `Job` is `Sync`.
unsafe impl Send for JobPtr {}

#[derive(Default)]
struct State {
    job: Option<JobPtr>,
    /// Tells one job from the next, so that a thread joins each once.
    generation: u64,
    joined: usize,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    posted: Condvar,
    left: Condvar,
}

impl Shared {
    // A panic cannot happen while the lock is held; a poisoned lock would still guard valid data.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct Pool {
    shared: Arc<Shared>,
    turn: Mutex<()>,
    threads: usize,
}

thread_local! {
    /// Scratch memory of this thread, kept from launch to launch.
    static SCRATCH: RefCell<Option<Block>> = const { RefCell::new(None) };
}

/// Runs `f` with at least `bytes` bytes of scratch memory.
fn with_scratch(bytes: usize, f: impl FnOnce(*mut u8)) -> Result<()> {
    // Taken out while in use: should `f` launch another kernel on this thread, that one gets memory of its own.
    let kept = SCRATCH.take().filter(|block| block.len() >= bytes);
    let block = match kept {
        Some(block) => block,
        None => Block::zeroed(bytes)?,
    };
    f(block.as_ptr());
    SCRATCH.set(Some(block));
    Ok(())
}

impl Pool {
    /// The pool that all launches of the process share.
    pub(super) fn global() -> &'static Pool {
        static POOL: OnceLock<Pool> = OnceLock::new();
        POOL.get_or_init(|| Pool::new(configured_threads()))
    }

    /// A pool of `threads` threads, the launching one included. The threads live as long as the process.
    pub(super) fn new(threads: usize) -> Pool {
        let shared = Arc::new(Shared::default());
        let mut started = 1;
        for i in 1..threads {
            let shared = shared.clone();
            let thread = std::thread::Builder::new().name(format!("spirv-cpu-{i}"));
            // Where the system refuses another thread, the ones that there are do the work.
            if thread.spawn(move || serve(&shared)).is_ok() {
                started += 1;
            }
        }
        Pool { shared, turn: Mutex::new(()), threads: started }
    }

    /// Calls `work` for ranges that cover `0..items` once, on all threads, with `scratch` bytes for each.
    pub(super) fn run(&self, items: u64, scratch: usize, work: Work<'_>) -> Result<()> {
        let threads = self.threads as u64;
        let chunk = (items / (threads * CHUNKS_PER_THREAD)).max(1);
        let job = Job { work, next: AtomicU64::new(0), end: items, chunk, scratch };
        if items <= 1 || threads == 1 {
            return with_scratch(scratch, |memory| job.run(memory));
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut state = self.shared.lock();
            state.generation += 1;
            state.job = Some(JobPtr((&raw const job).cast()));
        }
        self.shared.posted.notify_all();
        let result = with_scratch(scratch, |memory| job.run(memory));
        let mut state = self.shared.lock();
        state.job = None;
        while state.joined > 0 {
            state = self.shared.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        result
    }
}

/// The life of a pool thread: join a job, work, leave.
fn serve(shared: &Shared) {
    let mut seen = 0;
    let mut state = shared.lock();
    loop {
        if let Some(job) = state.job.filter(|_| state.generation != seen) {
            seen = state.generation;
            state.joined += 1;
            drop(state);
            // SAFETY: this thread joined the job under the lock while it was posted, so its launcher waits
            // until `joined` falls again.
            let job = unsafe { &*job.0 };
            // A thread without scratch memory leaves its share to the others; the launcher has its own or
            // reports the error.
            let _ = with_scratch(job.scratch, |memory| job.run(memory));
            state = shared.lock();
            state.joined -= 1;
            if state.joined == 0 {
                shared.left.notify_all();
            }
        } else {
            state = shared.posted.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The number of threads of the pool that all launches share.
pub(super) fn configured_threads() -> usize {
    thread_count(std::env::var("SPIRV_CPU_THREADS").ok().as_deref())
}

/// The number of threads: what `SPIRV_CPU_THREADS` says if it is a number, else one a core.
fn thread_count(variable: Option<&str>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
    variable.and_then(|v| v.trim().parse().ok()).filter(|n| *n > 0).unwrap_or_else(cores).min(MAX_THREADS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn every_item_runs_once() {
        for threads in [1, 2, 7] {
            let pool = Pool::new(threads);
            for items in [0, 1, 2, 63, 1000, 100_003] {
                let counts: Vec<AtomicU32> = (0..items).map(|_| AtomicU32::new(0)).collect();
                pool.run(items, 100, &|begin, end, scratch| {
                    assert_eq!(scratch as usize % 64, 0);
                    // SAFETY: the pool hands out 100 bytes at least, which belong to this thread.
                    unsafe { scratch.write_bytes(7, 100) };
                    for i in begin..end {
                        counts[i as usize].fetch_add(1, Ordering::Relaxed);
                    }
                })
                .unwrap();
                assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 1), "{items} on {threads}");
            }
        }
    }

    #[test]
    fn launches_from_many_threads_do_not_mix() {
        let pool = Pool::new(3);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..200 {
                        let sum = AtomicU64::new(0);
                        pool.run(round, 0, &|begin, end, _| {
                            sum.fetch_add((begin..end).sum(), Ordering::Relaxed);
                        })
                        .unwrap();
                        assert_eq!(sum.into_inner(), (0..round).sum());
                    }
                });
            }
        });
    }

    #[test]
    fn the_variable_sets_the_number_of_threads() {
        assert_eq!(thread_count(Some("3")), 3);
        assert_eq!(thread_count(Some("0")), thread_count(None));
        assert_eq!(thread_count(Some("many")), thread_count(None));
        assert_eq!(thread_count(Some("99999999")), MAX_THREADS);
    }
}
