//! The events: what a command changed. A ledger is the fold of its events.

use crate::catalogue::Published;
use crate::config::Config;
use crate::recurrence::{Occasion, ZoneRelease};
use crate::run::{CancelRequest, End, Hold, Run, Units};
use crate::schedule::due::Advance;
use crate::schedule::{Occurrence, Retry, Revision, Schedule};
use crate::words::{By, Note, Request, RunId, RunnerId, Timestamp, WorkerName};

use super::{Leadership, Runner};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Event {
    /// A runner registered.
    RunnerRegistered(Box<Runner>),
    /// A runner's turn was taken.
    TurnTaken {
        /// Who.
        runner: RunnerId,
        /// Its number.
        number: u64,
        /// When.
        at: Timestamp,
    },
    /// A runner stopped.
    RunnerStopped {
        /// Who.
        runner: RunnerId,
        /// When.
        at: Timestamp,
    },
    /// A run was accepted, or created for an occurrence, or started in the foreground.
    RunCreated(Box<Run>),
    /// A runner claimed it.
    RunClaimed {
        /// Which run.
        run: RunId,
        /// The hold.
        hold: Hold,
    },
    /// Its job started.
    RunStarted {
        /// Which run.
        run: RunId,
        /// When the report was written.
        at: Timestamp,
        /// What the request resolved to.
        config: Box<Config>,
    },
    /// Its job said how far it is.
    RunProgressed {
        /// Which run.
        run: RunId,
        /// Its units.
        units: Option<Units>,
        /// Its words.
        message: Option<Note>,
    },
    /// Its lease was renewed.
    LeaseRenewed {
        /// Which run.
        run: RunId,
        /// Until then.
        lease_expires_at: Timestamp,
    },
    /// It was never started and waits again.
    RunGivenBack {
        /// Which run.
        run: RunId,
    },
    /// Somebody wants it to end early.
    CancelRequested {
        /// Which run.
        run: RunId,
        /// The wish.
        request: CancelRequest,
    },
    /// It ended.
    RunEnded {
        /// Which run.
        run: RunId,
        /// How. The hold in it is the one that the run had.
        end: Box<End>,
        /// Its last units.
        units: Option<Units>,
    },
    /// A due instant was accounted for.
    OccurrenceRecorded(Box<Occurrence>),
    /// Whether another attempt is owed has changed.
    RetryChanged {
        /// Whose occurrence.
        worker: WorkerName,
        /// Which.
        scheduled_for: Timestamp,
        /// How it is now.
        retry: Retry,
    },
    /// The next attempt was created.
    ChainExtended {
        /// Whose occurrence.
        worker: WorkerName,
        /// Which.
        scheduled_for: Timestamp,
        /// The new run, which is the chain's last.
        run: RunId,
    },
    /// A schedule moved on after an occurrence.
    ScheduleAdvanced {
        /// Whose.
        worker: WorkerName,
        /// Where it stands.
        advance: Advance,
        /// The zone data that this was computed with.
        release: ZoneRelease,
    },
    /// A schedule was computed anew with newer zone data.
    ScheduleRecomputed {
        /// Whose.
        worker: WorkerName,
        /// When it fires next.
        next: Option<Occasion>,
        /// The zone data.
        release: ZoneRelease,
    },
    /// A leader had newer zone data than any before: from now on who has older ones computes
    /// nothing.
    ZoneDataAdopted {
        /// The zone data.
        release: ZoneRelease,
    },
    /// A schedule was saved, enabled or disabled.
    ScheduleSaved {
        /// Whose.
        worker: WorkerName,
        /// What it is now.
        schedule: Box<Schedule>,
        /// Everything up to here is accounted for.
        accounted_until: Timestamp,
    },
    /// A schedule was deleted.
    ScheduleDeleted {
        /// Whose.
        worker: WorkerName,
        /// The revision of the deletion.
        revision: Revision,
        /// Everything up to here is accounted for.
        accounted_until: Timestamp,
    },
    /// A worker's settings were saved.
    SettingsSaved {
        /// Whose.
        worker: WorkerName,
        /// The defaults.
        settings: Request,
        /// Which change made it so.
        revision: Revision,
        /// When.
        at: Timestamp,
        /// By whom.
        by: By,
    },
    /// A handler's definition became known.
    CataloguePublished(Box<Published>),
    /// A scheduler made a pass.
    SchedulerTicked(Leadership),
    /// A finished run was deleted.
    RunPruned {
        /// Which run.
        run: RunId,
    },
    /// A settled occurrence was deleted.
    OccurrencePruned {
        /// Whose.
        worker: WorkerName,
        /// Which.
        scheduled_for: Timestamp,
    },
}
