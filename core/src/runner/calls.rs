//! Calls to the store: which one is next, and what its answer means.

use crate::ledger::command::Handlers;
use crate::ledger::{Command, Registration, Reply, Stale};
use crate::words::retry::scatter;
use crate::words::{Moment, RunnerId, Span};

use std::num::NonZeroU32;

use super::job::{Job, Stage};
use super::turn::Said;
use super::{CallId, Foreground, Output, Phase, Purpose, Runner};

/// The shortest pause after a call that brought no answer; it doubles with each.
const FIRST_PAUSE: Span = Span::from_millis(100);
/// The shortest pause before what met a locked row is said again; it doubles with each.
const FIRST_BUSY_PAUSE: Span = Span::from_millis(50);
/// The longest: a transaction that holds a row for long costs the store one turn a second.
const LONGEST_BUSY_PAUSE: Span = Span::from_secs(1);
/// At most so many runs in one sweep.
const SWEEP_LIMIT: NonZeroU32 = match NonZeroU32::new(100) {
    Some(limit) => limit,
    None => NonZeroU32::MIN,
};

/// The outstanding call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub(super) id: CallId,
    /// When it left.
    pub(super) sent: Moment,
    /// When its answer counts as lost.
    pub(super) expires_at: Moment,
    pub(super) kind: CallKind,
}

/// What the outstanding call asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum CallKind {
    Register,
    Turn(Said),
    Foreground,
    Sweep,
    Retire,
}

impl Runner {
    /// Sends the next call, if one is due and none is outstanding.
    pub(super) fn next_call(&mut self, now: Moment, out: &mut Vec<Output>) {
        if self.foreground == Foreground::Over
            || self.interrupted && self.foreground == Foreground::Wanted
        {
            self.start_drain(now, Span::ZERO, out);
        }
        if self.call.is_some() {
            return;
        }
        match self.phase {
            Phase::Nameless | Phase::Unregistered(_) if self.is_draining() => {
                if self.jobs.values().all(Job::is_dead) {
                    self.finish(false, out);
                }
            }
            Phase::Nameless | Phase::Finished => {}
            Phase::Unregistered(runner) => {
                if now >= self.pause_until {
                    let registration = self.registration(runner);
                    self.send(now, CallKind::Register, Command::Register(registration), out);
                }
            }
            Phase::Working(runner) => self.next_working_call(now, runner, out),
        }
    }

    fn next_working_call(&mut self, now: Moment, runner: RunnerId, out: &mut Vec<Output>) {
        if self.is_draining() && self.only_abandoned() {
            self.finish(false, out);
            return;
        }
        if now < self.pause_until {
            return;
        }
        if self.may_retire() {
            self.send(now, CallKind::Retire, Command::Retire { runner }, out);
        } else if let Some(command) = self.foreground_call(runner) {
            self.send(now, CallKind::Foreground, command, out);
        } else if self.is_turn_due(now) {
            let (said, turn) = self.say(now, runner);
            self.send(now, CallKind::Turn(said), Command::Turn(turn), out);
        } else if now >= self.next_sweep {
            self.send(now, CallKind::Sweep, Command::Sweep { limit: SWEEP_LIMIT }, out);
        }
    }

    /// True when there are claims, and all that is left to do about them is to let their leases
    /// run out.
    fn only_abandoned(&self) -> bool {
        !self.jobs.is_empty() && self.jobs.values().all(|job| job.stage == Stage::Abandoned)
    }

    /// True when nothing is left but to say that this runner stops.
    fn may_retire(&self) -> bool {
        self.is_draining() && self.jobs.is_empty() && self.shown_empty
    }

    fn foreground_call(&self, runner: RunnerId) -> Option<Command> {
        if self.foreground != Foreground::Wanted || self.is_draining() {
            return None;
        }
        match &self.config.purpose {
            Purpose::Serve => None,
            Purpose::Foreground(wish) => {
                Some(Command::StartForeground { runner, wish: wish.as_ref().clone() })
            }
        }
    }

    fn registration(&self, runner: RunnerId) -> Registration {
        let handlers = match self.config.purpose {
            Purpose::Serve => self.handlers(),
            Purpose::Foreground(_) => Handlers::Only(std::collections::BTreeSet::new()),
        };
        let timing = self.config.lease.timing();
        Registration {
            runner,
            name: self.config.name.clone(),
            host: self.config.host.clone(),
            version: self.config.version.clone(),
            handlers,
            concurrency: self.config.concurrency,
            heartbeat: timing.heartbeat,
            lease: timing.lease,
            catalogue: self.config.definitions.values().cloned().collect(),
        }
    }

