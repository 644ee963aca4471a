//! Coverage: which outcomes of which commands have occurred.
//!
//! Promise: every outcome that a sequential store can give has a name in [`EXPECTED`], every one
//! that the types allow and it cannot give stands in [`IMPOSSIBLE`] with the reason, and the
//! matches that name them are exhaustive: a new answer in the protocol does not compile until it
//! is named here.

mod agenda;
mod list;
mod runner;
mod wish;

use std::collections::BTreeMap;

use horarium_core::ledger::event::Event;
use horarium_core::ledger::{Command, Ledger, Reply, Stale};

pub use list::{EXPECTED, IMPOSSIBLE};

/// How often each outcome has occurred.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage(BTreeMap<&'static str, u64>);

impl Coverage {
    /// Counts the outcomes of one command: `before` is the model before it.
    pub(crate) fn count(
        &mut self,
        before: &Ledger,
        command: &Command,
        reply: &Reply,
        events: &[Event],
    ) {
        for outcome in outcomes(before, command, reply, events) {
            *self.0.entry(outcome).or_default() += 1;
        }
    }

    /// How often each outcome has occurred, by name.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(outcome, count)| (*outcome, *count))
    }

    /// The expected outcomes that have not occurred.
    pub fn missing(&self) -> Vec<&'static str> {
        EXPECTED.iter().copied().filter(|outcome| !self.0.contains_key(outcome)).collect()
    }

    /// The outcomes that occurred and are not expected: the lists are wrong, or the ledger is.
    pub fn unexpected(&self) -> Vec<&'static str> {
        self.0.keys().copied().filter(|outcome| !EXPECTED.contains(outcome)).collect()
    }
}

/// The names of what a command led to.
fn outcomes(
    before: &Ledger,
    command: &Command,
    reply: &Reply,
    events: &[Event],
) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = events.iter().map(event).collect();
    match command {
        Command::Register(registration) => {
            names.push(runner::registered(registration, reply, events));
        }
        Command::Turn(turn) => runner::turned(before, turn, reply, events, &mut names),
        Command::Retire { .. } => names.push(runner::retired(reply, events)),
        Command::Sweep { .. } => runner::swept(reply, &mut names),
        Command::Tick(_) => agenda::ticked(before, reply, events, &mut names),
        Command::Prune(_) => runner::pruned(reply, &mut names),
        Command::Enqueue(_) => wish::enqueued(reply, events, &mut names),
        Command::StartForeground { .. } => names.push(wish::started(reply, events)),
        Command::Cancel { .. } => names.push(wish::cancelled(reply, events)),
        Command::Release { .. } => names.push(wish::released(reply, events)),
        Command::PutSchedule { .. } => agenda::put(reply, events, &mut names),
        Command::EnableSchedule { .. } => agenda::enabled(reply, &mut names),
        Command::DisableSchedule { .. } => agenda::disabled(reply, events, &mut names),
        Command::DeleteSchedule { .. } => agenda::deleted(reply, events, &mut names),
        Command::PutSettings { .. } => names.push(agenda::settings_put(reply, events)),
        Command::PublishCatalogue { .. } => names.push(agenda::published(reply)),
    }
    names
}

/// An answer of another command: no store may ever give it.
pub(crate) const FOREIGN_ANSWER: &str = "an answer that belongs to another command";

fn event(event: &Event) -> &'static str {
    match event {
        Event::RunnerRegistered(_) => "event: runner registered",
        Event::TurnTaken { .. } => "event: turn taken",
        Event::RunnerStopped { .. } => "event: runner stopped",
        Event::RunCreated(_) => "event: run created",
        Event::RunClaimed { .. } => "event: run claimed",
        Event::RunStarted { .. } => "event: run started",
        Event::RunProgressed { .. } => "event: run progressed",
        Event::LeaseRenewed { .. } => "event: lease renewed",
        Event::RunGivenBack { .. } => "event: run given back",
        Event::CancelRequested { .. } => "event: cancel requested",
        Event::RunEnded { .. } => "event: run ended",
        Event::OccurrenceRecorded(_) => "event: occurrence recorded",
        Event::RetryChanged { .. } => "event: retry changed",
        Event::ChainExtended { .. } => "event: chain extended",
        Event::ScheduleAdvanced { .. } => "event: schedule advanced",
        Event::ScheduleRecomputed { .. } => "event: schedule recomputed",
        Event::ZoneDataAdopted { .. } => "event: zone data adopted",
        Event::ScheduleSaved { .. } => "event: schedule saved",
        Event::ScheduleDeleted { .. } => "event: schedule deleted",
        Event::SettingsSaved { .. } => "event: settings saved",
        Event::CataloguePublished(_) => "event: catalogue published",
        Event::SchedulerTicked(_) => "event: scheduler ticked",
        Event::RunPruned { .. } => "event: run pruned",
        Event::OccurrencePruned { .. } => "event: occurrence pruned",
    }
}

/// The same for every command that may find its runner stale.
fn stale(stale: Stale, names: [&'static str; 3]) -> &'static str {
    match stale {
        Stale::Unknown => names[0],
        Stale::Stopped => names[1],
        Stale::Number { .. } => names[2],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_outcome_is_listed_twice() {
        let all = EXPECTED.iter().chain(IMPOSSIBLE.iter().map(|(outcome, _)| outcome));
        let names: BTreeSet<_> = all.clone().collect();
        assert_eq!(names.len(), all.count());
    }
}
