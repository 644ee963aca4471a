//! What `-o json` prints: the contract with scripts.
//!
//! Promises: a field that stands here keeps its name and its meaning, and is always there, `null`
//! when it has nothing to say; new fields may come. Instants are RFC 3339 in UTC, durations are
//! written like `1h30m`. A list is a JSON array, one thing is an object.

use horarium_core::catalogue::Definition;
use horarium_core::config::Config;
use horarium_core::recurrence::{Recurrence, ZoneRelease};
use horarium_core::run::Units;
use horarium_core::schedule::Exhausted;
use horarium_core::words::{ActorKind, Request, RetryPolicy, Span, Timestamp};
use serde::Serialize;

/// A run: `run show`, `run wait`, `run start --wait`, and each of `run list`.
#[derive(Debug, Serialize)]
pub struct RunView {
    /// UUID.
    pub id: String,
    /// The short number.
    pub number: u64,
    /// `handler` or `handler:instance`.
    pub worker: String,
    /// QUEUED, RUNNING, SUCCESS, FAILED, INTERRUPTED or CANCELLED.
    pub status: &'static str,
    /// MANUAL, CLI or SCHEDULE.
    pub trigger: String,
    /// The due instant, for SCHEDULE.
    pub scheduled_for: Option<Timestamp>,
    /// Which attempt at it, for SCHEDULE.
    pub attempt: Option<u8>,
    /// The failed run that this one repeats.
    pub retry_of: Option<String>,
    /// What was asked for.
    pub request: Request,
    /// What that resolved to when it was accepted, with where each value came from.
    pub promised: Config,
    /// What it resolved to when it was started.
    pub started: Option<Config>,
    /// The hash of the catalogue entry that it was promised with.
    pub catalogue: String,
    /// How long it may take; `none` for no limit.
    pub timeout: String,
    /// How it is retried, if it is a scheduled one.
    pub retry: RetryPolicy,
    /// Who asked for it.
    pub by: ByView,
    /// When it was accepted.
    pub enqueued_at: Timestamp,
    /// It never starts before this.
    pub not_before: Timestamp,
    /// It never starts later than this.
    pub start_before: Option<Timestamp>,
    /// The wish to end it early.
    pub cancel: Option<CancelView>,
    /// Units of work as the job counted them.
    pub units: Option<Units>,
    /// The runner that holds or held it.
    pub runner: Option<String>,
    /// The fence that was drawn when it was claimed.
    pub fence: Option<u64>,
    /// When it was claimed.
    pub claimed_at: Option<Timestamp>,
    /// Until when the claim holds, unless renewed.
    pub lease_expires_at: Option<Timestamp>,
    /// When its job was reported as started.
    pub started_at: Option<Timestamp>,
    /// What the job said last.
    pub progress: Option<String>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How it ended.
    pub outcome: Option<OutcomeView>,
    /// What it printed last; `run list` leaves it out.
    pub output: Option<OutputView>,
}

/// How a run ended.
#[derive(Debug, Serialize)]
pub struct OutcomeView {
    /// `success`, `exit`, `signal`, `timeout`, `config`, `spawn`, `handler`, `drain`, `lease`,
    /// `lease_expired`, `released`, `requested` or `too_late`.
    pub cause: &'static str,
    /// The exit code, for `exit`.
    pub code: Option<i32>,
    /// The signal, for `signal`.
    pub signal: Option<i32>,
    /// True when trying again is no use.
    pub is_final: bool,
    /// The same for people.
    pub message: String,
}

/// The end of both streams.
#[derive(Debug, Serialize)]
pub struct OutputView {
    /// Standard output.
    pub stdout: TailView,
    /// Standard error.
    pub stderr: TailView,
}

/// The end of a stream. `run output` prints the bytes themselves.
#[derive(Debug, Serialize)]
pub struct TailView {
    /// As text, with U+FFFD for what is none.
    pub text: String,
    /// How many bytes were kept.
    pub kept: usize,
    /// How many bytes before them were not.
    pub dropped: u64,
}

/// Who did it and why.
#[derive(Debug, Serialize)]
pub struct ByView {
    /// `person`, `token`, `agent` or `system`.
    pub kind: ActorKind,
    /// The name.
    pub name: String,
    /// Why, if it was said.
    pub reason: Option<String>,
}

