//! A ledger with handlers `backup`, `mail` and `ocr`, and the few things that the tests do to it.
#![allow(clippy::unwrap_used, clippy::panic)] // what the tests share may fail as they do
#![allow(dead_code)] // not every test needs all of it

use std::num::{NonZeroU32, NonZeroU64};

use horarium_core::catalogue::{Definition, Execution};
use horarium_core::ledger::command::{Ending, Handlers, Tick};
use horarium_core::ledger::reply::Ticked;
use horarium_core::ledger::{
    Claim, Command, Grant, Holding, Registration, Reply, Report, ReportEvent, Turn, Turned, Wish,
};
use horarium_core::recurrence::Recurrence;
use horarium_core::run::{Outcome, Output, Run};
use horarium_core::schedule::{Plan, Revision};
use horarium_core::store::Store;
use horarium_core::words::{
    Actor, ActorKind, By, Note, Request, RunId, RunnerId, SchedulerId, Span, Timestamp, WorkerName,
};
use horarium_postgres::{Clock, PostgresStore, SettableClock};

use crate::server::Database;

pub(crate) struct Scene {
    pub(crate) store: PostgresStore,
    pub(crate) clock: SettableClock,
    now: Timestamp,
    pub(crate) database: Database,
}

pub(crate) fn by() -> By {
    By { actor: Actor { kind: ActorKind::Person, name: Note::lossy("ada") }, reason: None }
}

pub(crate) fn worker(name: &str) -> WorkerName {
    name.parse().unwrap()
}

pub(crate) fn wish(run: u128, name: &str) -> Wish {
    Wish {
        run: RunId::v7(0, run),
        worker: worker(name),
        request: Request::default(),
        not_before: None,
        by: by(),
    }
}

/// A runner with a lease of a minute that serves every handler.
pub(crate) fn registration(runner: RunnerId) -> Registration {
    Registration {
        runner,
        name: Note::lossy("runner"),
        host: Note::lossy("host"),
        version: Note::lossy("0"),
        handlers: Handlers::All,
        concurrency: NonZeroU32::MIN,
        heartbeat: Span::from_secs(15),
        lease: Span::from_secs(60),
        catalogue: Vec::new(),
    }
}

/// Everything that a turn may say of claims.
#[derive(Default)]
pub(crate) struct Says {
    pub(crate) ended: Vec<Claim>,
    pub(crate) given_back: Vec<Claim>,
    pub(crate) renewed: Vec<Claim>,
}

pub(crate) fn turn(runner: RunnerId, number: u64, capacity: u32, says: Says) -> Command {
    let ending = Ending { outcome: Outcome::Success, units: None, output: Output::default() };
    let ended = says.ended.into_iter();
    let ended = ended.map(|claim| Report { claim, event: ReportEvent::Ended(ending.clone()) });
    let given_back = says.given_back.into_iter();
    let given_back = given_back.map(|claim| Report { claim, event: ReportEvent::GivenBack });
    Command::Turn(Turn {
        runner,
        number: NonZeroU64::new(number).unwrap(),
        reports: ended.chain(given_back).collect(),
        holding: says.renewed.into_iter().map(|claim| Holding { claim, renew: true }).collect(),
        capacity,
    })
}

/// The handlers that there are.
pub(crate) const HANDLERS: [&str; 3] = ["backup", "mail", "ocr"];

/// They are published.
pub(crate) fn catalogue() -> Command {
    let definitions =
        HANDLERS.map(|name| Definition::plain(name.parse().unwrap(), Execution::Rust)).to_vec();
    Command::PublishCatalogue { definitions, by: by() }
}

/// What a cron rule in UTC wants when nothing else is said.
pub(crate) fn plan(expression: &str) -> Plan {
    Plan {
        recurrence: Recurrence::cron(expression, "UTC".parse().unwrap()).unwrap(),
        request: Request::default(),
        not_before: None,
        until: None,
        max_runs: None,
        max_lateness: None,
        retry: None,
    }
}

/// A schedule where there was none.
pub(crate) fn new_schedule(name: &str, expression: &str) -> Command {
    Command::PutSchedule {
        worker: worker(name),
        seen: Revision::NONE,
        plan: Box::new(plan(expression)),
        reset_runs: false,
        by: by(),
    }
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let database = Database::fresh().await;
        let now = "2026-03-02T09:00:00Z".parse().unwrap();
        let clock = SettableClock::at(now);
        let store = database.store(Clock::Settable(clock.clone())).await;
        let scene = Self { store, clock, now, database };
        scene.tell(&catalogue()).await;
        scene
    }

    pub(crate) fn wait(&mut self, span: Span) {
        self.now = self.now.plus(span);
        self.clock.set(self.now);
    }

    pub(crate) async fn tell(&self, command: &Command) -> Reply {
        self.store.submit(command).await.unwrap()
    }

    /// A registered runner.
    pub(crate) async fn runner(&self, number: u128) -> RunnerId {
        let runner = RunnerId::from_bits(number);
        self.tell(&Command::Register(registration(runner))).await;
        runner
    }

    pub(crate) async fn enqueue(&self, wishes: Vec<Wish>) {
        let Reply::Enqueued(answers) = self.tell(&Command::Enqueue(wishes)).await else {
            panic!("refused");
        };
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    }

    pub(crate) async fn turn(
        &self,
        runner: RunnerId,
        number: u64,
        capacity: u32,
        says: Says,
    ) -> Turned {
        match self.tell(&turn(runner, number, capacity, says)).await {
            Reply::Turned(turned) => turned,
            other => panic!("{other:?}"),
        }
    }

    /// What the runner's first turn claims.
    pub(crate) async fn claims(&self, runner: RunnerId, capacity: u32) -> Vec<Claim> {
        let granted = self.turn(runner, 1, capacity, Says::default()).await.granted;
        granted.iter().map(|grant: &Grant| grant.claim).collect()
    }

    pub(crate) async fn schedule(&self, name: &str, expression: &str) {
        let reply = self.tell(&new_schedule(name, expression)).await;
        assert!(matches!(reply, Reply::ScheduleSaved(_)), "{reply:?}");
    }

    pub(crate) async fn tick(&self) -> Ticked {
        let tick = Tick {
            scheduler: SchedulerId::from_bits(1),
            limit: NonZeroU32::new(100).unwrap(),
            seed: 1,
        };
        match self.tell(&Command::Tick(tick)).await {
            Reply::Ticked(ticked) => ticked,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn run(&self, id: RunId) -> Run {
        self.store.dump().await.unwrap().runs.remove(&id).unwrap()
    }
}
