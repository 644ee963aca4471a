//! What becomes of the store: it refuses, is slow, is read-only, is restarted or restored, and
//! business transactions hold rows of it for long.

use std::collections::BTreeMap;

use horarium_core::ledger::{Command, Locked};
use horarium_core::words::{RunId, Span, WorkerName};

use crate::clock::Time;
use crate::facts::Fact;

use super::World;
use super::disasters::Disaster;

/// The state of the store as its callers feel it.
#[derive(Debug, Default)]
pub(super) struct Outages {
    /// How often it was restarted: connections of before are gone.
    restarts: u64,
    refuses_until: Time,
    slow_until: Time,
    read_only_until: Time,
    held: BTreeMap<WorkerName, Held>,
}

/// A worker's row in the hands of a business transaction.
#[derive(Debug, Clone, Copy)]
struct Held {
    until: Time,
    /// True when it holds the worker's active run, too.
    with_run: bool,
}

/// A connection to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Connection(u64);

/// What stands in a command's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hindrance {
    /// Its connection is gone.
    Gone,
    /// It is not taken, and its sender is told so.
    NotTaken,
    /// It is carried out then.
    Waits(Time),
}

impl Outages {
    /// All is well again.
    pub(super) fn end(&mut self) {
        *self = Self { restarts: self.restarts, ..Self::default() };
    }

    /// A connection made now.
    pub(super) const fn connect(&self) -> Connection {
        Connection(self.restarts)
    }

    /// True for a connection that a restart has cut.
    pub(super) const fn is_cut(&self, connection: Connection) -> bool {
        connection.0 != self.restarts
    }

    /// True when nobody gets through to the store.
    pub(super) fn refuses(&self, time: Time) -> bool {
        time < self.refuses_until
    }

    /// Until when one of these workers' rows is held.
    fn held_until<'a>(
        &self,
        time: Time,
        workers: impl Iterator<Item = &'a WorkerName>,
    ) -> Option<Time> {
        let until = workers.filter_map(|worker| self.held.get(worker)).map(|held| held.until).max();
        until.filter(|until| *until > time)
    }
}

impl World {
    /// What stands in the way of a command that arrives. Once it has waited for a slow store it
    /// is not made to wait for it again.
    pub(super) fn hindrance(
        &mut self,
        connection: Connection,
        command: &Command,
        has_waited: bool,
    ) -> Option<Hindrance> {
        if self.outages.is_cut(connection) {
            self.see(Fact::StoreRestarted);
            return Some(Hindrance::Gone);
        }
        if self.outages.refuses(self.time) {
            self.see(Fact::StoreRefused);
            return Some(Hindrance::NotTaken);
        }
        if self.time < self.outages.read_only_until {
            self.see(Fact::StoreReadOnly);
            return Some(Hindrance::NotTaken);
        }
        if let Some(until) = self.waits_for_rows(command) {
            self.see(Fact::WaitedForRow);
            return Some(Hindrance::Waits(until.plus(self.moment_later())));
        }
        if self.time < self.outages.slow_until && !has_waited {
            self.see(Fact::StoreSlow);
            let longest = self.latency.pick([Span::from_secs(1), Span::from_secs(10)]);
            let wait = self.latency.span(Span::ZERO, longest);
            return Some(Hindrance::Waits(self.time.plus(wait)));
        }
        None
    }

    /// Daemons pass over rows that others hold; everybody else waits for them.
    fn waits_for_rows(&self, command: &Command) -> Option<Time> {
        let owner = |run: &RunId| self.store.ledger().rows().runs.get(run).map(|run| &run.worker);
        let until =
            |worker: Option<&WorkerName>| self.outages.held_until(self.time, worker.into_iter());
        match command {
            Command::Enqueue(wishes) => {
                self.outages.held_until(self.time, wishes.iter().map(|wish| &wish.worker))
            }
            Command::StartForeground { wish, .. } => until(Some(&wish.worker)),
            Command::Cancel { run, .. } | Command::Release { run, .. } => until(owner(run)),
            Command::PutSchedule { worker, .. }
            | Command::EnableSchedule { worker, .. }
            | Command::DisableSchedule { worker, .. }
            | Command::DeleteSchedule { worker, .. }
            | Command::PutSettings { worker, .. } => until(Some(worker)),
            Command::Register(_)
            | Command::Turn(_)
            | Command::Retire { .. }
            | Command::Sweep { .. }
            | Command::Tick(_)
            | Command::Prune(_)
            | Command::PublishCatalogue { .. } => None,
        }
    }

    /// Adds what business transactions hold.
    pub(super) fn lock_held(&self, locked: &mut Locked) {
        let held = self.outages.held.iter().filter(|(_, held)| held.until > self.time);
        for (worker, held) in held {
            locked.workers.insert(worker.clone());
            let run = self.store.ledger().slot(worker).filter(|_| held.with_run);
            locked.runs.extend(run.map(|run| run.id));
        }
    }

    /// The store suffers something. How long that lasts.
    pub(super) fn store_suffers(&mut self, disaster: Disaster) -> Span {
        let longest = self.faults.pick([Span::from_secs(5), Span::from_secs(90)]);
        let span = self.faults.span(Span::from_secs(1), longest);
        let until = self.time.plus(span);
        match disaster {
            Disaster::StoreRefuses => {
                self.tell(|| format!("the store refuses everything for {span}"));
                self.outages.refuses_until = until;
            }
            Disaster::StoreSlow => {
                self.tell(|| format!("the store is slow for {span}"));
                self.outages.slow_until = until;
            }
            Disaster::StoreReadOnly => {
                self.tell(|| format!("the store is read-only for {span}"));
                self.outages.read_only_until = until;
            }
            Disaster::StoreRestart => self.restart_store(),
            Disaster::Restore => {
                self.tell(|| String::from("the store is restored from a backup"));
                self.see(Fact::Restored);
                self.store.restore();
                self.restart_store();
            }
            Disaster::RowHeld => {
                let with_run = self.faults.chance(500);
                if let Some(worker) = self.faults.pick_of(&self.profile.workers).cloned() {
                    self.tell(|| format!("a transaction holds the row of {worker} for {span}"));
                    self.outages.held.insert(worker, Held { until, with_run });
                }
                // Others may hold other rows meanwhile.
                return Span::ZERO;
            }
            _ => return Span::ZERO,
        }
        span
    }

    /// Connections and locks are gone; for a moment nobody gets through.
    fn restart_store(&mut self) {
        let down = self.faults.span(Span::ZERO, Span::from_secs(10));
        self.tell(|| format!("the store restarts and is back in {down}"));
        self.outages.restarts += 1;
        self.outages.refuses_until = self.time.plus(down);
        self.outages.held.clear();
        self.lock = None;
    }
}
