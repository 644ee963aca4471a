//! `horarium exec`: a run in the foreground, by a runner of its own, with live output.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use horarium_core::ledger::Wish;
use horarium_core::recurrence::Zone;
use horarium_core::run::{Cause, Failure, Outcome};
use horarium_core::runner::{Input, Purpose};

use crate::catalogue_file::{CatalogueFile, CatalogueFileError};
use crate::guard::GuardLink;
use crate::store_location::{Role, StoreArguments, StoreLocationError};

use super::runner::{Foreground, RunnerShell};
use super::signals::signals;
use super::watch::watch;
use super::{ArgumentError, LeaseArguments, ServeError};

/// The status for a failure of ours, as opposed to the command's.
pub const OWN_FAILURE: u8 = 125;
/// The status for a command whose time was up.
const TIMED_OUT: u8 = 124;
/// The status after Ctrl-C: 128 + SIGINT.
const INTERRUPTED: u8 = 130;

/// What a foreground run needs.
pub struct ExecOptions<'a> {
    /// The catalogue file that has the worker's handler.
    pub catalogue: PathBuf,
    /// The zone of a schedule in it that names none.
    pub zone: Option<Zone>,
    /// Where the ledger is.
    pub store: &'a StoreArguments,
    /// What is set for the lease.
    pub lease: &'a LeaseArguments,
    /// What is asked for.
    pub wish: Wish,
}

/// A foreground run that could not begin.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The catalogue file is not usable.
    #[error(transparent)]
    Catalogue(#[from] CatalogueFileError),
    /// A setting cannot be.
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    /// The ledger is not usable.
    #[error(transparent)]
    Store(#[from] StoreLocationError),
    /// Signals cannot be caught.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// Executes one run and waits for it. A first signal cancels it, a second one kills it.
pub async fn exec(guard: GuardLink, options: ExecOptions<'_>) -> Result<Foreground, ExecError> {
    let file = CatalogueFile::read(&options.catalogue, options.zone.as_ref())?;
    let purpose = Purpose::Foreground(Box::new(options.wish));
    let config = options.lease.foreground_config(&file.handlers, purpose)?;
    let store = options.store.open(&[Role::Operator, Role::Runner]).await?;
    let mut signals = signals().map_err(ServeError::from)?;
    let store = Arc::new(store);
    let shell = RunnerShell::new(Arc::clone(&store), config, file.handlers, guard, true);
    let inputs = shell.inputs();
    tokio::spawn(watch(store, BTreeSet::new(), Some(inputs.clone()), None));
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
