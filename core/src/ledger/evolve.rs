//! Evolving: the only way in which a ledger's rows change.

use crate::run::{Run, RunStatus, Started};
use crate::schedule::{Chain, Occurrence, Retry};
use crate::words::{RunId, Timestamp, WorkerName};

use super::{Event, Ledger, Settings, Worker};

impl Ledger {
    /// Changes the rows by one event. An event about a row that is not there changes nothing.
    pub fn evolve(&mut self, event: &Event) {
        match event {
            Event::RunnerRegistered(runner) => {
                self.rows.runners.insert(runner.registration.runner, runner.as_ref().clone());
            }
            Event::TurnTaken { runner, number, at } => {
                if let Some(runner) = self.rows.runners.get_mut(runner) {
                    runner.turn = *number;
                    runner.last_seen = *at;
                }
            }
            Event::RunnerStopped { runner, at } => {
                if let Some(runner) = self.rows.runners.get_mut(runner) {
                    runner.stopped_at = Some(*at);
                }
            }
            Event::RunCreated(run) => self.create(run),
            Event::RunClaimed { run, hold } => {
                self.use_fence(hold.fence);
                self.change_run(*run, |run| run.status = RunStatus::Running(hold.clone()));
            }
            Event::RunStarted { run, at, config } => self.change_run(*run, |run| {
                if let RunStatus::Running(hold) = &mut run.status {
                    hold.started = Some(Started { at: *at, config: config.as_ref().clone() });
                }
            }),
            Event::RunProgressed { run, units, message } => self.change_run(*run, |run| {
                run.units = units.or(run.units);
                if let RunStatus::Running(hold) = &mut run.status {
                    hold.progress = message.clone().or(hold.progress.take());
                }
            }),
            Event::LeaseRenewed { run, lease_expires_at } => self.change_run(*run, |run| {
                if let RunStatus::Running(hold) = &mut run.status {
                    hold.lease_expires_at = *lease_expires_at;
                }
            }),
            Event::RunGivenBack { run } => {
                self.change_run(*run, |run| run.status = RunStatus::Queued);
            }
            Event::CancelRequested { run, request } => {
                self.change_run(*run, |run| run.cancel = Some(request.clone()));
            }
            Event::RunEnded { run, end, units } => self.change_run(*run, |run| {
                run.units = units.or(run.units);
                run.status = RunStatus::Ended(end.clone());
            }),
            Event::OccurrenceRecorded(occurrence) => {
                self.put_occurrence(occurrence.as_ref().clone());
            }
            Event::RetryChanged { worker, scheduled_for, retry } => {
                self.change_occurrence(worker, *scheduled_for, |occurrence| {
                    if let Some(chain) = &mut occurrence.chain {
                        chain.retry = retry.clone();
                    }
                });
            }
            Event::ChainExtended { worker, scheduled_for, run } => {
                self.change_occurrence(worker, *scheduled_for, |occurrence| {
                    if let Some(next) =
                        occurrence.chain.as_ref().and_then(|chain| chain.attempt.next())
                    {
                        occurrence.chain =
                            Some(Chain { last_run: *run, attempt: next, retry: Retry::None });
                    }
                });
            }
            Event::ScheduleAdvanced { worker, advance, release } => {
                self.change_worker(worker, |worker| {
                    worker.accounted_until = advance.accounted_until;
                    if let Some(schedule) = &mut worker.schedule {
                        schedule.next = advance.next;
                        schedule.last_wall = advance.last_wall;
                        schedule.runs_created = advance.runs_created;
                        schedule.zone_data = *release;
                    }
                });
            }
            Event::ScheduleRecomputed { worker, next, release } => {
                self.change_worker(worker, |worker| {
                    if let Some(schedule) = &mut worker.schedule {
                        schedule.next = *next;
                        schedule.zone_data = *release;
                    }
                });
            }
            Event::ZoneDataAdopted { release } => self.rows.zone_data = Some(*release),
            Event::ScheduleSaved { worker, schedule, accounted_until } => {
                self.change_worker(worker, |worker| {
                    worker.accounted_until = *accounted_until;
                    worker.revision = schedule.revision;
                    worker.schedule = Some(schedule.as_ref().clone());
                });
            }
            Event::ScheduleDeleted { worker, revision, accounted_until } => {
                self.change_worker(worker, |worker| {
                    worker.accounted_until = *accounted_until;
                    worker.revision = *revision;
                    worker.schedule = None;
                });
            }
            Event::SettingsSaved { worker, settings, revision, at, by } => {
                self.change_worker(worker, |worker| {
                    worker.settings = Some(Settings {
                        request: settings.clone(),
                        revision: *revision,
                        changed_at: *at,
                        changed_by: by.clone(),
                    });
                });
            }
            Event::CataloguePublished(published) => {
                self.rows
                    .catalogue
                    .entry(published.definition.handler.clone())
                    .or_default()
                    .insert(published.hash.clone(), published.as_ref().clone());
            }
            Event::SchedulerTicked(leadership) => {
                self.rows.leadership = Some(leadership.clone());
            }
            Event::RunPruned { run } => {
                self.take_run(*run);
            }
            Event::OccurrencePruned { worker, scheduled_for } => {
                let key = (worker.clone(), *scheduled_for);
                self.index.owed.remove(&key);
                self.rows.occurrences.remove(&key);
            }
        }
    }

    /// A run that is created brings its worker's row into being, and its number is used up.
    fn create(&mut self, run: &Run) {
        self.use_number(run.number);
        if let RunStatus::Running(hold) = &run.status {
            self.use_fence(hold.fence);
        }
        self.change_worker(&run.worker, |_| {});
        self.put_run(run.clone());
    }

    fn change_run(&mut self, id: RunId, change: impl FnOnce(&mut Run)) {
        if let Some(mut run) = self.take_run(id) {
            change(&mut run);
            self.put_run(run);
        }
    }

    fn change_worker(&mut self, name: &WorkerName, change: impl FnOnce(&mut Worker)) {
        let mut worker = self.rows.workers.get(name).cloned().unwrap_or(Worker::NEW);
        change(&mut worker);
        self.put_worker(name.clone(), worker);
    }

    fn change_occurrence(
        &mut self,
        worker: &WorkerName,
        scheduled_for: Timestamp,
        change: impl FnOnce(&mut Occurrence),
    ) {
        if let Some(mut occurrence) = self.rows.occurrences.remove(&(worker.clone(), scheduled_for))
        {
            change(&mut occurrence);
            self.put_occurrence(occurrence);
        }
    }
}
