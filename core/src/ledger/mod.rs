//! The ledger: the whole truth as one value, and the document that settles every dispute.
//!
//! A command is handled in three pure steps that always go together: it is *decided* against the
//! state, each decision becomes an [`Event`], and the state *evolves* by that event alone. So a
//! ledger is the fold of its events. [`Ledger::handle`] is the executable specification of every
//! store, the simulator's database and the oracle of the conformance suite. It is total: no
//! input makes it panic.
//!
//! A store that holds its rows elsewhere loads the slice of them that a command reads into
//! [`Rows`], handles the command on that slice, and writes the events back.

pub mod audit;
pub mod command;
pub mod draws;
pub mod event;
pub mod items;
pub mod reply;

mod agenda;
mod cancel;
mod enqueue;
mod evolve;
mod foreground;
mod prune;
mod registry;
mod sweep;
mod tick;
mod turn;
mod zone_data;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use crate::catalogue::{CatalogueHash, Published};
use crate::recurrence::{ZoneData, ZoneRelease};
use crate::run::{Run, RunStatus};
use crate::schedule::{Occurrence, Revision, Schedule};
use crate::words::{
    By, Fence, Name, Request, RunId, RunNumber, RunnerId, SchedulerId, Timestamp, WorkerName,
};

pub use command::{Claim, Command, Holding, Registration, Report, ReportEvent, Turn, Wish};
pub use draws::Draws;
pub use event::Event;
pub use reply::{Grant, Refusal, Reply, Stale, Turned};

/// A runner as the registry keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Runner {
    /// What it said of itself. The catalogue is kept apart.
    pub registration: Registration,
    /// The definitions that it brought.
    pub catalogue: Vec<CatalogueHash>,
    /// When it registered.
    pub registered_at: Timestamp,
    /// When its last turn was taken.
    pub last_seen: Timestamp,
    /// When it stopped.
    pub stopped_at: Option<Timestamp>,
    /// The last turn number that was taken.
    pub turn: u64,
}

/// A worker's row. It never goes away, so that what it accounts for is never forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Worker {
    /// Every due instant up to here is accounted for, whatever becomes of the schedule.
    pub accounted_until: Timestamp,
    /// How often the schedule was changed, deletions included.
    pub revision: Revision,
    /// The agenda.
    pub schedule: Option<Schedule>,
    /// The operator's defaults.
    pub settings: Option<Settings>,
}

impl Worker {
    /// A worker that nothing is known of.
    pub const NEW: Self = Self {
        accounted_until: Timestamp::EPOCH,
        revision: Revision::NONE,
        schedule: None,
        settings: None,
    };
}

/// An operator's defaults for one worker.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The defaults.
    pub request: Request,
    /// Which change made it so.
    pub revision: Revision,
    /// When that was.
    pub changed_at: Timestamp,
    /// And by whom.
    pub changed_by: By,
}

/// Who makes the scheduler's passes. For people: nothing is decided by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Leadership {
    /// The scheduler that ticked last.
    pub scheduler: SchedulerId,
    /// Since when without another one in between.
    pub since: Timestamp,
    /// When it ticked last.
    pub last_tick: Timestamp,
}

/// The key of an occurrence.
pub type OccurrenceKey = (WorkerName, Timestamp);

/// What the sequences give next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sequences {
    /// The next run's number.
    pub number: RunNumber,
    /// The next claim's fence.
    pub fence: Fence,
}

impl Default for Sequences {
    fn default() -> Self {
        Self { number: RunNumber(1), fence: Fence::FIRST }
    }
}

/// The rows of a ledger, or the slice of them that a command reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Rows {
    /// What the sequences give next.
    pub sequences: Sequences,
    /// The newest zone data that a leader had. Who has older ones computes nothing here.
    pub zone_data: Option<ZoneRelease>,
    /// Who ticked last.
    pub leadership: Option<Leadership>,
    /// The registry.
    pub runners: BTreeMap<RunnerId, Runner>,
    /// The workers.
    pub workers: BTreeMap<WorkerName, Worker>,
    /// The runs.
    pub runs: BTreeMap<RunId, Run>,
    /// The occurrences.
    pub occurrences: BTreeMap<OccurrenceKey, Occurrence>,
    /// The catalogue: every definition of every handler.
    pub catalogue: BTreeMap<Name, BTreeMap<CatalogueHash, Published>>,
}

/// The ledger: rows, and indexes over them that evolve with them. Equal and hashed by these,
/// whoever has it in hand.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    rows: Rows,
    index: Index,
    draws: Draws,
    /// The zone data of the process whose commands it handles.
    zones: ZoneData,
}

impl PartialEq for Ledger {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows && self.index == other.index
    }
}

