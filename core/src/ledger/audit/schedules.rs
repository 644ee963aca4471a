//! What the audit looks at in the life of a schedule.

use crate::ledger::command::Command;
use crate::recurrence::{Occasion, Pace, Recurrence, ZoneRelease};
use crate::run::{Run, Trigger};
use crate::schedule::due::Advance;
use crate::schedule::{Fate, Occurrence, Plan, Retry, Schedule, SkipReason};
use crate::words::{RunId, Timestamp, WorkerName};

use super::runs::may_be_retried;
use super::watch::{Audit, Seen, Step};
use super::{Found, Invariant, Violation, hold};

impl Audit {
    pub(super) fn occurrence_recorded(
        &mut self,
        step: &mut Step<'_>,
        occurrence: &Occurrence,
    ) -> Found {
        let Occurrence { worker, scheduled_for, accounts_from, fate, chain, .. } = occurrence;
        let key = (worker.clone(), *scheduled_for);
        self.is_now(step, occurrence.recorded_at, "recorded_at")?;
        hold(self.occurrences.insert(key.clone()), Invariant::NoDoubleEnqueue, || {
            format!("{key:?} was recorded twice")
        })?;
        hold(step.settled.insert(worker.clone()), Invariant::OneCatchUp, || {
            format!("{worker} was settled twice in one step")
        })?;
        let accounted = self.accounted.get(worker).copied().unwrap_or(Timestamp::EPOCH);
        let in_turn = accounted < *accounts_from
            && accounts_from <= scheduled_for
            && *scheduled_for <= step.now;
        hold(in_turn, Invariant::OneCatchUp, || {
            format!("{key:?} accounts from {accounts_from}, after {accounted}, at {}", step.now)
        })?;
        match fate {
            Fate::Enqueued | Fate::CaughtUp => {
                let Some(chain) = chain else {
                    return Err(Violation::of(
                        Invariant::NothingLost,
                        format!("{key:?} was enqueued without a run"),
                    ));
                };
                let stands_for = self.runs.get(&chain.last_run).is_some_and(|run| {
                    run.worker == *worker
                        && matches!(&run.trigger, Trigger::Schedule(scheduled)
                            if scheduled.scheduled_for == *scheduled_for)
                });
                hold(
                    stands_for && step.created.contains(&chain.last_run),
                    Invariant::NothingLost,
                    || format!("{key:?} was enqueued with a run of another occurrence"),
                )
            }
            Fate::Skipped(_) | Fate::Missed => self.not_created(step, occurrence),
        }
    }

    fn not_created(&self, step: &Step<'_>, occurrence: &Occurrence) -> Found {
        let Occurrence { worker, scheduled_for, fate, chain, .. } = occurrence;
        let created = step.created.iter().filter_map(|run| self.runs.get(run)).any(|run| {
            run.worker == *worker
                && run
                    .trigger
                    .scheduled()
                    .is_some_and(|scheduled| scheduled.scheduled_for == *scheduled_for)
        });
        hold(chain.is_none() && !created, Invariant::SkipNotQueue, || {
            format!("{worker} got a run for {scheduled_for} although it was {fate}")
        })?;
        let true_reason = match fate {
            Fate::Enqueued | Fate::CaughtUp | Fate::Missed => true,
            Fate::Skipped(SkipReason::SlotTaken { run, .. }) => self.slot.get(worker) == Some(run),
            Fate::Skipped(SkipReason::RetryOwed { run }) => {
                self.owed.iter().any(|((owner, _), failed)| owner == worker && failed == run)
            }
            Fate::Skipped(SkipReason::Edited(_)) => {
                matches!(step.command, Command::PutSchedule { .. })
            }
            Fate::Skipped(SkipReason::Disabled(_)) => {
                matches!(step.command, Command::DisableSchedule { .. })
            }
            Fate::Skipped(SkipReason::Deleted(_)) => {
                matches!(step.command, Command::DeleteSchedule { .. })
            }
        };
        hold(true_reason, Invariant::SkipNotQueue, || {
            format!("{worker} at {scheduled_for} has a reason that is not true: {fate}")
        })
    }

