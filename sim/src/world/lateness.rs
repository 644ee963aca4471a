//! When no fault strikes, nothing is late: what each step may take follows from the configuration,
//! and what takes longer is told in words.

use horarium_core::catalogue::Timeout;
use horarium_core::run::{Run, RunStatus};
use horarium_core::words::{Span, Timestamp};

use crate::clock::Time;
use crate::describe;

use super::World;
use super::runners::{Condition, RunnerProcess};

/// What the slowest machine may take beyond its configuration.
const SLACK: Span = Span::from_secs(10);

impl World {
    /// What should have happened by now, if anything should.
    pub(super) fn late(&self) -> Option<String> {
        let healed = self.healed?;
        let is_over = self.phase.is_stopping();
        if is_over {
            return None;
        }
        self.nobody_ticks(healed)
            .or_else(|| self.silent_runner(healed))
            .or_else(|| self.overdue_schedule(healed))
            .or_else(|| self.stale_lease(healed))
            .or_else(|| self.deaf_to_cancel(healed))
            .or_else(|| self.starving_run(healed))
    }

    /// The time since the faults stopped, if it is longer than `allowed`, tells nothing of what
    /// came later: so that long after `at` something is late.
    fn is_later(&self, healed: Time, at: Timestamp, allowed: Span) -> bool {
        let wild = self.profile.wild_clock.times(2).plus(self.profile.clock_step.times(2));
        self.time.since(healed) > allowed && at.plus(allowed).plus(wild) < self.now()
    }

    /// A pass over all that may be due at once, one batch after the other.
    fn pass(&self) -> Span {
        let timing = self.profile.scheduler;
        let workers = u64::try_from(self.profile.workers.len()).unwrap_or(u64::MAX);
        let calls = workers.div_ceil(u64::from(timing.batch.get())).saturating_mul(2) + 4;
        timing.poll.plus(self.profile.latency.times(calls.saturating_mul(2))).plus(SLACK)
    }

    /// A leader may have to lose its lock, and a standby to get it.
    fn succession(&self) -> Span {
        let timing = self.profile.scheduler;
        let waits = timing.probe.plus(timing.lock_retry.times(2)).plus(timing.poll);
        waits.plus(timing.statement_timeout.times(3)).plus(SLACK)
    }

    fn nobody_ticks(&self, healed: Time) -> Option<String> {
        let allowed = self.succession().plus(self.pass());
        let last = self.store.ledger().rows().leadership.as_ref().map(|led| led.last_tick);
        let last = last.unwrap_or(Timestamp::EPOCH);
        self.is_later(healed, last, allowed).then(|| format!("nobody has ticked since {last}"))
    }

    /// A runner speaks at least with every heartbeat, and each call is answered.
    fn silent_runner(&self, healed: Time) -> Option<String> {
        let silent = |runner: &RunnerProcess| {
            let allowed = runner.longest_silence().plus(SLACK);
            runner.condition == Condition::Well
                && self.time.since(healed.max(runner.heard)) > allowed
        };
        let runner = self.runners.iter().position(silent)?;
        Some(format!("runner {runner} has heard no answer since {}", self.runners[runner].heard))
    }

    fn overdue_schedule(&self, healed: Time) -> Option<String> {
        let allowed = self.succession().plus(self.pass());
        let (worker, at) = self.store.overdue(self.now(), allowed)?;
        self.is_later(healed, at, allowed).then(|| format!("{worker} is due since {at}"))
    }

    fn stale_lease(&self, healed: Time) -> Option<String> {
        let first = self.store.ledger().running().next()?;
        let expiry = first.hold()?.lease_expires_at;
        let allowed = self.succession().plus(self.pass());
        let is_late = self.is_later(healed, expiry, allowed);
        is_late.then(|| format!("{} outlives its lease", describe::run(first.id)))
    }

    /// Who lives and holds a run hears of its cancel with a heartbeat, and then has the grace of the
    /// handler; who is gone loses the run with its lease. Of what a job has left nobody is sure.
    fn deaf_to_cancel(&self, healed: Time) -> Option<String> {
        let grace = self.profile.definitions.values().map(|it| it.stop_grace).max();
        let late = self.store.ledger().running().find(|run| {
            let holder = run.hold().map(|hold| hold.runner);
            let holder =
                self.runners.iter().position(|it| holder.is_some_and(|id| it.is_called(id)));
            let (Some(cancel), Some(holder)) = (&run.cancel, holder) else { return false };
            let runner = &self.runners[holder];
            let reaction = runner.longest_silence().plus(grace.unwrap_or_default()).plus(SLACK);
            runner.condition == Condition::Well
                && !self.bodies.left_something(holder)
                && self.is_later(healed, cancel.at, reaction)
        })?;
        Some(format!("{} was cancelled long ago and runs", describe::run(late.id)))
    }

    /// A run waits for its time, then at most for one job of each other worker.
    fn starving_run(&self, healed: Time) -> Option<String> {
        let allowed = self.round();
        let late = |run: &&Run| {
            run.status == RunStatus::Queued && self.is_later(healed, run.not_before, allowed)
        };
        let run = self.store.ledger().queue().find(late)?;
        Some(format!("{} of {} waits since {}", describe::run(run.id), run.worker, run.not_before))
    }

    /// The longest that a job may live.
    pub(super) fn longest_job(&self) -> Span {
        let limits = self.profile.definitions.values().map(|definition| match definition.timeout {
            Timeout::After(limit) => limit.plus(definition.stop_grace),
            Timeout::None => self.profile.jobs.longest,
        });
        limits.max().unwrap_or_default()
    }

    /// The time in which every worker has had its turn: all that waits for a runner waits at most
    /// for each other worker's job, and for the lease of what a dead runner held.
    pub(super) fn round(&self) -> Span {
        let seats = &self.profile.seats;
        let lease = seats.iter().map(|seat| seat.lease.timing().lease).max().unwrap_or_default();
        let poll = seats.iter().map(|seat| seat.poll).max().unwrap_or_default();
        let workers = u64::try_from(self.profile.workers.len()).unwrap_or(u64::MAX);
        self.longest_job().plus(poll).plus(lease).times(workers.saturating_add(1))
    }
}
