//! The tick: what new zone data move, then owed retries, then due schedules, in bounded batches.
//!
//! Row locks and unique keys, not the leader's lock, say that an occurrence is enqueued once: two
//! schedulers that both believe to lead do no harm. A worker whose row another transaction holds
//! stays due until the next pass.

use crate::config;
use crate::recurrence::ZoneRelease;
use crate::run::{Run, RunStatus, Scheduled, Trigger};
use crate::schedule::due::{self, Advance};
use crate::schedule::{Chain, Enablement, Fate, Occurrence, Retry, Schedule, Slot, Verdict};
use crate::words::retry::scatter;
use crate::words::{Attempt, By, Note, RunId, Span, Timestamp, WorkerName};

use super::command::Tick;
use super::reply::{Done, Ticked};
use super::zone_data::Recomputation;
use super::{Event, Leadership, OccurrenceKey, Reply, Transaction};

impl Transaction<'_> {
    pub(super) fn tick(&mut self, tick: &Tick) -> Reply {
        let release = match self.zone_release() {
            Ok(release) => release,
            Err(refusal) => return Reply::Refused(refusal),
        };
        let limit = usize::try_from(tick.limit.get()).unwrap_or(usize::MAX);
        self.note_leader(tick);
        let Recomputation { mut done, schedules: recomputed, more: more_stale } =
            self.adopt(release, limit);

        let owed: Vec<OccurrenceKey> = self
            .ledger
            .owed_retries()
            .filter(|occurrence| !self.locked.workers.contains(&occurrence.worker))
            .filter(|occurrence| self.ledger.slot(&occurrence.worker).is_none())
            .map(|occurrence| (occurrence.worker.clone(), occurrence.scheduled_for))
            .take(limit.saturating_add(1))
            .collect();
        let due: Vec<WorkerName> = self
            .ledger
            .agenda()
            .take_while(|(at, _)| *at <= self.now)
            .map(|(_, worker)| worker)
            .filter(|worker| !self.locked.workers.contains(*worker))
            .take(limit.saturating_add(1))
            .cloned()
            .collect();
        let more = more_stale || owed.len() > limit || due.len() > limit;

        for key in owed.into_iter().take(limit) {
            done.extend(self.retry(&key, tick.seed));
        }
        for worker in due.into_iter().take(limit) {
            done.extend(self.occur(&worker, release));
        }
        let wait = self
            .ledger
            .agenda()
            .map(|(at, _)| at)
            .find(|at| *at > self.now)
            .map(|at| at.since(self.now));
        Reply::Ticked(Ticked { done, recomputed, more, wait })
    }

    fn note_leader(&mut self, tick: &Tick) {
        let since = match &self.ledger.rows.leadership {
            Some(known) if known.scheduler == tick.scheduler => known.since,
            Some(_) | None => self.now,
        };
        self.emit(Event::SchedulerTicked(Leadership {
            scheduler: tick.scheduler,
            since,
            last_tick: self.now,
        }));
    }

    /// Creates the next attempt at an occurrence. It holds the slot from now on.
    fn retry(&mut self, key: &OccurrenceKey, seed: u64) -> Option<Done> {
        let (worker, scheduled_for) = key;
        let chain = self.ledger.rows.occurrences.get(key)?.chain.clone()?;
        let failed = self.ledger.rows.runs.get(&chain.last_run)?.clone();
        let attempt = failed.retry.after(chain.attempt)?;
        let run = RunId::of_occurrence(worker, *scheduled_for, attempt);
        let not_before = self.now.plus(retry_delay(&failed, chain.attempt, seed));
        let next = Run {
            id: run,
            number: self.ledger.next_number(),
            trigger: Trigger::Schedule(Scheduled {
                scheduled_for: *scheduled_for,
                attempt,
                retry_of: Some(chain.last_run),
            }),
            enqueued_at: self.now,
            not_before,
            start_before: None,
            cancel: None,
            units: None,
            status: RunStatus::Queued,
            ..failed
        };
        let (config, catalogue) = match self.promise(worker, &next.request) {
            Ok(promise) => (promise.config, promise.catalogue),
            Err(_) => (next.config.clone(), next.catalogue.clone()),
        };
        self.emit(Event::RunCreated(Box::new(Run { config, catalogue, ..next })));
        self.emit(Event::ChainExtended {
            worker: worker.clone(),
            scheduled_for: *scheduled_for,
            run,
        });
        Some(Done::Retried { worker: worker.clone(), run, attempt, not_before })
    }

    /// Accounts for a due schedule.
    fn occur(&mut self, worker: &WorkerName, release: ZoneRelease) -> Option<Done> {
        let row = self.worker(worker);
        let schedule = row.schedule?;
        let accounted_until = row.accounted_until;
        let slot = self.slot_of(worker);
        match due::decide(&schedule, accounted_until, &slot, self.now)? {
            Verdict::Faulty => Some(self.poison(worker, schedule, accounted_until)),
            Verdict::Settled { scheduled_for, accounts_from, fate, start_before, advance } => {
                // A key that exists is accounted for already: only move on.
                if self.ledger.rows.occurrences.contains_key(&(worker.clone(), scheduled_for)) {
                    let advance = Advance { runs_created: schedule.runs_created, ..advance };
                    self.emit(Event::ScheduleAdvanced { worker: worker.clone(), advance, release });
                    return None;
                }
                let chain = match fate {
                    Fate::Enqueued | Fate::CaughtUp => {
                        Some(self.first_attempt(worker, &schedule, scheduled_for, start_before))
                    }
                    Fate::Skipped(_) | Fate::Missed => None,
                };
                self.emit(Event::OccurrenceRecorded(Box::new(Occurrence {
                    worker: worker.clone(),
                    scheduled_for,
                    accounts_from,
                    recorded_at: self.now,
                    fate: fate.clone(),
                    chain,
                })));
                self.emit(Event::ScheduleAdvanced { worker: worker.clone(), advance, release });
                Some(Done::Occurred { worker: worker.clone(), scheduled_for, fate })
            }
        }
    }

    fn slot_of(&self, worker: &WorkerName) -> Slot {
        if let Some(run) = self.ledger.slot(worker) {
            return Slot::Taken { run: run.id, number: run.number, status: run.status_kind() };
        }
        let owed = self.ledger.owed_retry(worker).and_then(|owed| owed.chain.as_ref());
        owed.map_or(Slot::Free, |chain| Slot::RetryOwed { run: chain.last_run })
    }

    /// A request that its handler no longer understands still becomes a run: it fails at its
    /// start and says why, where a missing run would say nothing.
    fn first_attempt(
        &mut self,
        worker: &WorkerName,
        schedule: &Schedule,
        scheduled_for: Timestamp,
        start_before: Option<Timestamp>,
    ) -> Chain {
        let plan = &schedule.plan;
        let attempt = Attempt::FIRST;
        let id = RunId::of_occurrence(worker, scheduled_for, attempt);
        let newest = self.ledger.newest(&worker.handler());
        let settings = self.settings(worker);
        let config = newest.and_then(|newest| {
            config::resolve(&newest.definition, &plan.request, settings.as_ref()).ok()
        });
        let run = Run {
            id,
            number: self.ledger.next_number(),
            worker: worker.clone(),
            trigger: Trigger::Schedule(Scheduled { scheduled_for, attempt, retry_of: None }),
            request: plan.request.clone(),
            config: config.unwrap_or_default(),
            catalogue: newest.map(|newest| newest.hash.clone()).unwrap_or_default(),
            timeout: newest.map(|newest| newest.definition.timeout).unwrap_or_default(),
            retry: plan.retry.or(newest.map(|newest| newest.definition.retry)).unwrap_or_default(),
            by: By::scheduler(),
            enqueued_at: self.now,
            not_before: self.now,
            start_before,
            cancel: None,
            units: None,
            status: RunStatus::Queued,
        };
        self.emit(Event::RunCreated(Box::new(run)));
        Chain { last_run: id, attempt, retry: Retry::None }
    }

    /// Disables a schedule whose rule is faulty, so that it leaves the agenda and blocks no other.
    pub(super) fn poison(
        &mut self,
        worker: &WorkerName,
        schedule: Schedule,
        accounted_until: Timestamp,
    ) -> Done {
        let why = format!(
            "the rule `{}` gave an instant that does not lie ahead",
            schedule.plan.recurrence.text()
        );
        let by = By { reason: Some(Note::lossy(&why)), ..By::scheduler() };
        let schedule = Schedule {
            enablement: Enablement::Disabled { at: self.now, by: by.clone() },
            next: None,
            revision: schedule.revision.next(),
            changed_at: self.now,
            changed_by: by,
            ..schedule
        };
        self.emit(Event::ScheduleSaved {
            worker: worker.clone(),
            schedule: Box::new(schedule),
            accounted_until,
        });
        Done::Poisoned { worker: worker.clone(), why }
    }
}

/// The delay of a retry; the seed of a tick is spread over its runs, so that runs that failed
/// together do not come back together.
pub(super) fn retry_delay(failed: &Run, attempt: Attempt, seed: u64) -> Span {
    let bytes = failed.id.to_bytes();
    let salt = bytes.iter().fold(0_u64, |salt, byte| scatter(salt ^ u64::from(*byte)));
    failed.retry.delay_after(attempt, seed ^ salt)
}
