//! Scenarios: short sequences that are written down, for states that draws seldom reach.

use std::num::{NonZeroU32, NonZeroU64};

use horarium_core::ledger::command::{Ending, Tick};
use horarium_core::ledger::{Claim, Command, Ledger, Report, ReportEvent, Turn};
use horarium_core::recurrence::ZoneData;
use horarium_core::run::{Cause, Failure, Outcome, Output, Run};
use horarium_core::schedule::{Plan, Revision};
use horarium_core::words::{
    Backoff, Request, RetryPolicy, RunnerId, SchedulerId, Span, Timestamp, WorkerName,
};

use crate::cast;
use crate::draw::Draw;
use crate::lockstep::Step;

const RUNNER: RunnerId = RunnerId::from_bits(1);

/// Every scenario by name.
pub(crate) fn all() -> Vec<(&'static str, Vec<Step>)> {
    vec![
        ("more retries are owed than a tick creates", owed_beyond_the_limit()),
        ("new zone data move schedules", moved_by_zone_data()),
    ]
}

/// Four workers fail at once, and the schedule of the last one is due before any other. A tick of
/// one sees the first of them, and must know of the last one all the same.
fn owed_beyond_the_limit() -> Vec<Step> {
    let mut told = Told::new();
    let workers = ["backup:1", "backup:2", "backup:3", "backup:4"].map(cast::worker_name);
    for worker in &workers {
        let is_last = Some(worker) == workers.last();
        told.give(schedule(worker, if is_last { "* * * * *" } else { "0 * * * *" }));
    }
    told.wait_until("2026-03-29T01:00:00Z");
    told.give(tick(100));
    told.give(turn(1, Vec::new()));
    let failures = told.model.running().filter_map(failed).collect();
    told.give(turn(2, failures));
    told.wait_until("2026-03-29T01:01:00Z");
    for _ in 0..4 {
        told.give(tick(1));
    }
    told.steps
}

/// One schedule moves into the past, one is due already, some move further ahead than one that
/// stays, and a leader with older data comes in between. Ticks of one see the first of them.
fn moved_by_zone_data() -> Vec<Step> {
    let [old, _, new] = cast::zone_data();
    let mut told = Told::new();
    told.give(tick(100));
    for (worker, expression, zone) in [
        ("backup:1", "0 7 * * *", "Asia/Kolkata"),
        ("backup:2", "0 4 * * *", "Europe/Berlin"),
        ("backup:3", "30 4 * * *", "Europe/Berlin"),
        ("backup:4", "30 3 * * *", "UTC"),
        ("mail", "0 1 * * *", "UTC"),
    ] {
        told.give(schedule_in(zone, &cast::worker_name(worker), expression));
    }
    told.wait_until("2026-03-29T01:20:00Z");
    for limit in [1, 1, 2, 1] {
        told.zones = new.clone();
        told.give(tick(limit));
        told.zones = old.clone();
        told.give(tick(limit));
        told.give(schedule(&cast::worker_name("ocr"), "0 5 * * *"));
    }
    told.zones = new.clone();
    for instant in ["2026-03-29T03:30:00Z", "2026-03-29T05:00:00Z"] {
        told.wait_until(instant);
        told.give(tick(100));
    }
    told.steps
}

/// The steps so far, and the model that they led to.
struct Told {
    steps: Vec<Step>,
    model: Ledger,
    now: Timestamp,
    zones: ZoneData,
}

impl Told {
    /// The handlers are known and a runner is up.
    fn new() -> Self {
        let mut draw = Draw::from_seed(0);
        let mut told = Self {
            steps: Vec::new(),
            model: Ledger::new(),
            now: cast::start(),
            zones: ZoneData::bundled(),
        };
        let definitions = cast::first_definitions(&mut draw);
        told.give(Command::PublishCatalogue { definitions, by: cast::by(&mut draw) });
        told.give(Command::Register(cast::registration(RUNNER)));
        told
    }

    fn give(&mut self, command: Command) {
        self.model.set_zone_data(self.zones.clone());
        self.model.handle(self.now, &command);
        self.steps.push(Step { now: self.now, zones: self.zones.clone(), command });
    }

    fn wait_until(&mut self, instant: &str) {
        self.now = cast::written(instant);
    }
}

fn schedule(worker: &WorkerName, expression: &str) -> Command {
    schedule_in("UTC", worker, expression)
}

fn schedule_in(zone: &str, worker: &WorkerName, expression: &str) -> Command {
    let retry = RetryPolicy {
        backoff: Backoff::Exponential,
        base: Span::from_minutes(2),
        ..RetryPolicy::default()
    };
    Command::PutSchedule {
        worker: worker.clone(),
        seen: Revision::NONE,
        plan: Box::new(Plan {
            recurrence: cast::cron(expression, cast::written(zone)),
            request: Request::default(),
            not_before: None,
            until: None,
            max_runs: None,
            max_lateness: None,
            retry: Some(retry),
        }),
        reset_runs: false,
        by: cast::by(&mut Draw::from_seed(0)),
    }
}

fn tick(limit: u32) -> Command {
    let limit = NonZeroU32::new(limit).unwrap_or(NonZeroU32::MIN);
    Command::Tick(Tick { scheduler: SchedulerId::from_bits(1), limit, seed: 0 })
}

fn turn(number: u64, reports: Vec<Report>) -> Command {
    let number = NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN);
    Command::Turn(Turn { runner: RUNNER, number, reports, holding: Vec::new(), capacity: 9 })
}

fn failed(run: &Run) -> Option<Report> {
    let claim = Claim { run: run.id, fence: run.hold()?.fence };
    let outcome = Outcome::Failed(Failure { cause: Cause::Exit(1), is_final: false });
    let ending = Ending { outcome, units: None, output: Output::default() };
    Some(Report { claim, event: ReportEvent::Ended(ending) })
}
