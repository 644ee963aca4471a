//! The clients: what each kind of them asks, drawn from a seed.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use conformance::history::Call;
use horarium_core::ledger::command::{Ending, Handlers, Retention, Tick};
use horarium_core::ledger::{
    Claim, Command, Holding, Refusal, Registration, Reply, Report, ReportEvent, Turn,
};
use horarium_core::run::{Cause, Failure, Outcome, Output};
use horarium_core::schedule::{Plan, Revision};
use horarium_core::store::{Store as _, StoreError};
use horarium_core::words::retry::scatter;
use horarium_core::words::{
    Backoff, Request, RetryPolicy, RunId, RunnerId, SchedulerId, Span, Timestamp, WorkerName,
};
use horarium_postgres::{Clock, OpenOptions, PostgresStore, SettableClock};

use crate::scene::{self, registration, wish, worker};

/// Few, so that clients meet.
const WORKERS: u64 = 9;

/// What the clients share.
pub(crate) struct World {
    /// Where the store is, without a client's name.
    pub(crate) location: String,
    now: AtomicI64,
    names: AtomicU32,
    /// Runs that somebody knows of.
    runs: Mutex<Vec<RunId>>,
    pub(crate) calls: Mutex<Vec<Call>>,
    /// How many commands were given up, so that another client's name goes on.
    pub(crate) given_up: AtomicU32,
}

impl World {
    pub(crate) fn new(location: String, now: Timestamp) -> Arc<Self> {
        Arc::new(Self {
            location,
            now: AtomicI64::new(now.micros()),
            names: AtomicU32::new(1),
            runs: Mutex::default(),
            calls: Mutex::default(),
            given_up: AtomicU32::new(0),
        })
    }

    fn know(&self, run: RunId) {
        let mut runs = self.runs.lock().unwrap();
        runs.push(run);
        if runs.len() > 40 {
            runs.remove(0);
        }
    }
}

/// One client: a store of its own with one connection, a clock that it sets before it asks, and
/// its draws.
pub(crate) struct Client {
    world: Arc<World>,
    name: u32,
    store: PostgresStore,
    clock: SettableClock,
    state: u64,
}

fn real_time() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_micros()).unwrap()
}

impl Client {
    pub(crate) async fn new(world: Arc<World>, seed: u64) -> Self {
        let (name, store, clock) = Self::connect(&world).await;
        Self { world, name, store, clock, state: scatter(seed) }
    }

    async fn connect(world: &World) -> (u32, PostgresStore, SettableClock) {
        let name = world.names.fetch_add(1, Ordering::Relaxed);
        let clock = SettableClock::at(Timestamp::EPOCH);
        let location = format!("{}options[horarium.client]={name}", world.location);
        let options = OpenOptions::at(&location).unwrap().connections(1);
        let options = options.clock(Clock::Settable(clock.clone()));
        loop {
            // A cut may meet the opening, too.
            if let Ok(store) = PostgresStore::open(&options).await {
                return (name, store, clock);
            }
        }
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.state = scatter(self.state);
        self.state % end
    }

    fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).unwrap()
    }

    fn a_worker(&mut self) -> WorkerName {
        let number = self.below(WORKERS);
        let handler = scene::HANDLERS[usize::try_from(number % 3).unwrap()];
        worker(&format!("{handler}:{number}"))
    }

    /// Time goes by, mostly a little and sometimes so much that leases run out.
    fn later(&mut self) -> Timestamp {
        let step = match self.below(100) {
            0 => 61_000_000,
            1..20 => 0,
            _ => i64::try_from(self.below(1_200_000)).unwrap(),
        };
        let now = self.world.now.fetch_add(step, Ordering::Relaxed) + step;
        Timestamp::from_micros(now).unwrap()
    }

    /// Asks, and notes what was asked and heard. `None` when nothing was heard.
    pub(crate) async fn ask(&mut self, command: Command) -> Option<Reply> {
        let now = self.later();
        self.clock.set(now);
        let sent = real_time();
        let result = self.store.submit(&command).await;
        let (client, mut answered) = (self.name, Some(real_time()));
        let is_lost = self.below(100) < 6;
        let reply = match result {
            Ok(reply) => Some(reply).filter(|_| !is_lost),
            // It was rolled back for certain, as often as it was tried.
            Err(StoreError::NotTaken(_)) => None,
            Err(StoreError::Unknown(_)) => {
                answered = None;
                None
            }
        };
        let is_given_up = answered.is_none();
        let call = Call { client, command, now, sent, answered, reply: reply.clone() };
        self.world.calls.lock().unwrap().push(call);
        if is_given_up {
            self.world.given_up.fetch_add(1, Ordering::Relaxed);
            (self.name, self.store, self.clock) = Self::connect(&self.world).await;
        }
        reply
    }

    /// Asks until an answer is heard.
    pub(crate) async fn insist(&mut self, command: &Command) -> Reply {
        loop {
            if let Some(reply) = self.ask(command.clone()).await {
                return reply;
            }
        }
    }

    /// A runner that ends, renews, gives back, forgets and dies.
    pub(crate) async fn run(mut self, rounds: u64) {
        let mut claims: Vec<Claim> = Vec::new();
        let (mut runner, mut number) = (RunnerId::from_bits(0), 0);
        for _ in 0..rounds {
            if number == 0 || self.below(40) == 0 {
                if number > 0 && self.below(2) == 0 {
                    self.ask(Command::Retire { runner }).await;
                }
                runner = RunnerId::from_bits(u128::from(self.below(u64::MAX)));
                number = 0;
                claims.clear();
                let handlers = match self.below(2) {
                    0 => Handlers::All,
                    _ => Handlers::Only(
                        scene::HANDLERS[1..].iter().map(|h| h.parse().unwrap()).collect(),
                    ),
                };
                let registration = Registration { handlers, ..registration(runner) };
                self.insist(&Command::Register(registration)).await;
            }
            number += 1 - u64::from(number > 1 && self.below(50) == 0);
            let (turn, kept) = self.turn(runner, number, &claims);
            match self.ask(turn).await {
                Some(Reply::Turned(turned)) => {
                    claims = kept;
                    claims.extend(turned.granted.iter().map(|grant| grant.claim));
                    claims.sort_unstable();
                    claims.dedup();
                    turned.granted.iter().for_each(|grant| self.world.know(grant.claim.run));
                }
                // What was said may not have arrived: it is said again, but for what is forgotten.
                None => claims.retain(|_| number % 7 != 0),
                Some(_) => number = 0,
            }
            if self.below(30) == 0 {
                let wish = wish(self.fresh_id(), self.a_worker().as_str());
                if let Some(Reply::Started(grant)) =
                    self.ask(Command::StartForeground { runner, wish }).await
                {
                    claims.push(grant.claim);
                }
            }
        }
    }

    fn turn(&mut self, runner: RunnerId, number: u64, claims: &[Claim]) -> (Command, Vec<Claim>) {
        let (mut reports, mut holding, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for claim in claims.iter().copied() {
            let outcome = match self.below(10) {
                0..4 => Outcome::Success,
                4..6 => Outcome::Failed(Failure { cause: Cause::Exit(1), is_final: false }),
                6 => {
                    reports.push(Report { claim, event: ReportEvent::GivenBack });
                    continue;
                }
                7..9 => {
                    holding.push(Holding { claim, renew: true });
                    kept.push(claim);
                    continue;
                }
                _ => continue,
            };
            let ending = Ending { outcome, units: None, output: Output::default() };
            reports.push(Report { claim, event: ReportEvent::Ended(ending) });
        }
        let number = number.try_into().unwrap();
        let capacity = 1 + u32::try_from(self.below(4)).unwrap();
        (Command::Turn(Turn { runner, number, reports, holding, capacity }), kept)
    }

    fn fresh_id(&mut self) -> u128 {
        u128::from(self.below(u64::MAX)) >> 4
    }

    /// People who ask for runs, some of them twice, cancel some and release some.
    pub(crate) async fn wish(mut self, rounds: u64) {
        for _ in 0..rounds {
            let mut wishes: Vec<_> = (0..=self.below(3))
                .map(|_| wish(self.fresh_id(), self.a_worker().as_str()))
                .collect();
            if self.below(5) == 0 {
                let not_before = self.later().plus(Span::from_secs(self.below(90)));
                wishes[0].not_before = Some(not_before);
            }
            for wish in &wishes {
                self.world.know(wish.run);
            }
            let command = Command::Enqueue(wishes);
            if self.ask(command.clone()).await.is_none() || self.below(8) == 0 {
                self.ask(command).await;
            }
            let known = self.world.runs.lock().unwrap().clone();
            let run = known[self.index(known.len())];
            match self.below(9) {
                0..3 => {
                    self.ask(Command::Cancel { run, by: scene::by() }).await;
                }
                3 => {
                    let force = self.below(2) == 0;
                    self.ask(Command::Release { run, force, by: scene::by() }).await;
                }
                _ => {}
            }
        }
    }

    /// A scheduler, which sweeps on the way. There may be two at once.
    pub(crate) async fn schedule(mut self, rounds: u64) {
        let scheduler = SchedulerId::from_bits(u128::from(self.below(u64::MAX)));
        for _ in 0..rounds {
            let limit = u32::try_from(1 + self.below(5)).unwrap().try_into().unwrap();
            if self.below(3) == 0 {
                self.ask(Command::Sweep { limit }).await;
            }
            let seed = self.below(u64::MAX);
            if let Some(Reply::Ticked(_)) =
                self.ask(Command::Tick(Tick { scheduler, limit, seed })).await
                && self.below(40) == 0
            {
                let retention =
                    Retention { keep: Span::from_minutes(5), keep_per_worker: 0, limit };
                self.ask(Command::Prune(retention)).await;
            }
        }
    }

    /// Somebody who edits, enables, disables and deletes schedules and settings.
    pub(crate) async fn edit(mut self, rounds: u64) {
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..rounds {
            let worker = self.a_worker();
            let known: Revision = seen.get(&worker).copied().unwrap_or(Revision::NONE);
            let command = self.edition(worker.clone(), known);
            let revision = match self.ask(command).await {
                Some(Reply::ScheduleSaved(saved)) => saved.revision,
                Some(Reply::SettingsSaved { .. } | Reply::ScheduleDeleted { .. }) | None => {
                    continue;
                }
                Some(Reply::Refused(Refusal::RevisionChanged { now, .. })) => now,
                Some(_) => continue,
            };
            seen.insert(worker, revision);
        }
    }

    fn edition(&mut self, worker: WorkerName, seen: Revision) -> Command {
        let by = scene::by();
        match self.below(8) {
            0 => Command::DisableSchedule { worker, seen, by },
            1 => Command::DeleteSchedule { worker, seen, by },
            2 => {
                let batch_size = u32::try_from(self.below(3)).unwrap().try_into().ok();
                let settings = Request { batch_size, ..Request::default() };
                Command::PutSettings { worker, seen, settings, by }
            }
            3 => Command::EnableSchedule { worker, seen, by },
            _ => self.put(worker, seen),
        }
    }

    fn put(&mut self, worker: WorkerName, seen: Revision) -> Command {
        let rules = ["* * * * *", "*/2 * * * *", "*/3 * * * *"];
        let retry = RetryPolicy {
            backoff: Backoff::Exponential,
            base: Span::from_secs(5),
            ..RetryPolicy::default()
        };
        let plan = Plan {
            retry: Some(retry),
            max_lateness: (self.below(3) == 0).then(|| Span::from_secs(30)),
            ..scene::plan(rules[self.index(3)])
        };
        let by = scene::by();
        Command::PutSchedule { worker, seen, plan: Box::new(plan), reset_runs: false, by }
    }

    /// What is there before the others come: handlers, schedules, a first tick.
    pub(crate) async fn open(mut self) {
        self.insist(&scene::catalogue()).await;
        for number in 0..WORKERS {
            let handler = scene::HANDLERS[usize::try_from(number % 3).unwrap()];
            let put = self.put(worker(&format!("{handler}:{number}")), Revision::NONE);
            self.insist(&put).await;
        }
        let limit = std::num::NonZeroU32::MIN;
        let scheduler = SchedulerId::from_bits(1);
        self.insist(&Command::Tick(Tick { scheduler, limit, seed: 0 })).await;
    }
}
