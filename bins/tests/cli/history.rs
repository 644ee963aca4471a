//! What the verbs say of a past: the test plays scheduler and runner on the program's store.

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroU64};

use horarium_core::catalogue::{Definition, Execution};
use horarium_core::config::Config;
use horarium_core::ledger::command::{Ending, Handlers, Tick};
use horarium_core::ledger::{Claim, Command, Registration, Reply, Report, ReportEvent, Turn};
use horarium_core::recurrence::Recurrence;
use horarium_core::run::{Cause, Failure, Outcome, Output};
use horarium_core::schedule::{Plan, Revision};
use horarium_core::store::Store;
use horarium_core::words::{Actor, By, Request, RunnerId, SchedulerId, Span, Timestamp};
use horarium_sqlite::{Clock, OpenOptions, SettableClock, SqliteStore};

use crate::program::{Program, assert_said};

const RUNNER: RunnerId = RunnerId::from_bits(7);

/// A store of the past, with one runner that serves everything.
struct Past {
    store: SqliteStore,
    turn: u64,
}

impl Past {
    async fn of(program: &Program, clock: Clock) -> Self {
        let options = OpenOptions::new(program.store()).clock(clock);
        let store = SqliteStore::open_or_create(&options).await.unwrap();
        let mut past = Self { store, turn: 0 };
        let failing = Definition::plain(
            "failing".parse().unwrap(),
            Execution::Command { argv: vec![String::from("false")], directory: None },
        );
        let registration = Registration {
            runner: RUNNER,
            name: "past".parse().unwrap(),
            host: "past".parse().unwrap(),
            version: "0".parse().unwrap(),
            handlers: Handlers::Only(BTreeSet::from(["failing".parse().unwrap()])),
            concurrency: NonZeroU32::MIN,
            heartbeat: Span::from_secs(15),
            lease: Span::from_secs(60),
            catalogue: vec![failing],
        };
        past.submit(&Command::Register(registration)).await;
        past
    }

    async fn submit(&mut self, command: &Command) -> Reply {
        self.store.submit(command).await.unwrap()
    }

    async fn tick(&mut self) {
        let scheduler = SchedulerId::from_bits(3);
        let limit = NonZeroU32::new(10).unwrap();
        self.submit(&Command::Tick(Tick { scheduler, limit, seed: 1 })).await;
    }

    async fn turn(&mut self, reports: Vec<Report>, capacity: u32) -> Vec<Claim> {
        self.turn += 1;
        let number = NonZeroU64::new(self.turn).unwrap();
        let turn = Turn { runner: RUNNER, number, reports, holding: Vec::new(), capacity };
        let Reply::Turned(turned) = self.submit(&Command::Turn(turn)).await else {
            unreachable!("the turn is in order");
        };
        turned.granted.iter().map(|grant| grant.claim).collect()
    }

    async fn fail(&mut self, claim: Claim) {
        let failure = Failure { cause: Cause::Exit(3), is_final: false };
        let outcome = Outcome::Failed(failure);
        let ending = Ending { outcome, units: None, output: Output::default() };
        let events =
            [ReportEvent::Started { config: Config::default() }, ReportEvent::Ended(ending)];
        self.turn(events.map(|event| Report { claim, event }).to_vec(), 0).await;
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A night on which the clock in Berlin went forward, a run failed and its retry is owed.
async fn a_failed_night(program: &Program) {
    let clock = SettableClock::at(at("2025-03-28T12:00:00Z"));
    let mut past = Past::of(program, Clock::Settable(clock.clone())).await;
    put_schedule(&mut past).await;
    clock.set(at("2025-03-29T12:00:00Z"));
    past.tick().await;
    let claims = past.turn(Vec::new(), 1).await;
    clock.set(at("2025-03-30T01:00:00Z"));
    past.tick().await;
    past.fail(claims[0]).await;
    past.store.close().await;
}

async fn put_schedule(past: &mut Past) {
    let recurrence = Recurrence::cron("30 2 * * *", "Europe/Berlin".parse().unwrap()).unwrap();
    let plan = Plan {
        recurrence,
        request: Request::default(),
        not_before: None,
        until: None,
        max_runs: None,
        max_lateness: None,
        retry: None,
    };
    let by = By { actor: "person:ada".parse::<Actor>().unwrap(), reason: None };
    past.submit(&Command::PutSchedule {
        worker: "failing".parse().unwrap(),
        seen: Revision::NONE,
        plan: Box::new(plan),
        reset_runs: false,
        by,
    })
    .await;
}

#[tokio::test]
async fn a_retry_that_is_owed_is_said_when_its_schedule_is_switched_off_or_deleted() {
    let program = Program::without_store();
    a_failed_night(&program).await;
    assert_said!(program.run(&["schedule", "disable", "failing"]));
    assert_said!(program.run(&["worker", "show", "failing"]));
    assert_said!(program.run(&["run", "show", "1"]));
    assert_said!(program.run(&["schedule", "delete", "failing"]));
    assert_said!(program.run(&["run", "cancel", "1"]));
    let worker = program.json(&["worker", "show", "failing"]);
    assert_eq!(worker["schedule"], serde_json::Value::Null);
    assert_eq!(worker["occurrences"][2]["fate"], "ENQUEUED");
    assert_eq!(worker["occurrences"][2]["retry"], "dropped");
}

#[tokio::test]
async fn a_running_run_is_released_by_force_alone() {
    let program = Program::without_store();
    let mut past = Past::of(&program, Clock::Database).await;
    program.run(&["run", "start", "failing"]);
    past.turn(Vec::new(), 1).await;
    past.store.close().await;
    assert_said!(program.run(&["run", "list"]));
    assert_said!(program.run(&["run", "output", "1"]));
    assert_said!(program.run(&["run", "release", "1"]));
    assert_said!(program.run(&["run", "release", "1", "--force", "--reason", "the host is gone"]));
    assert_said!(program.run(&["run", "list"]));
}
