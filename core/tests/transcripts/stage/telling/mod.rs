//! Short words for everything that is said: names for identifiers, times of day for instants.

mod command;
mod event;
mod reply;
mod row;

use std::collections::BTreeMap;

use horarium_core::config::{Config, Provenance};
use horarium_core::ledger::{Claim, Event, Refusal};
use horarium_core::run::{Outcome, Trigger, Units};
use horarium_core::schedule::{Fate, Plan, SkipReason};
use horarium_core::words::{
    Backoff, Note, Request, RunId, RunNumber, RunnerId, SchedulerId, Timestamp,
};

/// What identifiers are called, and what day it is.
pub(super) struct Names {
    pub(super) runs: BTreeMap<RunId, RunNumber>,
    pub(super) runners: BTreeMap<RunnerId, String>,
    pub(super) schedulers: BTreeMap<SchedulerId, String>,
    /// Who ticked last, before the command that is being told.
    pub(super) leader: Option<SchedulerId>,
    pub(super) today: Timestamp,
}

impl Names {
    pub(super) fn new(today: Timestamp) -> Self {
        Self {
            runs: BTreeMap::new(),
            runners: BTreeMap::new(),
            schedulers: BTreeMap::new(),
            leader: None,
            today,
        }
    }

    /// Remembers the numbers of new runs.
    pub(super) fn learn(&mut self, events: &[Event]) {
        for event in events {
            if let Event::RunCreated(run) = event {
                self.runs.insert(run.id, run.number);
            }
        }
    }

    /// `#1`, or the caller's id of a run that was never accepted.
    pub(super) fn run(&self, id: RunId) -> String {
        match self.runs.get(&id) {
            Some(number) => number.to_string(),
            None => format!("run id {}", u128::from_be_bytes(id.to_bytes())),
        }
    }

    /// `#1/f1`.
    pub(super) fn claim(&self, claim: Claim) -> String {
        format!("{}/{:?}", self.run(claim.run), claim.fence)
    }

    pub(super) fn runner(&self, id: RunnerId) -> String {
        self.runners.get(&id).cloned().unwrap_or_else(|| String::from("a stranger"))
    }

    fn scheduler(&self, id: SchedulerId) -> String {
        self.schedulers.get(&id).cloned().unwrap_or_else(|| String::from("a stranger"))
    }

    /// The time of day, with the day when it is another.
    pub(super) fn at(&self, at: Timestamp) -> String {
        if at == Timestamp::EPOCH {
            return String::from("nothing");
        }
        let (text, today) = (at.to_string(), self.today.to_string());
        let (day, time) = text.trim_end_matches('Z').split_once('T').unwrap();
        if today.starts_with(day) {
            time.to_owned()
        } else if today.starts_with(&day[..4]) {
            format!("{} {time}", &day[5..])
        } else {
            format!("{day} {time}")
        }
    }

    /// What an expected refusal says, with names for ids.
    pub(super) fn refusal(&self, refusal: &Refusal) -> String {
        let mut text = refusal.to_string();
        for (id, number) in &self.runs {
            text = text.replace(&format!("run {id}"), &format!("run {number}"));
        }
        text
    }

    fn trigger(&self, trigger: &Trigger) -> String {
        match trigger {
            Trigger::Manual => String::from("MANUAL"),
            Trigger::Cli => String::from("CLI"),
            Trigger::Schedule(scheduled) => {
                let retry = scheduled
                    .retry_of
                    .map_or_else(String::new, |run| format!(", retry of {}", self.run(run)));
                format!(
                    "SCHEDULE {}, attempt {}{retry}",
                    self.at(scheduled.scheduled_for),
                    scheduled.attempt
                )
            }
        }
    }

    fn fate(&self, fate: &Fate) -> String {
        match fate {
            Fate::Skipped(SkipReason::RetryOwed { run }) => {
                format!("SKIPPED: a retry of {} is owed", self.run(*run))
            }
            Fate::Enqueued | Fate::CaughtUp | Fate::Skipped(_) | Fate::Missed => fate.to_string(),
        }
    }

    fn plan(&self, plan: &Plan) -> String {
        let recurrence = &plan.recurrence;
        let zone = recurrence.zone().name();
        let mut text = format!("`{}` {zone}", recurrence.text());
        text += &request(&plan.request);
        if let Some(at) = plan.not_before {
            text += &format!(", not before {}", self.at(at));
        }
        if let Some(at) = plan.until {
            text += &format!(", until {}", self.at(at));
        }
        if let Some(most) = plan.max_runs {
            text += &format!(", max_runs {most}");
        }
        if let Some(late) = plan.max_lateness {
            text += &format!(", at most {late} late");
        }
        if let Some(retry) = plan.retry {
            let backoff = match retry.backoff {
                Backoff::Exponential => "exponential",
                Backoff::Quadratic => "quadratic",
            };
            text += &format!(", {} attempts, {backoff} from {}", retry.max_attempts, retry.base);
        }
        text
    }
}

/// What a run really works with, in brackets; nothing for nothing.
pub(super) fn resolved(config: &Config) -> String {
    let mut parts = Vec::new();
    if let Some(engine) = &config.engine {
        parts.push(format!("engine={} from {}", engine.value, provenance(engine.from)));
    }
    if let Some(size) = &config.batch_size {
        parts.push(format!("batch_size={} from {}", size.value, provenance(size.from)));
    }
    for (name, option) in config.options.iter().chain(&config.engine_options) {
        parts.push(format!("{name}={} from {}", option.value, provenance(option.from)));
    }
    if parts.is_empty() { String::new() } else { format!(" with {}", parts.join(", ")) }
}

fn provenance(from: Provenance) -> &'static str {
    match from {
        Provenance::Request => "the request",
        Provenance::RequestPreset => "the request's preset",
        Provenance::Settings => "the settings",
        Provenance::SettingsPreset => "the settings' preset",
        Provenance::Default => "the default",
    }
}

fn request(request: &Request) -> String {
    let mut parts = Vec::new();
    if let Some(engine) = &request.engine {
        parts.push(format!("engine={engine}"));
    }
    if let Some(preset) = &request.preset {
        parts.push(format!("preset={preset}"));
    }
    if let Some(size) = request.batch_size {
        parts.push(format!("batch_size={size}"));
    }
    for (name, value) in request.options.iter().chain(&request.engine_options) {
        parts.push(format!("{name}={value}"));
    }
    if parts.is_empty() { String::new() } else { format!(" with {}", parts.join(", ")) }
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Success => String::from("SUCCESS"),
        Outcome::Failed(_) | Outcome::Interrupted(_) | Outcome::Cancelled(_) => {
            format!("{}: {outcome}", outcome.status())
        }
    }
}

fn progress(units: Option<Units>, message: Option<&Note>) -> String {
    let units = units.map(|units| format!("{} done, {} to do", units.processed, units.pending));
    units.into_iter().chain(message.map(ToString::to_string)).collect::<Vec<_>>().join(", ")
}

fn listed(parts: &[String], none: &str) -> String {
    if parts.is_empty() { none.to_owned() } else { parts.join("; ") }
}
