//! The stream of commands: recording, barriers, submissions and their completion.

use super::device::{Device, Shared};
use super::memory::Usage;
use super::recording::{Fence, Recording};
use crate::error::{ErrorKind, Result, error};
use crate::gpu::{Commands, DROPPED_PER_SUBMISSION, Dropped, MAX_HELD};
use ash::vk;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// A submission is made after this many launches, so that the device has work while the host records more.
const LAUNCHES_PER_SUBMISSION: u32 = 64;
/// ... or when it holds this many bytes of memory of its own.
const HELD_BY_SUBMISSION: u64 = 64 << 20;
/// With more submissions in flight than this, the host waits.
const MAX_FLYING: usize = 64;
/// Completed submissions whose pools are kept for the next ones.
const MAX_IDLE: usize = 8;
/// How often, and how long apart, it is asked whether a device is idle that cannot say so for want of memory.
const IDLE_TRIES: (u32, Duration) = (100, Duration::from_millis(10));

/// How the completion of submissions is known.
enum Progress {
    /// A timeline semaphore, which counts submissions.
    Timeline(vk::Semaphore),
    /// A fence for each submission.
    Fences,
}

/// What to wait for; waited for without the stream's lock.
enum Waiter {
    Timeline(vk::Semaphore, u64),
    Fence(Arc<Fence>),
}

/// See the module `vulkan` for the invariants.
pub(super) struct Stream {
    progress: Progress,
    open: Option<Recording>,
    /// Complete, but the driver had no memory to take it: it is submitted before anything else.
    closed: Option<Recording>,
    flying: VecDeque<Recording>,
    idle: Vec<Recording>,
    /// Of these nobody knows whether the device uses them; they are destroyed with it.
    unknown: Vec<Recording>,
    dropped: Dropped,
    /// Number of the last submission begun.
    begun: u64,
    /// Number of the last submission known to have completed.
    completed: u64,
    /// Number of the last command.
    command: u64,
    /// The last command before the last barrier.
    barrier: u64,
}

impl Stream {
    pub fn new(shared: &Shared, fences: bool) -> Result<Stream> {
        let timeline = !fences
            && shared.version >= vk::API_VERSION_1_2
            && shared.features.timeline.timeline_semaphore == vk::TRUE;
        let progress = if timeline {
            let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
            let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
            // SAFETY: the feature is enabled.
            let semaphore = unsafe { shared.raw.create_semaphore(&info, None) };
            Progress::Timeline(semaphore.map_err(|e| shared.failed("vkCreateSemaphore", e))?)
        } else {
            Progress::Fences
        };
        Ok(Stream {
            progress,
            open: None,
            closed: None,
            flying: VecDeque::new(),
            idle: Vec::new(),
            unknown: Vec::new(),
            dropped: Dropped::default(),
            begun: 0,
            completed: 0,
            command: 0,
            barrier: 0,
        })
    }

    /// Destroys everything, when nobody uses the device any more.
    pub fn destroy(&mut self, shared: &Arc<Shared>) {
        let recordings: Vec<_> = self.flying.drain(..).chain(self.unknown.drain(..)).collect();
        if !recordings.is_empty() && !is_idle(shared) {
            // Freeing what the device may be using is worse than not freeing it.
            std::mem::forget(recordings);
            std::mem::forget(Arc::clone(shared));
            return;
        }
        let others = self.open.take().into_iter().chain(self.closed.take()).chain(self.idle.drain(..));
        for recording in recordings.into_iter().chain(others) {
            recording.destroy(shared);
        }
        if let Progress::Timeline(semaphore) = self.progress {
            // SAFETY: the device is idle, and waiters borrow it.
            unsafe { shared.raw.destroy_semaphore(semaphore, None) };
        }
    }

