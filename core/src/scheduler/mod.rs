//! The scheduler machine: leads or waits, and makes its passes in time.
//!
//! Sans-IO, like the runner machine. The leader's lock is the shell's to hold and to probe; the
//! machine says when. The lock says *one scheduler*, nothing more: what a leader sends after its
//! lock is gone does no harm, for row locks and unique keys say *one enqueue*.
//!
//! A pass is a sweep, then a tick, each repeated while it left work behind. The next pass comes
//! at the earliest instant at which something can change, and at most one poll interval later.

use std::num::NonZeroU32;

use crate::ledger::command::{Retention, Tick};
use crate::ledger::reply::Ticked;
use crate::ledger::{Command, Refusal, Reply};
use crate::runner::CallId;
use crate::words::retry::scatter;
use crate::words::{Moment, SchedulerId, Span};

/// The shortest pause after a call that brought no answer; it doubles with each.
const FIRST_PAUSE: Span = Span::from_millis(100);

/// What a scheduler is told before it starts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SchedulerConfig {
    /// Its fresh random id.
    pub id: SchedulerId,
    /// The longest time between two passes.
    pub poll: Span,
    /// How often a standby asks for the lock.
    pub lock_retry: Span,
    /// How often a leader makes sure that it has the lock.
    pub probe: Span,
    /// When an answer counts as lost.
    pub statement_timeout: Span,
    /// At most so many rows in one command.
    pub batch: NonZeroU32,
    /// How long finished runs are kept, and how often that is looked after; none: for ever.
    pub retention: Option<(Retention, Span)>,
    /// Where jitter is drawn from.
    pub seed: u64,
}

/// What happens to a scheduler.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Input {
    /// The lock is held: after a try, or a probe.
    LockHeld,
    /// The lock is not held: another has it, or it was lost, or nobody knows.
    LockMissing,
    /// The store's answer.
    Answered(CallId, Reply),
    /// The call failed: it was not taken, or nobody knows. The machine makes no difference.
    Unanswered(CallId),
    /// The moment of the last [`Output::WakeAt`] has come.
    Wake,
    /// Schedules may have changed.
    Hint,
    /// Stop.
    Shutdown,
}

/// What a scheduler wants done.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Output {
    /// Try to get the lock.
    TryLock,
    /// Make sure that the lock is still held.
    ProbeLock,
    /// Give the lock back.
    Unlock,
    /// Send this to the store.
    Send(CallId, Command),
    /// It leads from now on.
    Leading,
    /// It leads no more.
    Standby,
    /// The store does not let it lead, and says why. It stands by, and asks again.
    Refused(Refusal),
    /// A tick did this.
    Ticked(Ticked),
    /// Wake the machine then.
    WakeAt(Moment),
    /// It is over.
    Finished,
}

/// Where a scheduler stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Phase {
    /// Another may lead.
    Standby {
        /// When to ask for the lock.
        try_at: Moment,
    },
    /// The lock was asked for.
    Trying,
    /// It leads.
    Leading(Lead),
    /// It is over.
    Finished,
}

/// What a leader keeps in mind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Lead {
    /// When to probe the lock.
    probe_at: Moment,
    /// When a probe that was not answered means that the lock is lost.
    probe_due: Option<Moment>,
    /// What the pass does next.
    step: Step,
    /// When.
    step_at: Moment,
    /// When old rows are looked after.
    prune_at: Moment,
}

/// A step of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Sweep,
    Tick,
    Prune,
}

/// The outstanding call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Call {
    id: CallId,
    step: Step,
    expires_at: Moment,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scheduler {
    config: SchedulerConfig,
    phase: Phase,
    call: Option<Call>,
    calls_made: u64,
    failures: u32,
    /// True when schedules changed while a call was out.
    hinted: bool,
    stopping: bool,
    wake_at: Option<Moment>,
}

impl Scheduler {
    /// A standby that asks for the lock at once.
    pub fn new(config: SchedulerConfig, now: Moment, out: &mut Vec<Output>) -> Self {
        let mut machine = Self {
            config,
            phase: Phase::Standby { try_at: now },
            call: None,
            calls_made: 0,
            failures: 0,
            hinted: false,
            stopping: false,
            wake_at: None,
        };
        machine.handle(now, Input::Wake, out);
        machine
    }

