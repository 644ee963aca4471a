//! Work bounds: nobody asks the store again and again for nothing, and all that a process ever
//! asks is bounded by its configuration, by the runs that it had and by what it was told.

use std::collections::{BTreeMap, VecDeque};

use horarium_core::ledger::reply::Ticked;
use horarium_core::ledger::{Event, Handled, Reply};
use horarium_core::words::Span;

use crate::breach::{Breach, Law};
use crate::clock::Time;

use super::World;
use super::network::Sender;

/// Commands in a row that change nothing, of one process, within [`WINDOW`].
const MOST_FRUITLESS: usize = 40;
const WINDOW: Span = Span::from_secs(1);
/// What a process may ask at its start and at its end.
const FOR_ITS_LIFE: u64 = 20;
/// What it may ask in each of its intervals: a turn or a sweep and a tick, a heartbeat, a prune.
const FOR_AN_INTERVAL: u64 = 4;
/// What it may ask for one reason: a run has its claim, its start and its end, and what met a
/// locked row is said again a few times before the pauses are long.
const FOR_A_REASON: u64 = 4;

/// A process that asks by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Process {
    Runner(usize),
    Scheduler(usize),
}

impl Process {
    const fn of(sender: Sender) -> Option<Self> {
        match sender {
            Sender::Runner(runner, _) => Some(Self::Runner(runner)),
            Sender::Scheduler(scheduler, _) => Some(Self::Scheduler(scheduler)),
            Sender::Operator(_) | Sender::Vulture => None,
        }
    }
}

/// Who asked what, and why.
#[derive(Debug, Default)]
pub(super) struct Work(BTreeMap<Process, Asked>);

#[derive(Debug)]
struct Asked {
    since: Time,
    interval: Span,
    commands: u64,
    reasons: u64,
    /// When it asked for nothing.
    fruitless: VecDeque<Time>,
}

impl World {
    /// A process starts that asks something at most every `interval` while nothing happens.
    pub(super) fn expect_work(&mut self, process: Process, interval: Span) {
        let asked = Asked {
            since: self.time,
            interval: interval.max(Span::from_millis(1)),
            commands: 0,
            reasons: 0,
            fruitless: VecDeque::new(),
        };
        self.work.0.insert(process, asked);
    }

    /// A process has so many more reasons to ask.
    pub(super) fn has_reason(&mut self, process: Process, reasons: usize) {
        if let Some(asked) = self.work.0.get_mut(&process) {
            asked.reasons += u64::try_from(reasons).unwrap_or(u64::MAX);
        }
    }

    /// The reasons in an answer: what it hands over, what it left undone, what it did.
    pub(super) fn reasons_in(reply: &Reply) -> usize {
        match reply {
            Reply::Turned(turned) => turned.granted.len(),
            Reply::Ticked(Ticked { done, more, .. }) => done.len() + usize::from(*more),
            Reply::Swept { more, .. } | Reply::Pruned { more, .. } => usize::from(*more),
            Reply::Started(_) | Reply::Stale(_) | Reply::StillHolding(_) => 1,
            Reply::Registered { .. }
            | Reply::Retired
            | Reply::Enqueued(_)
            | Reply::Cancelling(_)
            | Reply::Released
            | Reply::ScheduleSaved(_)
            | Reply::ScheduleDeleted { .. }
            | Reply::SettingsSaved { .. }
            | Reply::CataloguePublished { .. }
            | Reply::Refused(_) => 0,
        }
    }

    /// Counts a command that is sent.
    pub(super) fn count_sent(&mut self, sender: Sender) {
        let Some(process) = Process::of(sender) else { return };
        let time = self.time;
        let Some(asked) = self.work.0.get_mut(&process) else { return };
        asked.commands += 1;
        let intervals = time.since(asked.since).micros() / asked.interval.micros();
        let most = FOR_ITS_LIFE + FOR_AN_INTERVAL * intervals + FOR_A_REASON * asked.reasons;
        if asked.commands > most {
            let what = format!(
                "{} sent {} commands in {}, with an interval of {} and {} reasons",
                Self::sender_name(sender),
                asked.commands,
                time.since(asked.since),
                asked.interval,
                asked.reasons
            );
            self.broke(Breach::new(Law::WorkBound, what));
        }
    }

    /// Counts a command that changed nothing.
    pub(super) fn count_work(&mut self, sender: Sender, handled: &Handled) {
        let Some(process) = Process::of(sender) else { return };
        let is_fruitful = handled.events.iter().any(|event| {
            !matches!(
                event,
                Event::TurnTaken { .. } | Event::SchedulerTicked(_) | Event::LeaseRenewed { .. }
            )
        });
        let time = self.time;
        let Some(asked) = self.work.0.get_mut(&process) else { return };
        if is_fruitful {
            asked.fruitless.clear();
            return;
        }
        asked.fruitless.push_back(time);
        while asked.fruitless.front().is_some_and(|first| time.since(*first) > WINDOW) {
            asked.fruitless.pop_front();
        }
        if asked.fruitless.len() > MOST_FRUITLESS {
            let who = Self::sender_name(sender);
            let what =
                format!("{who}: more than {MOST_FRUITLESS} commands within {WINDOW} for nothing");
            self.broke(Breach::new(Law::WorkBound, what));
        }
    }
}