impl Eq for Ledger {}

impl Hash for Ledger {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.rows, &self.index).hash(state);
    }
}

/// What is looked up often. Derived from the rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Index {
    /// The active run of each worker: its slot.
    slot: BTreeMap<WorkerName, RunId>,
    /// Queued runs by due time.
    queue: BTreeSet<(Timestamp, RunId)>,
    /// Running runs by holder.
    held: BTreeSet<(RunnerId, RunId)>,
    /// Running runs by the end of their lease.
    expiry: BTreeSet<(Timestamp, RunId)>,
    /// Schedules by their next instant.
    due: BTreeSet<(Timestamp, WorkerName)>,
    /// Occurrences that owe a retry.
    owed: BTreeSet<OccurrenceKey>,
    /// Enabled schedules by the zone data that they were computed with.
    computed: BTreeSet<(ZoneRelease, WorkerName)>,
}

/// Rows that other transactions hold at this moment. A database's row locks, as a value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Locked {
    /// Runs that nobody else can change now.
    pub runs: BTreeSet<RunId>,
    /// Workers whose slot and schedule nobody else can change now.
    pub workers: BTreeSet<WorkerName>,
}

/// A command's reply and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handled {
    /// The answer.
    pub reply: Reply,
    /// The changes, in order.
    pub events: Vec<Event>,
}

/// One command at work on the ledger: every change goes through an event.
struct Transaction<'a> {
    ledger: &'a mut Ledger,
    locked: &'a Locked,
    now: Timestamp,
    events: Vec<Event>,
}

impl Transaction<'_> {
    fn emit(&mut self, event: Event) {
        self.ledger.evolve(&event);
        self.events.push(event);
    }
}

impl Ledger {
    /// An empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// The ledger with these rows.
    pub fn from_rows(rows: Rows) -> Self {
        let mut ledger = Self::default();
        let Rows { workers, runs, occurrences, .. } = rows;
        ledger.rows = Rows {
            workers: BTreeMap::new(),
            runs: BTreeMap::new(),
            occurrences: BTreeMap::new(),
            ..rows
        };
        for (name, worker) in workers {
            ledger.put_worker(name, worker);
        }
        for run in runs.into_values() {
            ledger.put_run(run);
        }
        for occurrence in occurrences.into_values() {
            ledger.put_occurrence(occurrence);
        }
        ledger
    }

    /// From now on its commands come from a process that has these zone data. At first it is one
    /// with the compiled-in data.
    pub fn set_zone_data(&mut self, zones: ZoneData) {
        self.zones = zones;
    }

    /// Its rows.
    pub const fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Handles a command at `now` on the store's clock.
    pub fn handle(&mut self, now: Timestamp, command: &Command) -> Handled {
        self.handle_amid(now, command, &Locked::default())
    }

    /// Handles a command while other transactions hold some rows.
    pub fn handle_amid(&mut self, now: Timestamp, command: &Command, locked: &Locked) -> Handled {
        let mut transaction = Transaction { ledger: self, locked, now, events: Vec::new() };
        let reply = transaction.decide(command);
        Handled { reply, events: transaction.events }
    }

    /// The run that has the worker's slot.
    pub fn slot(&self, worker: &WorkerName) -> Option<&Run> {
        self.index.slot.get(worker).and_then(|run| self.rows.runs.get(run))
    }

    /// The occurrence of the worker that owes a retry.
    pub fn owed_retry(&self, worker: &WorkerName) -> Option<&Occurrence> {
        let from = (worker.clone(), Timestamp::EPOCH);
        let key = self.index.owed.range(from..).next().filter(|(owner, _)| owner == worker)?;
        self.rows.occurrences.get(key)
    }

    /// The newest definition of a handler.
    pub fn newest(&self, handler: &Name) -> Option<&Published> {
        self.rows.catalogue.get(handler)?.values().max_by_key(|entry| entry.recency())
    }

    /// The runs that a runner holds.
    pub fn held_by(&self, runner: RunnerId) -> impl Iterator<Item = &Run> {
        let from = (runner, RunId::from_bits(0));
        self.index
            .held
            .range(from..)
            .take_while(move |(holder, _)| *holder == runner)
            .filter_map(|(_, run)| self.rows.runs.get(run))
    }

    /// Runs that wait for a runner, by due time.
    pub fn queue(&self) -> impl Iterator<Item = &Run> {
        self.index.queue.iter().filter_map(|(_, run)| self.rows.runs.get(run))
    }

    /// Runs that a runner holds, by the end of their lease.
    pub fn running(&self) -> impl Iterator<Item = &Run> {
        self.index.expiry.iter().filter_map(|(_, run)| self.rows.runs.get(run))
    }

