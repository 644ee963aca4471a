//! Events in short words.

use horarium_core::ledger::Event;
use horarium_core::recurrence::ZoneRelease;
use horarium_core::run::{Run, RunStatus};
use horarium_core::schedule::{Enablement, Occurrence, Retry, Schedule};

use super::{Names, outcome, progress, request, resolved};

impl Names {
    /// Nothing for what is in every story.
    pub(in super::super) fn event(&self, event: &Event) -> Option<String> {
        Some(match event {
            Event::TurnTaken { .. } | Event::ZoneDataAdopted { release: ZoneRelease::BUNDLED } => {
                return None;
            }
            Event::SchedulerTicked(leadership) => {
                if self.leader == Some(leadership.scheduler) {
                    return None;
                }
                format!(
                    "{} leads since {}",
                    self.scheduler(leadership.scheduler),
                    self.at(leadership.since)
                )
            }
            Event::RunnerRegistered(runner) => {
                format!("{} registered", self.runner(runner.registration.runner))
            }
            Event::RunnerStopped { runner, .. } => format!("{} stopped", self.runner(*runner)),
            Event::RunCreated(run) => self.created(run),
            Event::RunClaimed { run, hold } => format!(
                "{} claimed by {} under {:?} until {}",
                self.run(*run),
                self.runner(hold.runner),
                hold.fence,
                self.at(hold.lease_expires_at)
            ),
            Event::RunStarted { run, config, .. } => {
                format!("{} started{}", self.run(*run), resolved(config))
            }
            Event::RunProgressed { run, units, message } => {
                format!("{} progressed, {}", self.run(*run), progress(*units, message.as_ref()))
            }
            Event::LeaseRenewed { run, lease_expires_at } => {
                format!("{} renewed until {}", self.run(*run), self.at(*lease_expires_at))
            }
            Event::RunGivenBack { run } => format!("{} QUEUED again", self.run(*run)),
            Event::CancelRequested { run, request } => {
                format!("{} is to be cancelled, says {}", self.run(*run), request.by)
            }
            Event::RunEnded { run, end, units } => {
                let units = units
                    .map_or_else(String::new, |units| format!(", {}", progress(Some(units), None)));
                format!("{} {}{units}", self.run(*run), outcome(&end.outcome))
            }
            Event::OccurrenceRecorded(occurrence) => self.occurrence(occurrence),
            Event::RetryChanged { worker, scheduled_for, retry } => {
                format!("occurrence {worker} {}{}", self.at(*scheduled_for), self.owes(retry))
            }
            Event::ChainExtended { worker, scheduled_for, run } => format!(
                "occurrence {worker} {} goes on with {}",
                self.at(*scheduled_for),
                self.run(*run)
            ),
            Event::ScheduleAdvanced { worker, advance, .. } => {
                let next = advance.next.map_or_else(
                    || String::from("its series ends"),
                    |next| format!("next {}", self.at(next.at)),
                );
                let until = self.at(advance.accounted_until);
                format!("schedule of {worker} accounted for until {until}, {next}")
            }
            Event::ScheduleRecomputed { worker, next, release } => {
                let next = next.map_or_else(
                    || String::from("its series ends"),
                    |next| format!("next {}", self.at(next.at)),
                );
                format!("schedule of {worker} computed with zone data {release}, {next}")
            }
            Event::ZoneDataAdopted { release } => format!("zone data {release} adopted"),
            Event::ScheduleSaved { worker, schedule, accounted_until } => format!(
                "schedule of {worker} saved: {}, accounted for until {}",
                self.schedule(schedule),
                self.at(*accounted_until)
            ),
            Event::ScheduleDeleted { worker, revision, accounted_until } => format!(
                "schedule of {worker} deleted: r{revision}, accounted for until {}",
                self.at(*accounted_until)
            ),
            Event::SettingsSaved { worker, settings, revision, .. } => {
                format!("settings of {worker} saved{}: r{revision}", request(settings))
            }
            Event::CataloguePublished(published) => {
                format!("catalogue: {}", published.definition.handler)
            }
            Event::RunPruned { run } => format!("{} deleted", self.run(*run)),
            Event::OccurrencePruned { worker, scheduled_for } => {
                format!("occurrence {worker} {} deleted", self.at(*scheduled_for))
            }
        })
    }

    fn created(&self, run: &Run) -> String {
        let mut text = format!(
            "{} created: {}, {}{}",
            run.number,
            run.worker,
            self.trigger(&run.trigger),
            resolved(&run.config)
        );
        if run.not_before > run.enqueued_at {
            text += &format!(", not before {}", self.at(run.not_before));
        }
        if let Some(latest) = run.start_before {
            text += &format!(", to start before {}", self.at(latest));
        }
        match &run.status {
            RunStatus::Queued => text + ", QUEUED",
            RunStatus::Running(hold) => format!(
                "{text}, RUNNING, held by {} under {:?} until {}",
                self.runner(hold.runner),
                hold.fence,
                self.at(hold.lease_expires_at)
            ),
            RunStatus::Ended(end) => format!("{text}, {}", outcome(&end.outcome)),
        }
    }

    pub(super) fn occurrence(&self, occurrence: &Occurrence) -> String {
        let mut text =
            format!("occurrence {} {}", occurrence.worker, self.at(occurrence.scheduled_for));
        if occurrence.accounts_from < occurrence.scheduled_for {
            text += &format!(" (accounts from {})", self.at(occurrence.accounts_from));
        }
        text += &format!(" {}", self.fate(&occurrence.fate));
        if let Some(chain) = &occurrence.chain {
            text += &format!(", {}{}", self.run(chain.last_run), self.owes(&chain.retry));
        }
        text
    }

    fn owes(&self, retry: &Retry) -> String {
        match retry {
            Retry::None => String::new(),
            Retry::Owed { since } => format!(", a retry is owed since {}", self.at(*since)),
            Retry::Dropped { by, .. } => format!(", the retry is dropped by {by}"),
        }
    }

    pub(super) fn schedule(&self, schedule: &Schedule) -> String {
        let next = match (&schedule.enablement, schedule.next) {
            (Enablement::Disabled { by, .. }, _) => format!("disabled by {by}"),
            (Enablement::Enabled, Some(next)) => format!("next {}", self.at(next.at)),
            (Enablement::Enabled, None) => String::from("exhausted"),
        };
        let runs = match schedule.runs_created {
            0 => String::new(),
            created => format!(", runs created: {created}"),
        };
        format!("r{}, {next}{runs}", schedule.revision)
    }
}
