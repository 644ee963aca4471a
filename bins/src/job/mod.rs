//! Jobs: commands that a runner executes as processes.
//!
//! Promises: every job is a process group of its own, watched by the [guard](crate::guard) from
//! before it exists; its streams never hold a runner up; its end is reported when it was reaped
//! and what it left behind was killed. Nothing here uses an asynchronous runtime or reaps a
//! process that it did not start.
//!
//! The program must leave SIGPIPE ignored, as Rust programs do unless they change it: a job that
//! does not read its input would otherwise end the runner.

mod active;
mod command;
mod event;
mod execution;
mod exit;
mod jobs;
mod streams;
mod tail;

pub use active::KeyInUse;
pub use command::{JobCommand, SpawnError};
pub use event::JobEvent;
pub use exit::Exit;
pub use jobs::Jobs;
pub use streams::JobOutput;
pub use tail::Tail;
