//! Queues: a thread each, which runs commands one after the other.

use crate::clock::{setting, ticks};
use crate::events::Event;
use crate::opencl::{self, Handle};
use crate::order::Ties;
use level_zero_sys::*;
use std::collections::VecDeque;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// What a command does on an OpenCL queue; an error is said there.
pub type Action = Arc<dyn Fn(Handle) -> Result<(), String> + Send + Sync>;

/// A command.
#[derive(Clone)]
pub struct Command {
    pub waits: Vec<Arc<Event>>,
    pub signal: Option<Arc<Event>>,
    pub barrier: bool,
    pub action: Option<Action>,
}

impl Command {
    pub fn ties(&self) -> Ties {
        let number = |e: &Arc<Event>| Arc::as_ptr(e) as usize;
        Ties {
            barrier: self.barrier,
            waits: self.waits.iter().map(number).collect(),
            signal: self.signal.as_ref().map(number),
        }
    }
}

type Job = Box<dyn FnOnce(Handle) + Send>;

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    pushed: u64,
    done: u64,
    stop: bool,
}

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    changed: Condvar,
    failed: AtomicBool,
}

/// A queue.
pub struct Worker {
    inner: Arc<Inner>,
    thread: Option<std::thread::JoinHandle<()>>,
    synchronous: bool,
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An OpenCL queue on its way to the thread that uses it.
struct Sent(Handle);
// SAFETY: only that thread uses it.
unsafe impl Send for Sent {}

impl Worker {
    pub fn new(synchronous: bool) -> Option<Worker> {
        let opencl = opencl::get()?;
        let mut error = 0;
        // SAFETY: device and context are valid; no properties.
        let queue = unsafe {
            let make = opencl.core.clCreateCommandQueueWithProperties;
            make(opencl.context, opencl.device, null(), &mut error)
        };
        if error != 0 {
            return None;
        }
        let queue = Sent(queue);
        let inner = Arc::new(Inner::default());
        let of_thread = inner.clone();
        let thread = std::thread::spawn(move || {
            let queue = queue;
            while let Some(job) = next(&of_thread) {
                job(queue.0);
                of_thread.state().done += 1;
                of_thread.changed.notify_all();
            }
            // SAFETY: the thread is the last to use it.
            unsafe { (opencl.core.clReleaseCommandQueue)(queue.0) };
        });
        Some(Worker { inner, thread: Some(thread), synchronous })
    }

    /// Runs these commands after all before.
    pub fn push(&self, commands: Vec<Command>) {
        let inner = self.inner.clone();
        self.job(Box::new(move |queue| commands.iter().for_each(|c| inner.run(queue, c))));
    }

    /// Calls this after all before.
    pub fn then(&self, call: impl FnOnce() + Send + 'static) {
        self.job(Box::new(move |_| call()));
    }

    fn job(&self, job: Job) {
        {
            let mut state = self.inner.state();
            state.jobs.push_back(job);
            state.pushed += 1;
        }
        self.inner.changed.notify_all();
        if self.synchronous {
            self.wait(u64::MAX);
        }
    }

    /// Waits for all so far, for that many nanoseconds.
    pub fn wait(&self, timeout: u64) -> ze_result_t {
        let state = self.inner.state();
        let target = state.pushed;
        let busy = |state: &mut State| state.done < target;
        let done = if timeout == u64::MAX {
            let state = self.inner.changed.wait_while(state, busy).unwrap_or_else(PoisonError::into_inner);
            state.done >= target
        } else {
            let limit = Duration::from_nanos(timeout);
            let waited = self.inner.changed.wait_timeout_while(state, limit, busy);
            waited.unwrap_or_else(PoisonError::into_inner).0.done >= target
        };
        match done {
            false => ZE_RESULT_NOT_READY,
            true if self.inner.failed.load(Ordering::Acquire) => ZE_RESULT_ERROR_DEVICE_LOST,
            true => ZE_RESULT_SUCCESS,
        }
    }
}

fn next(inner: &Inner) -> Option<Job> {
    let idle = |state: &mut State| state.jobs.is_empty() && !state.stop;
    let waited = inner.changed.wait_while(inner.state(), idle);
    waited.unwrap_or_else(PoisonError::into_inner).jobs.pop_front()
}

impl Inner {
    fn run(&self, queue: Handle, command: &Command) {
        for event in &command.waits {
            event.wait(u64::MAX);
        }
        static DELAY: OnceLock<u64> = OnceLock::new();
        let delay = *DELAY.get_or_init(|| setting("ZEOCL_DELAY_US", 0));
        if delay > 0 {
            std::thread::sleep(Duration::from_micros(delay));
        }
        let begin = ticks();
        if let Some(action) = &command.action
            && let Err(e) = action(queue)
        {
            eprintln!("ze-on-opencl: {e}");
            self.failed.store(true, Ordering::Release);
        }
        if let Some(event) = &command.signal {
            event.signal(begin, ticks());
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.inner.state().stop = true;
        self.inner.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing left to do either.
            let _ = thread.join();
        }
    }
}

/// Runs a kernel and waits for it.
pub fn launch(
    queue: Handle,
    kernel: Handle,
    offset: [usize; 3],
    groups: [u32; 3],
    size: [usize; 3],
) -> Result<(), String> {
    let Some(opencl) = opencl::get() else { return Err("no OpenCL".into()) };
    let global = [0, 1, 2].map(|i| groups[i] as usize * size[i]);
    if global.contains(&0) {
        return Ok(());
    }
    // SAFETY: queue and kernel are valid, the arguments are set, and the arrays have three sizes.
    let error = unsafe {
        let error = (opencl.core.clEnqueueNDRangeKernel)(
            queue,
            kernel,
            3,
            offset.as_ptr(),
            global.as_ptr(),
            size.as_ptr(),
            0,
            null(),
            null_mut(),
        );
        if error == 0 { (opencl.core.clFinish)(queue) } else { error }
    };
    if error == 0 { Ok(()) } else { Err(format!("OpenCL error {error} in a launch of {global:?}")) }
}