    /// The open recording, begun if need be.
    pub fn open(&mut self, shared: &Arc<Shared>) -> Result<&mut Recording> {
        shared.alive()?;
        if self.open.is_none() {
            self.send(shared)?;
            self.retire(shared)?;
            let mut recording = match self.idle.pop() {
                Some(recording) => recording,
                None => Recording::new(shared)?,
            };
            recording.submission = self.begun + 1;
            recording.barrier_before = self.barrier;
            if let Err(e) = recording.begin(shared) {
                recording.destroy(shared);
                return Err(e);
            }
            self.begun += 1;
            self.open = Some(recording);
        }
        // Just made if there was none.
        self.open.as_mut().ok_or_else(|| error!(Driver, "there is no recording"))
    }

    /// An error if the command that was to write one of these is not among those that run.
    pub fn check_writers(&self, uses: &[(&Usage, bool)]) -> Result<()> {
        uses.iter().try_for_each(|(usage, _)| self.dropped.check_writer(usage.last_write()))
    }

    /// Announces a command that uses this memory, read or written, with a barrier before it if it needs one.
    pub fn command(&mut self, shared: &Arc<Shared>, uses: &[(&Usage, bool)]) -> Result<&mut Recording> {
        self.open(shared)?;
        if uses.iter().any(|(usage, write)| usage.conflicts(*write, self.barrier)) {
            self.full_barrier(shared)?;
        }
        self.command += 1;
        let (command, submission) = (self.command, self.begun);
        for (usage, write) in uses {
            usage.used(*write, command, submission);
        }
        self.open(shared)
    }

    /// Separates all commands so far from those to come.
    pub fn full_barrier(&mut self, shared: &Arc<Shared>) -> Result<()> {
        let commands = self.open(shared)?.commands;
        let stages = vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER;
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(
                vk::AccessFlags::SHADER_READ
                    | vk::AccessFlags::SHADER_WRITE
                    | vk::AccessFlags::UNIFORM_READ
                    | vk::AccessFlags::TRANSFER_READ
                    | vk::AccessFlags::TRANSFER_WRITE,
            );
        // SAFETY: the command buffer is being recorded.
        unsafe {
            shared.raw.cmd_pipeline_barrier(
                commands,
                stages,
                stages,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[],
                &[],
            );
        }
        self.barrier = self.command;
        Ok(())
    }

    /// Submits the open recording if it has become large.
    pub fn submit_if_large(&mut self, shared: &Arc<Shared>) -> Result<()> {
        let large = |r: &Recording| r.launches >= LAUNCHES_PER_SUBMISSION || r.held >= HELD_BY_SUBMISSION;
        if !self.open.as_ref().is_some_and(large) {
            return Ok(());
        }
        match self.submit(shared) {
            // It is complete and will be submitted: nothing of it is lost.
            Err(e) if e.kind() == ErrorKind::OutOfMemory && self.closed.is_some() => Ok(()),
            done => done,
        }
    }

    /// Submits the open recording, if there is one.
    pub fn submit(&mut self, shared: &Arc<Shared>) -> Result<()> {
        self.send(shared)?;
        let Some(recording) = self.open.take() else { return Ok(()) };
        if let Err(e) = recording.end(shared) {
            // Its commands are lost, and the barriers among them.
            self.drop_commands(&recording, &e);
            recording.destroy(shared);
            return Err(e);
        }
        self.closed = Some(recording);
        self.send(shared)
    }

    /// Submits the complete recording, if there is one.
    fn send(&mut self, shared: &Arc<Shared>) -> Result<()> {
        shared.alive()?;
        let Some(recording) = &mut self.closed else { return Ok(()) };
        let result = send(shared, &self.progress, recording);
        match &result {
            Ok(()) => self.flying.extend(self.closed.take()),
            // It is as it was.
            Err(e) if e.kind() == ErrorKind::OutOfMemory => {}
            Err(e) => {
                if let Some(recording) = self.closed.take() {
                    self.drop_commands(&recording, e);
                    self.unknown.push(recording);
                }
            }
        }
        result
    }

    fn drop_commands(&mut self, recording: &Recording, error: &crate::error::Error) {
        self.dropped.add(recording.submission..=recording.submission, error.clone());
        self.barrier = recording.barrier_before;
    }

