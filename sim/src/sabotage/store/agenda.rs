//! Bugs about schedules and their occurrences.

use horarium_core::ledger::reply::Done;
use horarium_core::ledger::{Command, Event, Reply};
use horarium_core::recurrence::Occasion;
use horarium_core::run::{Run, RunStatus, Scheduled, Trigger, Units};
use horarium_core::schedule::{Fate, Plan, Retry, Schedule, SkipReason};
use horarium_core::words::{Attempt, RunNumber, Span, Timestamp, WorkerName};

use super::{Spoiling, forged};

/// The same run once more, under a forged id.
fn queued_again(run: &Run, number: RunNumber, now: Timestamp) -> Run {
    Run {
        id: forged(run.id),
        number,
        status: RunStatus::Queued,
        enqueued_at: now,
        not_before: now,
        start_before: None,
        cancel: None,
        units: None,
        ..run.clone()
    }
}

impl<'a> Spoiling<'a> {
    fn schedule(&self, worker: &WorkerName) -> Option<&'a Schedule> {
        self.before.rows().workers.get(worker)?.schedule.as_ref()
    }

    fn twin(&self, run: &Run) -> Run {
        queued_again(run, self.before.rows().sequences.number, self.now)
    }

    pub(super) fn double_enqueue(&mut self) {
        if !matches!(self.command, Command::Tick(_)) {
            return;
        }
        let again = self.before.rows().runs.values().find(|run| {
            run.trigger.scheduled().is_some_and(|scheduled| scheduled.attempt.get() == 1)
                && self.before.slot(&run.worker).is_none()
                && self.run(forged(run.id)).is_none()
        });
        let created = self.handled.events.iter().any(|it| matches!(it, Event::RunCreated(_)));
        if let (Some(run), false) = (again, created) {
            let twin = self.twin(run);
            self.add(Event::RunCreated(Box::new(twin)));
        }
    }

    pub(super) fn moved_before_insert(&mut self) {
        if matches!(self.command, Command::Tick(_)) {
            self.drop_events(|event| match event {
                Event::OccurrenceRecorded(_) => true,
                Event::RunCreated(run) => {
                    run.trigger.scheduled().is_some_and(|it| it.retry_of.is_none())
                }
                _ => false,
            });
        }
    }

    pub(super) fn inserted_unmoved(&mut self) {
        self.drop_events(|event| matches!(event, Event::ScheduleAdvanced { .. }));
    }

    pub(super) fn dropped_instant(&mut self) {
        if !matches!(self.command, Command::Tick(_)) {
            self.drop_events(|event| matches!(event, Event::OccurrenceRecorded(_)));
        }
    }

    pub(super) fn catch_up_each(&mut self) {
        let caught_up: Vec<(WorkerName, Timestamp)> = self
            .handled
            .events
            .iter()
            .filter_map(|event| match event {
                Event::OccurrenceRecorded(row) if row.fate == Fate::CaughtUp => {
                    Some((row.worker.clone(), row.scheduled_for))
                }
                _ => None,
            })
            .collect();
        let before = self.before;
        for event in &mut self.handled.events {
            let Event::ScheduleAdvanced { worker, advance, .. } = event else { continue };
            let from = caught_up.iter().find(|(of, _)| of == worker).map(|(_, at)| *at);
            let schedule = before.rows().workers.get(worker).and_then(|row| row.schedule.as_ref());
            if let (Some(from), Some(schedule)) = (from, schedule) {
                advance.accounted_until = from;
                advance.next = schedule.plan.next_after(from, None, None).occasion();
            }
        }
    }

    pub(super) fn skip_queued(&mut self) {
        let Reply::Ticked(ticked) = &self.handled.reply else {
            return;
        };
        let skipped = ticked.done.iter().find_map(|done| match done {
            Done::Occurred {
                worker,
                fate: Fate::Skipped(SkipReason::SlotTaken { run, .. }),
                ..
            } => self.run(*run).filter(|run| run.worker == *worker),
            _ => None,
        });
        if let Some(run) = skipped {
            let twin = self.twin(run);
            if self.run(twin.id).is_none() {
                self.add(Event::RunCreated(Box::new(twin)));
            }
        }
    }

    pub(super) fn owed_ignored(&mut self) {
        let Reply::Ticked(ticked) = &self.handled.reply else { return };
        let ignored = ticked.done.iter().find_map(|done| match done {
            Done::Occurred {
                scheduled_for,
                fate: Fate::Skipped(SkipReason::RetryOwed { run }),
                ..
            } => Some((self.run(*run)?, *scheduled_for)),
            _ => None,
        });
        if let Some((failed, scheduled_for)) = ignored {
            let scheduled = Scheduled { scheduled_for, attempt: Attempt::FIRST, retry_of: None };
            let run = Run { trigger: Trigger::Schedule(scheduled), ..self.twin(failed) };
            self.add(Event::RunCreated(Box::new(run)));
        }
    }

    pub(super) fn due_left_out(&mut self) {
        let Reply::Ticked(ticked) = &self.handled.reply else { return };
        let settled = |done: &Done| match done {
            Done::Occurred { worker, scheduled_for, fate: Fate::Enqueued } => {
                Some((worker.clone(), *scheduled_for))
            }
            Done::Occurred { .. }
            | Done::Retried { .. }
            | Done::Poisoned { .. }
            | Done::ZoneDataAdopted { .. }
            | Done::Recomputed { .. } => None,
        };
        let mut all = ticked.done.iter().filter_map(settled);
        let (Some(_), Some((left_out, at))) = (all.next(), all.next_back()) else { return };
        self.drop_events(|event| match event {
            Event::OccurrenceRecorded(row) => row.worker == left_out,
            Event::ScheduleAdvanced { worker, .. } => *worker == left_out,
            Event::RunCreated(run) => {
                run.worker == left_out
                    && run.trigger.scheduled().is_some_and(|it| it.scheduled_for == at)
            }
            _ => false,
        });
    }

    pub(super) fn disabled_fires(&mut self) {
        let before = self.before;
        for event in &mut self.handled.events {
            if let (
                Command::DisableSchedule { worker, .. },
                Event::ScheduleSaved { schedule, .. },
            ) = (self.command, event)
            {
                let row = before.rows().workers.get(worker);
                schedule.next =
                    row.and_then(|row| row.schedule.as_ref()).and_then(|schedule| schedule.next);
            }
        }
    }

    pub(super) fn delete_drops_retry(&mut self) {
        let Command::DeleteSchedule { worker, by, .. } = self.command else { return };
        let owed = self.before.owed_retry(worker).map(|owed| owed.scheduled_for);
        if let (Some(scheduled_for), Reply::ScheduleDeleted { existed: true, .. }) =
            (owed, &self.handled.reply)
        {
            let retry = Retry::Dropped { at: self.now, by: by.clone() };
            self.add(Event::RetryChanged { worker: worker.clone(), scheduled_for, retry });
        }
    }

    pub(super) fn max_runs_uncounted(&mut self) {
        let before = self.before;
        for event in &mut self.handled.events {
            let Event::ScheduleAdvanced { worker, advance, .. } = event else { continue };
            let schedule = before.rows().workers.get(worker).and_then(|row| row.schedule.as_ref());
            let Some(schedule) = schedule else { continue };
            advance.runs_created = schedule.runs_created;
            if advance.next.is_none() {
                let (until, wall) = (advance.accounted_until, advance.last_wall);
                advance.next = schedule.plan.next_after(until, wall, schedule.next).occasion();
            }
        }
    }

    pub(super) fn until_ignored(&mut self) {
        let before = self.before;
        for event in &mut self.handled.events {
            let Event::ScheduleAdvanced { worker, advance, .. } = event else { continue };
            let schedule = before.rows().workers.get(worker).and_then(|row| row.schedule.as_ref());
            if let (Some(schedule), None) = (schedule, advance.next) {
                let endless = Plan { until: None, ..schedule.plan.clone() };
                let endless = Schedule {
                    plan: endless,
                    runs_created: advance.runs_created,
                    ..schedule.clone()
                };
                advance.next = endless.following(advance.accounted_until).occasion();
            }
        }
    }

    pub(super) fn runs_counted(&mut self) {
        for event in &mut self.handled.events {
            if let (Command::Tick(_), Event::RunCreated(run)) = (self.command, event) {
                run.units = Some(Units { pending: 1, processed: 0 });
            }
        }
    }

    pub(super) fn settings_spread(&mut self) {
        let Command::PutSettings { worker, settings, .. } = self.command else { return };
        let row = self.before.rows().workers.get(worker);
        let (Some(schedule), Some(row)) = (self.schedule(worker), row) else { return };
        let saved = self.handled.events.iter().any(|it| matches!(it, Event::SettingsSaved { .. }));
        if saved && schedule.plan.request != *settings && !schedule.is_due(self.now) {
            let plan = Plan { request: settings.clone(), ..schedule.plan.clone() };
            let schedule = Box::new(Schedule { plan, ..schedule.clone() });
            let accounted_until = row.accounted_until;
            self.add(Event::ScheduleSaved { worker: worker.clone(), schedule, accounted_until });
        }
    }

    pub(super) fn fold_twice(&mut self) {
        let recorded: Vec<(WorkerName, Timestamp)> = self
            .handled
            .events
            .iter()
            .filter_map(|event| match event {
                Event::OccurrenceRecorded(row) => Some((row.worker.clone(), row.scheduled_for)),
                _ => None,
            })
            .collect();
        let (before, now) = (self.before, self.now);
        for event in &mut self.handled.events {
            let Event::ScheduleAdvanced { worker, advance, .. } = event else { continue };
            let schedule = before.rows().workers.get(worker).and_then(|row| row.schedule.as_ref());
            let at = recorded.iter().find(|(of, _)| of == worker).map(|(_, at)| *at);
            let (Some(schedule), Some(at)) = (schedule, at) else { continue };
            let zone = schedule.plan.recurrence.zone();
            let again = at.plus(Span::from_hours(1));
            let is_sooner = advance.next.is_some_and(|next| again < next.at);
            if is_sooner && again > now && zone.wall_at(again) == zone.wall_at(at) {
                advance.next =
                    Some(Occasion { at: again, wall: zone.wall_at(again), ordinal: None });
            }
        }
    }

    pub(super) fn recomputed_from_past(&mut self) {
        let before = self.before;
        for event in &mut self.handled.events {
            let Event::ScheduleRecomputed { worker, next, .. } = event else { continue };
            let row = before.rows().workers.get(worker);
            let Some((row, schedule)) = row.and_then(|row| Some((row, row.schedule.as_ref()?)))
            else {
                continue;
            };
            let past = row.accounted_until.minus(Span::from_days(1));
            *next = schedule.plan.next_after(past, None, None).occasion();
        }
    }

    pub(super) fn recomputed_although_due(&mut self) {
        let Reply::Ticked(ticked) = &self.handled.reply else { return };
        let adopted = ticked.done.iter().find_map(|done| match done {
            Done::ZoneDataAdopted { before: Some(_), release } => Some(*release),
            _ => None,
        });
        let (Some(release), now) = (adopted, self.now) else { return };
        let due = self.before.agenda().take_while(|(at, _)| *at <= now).next();
        let Some((_, worker)) = due else { return };
        let Some(schedule) = self.schedule(worker) else { return };
        let next = schedule.plan.next_after(now, None, None).occasion();
        let worker = worker.clone();
        self.handled.events.insert(0, Event::ScheduleRecomputed { worker, next, release });
    }

    pub(super) fn stale_read(&mut self) {
        let Command::PutSchedule { worker, .. } = self.command else { return };
        let before = self.schedule(worker).and_then(|schedule| schedule.next);
        if let Reply::ScheduleSaved(saved) = &mut self.handled.reply {
            saved.next_run_at = before.map(|next| next.at);
        }
    }
}
