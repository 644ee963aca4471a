//! The runner machine: claims runs, has their jobs started and stopped in time, reports.
//!
//! Sans-IO. [`Runner::handle`] takes one [`Input`] at one [`Moment`] of the host's boot-time
//! clock and pushes [`Output`]s; the shell carries them out in order and decides nothing. The
//! last [`Output::WakeAt`] replaces every earlier one. Inputs may come late, twice or in any
//! order; moments never go back. Deadlines are looked at before anything else, so a process that
//! was frozen past a lease kills before it listens.
//!
//! What it promises: one call to the store is outstanding; turns are numbered; a claim is named
//! until the store has answered done or lost for it; no claim is started twice, nor when its
//! deadline is too near; a job is dead before its lease can be given to another.

mod calls;
mod job;
mod stop;
mod turn;

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use crate::catalogue::Definition;
use crate::config::Config;
use crate::ledger::command::Handlers;
use crate::ledger::{Claim, Command, Grant, Refusal, Reply, Wish};
use crate::run::{Cancellation, Cause, Outcome, Output as JobOutput, Units};
use crate::words::{Lease, Moment, Name, Note, RunnerId, Span};

use calls::Call;
pub use job::Exit;
use job::Job;
pub use stop::StopReason;

/// What a runner is told before it starts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RunnerConfig {
    /// A name for people.
    pub name: Note,
    /// The machine, for people.
    pub host: Note,
    /// The program's version, for people.
    pub version: Note,
    /// The handlers that it can execute.
    pub definitions: BTreeMap<Name, Definition>,
    /// How many jobs at a time.
    pub concurrency: NonZeroU32,
    /// The checked lease configuration.
    pub lease: Lease,
    /// How often it asks for work while it has room.
    pub poll: Span,
    /// How long jobs may go on after it was asked to stop.
    pub drain_grace: Span,
    /// What it is for.
    pub purpose: Purpose,
    /// Where the jitter of its back-off is drawn from.
    pub seed: u64,
}

/// What a runner is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// It executes whatever comes, until it is asked to stop.
    Serve,
    /// It executes one run in the foreground and ends.
    Foreground(Box<Wish>),
}

/// Which call to the store an answer belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// What happens to a runner.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Input {
    /// The fresh random id that it asked for.
    Identity(RunnerId),
    /// The store's answer.
    Answered(CallId, Reply),
    /// The call failed: it was not taken, or nobody knows. The machine makes no difference.
    Unanswered(CallId),
    /// The job's process runs.
    JobStarted(Claim),
    /// The job could not be started.
    JobNotStarted(Claim, Cause),
    /// The job said how far it is.
    JobProgressed(Claim, Option<Units>, Option<Note>),
    /// The job's process ended.
    JobExited(Claim, JobExit),
    /// The moment of the last [`Output::WakeAt`] has come.
    Wake,
    /// There may be work.
    Hint,
    /// A run that is held may have been cancelled.
    CancelHint,
    /// Stop: claim no more, let jobs end within the grace, then stop them.
    Shutdown,
    /// Stop the jobs now.
    Hurry,
    /// The person at the terminal wants the foreground run to end.
    Interrupt,
    /// The guard is gone: nothing enforces deadlines any more.
    GuardLost,
}

/// How a job's process ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JobExit {
    /// Its exit status.
    pub exit: Exit,
    /// True when its process group is known to be empty.
    pub group_empty: bool,
    /// True when its exit code was declared final in the catalogue.
    pub is_final: bool,
    /// The tail of what it wrote.
    pub output: JobOutput,
}

