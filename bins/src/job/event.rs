//! What becomes of jobs.

use super::command::SpawnError;
use super::exit::Exit;
use super::streams::JobOutput;
use crate::guard::{JobKey, Remains};

/// News of a job. A job that was accepted gives either one `SpawnFailed`, or one `Started` and
/// then one `Exited`.
#[derive(Debug)]
pub enum JobEvent {
    /// It runs.
    Started {
        /// The job.
        key: JobKey,
        /// Its process id, which is its group's number.
        pid: u32,
    },
    /// Nothing of it runs or ever ran.
    SpawnFailed {
        /// The job.
        key: JobKey,
        /// Why, and what to do.
        error: SpawnError,
    },
    /// It ended, was reaped, and what it left behind was killed.
    Exited {
        /// The job.
        key: JobKey,
        /// How its own process ended.
        exit: Exit,
        /// The end of what it wrote.
        output: JobOutput,
        /// Whether its group, and what left the group, is known to be gone.
        remains: Remains,
    },
    /// The guard is lost. All jobs were killed (their `Exited` follow), none can be started, and
    /// the runner must end.
    GuardLost,
}