    pub(super) fn retry_changed(
        &mut self,
        step: &mut Step<'_>,
        worker: &WorkerName,
        scheduled_for: Timestamp,
        retry: &Retry,
    ) -> Found {
        let key = (worker.clone(), scheduled_for);
        match retry {
            Retry::Owed { since } => {
                self.is_now(step, *since, "owed_since")?;
                let failed = step.unwritten.iter().copied().find(|run| {
                    self.runs.get(run).is_some_and(|run| {
                        run.worker == *worker
                            && run
                                .trigger
                                .scheduled()
                                .is_some_and(|scheduled| scheduled.scheduled_for == scheduled_for)
                    })
                });
                let Some(failed) = failed else {
                    return Err(Violation::of(
                        Invariant::OnlyScheduledRetried,
                        format!("{key:?} owes a retry of nothing that failed"),
                    ));
                };
                step.unwritten.remove(&failed);
                self.owed.insert(key, failed);
            }
            Retry::Dropped { at, .. } => {
                self.is_now(step, *at, "dropped_at")?;
                hold(
                    matches!(step.command, Command::Cancel { .. }),
                    Invariant::NothingLost,
                    || format!("the retry of {key:?} was dropped by nobody"),
                )?;
                self.owed.remove(&key);
            }
            Retry::None => {
                return Err(Violation::of(
                    Invariant::NothingLost,
                    format!("the retry of {key:?} was forgotten"),
                ));
            }
        }
        Ok(())
    }

    pub(super) fn chain_extended(
        &mut self,
        step: &Step<'_>,
        worker: &WorkerName,
        scheduled_for: Timestamp,
        run: RunId,
    ) -> Found {
        let key = (worker.clone(), scheduled_for);
        let failed = self.owed.remove(&key);
        let repeats = self.runs.get(&run).and_then(|run| run.trigger.scheduled()?.retry_of);
        hold(
            failed.is_some() && repeats == failed && step.created.contains(&run),
            Invariant::BoundedAttempts,
            || format!("{key:?} owed a retry of {failed:?} and got {run}, of {repeats:?}"),
        )?;
        let failed = failed.and_then(|failed| self.runs.get(&failed));
        hold(failed.is_some_and(may_be_retried), Invariant::OnlyScheduledRetried, || {
            format!("{key:?} was tried again although it must not be")
        })
    }

    pub(super) fn schedule_advanced(
        &mut self,
        step: &Step<'_>,
        worker: &WorkerName,
        advance: &Advance,
    ) -> Found {
        let Some(seen) = self.schedules.get(worker).cloned() else {
            return Err(Violation::of(
                Invariant::NothingLost,
                format!("{worker} moved on without a schedule"),
            ));
        };
        self.due_is_accounted_for(step, worker)?;
        let created = self.first_attempts_of(step, worker);
        hold(created <= 1, Invariant::OneCatchUp, || {
            format!("{worker} got {created} runs in one step")
        })?;
        let counted = seen.runs_created.saturating_add(created);
        hold(advance.runs_created == counted, Invariant::BoundedSeries, || {
            format!("{worker} got {counted} runs and counted {}", advance.runs_created)
        })?;
        self.lies_ahead(step, worker, advance.next, advance.accounted_until)?;
        bounded(worker, &seen.plan, advance.next, advance.runs_created)?;
        self.account(worker, advance.accounted_until)?;
        let next_run_at = advance.next.map(|next| next.at);
        let (runs_created, last_wall) = (advance.runs_created, advance.last_wall);
        let seen = Seen { runs_created, next_run_at, last_wall, ..seen };
        self.schedules.insert(worker.clone(), seen);
        Ok(())
    }

    /// New zone data move what lies ahead and nothing else.
    pub(super) fn schedule_recomputed(
        &mut self,
        step: &Step<'_>,
        worker: &WorkerName,
        next: Option<Occasion>,
    ) -> Found {
        let Some(seen) = self.schedules.get(worker).cloned() else {
            return Err(Violation::of(
                Invariant::NothingLost,
                format!("{worker} was computed anew without a schedule"),
            ));
        };
        self.due_is_accounted_for(step, worker)?;
        bounded(worker, &seen.plan, next, seen.runs_created)?;
        if let Some(next) = next {
            let accounted = self.accounted.get(worker).copied().unwrap_or(Timestamp::EPOCH);
            hold(next.at > accounted, Invariant::OneCatchUp, || {
                format!("{worker} was moved to {}, accounted for until {accounted}", next.at)
            })?;
            let rule = &seen.plan.recurrence;
            let is_free = match rule {
                // One instant is the same by all data.
                Recurrence::Once(_) => true,
                Recurrence::Cron(_) | Recurrence::Rrule(_) => match rule.pace() {
                    Pace::FixedTime => seen.last_wall.is_none_or(|last| next.wall > last),
                    Pace::RealTime => true,
                },
            };
            hold(is_free, Invariant::OneCatchUp, || {
                format!("{worker} was moved to {}, which it had already", next.wall)
            })?;
        }
        let next_run_at = next.map(|next| next.at);
        self.schedules.insert(worker.clone(), Seen { next_run_at, ..seen });
        Ok(())
    }