    /// True while it leads.
    pub fn is_leading(&self) -> bool {
        match self.phase {
            Phase::Leading(_) => true,
            Phase::Standby { .. } | Phase::Trying | Phase::Finished => false,
        }
    }

    /// Takes one input at `now` and pushes what is to be done.
    pub fn handle(&mut self, now: Moment, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::LockHeld => self.lock_held(now, out),
            Input::LockMissing => self.lock_missing(now, out),
            Input::Answered(id, reply) => {
                if let Some(call) = self.call.take_if(|call| call.id == id) {
                    self.answered(now, call, reply, out);
                }
            }
            Input::Unanswered(id) => {
                if self.call.take_if(|call| call.id == id).is_some() {
                    self.unanswered(now);
                }
            }
            Input::Wake => {}
            Input::Hint => self.hint(now),
            Input::Shutdown => self.stopping = true,
        }
        self.pass_deadlines(now, out);
        self.next_step(now, out);
        self.set_alarm(out);
    }

    fn lock_held(&mut self, now: Moment, out: &mut Vec<Output>) {
        match &mut self.phase {
            Phase::Trying if self.stopping => {
                self.phase = Phase::Finished;
                out.extend([Output::Unlock, Output::Finished]);
            }
            Phase::Trying => {
                self.phase = Phase::Leading(Lead {
                    probe_at: now.plus(self.config.probe),
                    probe_due: None,
                    step: Step::Sweep,
                    step_at: now,
                    prune_at: now,
                });
                out.push(Output::Leading);
            }
            Phase::Leading(lead) => {
                lead.probe_due = None;
                lead.probe_at = now.plus(self.config.probe);
            }
            // An answer to a try that was given up: the lock must not stay with a standby.
            Phase::Standby { .. } | Phase::Finished => out.push(Output::Unlock),
        }
    }

    fn lock_missing(&mut self, now: Moment, out: &mut Vec<Output>) {
        match self.phase {
            Phase::Trying => self.phase = Phase::Standby { try_at: self.retry_at(now) },
            Phase::Leading(_) => self.step_down(now, out),
            Phase::Standby { .. } | Phase::Finished => {}
        }
    }

    /// The answer of a call that is still out is of no interest any more.
    fn step_down(&mut self, now: Moment, out: &mut Vec<Output>) {
        self.call = None;
        self.phase = Phase::Standby { try_at: self.retry_at(now) };
        out.extend([Output::Unlock, Output::Standby]);
    }

    /// Standbys do not ask in step.
    fn retry_at(&mut self, now: Moment) -> Moment {
        self.calls_made = self.calls_made.saturating_add(1);
        let permille = 800 + scatter(self.config.seed ^ self.calls_made) % 401;
        now.plus(self.config.lock_retry.scaled(permille, 1_000))
    }

    fn hint(&mut self, now: Moment) {
        self.hinted = self.call.is_some();
        if let Phase::Leading(lead) = &mut self.phase {
            lead.step_at = lead.step_at.min(now);
        }
    }

    fn answered(&mut self, now: Moment, call: Call, reply: Reply, out: &mut Vec<Output>) {
        let Phase::Leading(lead) = &mut self.phase else { return };
        self.failures = 0;
        match (call.step, reply) {
            (Step::Sweep, Reply::Swept { more, .. }) => {
                lead.step = if more { Step::Sweep } else { Step::Tick };
                lead.step_at = now;
            }
            (Step::Tick, Reply::Ticked(ticked)) => {
                let wait = ticked.wait.unwrap_or(self.config.poll).min(self.config.poll);
                if ticked.more {
                    lead.step_at = now;
                } else if now >= lead.prune_at && self.config.retention.is_some() {
                    lead.step = Step::Prune;
                    lead.step_at = now;
                } else {
                    lead.step = Step::Sweep;
                    lead.step_at = if self.hinted { now } else { now.plus(wait) };
                    self.hinted = false;
                }
                out.push(Output::Ticked(ticked));
            }
            // Another may lead whom the store does not refuse.
            (Step::Tick, Reply::Refused(refusal)) => {
                self.step_down(now, out);
                out.push(Output::Refused(refusal));
            }
            (Step::Prune, Reply::Pruned { more, .. }) => {
                let every = self.config.retention.map_or(Span::ZERO, |(_, every)| every);
                if !more {
                    lead.prune_at = now.plus(every);
                }
                // A pass lies between two batches: nothing due waits for old rows.
                lead.step = Step::Sweep;
                lead.step_at = now;
            }
            // An answer of another kind is no answer.
            (Step::Sweep | Step::Tick | Step::Prune, _) => self.unanswered(now),
        }
    }

    /// Nobody knows what became of the call; the pass begins anew after a pause.
    fn unanswered(&mut self, now: Moment) {
        let pause = FIRST_PAUSE.times(1 << self.failures.min(16)).min(self.config.poll);
        let permille = 500 + scatter(self.config.seed ^ self.calls_made) % 1_001;
        self.failures = self.failures.saturating_add(1);
        if let Phase::Leading(lead) = &mut self.phase {
            lead.step = Step::Sweep;
            lead.step_at = now.plus(pause.scaled(permille, 1_000));
        }
    }

    fn pass_deadlines(&mut self, now: Moment, out: &mut Vec<Output>) {
        if self.call.is_some_and(|call| now >= call.expires_at) {
            self.call = None;
            self.unanswered(now);
        }
        if let Phase::Leading(lead) = &self.phase
            && lead.probe_due.is_some_and(|due| now >= due)
        {
            self.step_down(now, out);
        }
    }

    fn next_step(&mut self, now: Moment, out: &mut Vec<Output>) {
        match &mut self.phase {
            Phase::Finished | Phase::Trying => {}
            Phase::Standby { .. } if self.stopping => {
                self.phase = Phase::Finished;
                out.push(Output::Finished);
            }
            Phase::Standby { try_at } => {
                if now >= *try_at {
                    self.phase = Phase::Trying;
                    out.push(Output::TryLock);
                }
            }
            Phase::Leading(_) if self.stopping && self.call.is_none() => {
                self.phase = Phase::Finished;
                out.extend([Output::Unlock, Output::Finished]);
            }
            Phase::Leading(lead) => {
                if now >= lead.probe_at && lead.probe_due.is_none() {
                    lead.probe_due = Some(now.plus(self.config.statement_timeout));
                    out.push(Output::ProbeLock);
                }
                if now >= lead.step_at && self.call.is_none() {
                    let step = lead.step;
                    self.send(now, step, out);
                }
            }
        }
    }

    fn send(&mut self, now: Moment, step: Step, out: &mut Vec<Output>) {
        self.calls_made = self.calls_made.saturating_add(1);
        let id = CallId(self.calls_made);
        let limit = self.config.batch;
        let command = match step {
            Step::Sweep => Command::Sweep { limit },
            Step::Tick => Command::Tick(Tick {
                scheduler: self.config.id,
                limit,
                seed: scatter(self.config.seed ^ self.calls_made),
            }),
            Step::Prune => match self.config.retention {
                Some((retention, _)) => Command::Prune(retention),
                None => return,
            },
        };
        let expires_at = now.plus(self.config.statement_timeout);
        self.call = Some(Call { id, step, expires_at });
        out.push(Output::Send(id, command));
    }

    fn set_alarm(&mut self, out: &mut Vec<Output>) {
        let call = self.call.map(|call| call.expires_at);
        let alarm = match &self.phase {
            Phase::Finished => return,
            Phase::Trying => Moment::NEVER,
            Phase::Standby { try_at } => *try_at,
            Phase::Leading(lead) => {
                let step = call.unwrap_or(lead.step_at);
                step.min(lead.probe_due.unwrap_or(lead.probe_at))
            }
        };
        if self.wake_at != Some(alarm) {
            self.wake_at = Some(alarm);
            out.push(Output::WakeAt(alarm));
        }
    }
}
