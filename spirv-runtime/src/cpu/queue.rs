//! Queues of the CPU device: the launches that a queue made and that have not run.

use super::job::Job;
use super::locked::Locked;
use super::pool::{Patience, Pool};
use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

/// Launches of a queue that have not run. One more waits for the first of them.
const MAX_LAUNCHES: usize = 1024;
/// ... or runs it, if that takes no time to speak of: its memory is in the caches still.
const MAX_SHORT: usize = 32;

#[derive(Default)]
struct Launches {
    /// In the order in which they were made, the first one perhaps done.
    jobs: VecDeque<Arc<Job>>,
    /// Number of the first of them.
    first: u64,
    /// Why one of those before them failed; for the next wait.
    failure: Option<Error>,
}

impl Launches {
    /// The number of the next one.
    fn end(&self) -> u64 {
        self.first + self.jobs.len() as u64
    }

    /// Forgets those at the front that are done.
    fn retire(&mut self) {
        while let Some(job) = self.jobs.front().filter(|job| job.is_done()) {
            if self.failure.is_none() {
                self.failure = job.failure(true);
            }
            self.jobs.pop_front();
            self.first += 1;
        }
    }
}

/// The launches of a queue.
#[derive(Default)]
pub(crate) struct Queue(Locked<Launches>);

impl Queue {
    /// Launches a job. Waits where too many have not run.
    ///
    /// # Errors
    /// The job uses what another one failed to write.
    pub fn launch(&self, job: Arc<Job>) -> Result<()> {
        let pool = Pool::global()?;
        let mut state = pool.lock();
        loop {
            let launches = self.0.get(&mut state.key);
            launches.retire();
            let count = launches.jobs.len();
            let full = |job: &&Arc<Job>| count >= MAX_LAUNCHES || count >= MAX_SHORT && job.is_short();
            match launches.jobs.front().filter(full).cloned() {
                None => {
                    pool.submit(&mut state, &job)?;
                    self.0.get(&mut state.key).jobs.push_back(job);
                    return Ok(());
                }
                Some(first) => state = pool.wait(state, &first, &mut Patience::new(None)).0,
            }
        }
    }

    /// Waits until all have run that were launched before, or until then; whether they have.
    ///
    /// # Errors
    /// One of them failed, and no wait has said so before.
    pub fn wait(&self, until: Option<Instant>) -> Result<bool> {
        let Some(pool) = Pool::existing() else { return Ok(true) };
        let mut patience = Patience::new(until);
        let mut state = pool.lock();
        let last = self.0.get(&mut state.key).end();
        loop {
            let launches = self.0.get(&mut state.key);
            launches.retire();
            match launches.jobs.front().filter(|_| launches.first < last).cloned() {
                None => return launches.failure.take().map_or(Ok(true), Err),
                Some(job) => {
                    let done;
                    (state, done) = pool.wait(state, &job, &mut patience);
                    if !done {
                        return Ok(false);
                    }
                    if let Some(error) = job.failure(false) {
                        self.0.get(&mut state.key).failure.get_or_insert(error);
                    }
                }
            }
        }
    }

    /// Has the pool begin with what was launched.
    pub fn flush(&self) -> Result<()> {
        if let Some(pool) = Pool::existing() {
            pool.flush();
        }
        Ok(())
    }

    /// Ends all that was launched and has not run. None of it runs any more afterwards.
    pub fn cancel(&self) -> Result<()> {
        if let Some(pool) = Pool::existing() {
            let jobs: Vec<Arc<Job>> = self.0.get(&mut pool.lock().key).jobs.iter().cloned().collect();
            pool.cancel(&jobs);
        }
        Ok(())
    }
}
