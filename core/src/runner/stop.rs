//! Stopping jobs: TERM, then KILL, for whichever reason comes first.

use std::fmt;

use crate::catalogue::Timeout;
use crate::ledger::Claim;
use crate::ledger::command::Ending;
use crate::run::{Cancellation, Cause, Failure, Interruption, Outcome, Output as JobOutput, Units};
use crate::words::{Moment, Note, Span};

use super::job::{News, Stage};
use super::{Drain, Foreground, JobExit, Output, Runner};

/// Why a job is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StopReason {
    /// Somebody asked for it.
    Cancel,
    /// Its time is up.
    Timeout,
    /// The runner is to stop.
    Drain,
    /// The lease could not be renewed in time.
    Lease,
    /// The store has given the run up.
    Lost,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancel => "cancelled on request",
            Self::Timeout => "timeout",
            Self::Drain => "the runner stops",
            Self::Lease => "the lease could not be renewed in time",
            Self::Lost => "the store has given the run up",
        })
    }
}

/// Progress is told at most this often.
const PROGRESS_EVERY: Span = Span::from_secs(1);

impl Runner {
    /// Whatever is past its deadline is stopped, before anything else happens.
    pub(super) fn pass_deadlines(&mut self, now: Moment, out: &mut Vec<Output>) {
        if let Drain::Until { stop_at, .. } = self.drain
            && now >= stop_at
        {
            self.stop_all(now, StopReason::Drain, out);
        }
        let claims: Vec<Claim> = self.jobs.keys().copied().collect();
        for claim in claims {
            self.pass_deadlines_of(now, claim, out);
        }
        if self.call.as_ref().is_some_and(|call| now >= call.expires_at) {
            self.call = None;
            self.unanswered(now);
        }
    }

    fn pass_deadlines_of(&mut self, now: Moment, claim: Claim, out: &mut Vec<Output>) {
        let Some(job) = self.jobs.get(&claim) else {
            return;
        };
        match job.stage {
            Stage::Starting | Stage::Abandoned => {
                if now >= job.kill_at {
                    self.kill(claim, StopReason::Lease, out);
                }
            }
            Stage::Running { timeout_at } => {
                if now >= job.kill_at {
                    self.kill(claim, StopReason::Lease, out);
                } else if now >= self.config.lease.term_at(job.kill_at) {
                    self.stop(now, claim, StopReason::Lease, out);
                } else if now >= timeout_at {
                    self.stop(now, claim, StopReason::Timeout, out);
                }
            }
            Stage::Terminated { kill_at } => {
                if now >= kill_at.min(job.kill_at) {
                    let reason = job.stop.unwrap_or(StopReason::Lease);
                    self.kill(claim, reason, out);
                }
            }
            Stage::Killed | Stage::Ended(_) | Stage::GivenBack => {}
        }
    }

    /// Asks a job to end. The first reason stands. A job that is being started is stopped when
    /// it has started.
    pub(super) fn stop(
        &mut self,
        now: Moment,
        claim: Claim,
        reason: StopReason,
        out: &mut Vec<Output>,
    ) {
        let Some(job) = self.jobs.get_mut(&claim) else {
            return;
        };
        match job.stage {
            Stage::Starting => {
                job.stop.get_or_insert(reason);
            }
            Stage::Running { .. } => {
                job.stop.get_or_insert(reason);
                job.stage = Stage::Terminated { kill_at: now.plus(job.stop_grace) };
                out.push(Output::Terminate(claim, reason));
            }
            Stage::Terminated { .. }
            | Stage::Killed
            | Stage::Ended(_)
            | Stage::GivenBack
            | Stage::Abandoned => {}
        }
    }

    fn stop_all(&mut self, now: Moment, reason: StopReason, out: &mut Vec<Output>) {
        let claims: Vec<Claim> = self.jobs.keys().copied().collect();
        for claim in claims {
            self.stop(now, claim, reason, out);
        }
    }

    /// Ends a job. The first reason stands.
    pub(super) fn kill(&mut self, claim: Claim, reason: StopReason, out: &mut Vec<Output>) {
        let Some(job) = self.jobs.get_mut(&claim) else {
            return;
        };
        match job.stage {
            Stage::Starting | Stage::Running { .. } | Stage::Terminated { .. } => {
                job.stop.get_or_insert(reason);
                job.stage = Stage::Killed;
                out.push(Output::Kill(claim, reason));
            }
            // What is left of it must be dead in time too, though nobody will say that it is.
            Stage::Abandoned => {
                if job.kill_at != Moment::NEVER {
                    job.kill_at = Moment::NEVER;
                    out.push(Output::Kill(claim, reason));
                }
            }
            Stage::Killed | Stage::Ended(_) | Stage::GivenBack => {}
        }
    }

    /// The store says that the run is not ours: its job dies, nothing is reported.
    pub(super) fn lose(&mut self, claim: Claim, out: &mut Vec<Output>) {
        self.kill(claim, StopReason::Lost, out);
        let Some(job) = self.jobs.get_mut(&claim) else {
            return;
        };
        job.stop = Some(StopReason::Lost);
        if job.is_dead() {
            self.forget(claim, None, out);
        }
    }

    /// Kills everything; nothing of it is reported, for the store has given this runner up.
    pub(super) fn lose_all(&mut self, out: &mut Vec<Output>) {
        let claims: Vec<Claim> = self.jobs.keys().copied().collect();
        for claim in claims {
            self.lose(claim, out);
        }
    }

