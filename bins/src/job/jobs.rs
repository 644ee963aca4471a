//! The jobs of one runner, for a daemon that must never wait for them.
//!
//! Promises: no call here blocks on a job or on the guard; what happens is reported as a
//! [`JobEvent`]. Each job has one thread, which sleeps in the kernel while nothing happens.

use std::sync::Arc;
use std::thread;

use horarium_core::words::time::Moment;

use super::active::{ActiveJobs, KeyInUse, Stop};
use super::command::{JobCommand, SpawnError};
use super::event::JobEvent;
use super::execution::execute;
use crate::guard::{GuardLink, JobKey};

/// The jobs that a runner executes.
#[derive(Debug)]
pub struct Jobs(Arc<ActiveJobs>);

impl Jobs {
    /// No jobs yet. `report` is called from the jobs' threads with each event and must only hand
    /// it on, as a channel's `send` does: it must not wait, nor call these jobs.
    pub fn new(guard: GuardLink, report: impl Fn(JobEvent) + Send + Sync + 'static) -> Self {
        let active = Arc::new(ActiveJobs::new(guard, report));
        let when_lost = Arc::clone(&active);
        active.guard().when_lost(move || when_lost.guard_lost());
        Self(active)
    }

    /// Execute `command`, which is killed at `deadline` if it runs still.
    pub fn start(
        &self,
        key: JobKey,
        command: JobCommand,
        deadline: Moment,
    ) -> Result<(), KeyInUse> {
        self.0.accept(&key, deadline)?;
        let active = Arc::clone(&self.0);
        let job = key.clone();
        let thread = thread::Builder::new()
            .name("job".to_owned())
            .spawn(move || execute(&active, job, &command));
        if let Err(source) = thread {
            self.0.end(&key);
            self.0.report(JobEvent::SpawnFailed { key, error: SpawnError::Unattended { source } });
        }
        Ok(())
    }

    /// Give a job another deadline. After the old one has passed this does nothing.
    pub fn set_deadline(&self, key: &JobKey, deadline: Moment) {
        self.0.set_deadline(key, deadline);
    }

    /// TERM to the job's group (and CONT, so that a stopped one hears it). One that is not started
    /// yet will not be.
    pub fn terminate(&self, key: &JobKey) {
        self.0.stop(key, Stop::Terminate);
    }

    /// KILL to the job's group and to all that it started.
    pub fn kill(&self, key: &JobKey) {
        self.0.stop(key, Stop::Kill);
    }

    /// [`Self::kill`] for every job.
    pub fn kill_all(&self) {
        self.0.stop_all(Stop::Kill);
    }
}
