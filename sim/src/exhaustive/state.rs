//! A state of the search: the store, two runners, their jobs, and what is on its way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use horarium_core::ledger::audit::Audit;
use horarium_core::ledger::{Claim, Command, Ledger, Reply};
use horarium_core::runner::{CallId, Input, Runner};
use horarium_core::schedule::Revision;
use horarium_core::words::{Attempt, Moment};

use crate::breach::{Breach, Law};
use crate::describe;
use crate::sabotage::Sabotage;

use super::action::Action;
use super::scope::{Budget, Cast, GRID, Part, Scope, Work};
use super::shared::{Shared, digest_of};

/// The store and who watches it.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    pub(super) ledger: Ledger,
    pub(super) audit: Audit,
}

/// Two stores with the same rows are the same, however they came to them.
impl Hash for Watched {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.ledger.rows().hash(hasher);
    }
}

/// Something on its way.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Message {
    Request(u8, CallId, Command),
    Answer(u8, CallId, Reply),
    /// A tick of one of two schedulers. Neither waits for an answer: both believe to lead.
    Tick(u8),
}

impl Message {
    pub(super) fn key(&self) -> (bool, u8, u64) {
        match self {
            Self::Request(runner, call, _) => (false, *runner, call.0),
            Self::Answer(runner, call, _) => (true, *runner, call.0),
            Self::Tick(scheduler) => (false, u8::MAX, u64::from(*scheduler)),
        }
    }
}

/// A runner process.
#[derive(Debug, Clone, Hash)]
pub(super) struct Host {
    pub(super) machine: Runner,
    pub(super) alarm: Moment,
    pub(super) is_gone: bool,
    /// The call that it sent last.
    pub(super) last_call: u64,
    /// Live jobs, each with its deadline.
    pub(super) jobs: BTreeMap<Claim, Moment>,
}

impl Host {
    pub(super) const fn new(machine: Runner, alarm: Moment) -> Self {
        Self { machine, alarm, is_gone: false, last_call: 0, jobs: BTreeMap::new() }
    }
}

/// A state.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) cast: Rc<Cast>,
    pub(super) sabotage: Option<Sabotage>,
    pub(super) now: Moment,
    pub(super) store: Shared<Watched>,
    pub(super) hosts: [Shared<Host>; 2],
    pub(super) messages: Vec<Shared<Message>>,
    pub(super) started: BTreeSet<Claim>,
    pub(super) identities: u8,
    pub(super) enqueued: u8,
    pub(super) left: Budget,
    /// What runner machines are to be told before anything else happens.
    pub(super) soon: VecDeque<(u8, Input)>,
}

impl State {
    /// The first state of a scope: both runners are registered, and what they say next is on its
    /// way.
    pub(super) fn first(scope: &Scope) -> Result<Self, Breach> {
        let cast = Cast::new(scope.attempts)
            .ok_or_else(|| Breach::new(Law::StepBudget, "the cast has a name that is none"))?;
        let ledger = Ledger::new();
        let audit = Audit::of(ledger.rows());
        let start = Moment::START;
        let host = |place: u8, part: Part| {
            let machine = Runner::new(cast.config(part, place), start, &mut Vec::new());
            Shared::new(Host::new(machine, start))
        };
        let mut state = Self {
            sabotage: scope.sabotage,
            now: start,
            store: Shared::new(Watched { ledger, audit }),
            hosts: [host(0, scope.parts[0]), host(1, scope.parts[1])],
            messages: Vec::new(),
            started: BTreeSet::new(),
            identities: 0,
            enqueued: 0,
            left: scope.budget,
            soon: VecDeque::new(),
            cast: Rc::new(cast),
        };
        let definitions = vec![state.cast.definition.clone()];
        let by = state.cast.by.clone();
        state.command(&Command::PublishCatalogue { definitions, by })?;
        if scope.work == Work::Schedule {
            let plan = Box::new(Cast::plan(Self::store_time(start.plus(GRID))));
            let (worker, by) = (state.cast.worker.clone(), state.cast.by.clone());
            let seen = Revision::NONE;
            state.command(&Command::PutSchedule { worker, seen, plan, reset_runs: false, by })?;
            state.now = state.now.plus(GRID);
        }
        if scope.work == Work::Manual {
            state.enqueue()?;
        }
        for (runner, part) in (0..).zip(scope.parts) {
            match part {
                Part::Serves | Part::Foreground => state.identify(runner),
                Part::Absent => state.ends(runner),
            }
        }
        state.settle()?;
        while let Some(index) = state.messages.iter().position(|message| {
            matches!(
                **message,
                Message::Request(_, _, Command::Register(_))
                    | Message::Answer(_, _, Reply::Registered { .. })
            )
        }) {
            state.deliver(index)?;
            state.settle()?;
        }
        Ok(state)
    }

