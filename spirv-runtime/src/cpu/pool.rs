//! The thread pool of the CPU device, and the order of the jobs in it.
//!
//! Invariants:
//! - A job is ready when all jobs are done that used the same memory before it, where one of the two writes. `Order` of each
//!   job, the users of each memory and `State` change under the pool's lock only.
//! - Groups are handed out in chunks by an atomic counter of the job. A thread joins a job (`Order::threads`) and leaves it
//!   under the lock; the last one to leave a job with no groups left marks it as done.
//! - A thread that waits for a job helps: it runs groups of that job, or of one that it comes after, and of no other. So what
//!   never ends holds up those only who wait for it.
//! - One of the threads with nothing to do watches: it looks for work every now and then, so that small launches need not
//!   wake anybody. Whoever launches them mostly waits for them at once, and runs them itself.

use super::block::Block;
use super::few::Few;
use super::job::{Job, Tell};
use super::locked::Key;
use super::memory::{Shared, Usage};
use crate::error::{Result, error};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Chunks that each thread gets on average: enough to even out groups of unequal cost.
const CHUNKS_PER_THREAD: u64 = 8;
/// More threads than this are never started.
const MAX_THREADS: usize = 512;
/// How often the watching thread looks for work.
const WATCH: Duration = Duration::from_micros(500);
/// How often it looks in vain before it sleeps.
const WATCHES: u32 = 40;
/// How often it looks before it takes a small job.
const AGE: u64 = 2;
/// How often a thread tries to get the lock before it sleeps.
const SPINS: u32 = 100;
/// A wait with a time limit does not help, since it could not stop. After this long without anybody at work on what it waits
/// for, a thread is started that does.
const GRACE: Duration = Duration::from_millis(5);

pub(super) struct State {
    /// For what the lock guards elsewhere.
    pub key: Key,
    /// Jobs that are ready, with groups that no thread has taken; perhaps some without.
    ready: VecDeque<Arc<Job>>,
    /// Threads that run jobs, those that help included.
    running: usize,
    /// Threads of the pool.
    started: usize,
    /// Those of them that sleep and were not told to wake.
    sleeping: usize,
    /// How many were told to wake and have not yet.
    wakes: usize,
    /// One of them watches.
    watching: bool,
    /// How often it has looked.
    looks: u64,
    /// Threads that wait for jobs that others run.
    waiting: usize,
    /// Whether a job has failed.
    failed: bool,
    /// Memory that nobody uses any more, to be freed without the lock.
    garbage: Vec<Arc<Shared>>,
}

pub(super) type Guard<'a> = MutexGuard<'a, State>;

/// A job that is forgotten: declared before the guard, it is freed without the lock.
pub(super) type Dead = Option<Arc<Job>>;

pub(crate) struct Pool {
    state: Mutex<State>,
    /// For sleeping threads.
    posted: Condvar,
    /// For the thread that watches.
    watch: Condvar,
    /// For those that wait for jobs.
    finished: Condvar,
    /// Length of `State::ready`, to look at without the lock.
    ready: AtomicUsize,
    /// How many threads may run jobs without being asked to help.
    threads: usize,
    begun: AtomicBool,
}

/// How long a thread waits, and what it has done about that.
pub(super) struct Patience {
    until: Option<Instant>,
    begun: Option<Instant>,
    helped: bool,
}

impl Patience {
    pub fn new(until: Option<Instant>) -> Patience {
        Patience { until, begun: None, helped: false }
    }
}

thread_local! {
    /// Scratch memory of this thread, kept from launch to launch.
    static SCRATCH: RefCell<Option<Block>> = const { RefCell::new(None) };
}

/// Runs `f` with at least `bytes` bytes of scratch memory.
pub(super) fn with_scratch(bytes: usize, f: impl FnOnce(*mut u8)) -> Result<()> {
    let kept = SCRATCH.take().filter(|block| block.len() >= bytes);
    let block = match kept {
        Some(block) => block,
        None => Block::zeroed(bytes)?,
    };
    f(block.as_ptr());
    SCRATCH.set(Some(block));
    Ok(())
}

static POOL: AtomicPtr<Pool> = AtomicPtr::new(std::ptr::null_mut());

