//! Schedules and settings are saved.
//!
//! Every change carries the revision that was seen; another is refused. Saving what is there
//! already changes nothing, even while it is due. An edit never creates a past occurrence, and a
//! due instant that an edit, a disable or a delete drops is recorded as skipped.

use crate::recurrence::ZoneRelease;
use crate::schedule::{
    Enablement, Exhausted, Fate, Next, Occurrence, Plan, Revision, Schedule, SkipReason,
};
use crate::words::{By, Request, RunId, Timestamp, WorkerName};

use super::reply::Saved;
use super::{Event, Refusal, Reply, Transaction, Worker};

impl Transaction<'_> {
    pub(super) fn put_schedule(
        &mut self,
        worker: &WorkerName,
        seen: Revision,
        plan: &Plan,
        reset_runs: bool,
        by: &By,
    ) -> Reply {
        if let Err(refusal) = self.promise(worker, &plan.request) {
            return Reply::Refused(refusal);
        }
        let row = self.worker(worker);
        if let Some(current) = &row.schedule
            && current.plan == *plan
            && (!reset_runs || current.runs_created == 0)
        {
            return self.unchanged(worker, current, row.accounted_until);
        }
        if seen != row.revision {
            return changed_meanwhile(seen, row.revision);
        }
        let release = match self.zone_release() {
            Ok(release) => release,
            Err(refusal) => return Reply::Refused(refusal),
        };
        let accounted_until = row.accounted_until.max(self.now);
        let schedule = self.edited(&row, plan, release, reset_runs, by);
        let next = match schedule.following(accounted_until) {
            Next::At(occasion) => Some(occasion),
            Next::Exhausted(Exhausted::MaxRuns) => None,
            Next::Exhausted(why) => return Reply::Refused(Refusal::NeverFires(why)),
            Next::Faulty => {
                return Reply::Refused(Refusal::FaultyRule(plan.recurrence.text().into_owned()));
            }
        };
        let schedule = Schedule { next: next.filter(|_| schedule.is_enabled()), ..schedule };
        self.skip_if_due(worker, &row, SkipReason::Edited(by.clone()));
        self.save(worker, schedule, accounted_until)
    }

    /// The schedule with its new plan. A rule that stays the same keeps its place in the series;
    /// another one starts anew. The runs are counted on unless told otherwise.
    fn edited(
        &self,
        row: &Worker,
        plan: &Plan,
        release: ZoneRelease,
        reset_runs: bool,
        by: &By,
    ) -> Schedule {
        let current = row.schedule.as_ref();
        let same_rule = current.filter(|current| current.plan.same_rule(plan));
        Schedule {
            plan: plan.clone(),
            enablement: current.map_or(Enablement::Enabled, |current| current.enablement.clone()),
            next: None,
            last_wall: same_rule.and_then(|current| current.wall_used_by(self.now)),
            runs_created: match (current, reset_runs) {
                (Some(current), false) => current.runs_created,
                (Some(_), true) | (None, _) => 0,
            },
            zone_data: release,
            revision: row.revision.next(),
            changed_at: self.now,
            changed_by: by.clone(),
        }
    }

    pub(super) fn enable(&mut self, worker: &WorkerName, seen: Revision, by: &By) -> Reply {
        let row = self.worker(worker);
        let Some(current) = &row.schedule else {
            return Reply::Refused(Refusal::NoSchedule { worker: worker.clone() });
        };
        if current.is_enabled() {
            return self.unchanged(worker, current, row.accounted_until);
        }
        if seen != row.revision {
            return changed_meanwhile(seen, row.revision);
        }
        let release = match self.zone_release() {
            Ok(release) => release,
            Err(refusal) => return Reply::Refused(refusal),
        };
        let accounted_until = row.accounted_until.max(self.now);
        let next = match current.following(accounted_until) {
            Next::At(occasion) => Some(occasion),
            Next::Exhausted(_) => None,
            Next::Faulty => {
                let rule = current.plan.recurrence.text().into_owned();
                return Reply::Refused(Refusal::FaultyRule(rule));
            }
        };
        let schedule = Schedule {
            enablement: Enablement::Enabled,
            next,
            zone_data: release,
            ..self.touched(current, row.revision, by)
        };
        self.save(worker, schedule, accounted_until)
    }

    pub(super) fn disable(&mut self, worker: &WorkerName, seen: Revision, by: &By) -> Reply {
        let row = self.worker(worker);
        let Some(current) = &row.schedule else {
            return Reply::Refused(Refusal::NoSchedule { worker: worker.clone() });
        };
        if !current.is_enabled() {
            return self.unchanged(worker, current, row.accounted_until);
        }
        if seen != row.revision {
            return changed_meanwhile(seen, row.revision);
        }
        let schedule = Schedule {
            enablement: Enablement::Disabled { at: self.now, by: by.clone() },
            next: None,
            ..self.touched(current, row.revision, by)
        };
        self.skip_if_due(worker, &row, SkipReason::Disabled(by.clone()));
        self.save(worker, schedule, row.accounted_until.max(self.now))
    }

    /// Deleting what is not there is deleting, so that it can be sent again.
    pub(super) fn delete(&mut self, worker: &WorkerName, seen: Revision, by: &By) -> Reply {
        let retry_owed = self.retry_owed(worker);
        let row = self.worker(worker);
        if row.schedule.is_none() {
            return Reply::ScheduleDeleted { existed: false, retry_owed };
        }
        if seen != row.revision {
            return changed_meanwhile(seen, row.revision);
        }
        self.skip_if_due(worker, &row, SkipReason::Deleted(by.clone()));
        self.emit(Event::ScheduleDeleted {
            worker: worker.clone(),
            revision: row.revision.next(),
            accounted_until: row.accounted_until.max(self.now),
        });
        Reply::ScheduleDeleted { existed: true, retry_owed }
    }

    pub(super) fn put_settings(
        &mut self,
        worker: &WorkerName,
        seen: Revision,
        settings: &Request,
        by: &By,
    ) -> Reply {
        let handler = worker.handler();
        let Some(newest) = self.ledger.newest(&handler) else {
            return Reply::Refused(Refusal::UnknownHandler { handler });
        };
        if let Err(invalid) = newest.definition.check(settings) {
            return Reply::Refused(invalid.into());
        }
        let row = self.worker(worker);
        let current = row.settings.as_ref();
        let revision = current.map_or(Revision::NONE, |current| current.revision);
        let is_same = match current {
            Some(current) => current.request == *settings,
            None => settings.is_empty(),
        };
        if is_same {
            return Reply::SettingsSaved { revision };
        }
        if seen != revision {
            return changed_meanwhile(seen, revision);
        }
        let revision = revision.next();
        self.emit(Event::SettingsSaved {
            worker: worker.clone(),
            settings: settings.clone(),
            revision,
            at: self.now,
            by: by.clone(),
        });
        Reply::SettingsSaved { revision }
    }

    /// The worker's row as this process reads it, its rule by this process's zone data. A rule
    /// that these cannot read goes by those that it was saved with.
    pub(super) fn worker(&self, worker: &WorkerName) -> Worker {
        let mut row = self.ledger.rows.workers.get(worker).cloned().unwrap_or(Worker::NEW);
        if let Some(schedule) = &mut row.schedule
            && let Ok(recurrence) = schedule.plan.recurrence.in_data(&self.ledger.zones)
        {
            schedule.plan.recurrence = recurrence;
        }
        row
    }

    fn touched(&self, current: &Schedule, revision: Revision, by: &By) -> Schedule {
        Schedule {
            revision: revision.next(),
            changed_at: self.now,
            changed_by: by.clone(),
            last_wall: current.wall_used_by(self.now),
            ..current.clone()
        }
    }

    /// Accounts for the instant that a change drops.
    fn skip_if_due(&mut self, worker: &WorkerName, row: &Worker, why: SkipReason) {
        let Some(due) = row.schedule.as_ref().and_then(|schedule| schedule.next) else {
            return;
        };
        let key = (worker.clone(), due.at);
        if due.at > self.now || self.ledger.rows.occurrences.contains_key(&key) {
            return;
        }
        self.emit(Event::OccurrenceRecorded(Box::new(Occurrence {
            worker: worker.clone(),
            scheduled_for: due.at,
            accounts_from: due.at,
            recorded_at: self.now,
            fate: Fate::Skipped(why),
            chain: None,
        })));
    }

    fn save(
        &mut self,
        worker: &WorkerName,
        schedule: Schedule,
        accounted_until: Timestamp,
    ) -> Reply {
        let reply = self.saved(worker, &schedule, accounted_until, true);
        self.emit(Event::ScheduleSaved {
            worker: worker.clone(),
            schedule: Box::new(schedule),
            accounted_until,
        });
        reply
    }

    fn unchanged(
        &self,
        worker: &WorkerName,
        schedule: &Schedule,
        accounted_until: Timestamp,
    ) -> Reply {
        self.saved(worker, schedule, accounted_until, false)
    }

    fn saved(
        &self,
        worker: &WorkerName,
        schedule: &Schedule,
        accounted_until: Timestamp,
        changed: bool,
    ) -> Reply {
        Reply::ScheduleSaved(Saved {
            revision: schedule.revision,
            changed,
            next_run_at: schedule.next.map(|next| next.at),
            exhausted: schedule.exhausted(accounted_until),
            retry_owed: self.retry_owed(worker),
        })
    }

    fn retry_owed(&self, worker: &WorkerName) -> Option<RunId> {
        let owed = self.ledger.owed_retry(worker)?;
        owed.chain.as_ref().map(|chain| chain.last_run)
    }
}

fn changed_meanwhile(seen: Revision, now: Revision) -> Reply {
    Reply::Refused(Refusal::RevisionChanged { seen, now })
}
