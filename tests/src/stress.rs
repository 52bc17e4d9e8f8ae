//! Many threads that launch on many queues of one device at once, and check all that comes back.
//!
//! `cargo run --release -p kernel-tests --bin stress -- 60` does so for 60 seconds on the device that `SPIRV_DEVICE` names;
//! `SPIRV_VALIDATION=1` has Vulkan's validation layer look on. A test does the same for some seconds.

use crate::saxpy;
use spirv_runtime::{Buffer, Device, Error, Queue};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Threads that launch.
pub const THREADS: u32 = 64;
/// Queues that they share.
pub const QUEUES: u32 = 8;
/// Elements of the buffer that all threads read; others have no more.
const LEN: u32 = 4096;

/// What was done.
#[derive(Debug, Default)]
pub struct Counts {
    /// Launches.
    pub launches: AtomicU64,
    /// Buffers that were read and compared.
    pub reads: AtomicU64,
}

/// What many threads share.
struct Shared<'a> {
    device: &'a Device,
    queues: Vec<Queue>,
    kernel: saxpy::Kernel,
    /// Ones.
    ones: Buffer<f32>,
    counts: Counts,
}

/// Runs for so long.
///
/// # Errors
/// A call failed, or some buffer does not hold what it must.
pub fn run(device: &Device, duration: Duration) -> Result<Counts, String> {
    let shared = Shared::new(device).map_err(|e| e.to_string())?;
    let (end, failed) = (Instant::now() + duration, AtomicBool::new(false));
    std::thread::scope(|scope| {
        let start = |t: u32| {
            let (shared, failed) = (&shared, &failed);
            scope.spawn(move || {
                let go_on = || Instant::now() < end && !failed.load(Ordering::Relaxed);
                let done = Thread { seed: t * 7919 + 1, shared }.run(go_on);
                failed.fetch_or(done.is_err(), Ordering::Relaxed);
                done.map_err(|what| format!("thread {t}: {what}"))
            })
        };
        let threads: Vec<_> = (0..THREADS).map(start).collect();
        let results =
            threads.into_iter().map(|t| t.join().unwrap_or_else(|_| Err("a thread panicked".into())));
        // All of them, so that the scope does not panic for those behind one that failed.
        results.fold(Ok(()), Result::and)
    })?;
    shared.queues.iter().try_for_each(Queue::wait).map_err(|e| e.to_string())?;
    Ok(shared.counts)
}

impl<'a> Shared<'a> {
    fn new(device: &'a Device) -> Result<Shared<'a>, Error> {
        Ok(Shared {
            device,
            queues: (0..QUEUES).map(|_| device.queue()).collect(),
            kernel: saxpy::load(device)?,
            ones: device.buffer_from(&vec![1.0; LEN as usize])?,
            counts: Counts::default(),
        })
    }
}

/// A buffer of equal whole numbers, and which.
struct Known {
    buffer: Buffer<f32>,
    value: f32,
}

struct Thread<'a> {
    seed: u32,
    shared: &'a Shared<'a>,
}

impl Thread<'_> {
    fn random(&mut self, n: u32) -> u32 {
        self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.seed >> 8) % n
    }

    fn known(&mut self) -> Result<Known, String> {
        let value = self.random(100) as f32;
        let elements = vec![value; 1 + self.random(LEN) as usize];
        let buffer = self.shared.device.buffer_from(&elements).map_err(|e| e.to_string())?;
        Ok(Known { buffer, value })
    }

    /// One step after the other, each by a random number.
    fn run(&mut self, go_on: impl Fn() -> bool) -> Result<(), String> {
        let mut own = [self.known()?, self.known()?, self.known()?];
        while go_on() {
            let queue = &self.shared.queues[self.random(QUEUES) as usize];
            let (i, j) = (self.random(3) as usize, self.random(3) as usize);
            let step = self.random(100);
            let done = match step {
                0..5 => self.check(queue, &own[i]),
                5..8 => {
                    own[i].value = step as f32;
                    let elements = vec![own[i].value; own[i].buffer.len()];
                    own[i].buffer.write(queue, &elements)
                }
                // What is launched keeps the old one.
                8..11 => {
                    own[i] = self.known()?;
                    Ok(())
                }
                11 => queue.wait(),
                12 => queue.flush(),
                13 => queue.wait_timeout(Duration::from_micros(50)).map(drop),
                14 => own[i].buffer.wait_timeout(Duration::from_micros(50)).map(drop),
                _ if i == j => self.add(queue, None, &mut own[i]),
                _ => match own.get_disjoint_mut([i, j]) {
                    Ok([x, y]) => self.add(queue, Some(x), y),
                    Err(_) => Ok(()),
                },
            };
            done.map_err(|e| e.to_string())?;
        }
        let queue = &self.shared.queues[0];
        own.iter().try_for_each(|known| self.check(queue, known)).map_err(|e| e.to_string())
    }

    /// Adds a multiple of a buffer, or of the one that all share, to another.
    fn add(&mut self, queue: &Queue, x: Option<&Known>, y: &mut Known) -> Result<(), Error> {
        let a = 1.0 + self.random(3) as f32;
        let (x, value) = x.map_or((&self.shared.ones, 1.0), |x| (&x.buffer, x.value));
        // Whole numbers that floats hold.
        if y.value + a * value > 1e6 || x.len() < y.buffer.len() {
            return Ok(());
        }
        let n = y.buffer.len() as u32;
        let params = saxpy::Params { scale: saxpy::Scale { a, n } };
        let args = saxpy::Args { x, y: &mut y.buffer, params, threads: [n, 1, 1] };
        self.shared.kernel.launch(queue, args)?;
        y.value += a * value;
        self.shared.counts.launches.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn check(&self, queue: &Queue, known: &Known) -> Result<(), Error> {
        let got = known.buffer.read(queue)?;
        self.shared.counts.reads.fetch_add(1, Ordering::Relaxed);
        let wrong = got.iter().position(|v| *v != known.value);
        assert_eq!(wrong, None, "{:?} for {}", wrong.map(|i| got[i]), known.value);
        Ok(())
    }
}