/// In a child of `fork`, which has no threads of its parent.
#[cfg(unix)]
pub(crate) fn forget_pool() {
    POOL.store(std::ptr::null_mut(), Ordering::Release);
}

impl Pool {
    /// The pool that all launches of the process share. It is never freed.
    ///
    /// # Errors
    /// The environment asks for a number of threads that is none.
    pub fn global() -> Result<&'static Pool> {
        if let Some(pool) = Pool::existing() {
            return Ok(pool);
        }
        let new = Box::into_raw(Box::new(Pool::new(configured_threads()?)));
        if POOL.compare_exchange(std::ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: made above, and known to nobody else.
            drop(unsafe { Box::from_raw(new) });
        }
        Pool::existing().ok_or_else(|| error!(DeviceLost, "the process was forked meanwhile"))
    }

    /// The pool if something was launched.
    pub fn existing() -> Option<&'static Pool> {
        // SAFETY: only pointers from `Box::into_raw` are stored, which are never freed.
        let pool = unsafe { POOL.load(Ordering::Acquire).as_ref() }?;
        pool.start();
        Some(pool)
    }

    /// A pool for `threads` threads, none of which is started yet.
    fn new(threads: usize) -> Pool {
        Pool {
            state: Mutex::new(State {
                // SAFETY: there is one pool at a time; where a new one takes its place, in a child of `fork`, devices are new
                // as well, and what belongs to older ones is refused (`process`).
                key: unsafe { Key::new() },
                ready: VecDeque::new(),
                running: 0,
                started: 0,
                sleeping: 0,
                wakes: 0,
                watching: false,
                looks: 0,
                waiting: 0,
                failed: false,
                garbage: Vec::new(),
            }),
            posted: Condvar::new(),
            watch: Condvar::new(),
            finished: Condvar::new(),
            ready: AtomicUsize::new(0),
            threads,
            begun: AtomicBool::new(false),
        }
    }

    /// Starts the threads, once. They live as long as the process.
    fn start(&'static self) {
        if self.begun.load(Ordering::Relaxed) || self.begun.swap(true, Ordering::Relaxed) {
            return;
        }
        for i in 0..self.threads {
            let thread = std::thread::Builder::new().name(format!("spirv-cpu-{i}"));
            // Where the system refuses another thread, the ones that there are do the work, and those that wait.
            let _ = thread.spawn(|| self.serve());
        }
    }

    /// In how many chunks the groups of a launch are handed out.
    pub fn chunks(&self) -> u64 {
        self.threads as u64 * CHUNKS_PER_THREAD
    }

    // A panic cannot happen while the lock is held; a poisoned lock would still guard valid data.
    pub fn lock(&self) -> Guard<'_> {
        // It is held for less time than it takes to sleep.
        for _ in 0..SPINS {
            if let Ok(state) = self.state.try_lock() {
                return state;
            }
            std::hint::spin_loop();
        }
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a job behind those that use the same memory, and has it run.
    ///
    /// # Errors
    /// What it uses was not written, since the job that was to failed.
    pub fn submit(&self, state: &mut State, job: &Arc<Job>, dead: &mut Dead) -> Result<()> {
        let memory = std::mem::take(&mut job.order(&mut state.key).memory);
        if state.failed {
            for (memory, _) in &memory {
                if let Some(error) = memory.usage(&mut state.key).failure(true) {
                    return Err(error.at("what it uses was not written"));
                }
            }
        }
        let mut before = Few::default();
        for (memory, write) in &memory {
            let usage = memory.usage(&mut state.key);
            // It may use some memory twice.
            let others = usage.conflicts(*write).filter(|(other, _)| !Arc::ptr_eq(other, job));
            others.for_each(|(other, wrote)| before.push((other.clone(), wrote)));
            let old = usage.used(*write, job);
            if old.is_some() {
                *dead = old;
            }
        }
        for (other, wrote) in before.iter() {
            other.order(&mut state.key).after.push((job.clone(), *wrote));
        }
        let order = job.order(&mut state.key);
        order.memory = memory;
        order.unmet = before.len();
        order.before = before;
        if order.unmet == 0 {
            self.post(state, job.clone());
        }
        Ok(())
    }

    /// A job has become ready.
    fn post(&self, state: &mut State, job: Arc<Job>) {
        let awake = state.started - state.sleeping - usize::from(state.watching);
        // Whoever launched it may come to help.
        let wanted = job.worth().min(self.threads) - 1;
        let mut wake = wanted.saturating_sub(awake);
        if !state.watching && state.wakes == 0 {
            wake = wake.max(1);
        }
        job.order(&mut state.key).posted = state.looks;
        state.ready.push_back(job);
        self.note(state);
        self.wake(state, wake);
    }

    fn wake(&self, state: &mut State, count: usize) {
        let count = count.min(state.sleeping);
        state.sleeping -= count;
        state.wakes += count;
        for _ in 0..count {
            self.posted.notify_one();
        }
    }

    /// Has someone look at what is ready, now.
    pub fn flush(&self) {
        self.hurry(&mut self.lock());
    }

    fn hurry(&self, state: &mut State) {
        state.looks += AGE;
        if !state.ready.is_empty() && state.running < self.threads {
            if state.watching { self.watch.notify_one() } else { self.wake(state, 1) }
        }
    }

    fn note(&self, state: &State) {
        self.ready.store(state.ready.len(), Ordering::Relaxed);
    }

    /// Groups of the job whose turn it is. Whoever launched a small one may be about to run it: it has to have waited.
    fn pick(&self, state: &mut State) -> Option<(Arc<Job>, u64)> {
        let mut picked = None;
        loop {
            let State { ready, key, looks, .. } = &mut *state;
            let at = ready.iter().position(|job| job.order(key).posted + AGE <= *looks || job.worth() > 1);
            let Some(job) = at.and_then(|at| ready.remove(at)) else { break };
            if let Some(begin) = job.take() {
                job.join(&mut state.key);
                if !job.is_taken() {
                    state.ready.push_back(job.clone());
                }
                picked = Some((job, begin));
                break;
            }
        }
        self.note(state);
        picked
    }

    /// Groups of a job, or of one that it comes after, which is told then.
    fn pick_for(&self, state: &mut State, job: &Arc<Job>) -> Option<(Option<Arc<Job>>, u64)> {
        let first = first_of(job, &mut state.key);
        let job = first.as_ref().unwrap_or(job);
        let begin = (job.order(&mut state.key).unmet == 0).then(|| job.take())??;
        job.join(&mut state.key);
        if job.is_taken() {
            let at = state.ready.iter().position(|j| Arc::ptr_eq(j, job));
            at.and_then(|at| state.ready.remove(at));
            self.note(state);
        }
        Some((first, begin))
    }

    /// Runs groups without the lock.
    fn run<'a>(
        &'a self,
        mut state: Guard<'a>,
        (job, begin): (&Arc<Job>, u64),
        leave: impl Fn() -> bool,
    ) -> Guard<'a> {
        state.running += 1;
        drop(state);
        job.run(begin, leave);
        let mut state = self.lock();
        state.running -= 1;
        let order = job.order(&mut state.key);
        order.threads -= 1;
        if order.threads == 0 && job.is_taken() && !job.is_done() {
            self.complete(&mut state, job.clone());
            return self.collect(state);
        }
        state
    }

    /// Frees memory without the lock.
    fn collect<'a>(&'a self, mut state: Guard<'a>) -> Guard<'a> {
        while !state.garbage.is_empty() {
            let garbage = std::mem::take(&mut state.garbage);
            drop(state);
            drop(garbage);
            state = self.lock();
        }
        state
    }

    /// Marks a job as done, and those after it as ready.
    fn complete(&self, state: &mut State, job: Arc<Job>) {
        let mut next = Some(job);
        let mut done = Vec::new();
        while let Some(job) = next.take().or_else(|| done.pop()) {
            for (memory, _) in job.finish(&mut state.key) {
                // The last one to have it frees it.
                if Arc::strong_count(&memory) == 1 {
                    state.garbage.push(memory);
                }
            }
            let error = job.inherited();
            state.failed |= error.is_some();
            for (next, uses) in std::mem::take(&mut job.order(&mut state.key).after) {
                if let Some(error) = error.as_ref().filter(|_| uses) {
                    next.fail(error.clone(), Tell::All);
                }
                let order = next.order(&mut state.key);
                order.unmet -= 1;
                match order.unmet {
                    0 if next.is_stopped() => done.push(next),
                    0 => self.post(state, next),
                    _ => {}
                }
            }
        }
        if state.waiting > 0 {
            self.finished.notify_all();
        }
    }

    /// Ends some jobs without a result; those that no thread runs and that wait for nothing are done at once.
    pub fn cancel(&self, jobs: &[Arc<Job>]) {
        let mut state = self.lock();
        for job in jobs.iter().filter(|job| !job.is_done()) {
            job.cancel(Tell::Waiting);
            self.end_if_idle(&mut state, job);
        }
        // Those that run are waited for: what they write may be used again.
        for job in jobs {
            while !job.is_done() && job.order(&mut state.key).threads > 0 {
                state = self.sleep(state, None);
            }
        }
        drop(self.collect(state));
    }

    fn end_if_idle(&self, state: &mut State, job: &Arc<Job>) {
        let order = job.order(&mut state.key);
        if order.threads == 0 && order.unmet == 0 && !job.is_done() {
            self.complete(state, job.clone());
        }
    }

    /// Some memory has lost its owner: ends the job that writes it, and those before it, if nobody can come to see what
    /// they do.
    pub fn abandon(&self, memory: &Shared) {
        let mut state = self.lock();
        let mut look: Vec<Arc<Job>> = memory.usage(&mut state.key).writer.take().into_iter().collect();
        while let Some(job) = look.pop() {
            let order = job.order(&mut state.key);
            if !job.is_done() && !job.is_stopped() && order.is_useless() {
                look.extend(order.before.iter().map(|(before, _)| before.clone()));
                job.cancel(Tell::Nobody);
                self.end_if_idle(&mut state, &job);
            }
        }
        drop(self.collect(state));
    }

    /// Sleeps until some job is done, or until then.
    fn sleep<'a>(&'a self, mut state: Guard<'a>, limit: Option<Duration>) -> Guard<'a> {
        state.waiting += 1;
        state = match limit {
            None => self.finished.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(limit) => self.finished.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner).0,
        };
        state.waiting -= 1;
        state
    }

    /// Waits until a job is done, or as long as the patience lasts; whether it is. Without a limit the thread helps.
    pub fn wait<'a>(
        &'a self,
        mut state: Guard<'a>,
        job: &Arc<Job>,
        patience: &mut Patience,
    ) -> (Guard<'a>, bool) {
        while !job.is_done() {
            if let Some(until) = patience.until {
                let now = Instant::now();
                if now >= until {
                    return (state, false);
                }
                let limit = self.see_to(&mut state, job, patience, now).min(until - now);
                state = self.sleep(state, Some(limit));
            } else if let Some((first, begin)) = self.pick_for(&mut state, job) {
                state = self.run(state, (first.as_ref().unwrap_or(job), begin), || false);
                if !state.ready.is_empty() && state.running < self.threads && !state.watching {
                    self.wake(&mut state, 1);
                }
            } else {
                state = self.sleep(state, None);
            }
        }
        (state, true)
    }

    /// Sees that somebody works on a job which a thread waits for that must not help, since it could not stop; for how long
    /// that is seen to.
    fn see_to(&self, state: &mut State, job: &Arc<Job>, patience: &mut Patience, now: Instant) -> Duration {
        if patience.helped {
            return Duration::MAX;
        }
        if patience.begun.is_none() {
            self.hurry(state);
        }
        let begun = *patience.begun.get_or_insert(now);
        let first = first_of(job, &mut state.key);
        let idle = first.as_ref().unwrap_or(job).order(&mut state.key).threads == 0;
        if idle && (state.running >= self.threads || state.started == 0) && now - begun >= GRACE {
            patience.helped = true;
            let job = job.clone();
            let help = move || {
                let _ = job.wait();
            };
            // Where the system refuses there is nothing to be done.
            let _ = std::thread::Builder::new().name("spirv-cpu-spare".into()).spawn(help);
        }
        GRACE
    }

    /// Waits for the jobs that use some memory, or until then; whether they are done.
    pub fn wait_for_users(&self, memory: &Shared, until: Option<Instant>) -> bool {
        let mut state = self.lock();
        let usage = memory.usage(&mut state.key);
        let jobs: Vec<Arc<Job>> = usage.conflicts(true).map(|(job, _)| job.clone()).collect();
        let mut patience = Patience::new(until);
        for job in jobs {
            let (after, done) = self.wait(state, &job, &mut patience);
            if !done {
                return false;
            }
            state = after;
        }
        true
    }

    /// Forgets the jobs that used some memory, which are done.
    pub fn forget_users(&self, memory: &Shared) {
        *memory.usage(&mut self.lock().key) = Usage::default();
    }

    /// Waits for the job that writes some memory.
    ///
    /// # Errors
    /// It failed; told once.
    pub fn wait_for_writer(&self, memory: &Shared) -> Result<()> {
        let mut state = self.lock();
        let Some(writer) = memory.usage(&mut state.key).writer.clone() else { return Ok(()) };
        let late = writer.is_done();
        state = self.wait(state, &writer, &mut Patience::new(None)).0;
        memory.usage(&mut state.key).failure(late).map_or(Ok(()), Err)
    }

    /// The life of a thread of the pool.
    fn serve(&self) {
        let mut watches = 0;
        let mut state = self.lock();
        state.started += 1;
        loop {
            let next = if state.running < self.threads { self.pick(&mut state) } else { None };
            if let Some((job, begin)) = next {
                watches = 0;
                state = self.run(state, (&job, begin), || self.ready.load(Ordering::Relaxed) > 1);
            } else if !state.watching && (watches < WATCHES || !state.ready.is_empty()) {
                state.watching = true;
                let (after, slept) =
                    self.watch.wait_timeout(state, WATCH).unwrap_or_else(PoisonError::into_inner);
                state = after;
                state.watching = false;
                watches += u32::from(slept.timed_out());
                state.looks += 1;
            } else {
                watches = 0;
                state.sleeping += 1;
                while state.wakes == 0 {
                    state = self.posted.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                state.wakes -= 1;
            }
        }
    }
}