/// A wish to end a run early.
#[derive(Debug, Serialize)]
pub struct CancelView {
    /// When it was accepted.
    pub at: Timestamp,
    /// By whom.
    pub by: ByView,
}

/// An accepted run: `run start`.
#[derive(Debug, Serialize)]
pub struct AcceptedView {
    /// UUID.
    pub id: String,
    /// The short number.
    pub number: u64,
    /// Whose slot it takes.
    pub worker: String,
    /// How far it is.
    pub status: &'static str,
    /// True when the same id was asked for before.
    pub existed: bool,
}

/// What became of the wish to end a run: `run cancel` and `run release`.
#[derive(Debug, Serialize)]
pub struct StoppingView {
    /// The run.
    pub id: String,
    /// `cancelled`, `requested`, `retry_dropped`, `already_ended` or `released`.
    pub result: &'static str,
    /// The status then, for `already_ended`.
    pub status: Option<&'static str>,
}

/// A schedule: `schedule show`, and each of `schedule list`.
#[derive(Debug, Serialize)]
pub struct ScheduleView {
    /// Whose.
    pub worker: String,
    /// `cron`, `rrule` or `once`, its text and its zone.
    pub recurrence: Recurrence,
    /// The rule in English.
    pub in_words: String,
    /// Whether it fires.
    pub enabled: bool,
    /// Since when, by whom and why it does not.
    pub disabled: Option<CancelView>,
    /// When it fires next.
    pub next_run_at: Option<Timestamp>,
    /// Why nothing comes any more: `max_runs`, `until` or `rule`.
    pub exhausted: Option<Exhausted>,
    /// What each run is asked to do.
    pub request: Request,
    /// No occurrence before this.
    pub not_before: Option<Timestamp>,
    /// No occurrence after this.
    pub until: Option<Timestamp>,
    /// At most so many runs, retries not counted.
    pub max_runs: Option<u32>,
    /// How many there were.
    pub runs_created: u32,
    /// Later than this it is missed.
    pub max_lateness: Option<Span>,
    /// How its runs are retried; `null` for the handler's own policy.
    pub retry: Option<RetryPolicy>,
    /// The revision, which every change raises.
    pub revision: u64,
    /// When it was last changed.
    pub changed_at: Timestamp,
    /// By whom.
    pub changed_by: ByView,
    /// The release of the zone data that `next_run_at` was computed with.
    pub zone_data: ZoneRelease,
}

/// An answer of `explain`.
#[derive(Debug, Serialize)]
pub struct ExplanationView {
    /// Whose.
    pub worker: String,
    /// The instant that was asked about; now when none was.
    pub at: Timestamp,
    /// What has to be true for a run to start now, in order.
    pub findings: Vec<FindingView>,
    /// The occurrence that accounts for the instant.
    pub occurrence: Option<OccurrenceView>,
    /// What became of the instant, in words.
    pub answer: Option<String>,
}

/// One thing that has to be true.
#[derive(Debug, Serialize)]
pub struct FindingView {
    /// `holds`, `waits` or `fails`.
    pub standing: &'static str,
    /// What is found.
    pub finding: String,
    /// What to do.
    pub remedy: Option<String>,
}

/// A changed schedule: `schedule set`, `enable`, `disable`, `delete`.
#[derive(Debug, Serialize)]
pub struct ScheduleChangeView {
    /// Whose.
    pub worker: String,
    /// False when nothing was different.
    pub changed: bool,
    /// The revision now; `null` when it is deleted.
    pub revision: Option<u64>,
    /// The zone in which the rule is read.
    pub timezone: Option<String>,
    /// The rule in English.
    pub in_words: Option<String>,
    /// What may surprise in it.
    pub advice: Vec<String>,
    /// When it fires next.
    pub next: Vec<NextView>,
    /// Why nothing comes any more.
    pub exhausted: Option<Exhausted>,
    /// The failed run whose retry will still be created.
    pub retry_owed: Option<String>,
}