/// What a runner wants done.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Output {
    /// Make a fresh random id.
    Identify,
    /// Send this to the store.
    Send(CallId, Command),
    /// Tell the guard the deadline, then start the job.
    Start {
        /// What was granted.
        grant: Box<Grant>,
        /// What its request resolved to.
        config: Box<Config>,
        /// When it must be dead unless the deadline is moved.
        kill_at: Moment,
    },
    /// Move the job's deadline.
    Deadline {
        /// Which job.
        claim: Claim,
        /// When it must be dead.
        kill_at: Moment,
    },
    /// Ask the job to end.
    Terminate(Claim, StopReason),
    /// End the job.
    Kill(Claim, StopReason),
    /// Wake the machine then.
    WakeAt(Moment),
    /// The store refused the foreground run.
    ForegroundRefused(Refusal),
    /// The foreground run has ended and the store knows, or it lost the run.
    ForegroundEnded(Option<Outcome>),
    /// It is over: no job runs. `retired` says whether the store knows.
    Finished {
        /// True when the runner is marked as stopped in the registry.
        retired: bool,
    },
}

/// Where a runner stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Phase {
    /// It waits for an id.
    Nameless,
    /// The store does not know it yet.
    Unregistered(RunnerId),
    /// It works.
    Working(RunnerId),
    /// It is over.
    Finished,
}

/// How far a stop has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Drain {
    /// Nobody asked.
    No,
    /// Jobs may go on until `stop_at`; at `give_up_at` the runner ends whatever the store says.
    Until { stop_at: Moment, give_up_at: Moment },
}

/// How the foreground run stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Foreground {
    /// There is none.
    None,
    /// The store was not asked yet, or has not answered.
    Wanted,
    /// It was granted.
    Held(Claim),
    /// It is over.
    Over,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Runner {
    config: RunnerConfig,
    phase: Phase,
    drain: Drain,
    foreground: Foreground,
    /// True when the person at the terminal wants no more.
    interrupted: bool,
    jobs: BTreeMap<Claim, Job>,
    /// The one outstanding call.
    call: Option<Call>,
    calls_made: u64,
    turns_made: u64,
    /// Calls in a row that brought no answer.
    failures: u32,
    /// How often in a row something met a locked row.
    busy_turns: u32,
    /// No call before this.
    pause_until: Moment,
    next_heartbeat: Moment,
    next_poll: Moment,
    next_sweep: Moment,
    /// True when a held run may have been cancelled.
    look_for_cancels: bool,
    /// True when an answered turn with capacity 0 showed that the store holds nothing more.
    shown_empty: bool,
    wake_at: Option<Moment>,
}

impl Runner {
    /// A machine that has done nothing yet; the first thing it wants is an id.
    pub fn new(config: RunnerConfig, now: Moment, out: &mut Vec<Output>) -> Self {
        let foreground = match config.purpose {
            Purpose::Serve => Foreground::None,
            Purpose::Foreground(_) => Foreground::Wanted,
        };
        out.push(Output::Identify);
        Self {
            config,
            phase: Phase::Nameless,
            drain: Drain::No,
            foreground,
            interrupted: false,
            jobs: BTreeMap::new(),
            call: None,
            calls_made: 0,
            turns_made: 0,
            failures: 0,
            busy_turns: 0,
            pause_until: now,
            next_heartbeat: now,
            next_poll: now,
            next_sweep: now,
            look_for_cancels: false,
            shown_empty: false,
            wake_at: None,
        }
    }

    /// Takes one input at `now` and pushes what is to be done.
    pub fn handle(&mut self, now: Moment, input: Input, out: &mut Vec<Output>) {
        if self.phase == Phase::Finished {
            return;
        }
        self.pass_deadlines(now, out);
        match input {
            Input::Identity(id) => {
                if self.phase == Phase::Nameless {
                    self.phase = Phase::Unregistered(id);
                }
            }
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
            Input::JobStarted(claim) => self.job_started(now, claim, out),
            Input::JobNotStarted(claim, cause) => self.job_not_started(claim, cause, out),
            Input::JobProgressed(claim, units, message) => {
                self.job_progressed(now, claim, units, message);
            }
            Input::JobExited(claim, exit) => self.job_exited(claim, exit, out),
            Input::Wake => {}
            Input::Hint => self.next_poll = now,
            Input::CancelHint => self.look_for_cancels = true,
            Input::Shutdown => self.start_drain(now, self.config.drain_grace, out),
            Input::Hurry => self.hurry(now, out),
            Input::Interrupt => self.interrupt(now, out),
            Input::GuardLost => self.guard_lost(now, out),
        }
        self.pass_deadlines(now, out);
        self.next_call(now, out);
        self.end_if_over(now, out);
        self.set_alarm(out);
    }

