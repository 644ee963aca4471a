//! A run in the foreground: a runner of its own, for one run, with live output.

use std::collections::BTreeMap;
use std::sync::Arc;

use horarium_core::run::{Cause, Failure, Outcome};
use horarium_core::runner::{Input, RunnerConfig};
use horarium_core::store::Store;
use horarium_core::words::Name;

use crate::guard::GuardLink;
use crate::local_handler::LocalHandler;

use super::ServeError;
use super::runner::{Foreground, RunnerShell};
use super::signals::signals;

/// The status for a failure of ours, as opposed to the command's.
const OWN_FAILURE: u8 = 125;
/// The status for a command whose time was up.
const TIMED_OUT: u8 = 124;
/// The status after Ctrl-C: 128 + SIGINT.
const INTERRUPTED: u8 = 130;

/// What a foreground run needs.
pub struct ExecOptions {
    /// The link to its guard.
    pub guard: GuardLink,
    /// What the machine is told; its purpose is the foreground run.
    pub config: RunnerConfig,
    /// What it can execute.
    pub handlers: BTreeMap<Name, LocalHandler>,
}

/// Executes one run and waits for it. A first signal cancels it, a second one kills it.
pub async fn exec<S: Store + 'static>(
    store: Arc<S>,
    options: ExecOptions,
) -> Result<Foreground, ServeError> {
    let mut signals = signals()?;
    let ExecOptions { guard, config, handlers } = options;
    let shell = RunnerShell::new(store, config, handlers, guard, true);
    let inputs = shell.inputs();
    let mut running = std::pin::pin!(shell.run());
    let mut asked = 0_u32;
    loop {
        tokio::select! {
            end = &mut running => return Ok(end.foreground),
            Some(_) = signals.recv() => {
                asked += 1;
                // The shell listens until it has ended.
                drop(inputs.send(if asked == 1 { Input::Interrupt } else { Input::Hurry }));
            }
        }
    }
}

/// The exit status that a foreground run gives: the command's own; 125 when it is not the
/// command's.
pub fn exit_status(foreground: &Foreground) -> u8 {
    let Foreground::Ended(Some(outcome)) = foreground else { return OWN_FAILURE };
    match outcome {
        Outcome::Success => 0,
        Outcome::Failed(Failure { cause, .. }) => match cause {
            Cause::Exit(code) => u8::try_from(*code).unwrap_or(OWN_FAILURE),
            Cause::Signal(signal) => u8::try_from(128 + *signal).unwrap_or(OWN_FAILURE),
            Cause::Timeout => TIMED_OUT,
            Cause::Config(_) | Cause::Spawn(_) | Cause::Handler(_) => OWN_FAILURE,
        },
        Outcome::Interrupted(_) => OWN_FAILURE,
        Outcome::Cancelled(_) => INTERRUPTED,
    }
}