/// A worker: `worker show`, and each of `worker list`.
#[derive(Debug, Serialize)]
pub struct WorkerView {
    /// `handler` or `handler:instance`.
    pub worker: String,
    /// The handler.
    pub handler: String,
    /// The run that has the slot.
    pub slot: Option<RunView>,
    /// The schedule.
    pub schedule: Option<ScheduleView>,
    /// The operator's defaults.
    pub settings: Option<SettingsView>,
    /// Its last runs, newest first; empty in `worker list`.
    pub runs: Vec<RunView>,
    /// Its last occurrences, newest first; empty in `worker list`.
    pub occurrences: Vec<OccurrenceView>,
}

/// An operator's defaults for a worker.
#[derive(Debug, Serialize)]
pub struct SettingsView {
    /// The defaults.
    pub request: Request,
    /// The revision.
    pub revision: u64,
    /// When they were last changed.
    pub changed_at: Timestamp,
    /// By whom.
    pub changed_by: ByView,
}

/// A due instant and what became of it.
#[derive(Debug, Serialize)]
pub struct OccurrenceView {
    /// The instant.
    pub scheduled_for: Timestamp,
    /// The first instant that it accounts for.
    pub accounts_from: Timestamp,
    /// When it was decided.
    pub recorded_at: Timestamp,
    /// `ENQUEUED`, `CAUGHT_UP`, `SKIPPED` or `MISSED`.
    pub fate: &'static str,
    /// Why it was skipped.
    pub reason: Option<String>,
    /// The run of the latest attempt.
    pub last_run: Option<String>,
    /// Which attempt that is.
    pub attempt: Option<u8>,
    /// `none`, `owed` or `dropped`.
    pub retry: Option<&'static str>,
}

/// A runner: each of `runner list`.
#[derive(Debug, Serialize)]
pub struct RunnerView {
    /// UUID, fresh for each registration.
    pub id: String,
    /// Its name.
    pub name: String,
    /// `online`, `silent` (not heard of for longer than its lease) or `stopped`.
    pub state: &'static str,
    /// Its machine.
    pub host: String,
    /// Its program's version.
    pub version: String,
    /// What it can execute; `null` for everything.
    pub handlers: Option<Vec<String>>,
    /// How many runs at a time.
    pub concurrency: u32,
    /// Time between its heartbeats.
    pub heartbeat: Span,
    /// How long its claims hold.
    pub lease: Span,
    /// When it registered.
    pub registered_at: Timestamp,
    /// When it was last heard of.
    pub last_seen: Timestamp,
    /// When it stopped.
    pub stopped_at: Option<Timestamp>,
}

/// A handler: each of `catalogue show`.
#[derive(Debug, Serialize)]
pub struct HandlerView {
    /// What is known of it.
    pub definition: Definition,
    /// The hash of that.
    pub hash: String,
    /// When it was first published.
    pub published_at: Timestamp,
    /// By whom; `null` when a runner did.
    pub published_by: Option<ByView>,
}

/// What was applied: `catalogue apply`.
#[derive(Debug, Serialize)]
pub struct AppliedView {
    /// The handlers of the file.
    pub handlers: Vec<String>,
    /// Its schedules and when each fires next.
    pub schedules: Vec<AppliedScheduleView>,
}

/// A schedule that was applied.
#[derive(Debug, Serialize)]
pub struct AppliedScheduleView {
    /// Whose.
    pub worker: String,
    /// When it fires next.
    pub next_run_at: Option<Timestamp>,
}

/// The next instants of a rule: `next`.
#[derive(Debug, Serialize)]
pub struct NextInstantsView {
    /// The rule.
    pub recurrence: Recurrence,
    /// The rule in English.
    pub in_words: String,
    /// What may surprise in it.
    pub advice: Vec<String>,
    /// The release of the zone data.
    pub zone_data: ZoneRelease,
    /// The question.
    pub after: Timestamp,
    /// The answers.
    pub next: Vec<NextView>,
    /// True when the series ends after them.
    pub exhausted: bool,
}

/// One coming instant.
#[derive(Debug, Serialize)]
pub struct NextView {
    /// When.
    pub at: Timestamp,
    /// What the clock on the wall shows then, with its offset.
    pub local: String,
    /// What a clock change did to it: `moved`, `merged`, `first_pass`, `dropped` or
    /// `second_pass`.
    pub mark: Option<&'static str>,
    /// The same for people.
    pub note: Option<String>,
}