/// The first job that is not done of those that a job comes after, and they, and so on; None: it comes after none.
fn first_of(job: &Arc<Job>, key: &mut Key) -> Option<Arc<Job>> {
    let mut first: Option<Arc<Job>> = None;
    loop {
        let before = &mut first.as_ref().unwrap_or(job).order(key).before;
        before.retain(|(job, _)| !job.is_done());
        let next = before.iter().next().map(|(before, _)| before.clone());
        if next.is_none() {
            return first;
        }
        first = next;
    }
}

/// The number of threads of the pool that all launches share.
///
/// # Errors
/// `SPIRV_CPU_THREADS` is no number of threads.
pub(super) fn configured_threads() -> Result<usize> {
    match std::env::var_os("SPIRV_CPU_THREADS") {
        None => thread_count(None),
        Some(value) => thread_count(Some(&value.to_string_lossy())),
    }
}

/// The number of threads: what `SPIRV_CPU_THREADS` says, else one a core.
fn thread_count(variable: Option<&str>) -> Result<usize> {
    let Some(value) = variable.map(str::trim).filter(|v| !v.is_empty()) else {
        return Ok(std::thread::available_parallelism().map_or(1, |n| n.get()).min(MAX_THREADS));
    };
    // Too many to count are many.
    let digits = value.bytes().all(|b| b.is_ascii_digit());
    match value.parse::<usize>().ok().or(digits.then_some(MAX_THREADS)) {
        Some(threads) if threads > 0 => Ok(threads.min(MAX_THREADS)),
        _ => Err(error!(
            NoDevice,
            "SPIRV_CPU_THREADS is `{value}`, which is no number of threads; give one from 1 to {MAX_THREADS}, or unset it \
             for one a core"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_sets_the_number_of_threads() {
        assert_eq!(thread_count(Some("3")).unwrap(), 3);
        assert_eq!(thread_count(Some(" 3 ")).unwrap(), 3);
        assert_eq!(thread_count(Some("99999999999999999999999")).unwrap(), MAX_THREADS);
        assert_eq!(thread_count(Some("")).unwrap(), thread_count(None).unwrap());
        for wrong in ["0", "many", "-1", "1.5", "0x4"] {
            let error = thread_count(Some(wrong)).unwrap_err().to_string();
            assert!(error.contains("SPIRV_CPU_THREADS") && error.contains(wrong), "{error}");
        }
    }
}
