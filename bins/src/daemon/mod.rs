//! The daemons' shells: they carry out what core's machines say, and decide nothing.
//!
//! A shell hosts one machine. Whatever happens (an answer, a job's end, a signal, a moment that
//! has come) becomes one input; the outputs are carried out in order. Calls to the store run
//! beside it, so that a slow store never delays a deadline.

mod arguments;
mod ask;
mod declare;
mod exec;
mod fresh_id;
mod job_document;
mod leadership;
mod runner;
mod scheduler;
mod serve;
mod signals;
mod up;
mod watch;

pub(crate) use arguments::at_least_one;
pub use arguments::{ArgumentError, LeaseArguments, RunnerArguments, SchedulerArguments};
pub use declare::{DeclareError, declare};
pub use exec::{ExecError, ExecOptions, OWN_FAILURE, exec, exit_status};
pub use fresh_id::{fresh_run_id, fresh_runner_id, fresh_scheduler_id, fresh_seed};
pub use runner::Foreground;
pub use serve::{Roles, RunnerRole, SchedulerRole, ServeEnd, ServeError, serve};
pub use up::{UpError, UpOptions, up};

use std::time::Duration;

use horarium_core::words::{Moment, Span};

use crate::boot_clock;

/// No sleep is longer: the runtime's clock stands still while the machine is suspended, the
/// boot-time clock does not.
const LONGEST_SLEEP: Duration = Duration::from_secs(5);

/// Sleeps until the moment, or a little, whichever is shorter.
async fn sleep_towards(moment: Moment) {
    let left = duration(moment.since(boot_clock::now()));
    tokio::time::sleep(left.min(LONGEST_SLEEP)).await;
}

/// A span as the standard library has it.
fn duration(span: Span) -> Duration {
    Duration::from_micros(span.micros())
}