    pub(super) fn job_started(&mut self, now: Moment, claim: Claim, out: &mut Vec<Output>) {
        let Some(job) = self.jobs.get_mut(&claim) else {
            return;
        };
        if job.stage != Stage::Starting {
            return;
        }
        let timeout_at = match job.grant.timeout {
            Timeout::After(span) => now.plus(span),
            Timeout::None => Moment::NEVER,
        };
        job.stage = Stage::Running { timeout_at };
        if let Some(reason) = job.stop {
            self.stop(now, claim, reason, out);
        }
    }

    /// A job that could not be started has failed, unless there was a reason to stop it.
    pub(super) fn job_not_started(&mut self, claim: Claim, cause: Cause, out: &mut Vec<Output>) {
        let Some(job) = self.jobs.get_mut(&claim) else {
            return;
        };
        if job.is_dead() {
            return;
        }
        let outcome = match job.stop {
            None => Outcome::Failed(Failure { cause, is_final: false }),
            Some(StopReason::Cancel) => Outcome::Cancelled(Cancellation::Requested),
            Some(StopReason::Drain) => Outcome::Interrupted(Interruption::Drain),
            Some(StopReason::Timeout | StopReason::Lease | StopReason::Lost) => {
                Outcome::Interrupted(Interruption::Lease)
            }
        };
        job.news.started = None;
        self.end(claim, outcome, JobOutput::default(), out);
    }

    /// An outcome that says "not its fault" is only reported when nothing of the job is left:
    /// the next attempt may start as soon as the store knows.
    pub(super) fn job_exited(&mut self, claim: Claim, exit: JobExit, out: &mut Vec<Output>) {
        let Some(job) = self.jobs.get_mut(&claim) else {
            return;
        };
        if job.is_dead() {
            return;
        }
        let outcome = job.outcome(&exit);
        if !exit.group_empty && !job.is_forgotten() {
            job.stage = Stage::Abandoned;
            return;
        }
        self.end(claim, outcome, exit.output, out);
    }

    /// The job is over: the store must be told, unless it has given the run up.
    pub(super) fn end(
        &mut self,
        claim: Claim,
        outcome: Outcome,
        output: JobOutput,
        out: &mut Vec<Output>,
    ) {
        let Some(job) = self.jobs.get_mut(&claim) else {
            return;
        };
        if job.is_forgotten() {
            self.forget(claim, None, out);
            return;
        }
        let units = job.news.units;
        let started = job.news.started.take();
        job.news = News { started, ..News::default() };
        job.stage = Stage::Ended(Box::new(Ending { outcome, units, output }));
    }

    pub(super) fn job_progressed(
        &mut self,
        now: Moment,
        claim: Claim,
        units: Option<Units>,
        message: Option<Note>,
    ) {
        let Some(job) = self.jobs.get_mut(&claim) else {
            return;
        };
        if job.is_dead() || job.is_forgotten() {
            return;
        }
        if !job.news.has_progress() {
            job.news.progress_at = job.news.progress_at.max(now);
        }
        job.news.units = units.or(job.news.units);
        job.news.message = message.or(job.news.message.take());
    }

    /// The next progress of a job waits a little after one was told.
    pub(super) fn progress_told(job: &mut super::Job, sent: Moment) {
        job.news.progress_at = sent.plus(PROGRESS_EVERY);
    }

    /// The store has answered for the claim: nothing is left to say about it.
    pub(super) fn forget(&mut self, claim: Claim, outcome: Option<Outcome>, out: &mut Vec<Output>) {
        self.jobs.remove(&claim);
        if self.foreground == Foreground::Held(claim) {
            self.foreground = Foreground::Over;
            out.push(Output::ForegroundEnded(outcome));
        }
    }

    pub(super) fn start_drain(&mut self, now: Moment, grace: Span, out: &mut Vec<Output>) {
        let stop_at = now.plus(grace);
        match self.drain {
            Drain::No => {
                let give_up_at = stop_at.plus(self.config.lease.timing().lease);
                self.drain = Drain::Until { stop_at, give_up_at };
                self.next_poll = now;
            }
            Drain::Until { stop_at: earlier, give_up_at } => {
                self.drain = Drain::Until { stop_at: earlier.min(stop_at), give_up_at };
            }
        }
        self.pass_deadlines(now, out);
    }

    pub(super) fn hurry(&mut self, now: Moment, out: &mut Vec<Output>) {
        self.start_drain(now, Span::ZERO, out);
    }

    /// Ctrl-C in front of a foreground run cancels it. Runs that somebody else asked for are not
    /// the terminal's to cancel.
    pub(super) fn interrupt(&mut self, now: Moment, out: &mut Vec<Output>) {
        if self.foreground == Foreground::None {
            self.start_drain(now, self.config.drain_grace, out);
        } else {
            self.interrupted = true;
            self.stop_all(now, StopReason::Cancel, out);
        }
    }

    /// Without a guard nothing would end the jobs if this process died.
    pub(super) fn guard_lost(&mut self, now: Moment, out: &mut Vec<Output>) {
        let claims: Vec<Claim> = self.jobs.keys().copied().collect();
        for claim in claims {
            self.kill(claim, StopReason::Drain, out);
        }
        self.start_drain(now, Span::ZERO, out);
    }
}
