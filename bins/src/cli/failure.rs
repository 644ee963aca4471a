//! How a verb fails, and with which exit status.
//!
//! Promise: every failure says what was wrong, where, and what to do; the statuses are documented
//! in `horarium --help` and never change their meaning.

use std::io;

use horarium_core::ledger::Refusal;
use horarium_core::run::StatusKind;
use horarium_core::store::{ReadError, RunRef, StoreError};
use horarium_core::words::{Name, RunNumber, WorkerName};

use crate::catalogue_file::CatalogueFileError;
use crate::daemon::{DeclareError, ExecError, UpError};
use crate::exit_code::ExitCode;
use crate::option_schema::OptionFault;
use crate::store_location::StoreLocationError;

/// The status when the time to wait was over, as of timeout(1).
const TIMED_OUT: u8 = 124;

/// Why a verb did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// What was typed cannot be.
    #[error("{0}")]
    Usage(String),
    /// A catalogue file that cannot be used.
    #[error(transparent)]
    CatalogueFile(#[from] CatalogueFileError),
    /// Options that the handler's schema does not allow.
    #[error(
        "handler {handler} cannot take these options:\n{}\nsee `horarium catalogue show {handler}` for what it takes",
        listed(.faults)
    )]
    Options {
        /// The handler.
        handler: Name,
        /// What is wrong with them.
        faults: Vec<OptionFault>,
    },
    /// There is no such run.
    #[error("no run {}; it may have been pruned: `horarium run list` shows what there is", named(.0))]
    NoSuchRun(RunRef),
    /// Nothing is known of the worker.
    #[error("nothing is known of worker {0}: `horarium worker list` shows what there is")]
    NoSuchWorker(WorkerName),
    /// The catalogue has no such handler.
    #[error(
        "no handler `{0}` in the catalogue: `horarium catalogue show` lists what there is; start a runner that serves it, or `horarium catalogue apply FILE`"
    )]
    NoSuchHandler(Name),
    /// The store refused.
    #[error("{}", with_remedy(.0))]
    Refused(Refusal),
    /// The store did not answer a command.
    #[error("{0}\nsending it again is safe: it is carried out once at most")]
    Store(#[from] StoreError),
    /// The store could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The store cannot be opened.
    #[error(transparent)]
    Open(#[from] StoreLocationError),
    /// What a catalogue file declares was not taken.
    #[error(transparent)]
    Declare(#[from] DeclareError),
    /// `up` could not begin, or ended badly.
    #[error(transparent)]
    Up(#[from] UpError),
    /// A foreground run could not begin.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// The store answered something else than was asked.
    #[error("the store answered with something else than was asked: please report this")]
    Answer,
    /// A run that was waited for did not succeed.
    #[error("run {number} ended {status}: {why}")]
    Unsuccessful {
        /// Its number.
        number: RunNumber,
        /// How it ended.
        status: StatusKind,
        /// And why.
        why: String,
    },
    /// A run had not ended when the time to wait was over.
    #[error("run {number} is still {status} after {waited}; it goes on without you")]
    StillActive {
        /// Its number.
        number: RunNumber,
        /// How far it is.
        status: StatusKind,
        /// How long it was waited for.
        waited: horarium_core::words::Span,
    },
    /// Something else that this process needs cannot be had.
    #[error("{0}")]
    Failed(String),
    /// What reads our output has gone; that is its good right.
    #[error("the output was closed")]
    OutputClosed,
    /// The output cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(io::Error),
}

/// The exit statuses, for the help.
pub(crate) const EXIT_STATUSES: &str = "\
Exit status:
  0    done; with `run wait` and `run start --wait`: the run ended SUCCESS
  1    failed, or the run that was waited for ended otherwise
  2    what was typed, or a file that was named, is malformed or does not fit the handler
  3    no such run, worker, handler or schedule
  4    the slot is taken, or somebody else changed it meanwhile
  5    the store cannot be reached or opened
  6    the store's schema, or the zone data it goes by, are not this program's
  124  `run wait --timeout`: the run had not ended in time
  125  `exec`: a failure of horarium's own; else the command's own status";

impl Failure {
    /// The exit status.
    pub(super) fn exit_status(&self) -> u8 {
        let code = match self {
            Self::StillActive { .. } => return TIMED_OUT,
            Self::OutputClosed => ExitCode::Ok,
            Self::Answer | Self::Unsuccessful { .. } | Self::Failed(_) | Self::Output(_) => {
                ExitCode::Failure
            }
            Self::Usage(_) | Self::CatalogueFile(_) | Self::Options { .. } => ExitCode::Usage,
            Self::NoSuchRun(_) | Self::NoSuchWorker(_) | Self::NoSuchHandler(_) => {
                ExitCode::NotFound
            }
            Self::Refused(refusal) => refused(refusal),
            Self::Store(_) | Self::Read(_) => ExitCode::Unreachable,
            Self::Open(error) => error.exit_code(),
            Self::Declare(error) => declared(error),
            Self::Up(error) => brought_up(error),
            Self::Exec(_) => ExitCode::Failure,
        };
        code.number()
    }
}

fn declared(error: &DeclareError) -> ExitCode {
    match error {
        DeclareError::Refused { refusal, .. } => refused(refusal),
        DeclareError::Store(_) | DeclareError::Read(_) => ExitCode::Unreachable,
        DeclareError::Answer { .. } => ExitCode::Failure,
    }
}

fn brought_up(error: &UpError) -> ExitCode {
    match error {
        UpError::Catalogue(_) | UpError::Arguments(_) => ExitCode::Usage,
        UpError::Store(error) => error.exit_code(),
        UpError::Declare(error) => declared(error),
        UpError::Serve(_) | UpError::GuardLost => ExitCode::Failure,
    }
}

fn refused(refusal: &Refusal) -> ExitCode {
    match refusal {
        Refusal::FaultyRule(_) => ExitCode::Failure,
        Refusal::OlderZoneData { .. } => ExitCode::SchemaMismatch,
        Refusal::InvalidRequest(_)
        | Refusal::BatchSize(_)
        | Refusal::NeverFires(_)
        | Refusal::ReservedId { .. } => ExitCode::Usage,
        Refusal::UnknownHandler { .. } | Refusal::NoSuchRun { .. } | Refusal::NoSchedule { .. } => {
            ExitCode::NotFound
        }
        Refusal::SlotTaken { .. }
        | Refusal::IdTaken { .. }
        | Refusal::NotRunning { .. }
        | Refusal::ForceNeeded { .. }
        | Refusal::RevisionChanged { .. }
        | Refusal::NotYours { .. } => ExitCode::Conflict,
    }
}

/// The refusal's own words, and what to do about it on a command line.
fn with_remedy(refusal: &Refusal) -> String {
    let remedy = match refusal {
        Refusal::SlotTaken { number, .. } => format!(
            "\nwait for it (`horarium run wait {}`) or cancel it (`horarium run cancel {}`)",
            number.0, number.0
        ),
        Refusal::ForceNeeded { .. } => String::from(" with --force"),
        Refusal::NoSchedule { worker } => {
            format!(": `horarium schedule set {worker} --cron EXPR --tz ZONE` makes one")
        }
        Refusal::NeverFires(_) => {
            String::from(": choose another rule, or move --not-before and --until")
        }
        Refusal::UnknownHandler { .. }
        | Refusal::InvalidRequest(_)
        | Refusal::IdTaken { .. }
        | Refusal::ReservedId { .. }
        | Refusal::BatchSize(_)
        | Refusal::NoSuchRun { .. }
        | Refusal::NotRunning { .. }
        | Refusal::RevisionChanged { .. }
        | Refusal::FaultyRule(_)
        | Refusal::OlderZoneData { .. }
        | Refusal::NotYours { .. } => String::new(),
    };
    format!("{refusal}{remedy}")
}

fn listed(faults: &[OptionFault]) -> String {
    faults.iter().map(|fault| format!("  {fault}")).collect::<Vec<_>>().join("\n")
}

fn named(run: &RunRef) -> String {
    match run {
        RunRef::Id(id) => id.to_string(),
        RunRef::Number(number) => number.to_string(),
    }
}