    /// How many jobs it knows, whatever became of them.
    pub fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// Its id, once it has one.
    pub fn id(&self) -> Option<RunnerId> {
        match self.phase {
            Phase::Unregistered(id) | Phase::Working(id) => Some(id),
            Phase::Nameless | Phase::Finished => None,
        }
    }

    /// True when no more work is wanted.
    fn is_draining(&self) -> bool {
        match self.drain {
            Drain::No => false,
            Drain::Until { .. } => true,
        }
    }

    fn handlers(&self) -> Handlers {
        Handlers::Only(self.config.definitions.keys().cloned().collect())
    }

    /// How many runs it may hold in all.
    fn capacity(&self) -> u32 {
        match self.config.purpose {
            Purpose::Foreground(_) => 0,
            Purpose::Serve if self.is_draining() => 0,
            Purpose::Serve => {
                // A job that the store has given up still takes its place until it is dead.
                let dying = self.jobs.values().filter(|job| job.is_forgotten()).count();
                let dying = u32::try_from(dying).unwrap_or(u32::MAX);
                self.config.concurrency.get().saturating_sub(dying)
            }
        }
    }

    /// Ends when the store has not answered for too long. As long as a job is dying there is no
    /// hurry: what becomes of it is still to be told.
    fn end_if_over(&mut self, now: Moment, out: &mut Vec<Output>) {
        let jobs_dead = self.jobs.values().all(Job::is_dead);
        let Drain::Until { give_up_at, .. } = &mut self.drain else {
            return;
        };
        if !jobs_dead {
            *give_up_at = now.plus(self.config.lease.timing().lease).max(*give_up_at);
        } else if self.phase != Phase::Finished && now >= *give_up_at {
            self.finish(false, out);
        }
    }

    fn finish(&mut self, retired: bool, out: &mut Vec<Output>) {
        if self.foreground != Foreground::None && self.foreground != Foreground::Over {
            // What was never granted ends as the person wanted, whatever the store made of it.
            let unwanted = self.interrupted && self.foreground == Foreground::Wanted;
            let outcome = unwanted.then_some(Outcome::Cancelled(Cancellation::Requested));
            self.foreground = Foreground::Over;
            out.push(Output::ForegroundEnded(outcome));
        }
        let claims: Vec<Claim> = self.jobs.keys().copied().collect();
        for claim in claims {
            self.kill(claim, StopReason::Drain, out);
        }
        self.phase = Phase::Finished;
        self.call = None;
        out.push(Output::Finished { retired });
    }

    /// Tells the shell when to wake the machine, if that has changed.
    fn set_alarm(&mut self, out: &mut Vec<Output>) {
        if self.phase == Phase::Finished {
            return;
        }
        let deadlines = self.jobs.values().map(|job| job.next_deadline(&self.config.lease));
        let give_up = match self.drain {
            Drain::Until { stop_at, .. } if self.jobs.values().any(Job::is_stoppable) => stop_at,
            Drain::Until { give_up_at, .. } if self.jobs.values().all(Job::is_dead) => give_up_at,
            // A job that is dying is waited for, however long it takes.
            Drain::No | Drain::Until { .. } => Moment::NEVER,
        };
        let alarm = deadlines.chain([give_up, self.call_alarm()]).min().unwrap_or(Moment::NEVER);
        if self.wake_at != Some(alarm) {
            self.wake_at = Some(alarm);
            out.push(Output::WakeAt(alarm));
        }
    }
}
