//! Conservation: what was accepted is live, or has ended, or was pruned.
//!
//! Counted three times, for each worker: by what replies say, by the events, and by the rows.

use std::collections::{BTreeMap, BTreeSet};

use horarium_core::ledger::reply::Done;
use horarium_core::ledger::{Command, Event, Handled, Reply, Rows};
use horarium_core::words::{RunId, WorkerName};

use crate::breach::{Breach, Law};

/// The counts of all workers.
#[derive(Debug, Clone, Default)]
pub struct Conservation {
    tallies: BTreeMap<WorkerName, Tally>,
    /// Whose runs are there, by the events.
    owners: BTreeMap<RunId, WorkerName>,
    /// Foreground starts that were answered: an answer may come again.
    started: BTreeSet<RunId>,
}

/// The counts of one worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    /// Runs that replies spoke of as new.
    accepted: u64,
    /// Runs that came to be.
    created: u64,
    ended: u64,
    pruned: u64,
}

fn lost(what: impl Into<String>) -> Breach {
    Breach::new(Law::Conservation, what)
}

impl Conservation {
    /// Counts what a command did.
    pub fn observe(&mut self, command: &Command, handled: &Handled) -> Result<(), Breach> {
        let (mut touched, mut ended, mut pruned) = (BTreeSet::new(), 0_u32, 0_u32);
        for event in &handled.events {
            match event {
                Event::RunCreated(run) => {
                    self.tally(&run.worker).created += 1;
                    self.owners.insert(run.id, run.worker.clone());
                    touched.insert(run.worker.clone());
                }
                Event::RunEnded { run, .. } => {
                    let worker = self.owner(*run)?;
                    self.tally(&worker).ended += 1;
                    ended += 1;
                }
                Event::RunPruned { run } => {
                    let worker = self.owner(*run)?;
                    self.tally(&worker).pruned += 1;
                    self.owners.remove(run);
                    // Asked for again after that, it is a new run.
                    self.started.remove(run);
                    pruned += 1;
                }
                Event::RunnerRegistered(_)
                | Event::TurnTaken { .. }
                | Event::RunnerStopped { .. }
                | Event::RunClaimed { .. }
                | Event::RunStarted { .. }
                | Event::RunProgressed { .. }
                | Event::LeaseRenewed { .. }
                | Event::RunGivenBack { .. }
                | Event::CancelRequested { .. }
                | Event::OccurrenceRecorded(_)
                | Event::RetryChanged { .. }
                | Event::ChainExtended { .. }
                | Event::ScheduleAdvanced { .. }
                | Event::ScheduleRecomputed { .. }
                | Event::ZoneDataAdopted { .. }
                | Event::ScheduleSaved { .. }
                | Event::ScheduleDeleted { .. }
                | Event::SettingsSaved { .. }
                | Event::CataloguePublished(_)
                | Event::SchedulerTicked(_)
                | Event::OccurrencePruned { .. } => {}
            }
        }
        match &handled.reply {
            Reply::Swept { interrupted, too_late, .. } if interrupted + too_late != ended => {
                return Err(lost(format!(
                    "a sweep speaks of {interrupted}+{too_late}, not {ended}"
                )));
            }
            Reply::Pruned { runs, .. } if *runs != pruned => {
                return Err(lost(format!("a prune speaks of {runs} runs, not {pruned}")));
            }
            reply => self.listen(command, reply, &mut touched),
        }
        for worker in touched {
            let tally = *self.tally(&worker);
            if tally.accepted != tally.created {
                let Tally { accepted, created, .. } = tally;
                return Err(lost(format!(
                    "{worker}: {accepted} were accepted, {created} came to be"
                )));
            }
        }
        Ok(())
    }

    /// Compares with the rows.
    pub fn check(&self, rows: &Rows) -> Result<(), Breach> {
        let mut found: BTreeMap<&WorkerName, (u64, u64)> = BTreeMap::new();
        for run in rows.runs.values() {
            let (live, terminal) = found.entry(&run.worker).or_default();
            *(if run.is_active() { live } else { terminal }) += 1;
        }
        if let Some(stranger) = found.keys().find(|worker| !self.tallies.contains_key(**worker)) {
            return Err(lost(format!("{stranger} has runs that nobody asked for")));
        }
        for (worker, tally) in &self.tallies {
            let (live, terminal) = found.get(worker).copied().unwrap_or_default();
            let Tally { accepted, ended, pruned, .. } = *tally;
            if accepted != live + terminal + pruned || ended != terminal + pruned {
                return Err(lost(format!(
                    "{worker}: {accepted} accepted and {ended} ended are not {live} live, \
                     {terminal} terminal and {pruned} pruned"
                )));
            }
        }
        Ok(())
    }

    fn listen(&mut self, command: &Command, reply: &Reply, touched: &mut BTreeSet<WorkerName>) {
        let mut accepted = Vec::new();
        match (command, reply) {
            (Command::Enqueue(wishes), Reply::Enqueued(answers)) => {
                for (wish, answer) in wishes.iter().zip(answers) {
                    let is_new = answer.as_ref().is_ok_and(|accepted| !accepted.existed);
                    accepted.extend(is_new.then(|| wish.worker.clone()));
                }
            }
            (Command::StartForeground { wish, .. }, Reply::Started(grant)) => {
                let is_new = self.started.insert(grant.claim.run);
                accepted.extend(is_new.then(|| wish.worker.clone()));
            }
            (Command::Tick(_), Reply::Ticked(ticked)) => {
                for done in &ticked.done {
                    match done {
                        Done::Retried { worker, .. } => accepted.push(worker.clone()),
                        Done::Occurred { worker, fate, .. } if fate.creates_run() => {
                            accepted.push(worker.clone());
                        }
                        Done::Occurred { .. }
                        | Done::Poisoned { .. }
                        | Done::ZoneDataAdopted { .. }
                        | Done::Recomputed { .. } => {}
                    }
                }
            }
            _ => {}
        }
        for worker in accepted {
            self.tally(&worker).accepted += 1;
            touched.insert(worker);
        }
    }

    fn tally(&mut self, worker: &WorkerName) -> &mut Tally {
        self.tallies.entry(worker.clone()).or_default()
    }

    fn owner(&self, run: RunId) -> Result<WorkerName, Breach> {
        let owner = self.owners.get(&run).cloned();
        owner.ok_or_else(|| lost(format!("run {run} ended or was pruned and never came to be")))
    }
}
