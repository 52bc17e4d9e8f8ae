//! Stack for deep recursion: nesting is limited everywhere, but the limits of sources are generous, unoptimised builds have
//! large frames, and the caller's thread may be that of a test.

use std::cell::Cell;

/// Stack of the thread that compiles.
const STACK_BYTES: usize = 256 << 20;

thread_local! {
    /// Whether this thread is one that [`on_large_stack`] started.
    static LARGE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a thread with a stack for deep recursion, unless this is such a thread.
///
/// # Panics
/// The system gives no thread with such a stack; and as `work` does.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    try_on_large_stack(work).unwrap_or_else(|why| panic!("{why}"))
}

/// The same where there may be too little memory for such a stack.
///
/// # Errors
/// The system gives no thread with such a stack.
///
/// # Panics
/// As `work` does.
pub fn try_on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let (mut work, mut value) = (Some(work), None);
    run(&mut || value = work.take().map(|work| work()))?;
    // Work that did not panic gave a value.
    value.ok_or_else(|| "the thread that compiles gave no result".into())
}

/// Not generic: what threads are made of is much to compile, and would be compiled for each kind of work.
fn run(work: &mut (dyn FnMut() + Send)) -> Result<(), String> {
    if LARGE.get() {
        work();
        return Ok(());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("spirv-build".into()).stack_size(STACK_BYTES);
        let marked = move || {
            LARGE.set(true);
            work();
        };
        match thread.spawn_scoped(scope, marked) {
            Ok(handle) => match handle.join() {
                Ok(()) => Ok(()),
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(e) => Err(format!(
                "the system gives no thread with {} MiB of stack, which the compiler needs: {e} (`ulimit -v` tells how much memory a process may have)",
                STACK_BYTES >> 20
            )),
        }
    })
}