    /// Enabled schedules by their next instant.
    pub fn agenda(&self) -> impl Iterator<Item = (Timestamp, &WorkerName)> {
        self.index.due.iter().map(|(at, worker)| (*at, worker))
    }

    /// Enabled schedules that were computed with older zone data than these.
    pub fn stale(&self, release: ZoneRelease) -> impl Iterator<Item = (&WorkerName, &Schedule)> {
        let older = self.index.computed.iter().take_while(move |(with, _)| *with < release);
        older.filter_map(|(_, worker)| Some((worker, self.schedule(worker)?)))
    }

    /// Occurrences that owe a retry.
    pub fn owed_retries(&self) -> impl Iterator<Item = &Occurrence> {
        self.index.owed.iter().filter_map(|key| self.rows.occurrences.get(key))
    }

    fn put_run(&mut self, run: Run) {
        self.take_run(run.id);
        match &run.status {
            RunStatus::Queued => {
                self.index.queue.insert((run.not_before, run.id));
                self.index.slot.insert(run.worker.clone(), run.id);
            }
            RunStatus::Running(hold) => {
                self.index.held.insert((hold.runner, run.id));
                self.index.expiry.insert((hold.lease_expires_at, run.id));
                self.index.slot.insert(run.worker.clone(), run.id);
            }
            RunStatus::Ended(_) => {}
        }
        self.rows.runs.insert(run.id, run);
    }

    fn take_run(&mut self, id: RunId) -> Option<Run> {
        let run = self.rows.runs.remove(&id)?;
        match &run.status {
            RunStatus::Queued => {
                self.index.queue.remove(&(run.not_before, id));
            }
            RunStatus::Running(hold) => {
                self.index.held.remove(&(hold.runner, id));
                self.index.expiry.remove(&(hold.lease_expires_at, id));
            }
            RunStatus::Ended(_) => {}
        }
        if self.index.slot.get(&run.worker) == Some(&id) {
            self.index.slot.remove(&run.worker);
        }
        Some(run)
    }

    fn put_worker(&mut self, name: WorkerName, worker: Worker) {
        if let Some(schedule) = self.schedule(&name) {
            let (next, release) = (schedule.next, schedule.zone_data);
            self.index.computed.remove(&(release, name.clone()));
            if let Some(next) = next {
                self.index.due.remove(&(next.at, name.clone()));
            }
        }
        if let Some(schedule) = &worker.schedule {
            if schedule.is_enabled() {
                self.index.computed.insert((schedule.zone_data, name.clone()));
            }
            if let Some(next) = schedule.next {
                self.index.due.insert((next.at, name.clone()));
            }
        }
        self.rows.workers.insert(name, worker);
    }

    fn schedule(&self, worker: &WorkerName) -> Option<&Schedule> {
        self.rows.workers.get(worker)?.schedule.as_ref()
    }

    fn put_occurrence(&mut self, occurrence: Occurrence) {
        let key = (occurrence.worker.clone(), occurrence.scheduled_for);
        if occurrence.owes_retry() {
            self.index.owed.insert(key.clone());
        } else {
            self.index.owed.remove(&key);
        }
        self.rows.occurrences.insert(key, occurrence);
    }
}

impl Transaction<'_> {
    fn decide(&mut self, command: &Command) -> Reply {
        match command {
            Command::Register(registration) => self.register(registration),
            Command::Turn(turn) => self.turn(turn),
            Command::Retire { runner } => self.retire(*runner),
            Command::Sweep { limit } => self.sweep(limit.get()),
            Command::Tick(tick) => self.tick(tick),
            Command::Prune(retention) => self.prune(retention),
            Command::Enqueue(wishes) => self.enqueue(wishes),
            Command::StartForeground { runner, wish } => self.start_foreground(*runner, wish),
            Command::Cancel { run, by } => self.cancel(*run, by),
            Command::Release { run, force, by } => self.release(*run, *force, by),
            Command::PutSchedule { worker, seen, plan, reset_runs, by } => {
                self.put_schedule(worker, *seen, plan, *reset_runs, by)
            }
            Command::EnableSchedule { worker, seen, by } => self.enable(worker, *seen, by),
            Command::DisableSchedule { worker, seen, by } => self.disable(worker, *seen, by),
            Command::DeleteSchedule { worker, seen, by } => self.delete(worker, *seen, by),
            Command::PutSettings { worker, seen, settings, by } => {
                self.put_settings(worker, *seen, settings, by)
            }
            Command::PublishCatalogue { definitions, by } => {
                let new = self.publish(definitions, Some(by));
                Reply::CataloguePublished { new }
            }
        }
    }
}