    fn send(&mut self, now: Moment, kind: CallKind, command: Command, out: &mut Vec<Output>) {
        self.calls_made = self.calls_made.saturating_add(1);
        let id = CallId(self.calls_made);
        let expires_at = now.plus(self.config.lease.timing().statement_timeout);
        self.call = Some(Call { id, sent: now, expires_at, kind });
        out.push(Output::Send(id, command));
    }

    /// The store answered the outstanding call.
    pub(super) fn answered(
        &mut self,
        now: Moment,
        call: Call,
        reply: Reply,
        out: &mut Vec<Output>,
    ) {
        self.failures = 0;
        match (call.kind, reply) {
            (_, Reply::Stale(stale)) => self.start_anew(stale, out),
            (CallKind::Register, Reply::Registered { turn }) => {
                if let Phase::Unregistered(id) = self.phase {
                    self.phase = Phase::Working(id);
                    self.turns_made = turn;
                    self.next_poll = now;
                    self.next_sweep = now.plus(self.config.lease.timing().heartbeat);
                }
            }
            (CallKind::Turn(said), Reply::Turned(turned)) => {
                self.hear(now, call.sent, &said, turned, out);
            }
            (CallKind::Foreground, Reply::Started(grant)) => {
                self.granted(now, call.sent, *grant, out);
            }
            (CallKind::Foreground, Reply::Refused(refusal)) => {
                self.foreground = Foreground::Over;
                out.push(Output::ForegroundRefused(refusal));
            }
            (CallKind::Sweep, Reply::Swept { more, .. }) => {
                self.next_sweep =
                    if more { now } else { now.plus(self.config.lease.timing().heartbeat) };
            }
            (CallKind::Retire, Reply::Retired) => self.finish(true, out),
            // A claim whose answer was lost lies behind a locked row: the turn did not show it.
            (CallKind::Retire, Reply::StillHolding(_)) => {
                self.shown_empty = false;
                self.met_busy(now);
            }
            // An answer of another kind is no answer.
            (
                CallKind::Register
                | CallKind::Turn(_)
                | CallKind::Foreground
                | CallKind::Sweep
                | CallKind::Retire,
                _,
            ) => self.unanswered(now),
        }
    }

    /// The call brought no answer: nobody knows what became of it. The next one carries the next
    /// number and says everything again.
    pub(super) fn unanswered(&mut self, now: Moment) {
        let longest = self.config.lease.timing().heartbeat.scaled(1, 3);
        let pause = FIRST_PAUSE.times(1 << self.failures.min(16)).min(longest);
        let permille = 500 + scatter(self.config.seed ^ self.calls_made) % 1_001;
        self.failures = self.failures.saturating_add(1);
        self.pause_until = now.plus(pause.scaled(permille, 1_000));
    }

    /// What was said met a locked row: it is said again, a little later each time.
    pub(super) fn met_busy(&mut self, now: Moment) {
        let longest = self.config.lease.timing().heartbeat.scaled(1, 3).min(LONGEST_BUSY_PAUSE);
        let pause = FIRST_BUSY_PAUSE.times(1 << self.busy_turns.min(16)).min(longest);
        self.busy_turns = self.busy_turns.saturating_add(1);
        self.pause_until = now.plus(pause);
    }

    /// The store has given this runner up: everything is killed, and it registers anew.
    fn start_anew(&mut self, stale: Stale, out: &mut Vec<Output>) {
        self.lose_all(out);
        match stale {
            Stale::Stopped if self.is_draining() && self.jobs.is_empty() => self.finish(true, out),
            Stale::Unknown | Stale::Stopped | Stale::Number { .. } => {
                self.phase = Phase::Nameless;
                if !self.is_draining() {
                    out.push(Output::Identify);
                }
            }
        }
    }

    /// The next moment at which a call is due or counts as lost.
    pub(super) fn call_alarm(&self) -> Moment {
        if let Some(call) = &self.call {
            return call.expires_at;
        }
        let due = match self.phase {
            Phase::Nameless | Phase::Finished => return Moment::NEVER,
            // It ends as soon as its last job is dead.
            Phase::Unregistered(_) if self.is_draining() => return Moment::NEVER,
            Phase::Unregistered(_) => Moment::START,
            Phase::Working(runner)
                if self.may_retire() || self.foreground_call(runner).is_some() =>
            {
                Moment::START
            }
            Phase::Working(_) => self.turn_alarm().min(self.next_sweep),
        };
        due.max(self.pause_until)
    }
}
