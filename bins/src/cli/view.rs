//! The contract's views of what the store holds.
//!
//! Promise: nothing is computed here but what its field says; two verbs that show one thing show
//! it alike.

use horarium_core::catalogue::Published;
use horarium_core::explain::{Finding, Standing};
use horarium_core::ledger::command::Handlers;
use horarium_core::ledger::{Runner, Worker};
use horarium_core::recurrence::{Mark, Preview, Zone};
use horarium_core::run::{
    Cancellation, Cause, End, Failure, Hold, Interruption, Outcome, Output, Run, Started, Tail,
};
use horarium_core::schedule::{Enablement, Fate, Occurrence, Retry, Schedule};
use horarium_core::words::{By, Timestamp, WorkerName};

use super::clock::local_rfc3339;
use super::contract::{
    ByView, CancelView, FindingView, HandlerView, NextView, OccurrenceView, OutcomeView,
    OutputView, RunView, RunnerView, ScheduleView, SettingsView, TailView, WorkerView,
};

impl From<&By> for ByView {
    fn from(by: &By) -> Self {
        Self {
            kind: by.actor.kind,
            name: by.actor.name.to_string(),
            reason: by.reason.as_ref().map(ToString::to_string),
        }
    }
}

impl From<&Run> for RunView {
    fn from(run: &Run) -> Self {
        let scheduled = run.trigger.scheduled();
        let end: Option<&End> = run.end();
        let hold: Option<&Hold> = run.hold().or_else(|| end.and_then(|end| end.hold.as_ref()));
        let started: Option<&Started> = hold.and_then(|hold| hold.started.as_ref());
        Self {
            id: run.id.to_string(),
            number: run.number.0,
            worker: run.worker.to_string(),
            status: run.status_kind().as_str(),
            trigger: run.trigger.kind().to_string(),
            scheduled_for: scheduled.map(|scheduled| scheduled.scheduled_for),
            attempt: scheduled.map(|scheduled| scheduled.attempt.get()),
            retry_of: scheduled.and_then(|scheduled| scheduled.retry_of).map(|run| run.to_string()),
            request: run.request.clone(),
            promised: run.config.clone(),
            started: started.map(|started| started.config.clone()),
            catalogue: run.catalogue.to_string(),
            timeout: run.timeout.to_string(),
            retry: run.retry,
            by: (&run.by).into(),
            enqueued_at: run.enqueued_at,
            not_before: run.not_before,
            start_before: run.start_before,
            cancel: run
                .cancel
                .as_ref()
                .map(|cancel| CancelView { at: cancel.at, by: (&cancel.by).into() }),
            units: run.units,
            runner: hold.map(|hold| hold.runner.to_string()),
            fence: hold.map(|hold| hold.fence.number()),
            claimed_at: hold.map(|hold| hold.claimed_at),
            lease_expires_at: run.hold().map(|hold| hold.lease_expires_at),
            started_at: started.map(|started| started.at),
            progress: hold.and_then(|hold| hold.progress.as_ref()).map(ToString::to_string),
            ended_at: end.map(|end| end.at),
            outcome: end.map(|end| (&end.outcome).into()),
            output: None,
        }
    }
}

impl RunView {
    /// The run with what it printed.
    pub fn with_output(run: &Run) -> Self {
        Self { output: run.end().map(|end| (&end.output).into()), ..run.into() }
    }
}

impl From<&Outcome> for OutcomeView {
    fn from(outcome: &Outcome) -> Self {
        let view = |cause, code, signal, is_final| Self {
            cause,
            code,
            signal,
            is_final,
            message: outcome.to_string(),
        };
        match outcome {
            Outcome::Success => view("success", None, None, false),
            Outcome::Failed(Failure { cause, is_final }) => match cause {
                Cause::Exit(code) => view("exit", Some(*code), None, *is_final),
                Cause::Signal(signal) => view("signal", None, Some(*signal), *is_final),
                Cause::Timeout => view("timeout", None, None, *is_final),
                Cause::Config(_) => view("config", None, None, *is_final),
                Cause::Spawn(_) => view("spawn", None, None, *is_final),
                Cause::Handler(_) => view("handler", None, None, *is_final),
            },
            Outcome::Interrupted(Interruption::Drain) => view("drain", None, None, false),
            Outcome::Interrupted(Interruption::Lease) => view("lease", None, None, false),
            Outcome::Interrupted(Interruption::LeaseExpired) => {
                view("lease_expired", None, None, false)
            }
            Outcome::Interrupted(Interruption::Released(_)) => view("released", None, None, false),
            Outcome::Cancelled(Cancellation::Requested) => view("requested", None, None, false),
            Outcome::Cancelled(Cancellation::TooLate) => view("too_late", None, None, false),
        }
    }
}

impl From<&Output> for OutputView {
    fn from(output: &Output) -> Self {
        let tail = |tail: &Tail| TailView {
            text: String::from_utf8_lossy(&tail.bytes).into_owned(),
            kept: tail.bytes.len(),
            dropped: tail.dropped,
        };
        Self { stdout: tail(&output.stdout), stderr: tail(&output.stderr) }
    }
}