    /// Takes back what completed submissions used.
    pub fn retire(&mut self, shared: &Shared) -> Result<()> {
        shared.alive()?;
        if let Progress::Timeline(semaphore) = self.progress
            && !self.flying.is_empty()
        {
            // SAFETY: the semaphore is a timeline semaphore of this device.
            let value = unsafe { shared.raw.get_semaphore_counter_value(semaphore) };
            let value = value.map_err(|e| shared.failed("vkGetSemaphoreCounterValue", e))?;
            self.completed = self.completed.max(value);
        }
        while let Some(first) = self.flying.front() {
            if first.submission > self.completed
                && let Some(fence) = &first.fence
            {
                // SAFETY: the fence was submitted.
                let signalled = unsafe { shared.raw.get_fence_status(fence.raw) };
                if signalled.map_err(|e| shared.failed("vkGetFenceStatus", e))? {
                    self.completed = self.completed.max(first.submission);
                }
            }
            if first.submission > self.completed {
                break;
            }
            if let Some(mut recording) = self.flying.pop_front() {
                if self.idle.len() < MAX_IDLE && recording.reset(shared).is_ok() {
                    self.idle.push(recording);
                } else {
                    recording.destroy(shared);
                }
            }
        }
        // A reset may have found that the device is lost.
        shared.alive()
    }

    /// Whether nothing is in flight up to this submission; 0 never is.
    pub fn is_complete(&mut self, shared: &Shared, submission: u64) -> Result<bool> {
        if !self.pending(submission) {
            return shared.alive().map(|()| true);
        }
        self.retire(shared)?;
        Ok(!self.pending(submission))
    }

    /// Whether something up to this submission has not completed, as far as is known.
    fn pending(&self, submission: u64) -> bool {
        let waiting = self.open.iter().chain(&self.closed).chain(self.flying.front());
        submission > self.completed && waiting.into_iter().any(|r| r.submission <= submission)
    }

    /// What to wait for until nothing is in flight up to this submission; submits it if it is still open.
    fn waiter(&mut self, shared: &Arc<Shared>, submission: u64) -> Result<Option<(Waiter, u64)>> {
        // Whether there is something to wait for or not: what has completed gives back what it used.
        self.retire(shared)?;
        if !self.pending(submission) {
            return Ok(None);
        }
        if self.open.as_ref().is_some_and(|r| r.submission <= submission) {
            self.submit(shared)?;
        } else {
            self.send(shared)?;
        }
        // The last one: others up to there were dropped.
        let Some(last) = self.flying.iter().rev().find(|r| r.submission <= submission) else {
            return Ok(None);
        };
        Ok(Some(match self.progress {
            Progress::Timeline(semaphore) => (Waiter::Timeline(semaphore, last.submission), last.submission),
            Progress::Fences => {
                let fence = last.fence.clone().ok_or_else(|| error!(Driver, "a submission has no fence"))?;
                (Waiter::Fence(fence), last.submission)
            }
        }))
    }

    /// The user has dropped memory of so many bytes that this submission uses.
    pub fn release(&mut self, shared: &Arc<Shared>, submission: u64, bytes: u64) {
        let all = self.flying.iter_mut().chain(&mut self.closed).chain(&mut self.open);
        if let Some(recording) = all.into_iter().find(|r| r.submission == submission) {
            recording.holds(bytes);
            recording.dropped += bytes;
        }
        // Errors come out where something is waited for.
        if self.open.as_ref().is_some_and(|r| r.dropped >= DROPPED_PER_SUBMISSION) {
            let _ = self.submit(shared);
        }
        let _ = self.retire(shared);
    }

    /// The submission to wait for before more is recorded, if too much is in flight.
    fn too_much(&mut self, shared: &Arc<Shared>) -> Result<Option<u64>> {
        let much = |stream: &Stream| {
            let held = stream.flying.iter().chain(&stream.open).map(|r| r.held).sum::<u64>();
            held > MAX_HELD || stream.flying.len() > MAX_FLYING
        };
        // What users have dropped is given back as soon as it can be.
        if much(self) || self.flying.iter().any(|r| r.dropped >= DROPPED_PER_SUBMISSION) {
            self.retire(shared)?;
        }
        Ok(self.flying.front().filter(|_| much(self)).map(|r| r.submission))
    }