    /// The state in one number.
    pub(super) fn digest(&self) -> u128 {
        let messages: Vec<u128> = self.messages.iter().map(Shared::digest).collect();
        let hosts = [self.hosts[0].digest(), self.hosts[1].digest()];
        let counts = (self.identities, self.enqueued, self.left);
        digest_of(&(self.now, self.store.digest(), hosts, messages, &self.started, counts))
    }

    /// True while no more is on its way than the scope allows.
    pub(super) fn is_within(&self, scope: &Scope) -> bool {
        self.messages.len() <= scope.most_messages
    }

    /// What can happen next.
    pub(super) fn actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        let left = &self.left;
        let mut before = None;
        for (index, message) in self.messages.iter().enumerate() {
            // Of two that are the same, one is enough.
            if before.replace(message.digest()) == Some(message.digest()) {
                continue;
            }
            let Ok(index) = u8::try_from(index) else { break };
            actions.push(Action::Deliver(index));
            if left.losses > 0 {
                actions.push(Action::Lose(index));
            }
            if left.doubles > 0 {
                actions.push(Action::Double(index));
            }
        }
        let ledger = &self.store.ledger;
        let is_held = ledger.running().next().is_some();
        let is_owed = ledger.owed_retries().next().is_some();
        let is_free = ledger.slot(&self.cast.worker).is_none();
        for (runner, host) in (0..).zip(&self.hosts) {
            let host = &**host;
            if host.is_gone {
                continue;
            }
            if !host.jobs.is_empty() {
                actions.push(Action::JobEnds(runner, true));
                if ledger.agenda().next().is_some() || !ledger.rows().occurrences.is_empty() {
                    actions.push(Action::JobEnds(runner, false));
                }
            }
            if left.drains > 0 {
                actions.push(Action::Drain(runner));
            }
            if left.interrupts > 0 {
                actions.push(Action::Interrupt(runner));
            }
            if left.crashes > 0 {
                actions.push(Action::Crash(runner));
            }
        }
        if left.cancels > 0 && (!is_free || is_owed) {
            actions.push(Action::Cancel);
        }
        if left.enqueues > 0 && is_free {
            actions.push(Action::Enqueue);
        }
        let now = Self::store_time(self.now);
        let is_due = ledger.agenda().next().is_some_and(|(at, _)| at <= now);
        // What is not yet there when a tick is sent may be there when it comes.
        let may_owe = ledger.slot(&self.cast.worker).is_some_and(|run| {
            run.trigger.scheduled().is_some() && !run.retry.max_attempts.eq(&Attempt::FIRST)
        });
        if left.ticks > 0 && (is_due || is_owed || may_owe) {
            // Who of two that do the same ticks first makes no difference.
            actions.extend(self.idle_scheduler().map(Action::Tick));
        }
        if ledger.running().any(|run| run.hold().is_some_and(|hold| hold.lease_expires_at <= now)) {
            actions.push(Action::Sweep);
        }
        if left.times > 0 {
            actions.push(Action::Time);
            if is_held {
                actions.push(Action::Freeze);
            }
        }
        actions
    }

    /// A scheduler whose last tick is not on its way any more.
    fn idle_scheduler(&self) -> Option<u8> {
        let ticks =
            |of: u8| self.messages.iter().any(|it| matches!(**it, Message::Tick(by) if by == of));
        [0, 1].into_iter().find(|scheduler| !ticks(*scheduler))
    }

    /// What an action does here, for people.
    pub(super) fn describe(&self, action: Action) -> String {
        let message = |index: u8| match self.messages.get(usize::from(index)).map(|it| &**it) {
            Some(Message::Request(runner, call, command)) => {
                format!("runner {runner} call {}: {}", call.0, describe::command(command))
            }
            Some(Message::Answer(runner, call, reply)) => {
                format!("answer to runner {runner} call {}: {}", call.0, describe::reply(reply))
            }
            Some(Message::Tick(scheduler)) => format!("tick of scheduler {scheduler}"),
            None => String::from("no message"),
        };
        let at = self.now.since(Moment::START);
        match action {
            Action::Deliver(index) => format!("{at:>6} deliver  {}", message(index)),
            Action::Lose(index) => format!("{at:>6} lose     {}", message(index)),
            Action::Double(index) => format!("{at:>6} double   {}", message(index)),
            Action::JobEnds(..)
            | Action::Time
            | Action::Freeze
            | Action::Sweep
            | Action::Tick(_)
            | Action::Enqueue
            | Action::Cancel
            | Action::Drain(_)
            | Action::Interrupt(_)
            | Action::Crash(_) => format!("{at:>6} {action}"),
        }
    }
}