    /// The ledger's zone data become newer only.
    pub(super) fn zone_data_adopted(&mut self, release: ZoneRelease) -> Found {
        let before = self.zone_data.replace(release);
        hold(before.is_none_or(|before| before < release), Invariant::OneCatchUp, || {
            format!("zone data {before:?} gave way to {release}")
        })
    }

    /// How many chains began for the worker in this step.
    fn first_attempts_of(&self, step: &Step<'_>, worker: &WorkerName) -> u32 {
        let begins = |run: &&Run| {
            run.worker == *worker && run.trigger.scheduled().is_some_and(|it| it.retry_of.is_none())
        };
        let created = step.created.iter().filter_map(|run| self.runs.get(run)).filter(begins);
        u32::try_from(created.count()).unwrap_or(u32::MAX)
    }

    pub(super) fn schedule_saved(
        &mut self,
        step: &Step<'_>,
        worker: &WorkerName,
        schedule: &Schedule,
        accounted_until: Timestamp,
    ) -> Found {
        // A faulty rule has no instant that could be told: it is disabled and says so.
        if !matches!(step.command, Command::Tick(_)) {
            self.due_is_accounted_for(step, worker)?;
        }
        let before = self.schedules.get(worker);
        let by_put = matches!(step.command, Command::PutSchedule { .. });
        let same_plan = before.is_some_and(|seen| seen.plan == schedule.plan);
        hold(by_put || same_plan, Invariant::RequestIsPinned, || {
            format!("the plan of {worker} was changed by something that is no edit")
        })?;
        let reset = matches!(step.command, Command::PutSchedule { reset_runs: true, .. });
        let counted = before.is_none_or(|seen| seen.runs_created == schedule.runs_created);
        hold(reset || counted, Invariant::BoundedSeries, || {
            format!("the runs of {worker} were counted anew")
        })?;
        hold(schedule.next.is_none() || schedule.is_enabled(), Invariant::OneCatchUp, || {
            format!("{worker} is disabled and has a next instant")
        })?;
        self.is_now(step, schedule.changed_at, "changed_at")?;
        self.lies_ahead(step, worker, schedule.next, accounted_until)?;
        bounded(worker, &schedule.plan, schedule.next, schedule.runs_created)?;
        self.schedules.insert(worker.clone(), Seen::of(schedule));
        self.account(worker, accounted_until)
    }

    pub(super) fn occurrence_pruned(
        &mut self,
        worker: &WorkerName,
        scheduled_for: Timestamp,
    ) -> Found {
        let key = (worker.clone(), scheduled_for);
        hold(!self.owed.contains_key(&key), Invariant::NothingLost, || {
            format!("{key:?} was pruned while it owed a retry")
        })
    }

    /// No due instant goes away without a row that accounts for it.
    pub(super) fn due_is_accounted_for(&self, step: &Step<'_>, worker: &WorkerName) -> Found {
        let due = self.schedules.get(worker).and_then(|seen| seen.next_run_at);
        let Some(due) = due.filter(|due| *due <= step.now) else { return Ok(()) };
        let has_row =
            step.settled.contains(worker) || self.occurrences.contains(&(worker.clone(), due));
        hold(has_row, Invariant::OneCatchUp, || {
            format!("{worker} was due at {due}, and no row says what became of it")
        })
    }

    /// What is accounted for never becomes less.
    pub(super) fn account(&mut self, worker: &WorkerName, until: Timestamp) -> Found {
        let before = self.accounted.insert(worker.clone(), until);
        hold(before.is_none_or(|before| before <= until), Invariant::OneCatchUp, || {
            format!("{worker} was accounted for until {before:?}, and then only until {until}")
        })
    }

    #[allow(clippy::unused_self)] // reads like its siblings
    fn lies_ahead(
        &self,
        step: &Step<'_>,
        worker: &WorkerName,
        next: Option<Occasion>,
        accounted_until: Timestamp,
    ) -> Found {
        let Some(next) = next else { return Ok(()) };
        hold(next.at > step.now && next.at > accounted_until, Invariant::OneCatchUp, || {
            format!("{worker} comes next at {}, which is not ahead of {}", next.at, step.now)
        })
    }
}

fn bounded(worker: &WorkerName, plan: &Plan, next: Option<Occasion>, runs_created: u32) -> Found {
    let most = plan.max_runs.map_or(u32::MAX, std::num::NonZeroU32::get);
    let within = match next {
        None => true,
        Some(next) => {
            runs_created < most
                && plan.until.is_none_or(|until| next.at <= until)
                && plan.not_before.is_none_or(|from| next.at >= from)
        }
    };
    hold(within, Invariant::BoundedSeries, || {
        format!("{worker} goes on at {next:?} after {runs_created} runs")
    })
}