impl From<&Finding> for FindingView {
    fn from(finding: &Finding) -> Self {
        Self {
            standing: match finding.standing() {
                Standing::Holds => "holds",
                Standing::Waits => "waits",
                Standing::Fails => "fails",
            },
            finding: finding.to_string(),
            remedy: finding.remedy(),
        }
    }
}

impl ScheduleView {
    /// The schedule of a worker's row, if it has one.
    pub fn of(name: &WorkerName, worker: &Worker) -> Option<Self> {
        let schedule = worker.schedule.as_ref()?;
        let Schedule { plan, enablement, .. } = schedule;
        Some(Self {
            worker: name.to_string(),
            in_words: plan.recurrence.in_words(),
            recurrence: plan.recurrence.clone(),
            enabled: schedule.is_enabled(),
            disabled: match enablement {
                Enablement::Enabled => None,
                Enablement::Disabled { at, by } => Some(CancelView { at: *at, by: by.into() }),
            },
            next_run_at: schedule.next.map(|next| next.at),
            exhausted: schedule.exhausted(worker.accounted_until),
            request: plan.request.clone(),
            not_before: plan.not_before,
            until: plan.until,
            max_runs: plan.max_runs.map(std::num::NonZero::get),
            runs_created: schedule.runs_created,
            max_lateness: plan.max_lateness,
            retry: plan.retry,
            revision: schedule.revision.0,
            changed_at: schedule.changed_at,
            changed_by: (&schedule.changed_by).into(),
            zone_data: schedule.zone_data,
        })
    }
}

impl WorkerView {
    /// A worker without its history.
    pub fn new(name: &WorkerName, worker: &Worker, slot: Option<&Run>) -> Self {
        Self {
            worker: name.to_string(),
            handler: name.handler().to_string(),
            slot: slot.map(Into::into),
            schedule: ScheduleView::of(name, worker),
            settings: worker.settings.as_ref().map(|settings| SettingsView {
                request: settings.request.clone(),
                revision: settings.revision.0,
                changed_at: settings.changed_at,
                changed_by: (&settings.changed_by).into(),
            }),
            runs: Vec::new(),
            occurrences: Vec::new(),
        }
    }
}

impl From<&Occurrence> for OccurrenceView {
    fn from(occurrence: &Occurrence) -> Self {
        let chain = occurrence.chain.as_ref();
        Self {
            scheduled_for: occurrence.scheduled_for,
            accounts_from: occurrence.accounts_from,
            recorded_at: occurrence.recorded_at,
            fate: occurrence.fate.as_str(),
            reason: match &occurrence.fate {
                Fate::Skipped(reason) => Some(reason.to_string()),
                Fate::Enqueued | Fate::CaughtUp | Fate::Missed => None,
            },
            last_run: chain.map(|chain| chain.last_run.to_string()),
            attempt: chain.map(|chain| chain.attempt.get()),
            retry: chain.map(|chain| match chain.retry {
                Retry::None => "none",
                Retry::Owed { .. } => "owed",
                Retry::Dropped { .. } => "dropped",
            }),
        }
    }
}

impl RunnerView {
    /// A runner as it looks at `now`.
    pub fn at(now: Timestamp, runner: &Runner) -> Self {
        let registration = &runner.registration;
        let state = match runner.stopped_at {
            Some(_) => "stopped",
            None if now.since(runner.last_seen) > registration.lease => "silent",
            None => "online",
        };
        Self {
            id: registration.runner.to_string(),
            name: registration.name.to_string(),
            state,
            host: registration.host.to_string(),
            version: registration.version.to_string(),
            handlers: match &registration.handlers {
                Handlers::All => None,
                Handlers::Only(names) => Some(names.iter().map(ToString::to_string).collect()),
            },
            concurrency: registration.concurrency.get(),
            heartbeat: registration.heartbeat,
            lease: registration.lease,
            registered_at: runner.registered_at,
            last_seen: runner.last_seen,
            stopped_at: runner.stopped_at,
        }
    }
}

impl From<&Published> for HandlerView {
    fn from(published: &Published) -> Self {
        Self {
            definition: published.definition.clone(),
            hash: published.hash.to_string(),
            published_at: published.at,
            published_by: published.by.as_ref().map(Into::into),
        }
    }
}

impl NextView {
    /// A coming instant, as the zone's clock shows it.
    pub fn new(zone: &Zone, next: &Preview) -> Self {
        let mark = next.mark.as_ref().map(|mark| match mark {
            Mark::Moved { .. } => "moved",
            Mark::Merged { .. } => "merged",
            Mark::FirstPass => "first_pass",
            Mark::Dropped { .. } => "dropped",
            Mark::SecondPass => "second_pass",
        });
        Self {
            at: next.at,
            local: local_rfc3339(zone, next.at),
            mark,
            note: next.mark.as_ref().map(ToString::to_string),
        }
    }
}