    /// Destroys what is kept for the next recordings.
    fn give_back(&mut self, shared: &Shared) {
        self.idle.drain(..).for_each(|recording| recording.destroy(shared));
    }
}

impl Device {
    /// Waits while too much is in flight.
    pub(super) fn throttle(&self) -> Result<()> {
        loop {
            let oldest = self.stream().too_much(&self.shared)?;
            match oldest {
                Some(submission) => self.wait(submission)?,
                None => return Ok(()),
            }
        }
    }

    fn wait_once(&self, submission: u64, nanoseconds: u64) -> Result<bool> {
        let shared = &self.shared;
        let waiter = self.stream().waiter(shared, submission)?;
        let Some((waiter, last)) = waiter else { return Ok(true) };
        let result = match &waiter {
            Waiter::Timeline(semaphore, value) => {
                let (semaphores, values) = ([*semaphore], [*value]);
                let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
                // SAFETY: the semaphore lives as long as this device; its value will be reached since the
                // submission was made.
                unsafe { shared.raw.wait_semaphores(&info, nanoseconds) }
            }
            // SAFETY: the waiter holds the fence, which was submitted.
            Waiter::Fence(fence) => unsafe { shared.raw.wait_for_fences(&[fence.raw], true, nanoseconds) },
        };
        if result == Err(vk::Result::TIMEOUT) {
            return Ok(false);
        }
        result.map_err(|e| shared.failed("waiting", e))?;
        let mut stream = self.stream();
        stream.completed = stream.completed.max(last);
        // It has completed, whether what it used can be taken back now or later.
        let _ = stream.retire(shared);
        shared.alive().map(|()| true)
    }
}

impl Commands for Device {
    fn wait_for(&self, submission: u64, nanoseconds: u64) -> Result<bool> {
        match self.wait_once(submission, nanoseconds) {
            Err(e) if e.kind() == ErrorKind::OutOfMemory => self.wait_once(submission, nanoseconds),
            done => done,
        }
    }

    fn submit(&self) -> Result<()> {
        let mut stream = self.stream();
        match stream.submit(&self.shared) {
            Err(e) if e.kind() == ErrorKind::OutOfMemory && stream.closed.is_some() => {
                stream.submit(&self.shared)
            }
            done => done,
        }
    }

    fn alive(&self) -> Result<()> {
        self.shared.alive()
    }

    fn check_dropped(&self, submissions: RangeInclusive<u64>) -> Result<()> {
        self.stream().dropped.check(submissions)
    }

    fn give_back(&self) {
        self.stream().give_back(&self.shared);
    }
}

/// Hands a complete recording to the device.
fn send(shared: &Arc<Shared>, progress: &Progress, recording: &mut Recording) -> Result<()> {
    let commands = [recording.commands];
    let mut info = vk::SubmitInfo::default().command_buffers(&commands);
    let (values, semaphores);
    let mut timeline;
    let mut fence = vk::Fence::null();
    match progress {
        Progress::Timeline(semaphore) => {
            (values, semaphores) = ([recording.submission], [*semaphore]);
            timeline = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
            info = info.signal_semaphores(&semaphores).push_next(&mut timeline);
        }
        Progress::Fences => {
            let made = match recording.fence.take() {
                Some(made) => made,
                None => Fence::new(shared)?,
            };
            fence = recording.fence.insert(made).raw;
        }
    }
    // SAFETY: the queue is used under the stream's lock only; the command buffer is complete, and what it uses is
    // kept by the recording.
    unsafe { shared.raw.queue_submit(shared.queue, &[info], fence) }
        .map_err(|e| shared.failed("vkQueueSubmit", e))
}

/// Waits until the device does nothing; a lost one does nothing. False if it cannot be known.
fn is_idle(shared: &Shared) -> bool {
    for _ in 0..IDLE_TRIES.0 {
        // SAFETY: the device is valid, and nobody else uses its queue.
        match unsafe { shared.raw.device_wait_idle() } {
            Ok(()) | Err(vk::Result::ERROR_DEVICE_LOST) => return true,
            Err(_) => std::thread::sleep(IDLE_TRIES.1),
        }
    }
    false
}
