//! Everybody at once: runners that end, renew, give back, forget and die, people who ask and
//! cancel, schedulers and sweepers, on a clock that runs fast. Whatever order it comes to, every
//! invariant holds over the rows.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

mod scene;
mod server;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use horarium_core::ledger::audit::check;
use horarium_core::ledger::command::Tick;
use horarium_core::ledger::{Claim, Command, Reply};
use horarium_core::run::Run;
use horarium_core::store::Store;
use horarium_core::words::retry::scatter;
use horarium_core::words::{Fence, RunId, RunnerId, SchedulerId, Span, WorkerName};
use scene::{Says, Scene, registration, turn, wish};

const ROUNDS: u64 = 500;
const WORKERS: u64 = 16;

/// Draws that differ from one to the next.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = scatter(self.0);
        self.0 % end
    }
}

/// A runner that is registered anew whenever it dies or is stale.
async fn run<S: Store>(store: Arc<S>, seed: u64) {
    let mut draw = Draw(seed);
    let (mut runner, mut number) = (RunnerId::from_bits(0), 0);
    let mut claims: Vec<Claim> = Vec::new();
    for _ in 0..ROUNDS {
        if number == 0 || draw.below(40) == 0 {
            runner = RunnerId::from_bits(u128::from(draw.below(u64::MAX)));
            claims.clear();
            store.submit(&Command::Register(registration(runner))).await.unwrap();
        }
        number += 1;
        let mut says = Says::default();
        for claim in claims.drain(..) {
            match draw.below(10) {
                0..5 => says.ended.push(claim),
                5..8 => says.renewed.push(claim),
                8 => says.given_back.push(claim),
                _ => {}
            }
        }
        let kept = says.renewed.clone();
        match store.submit(&turn(runner, number, 3, says)).await.unwrap() {
            Reply::Turned(turned) => {
                claims = kept;
                claims.extend(turned.granted.iter().map(|grant| grant.claim));
                claims.sort_unstable();
                claims.dedup();
            }
            _ => number = 0,
        }
    }
}

/// People who ask for runs, some of them twice, and cancel some.
async fn ask<S: Store>(store: Arc<S>, seed: u64) {
    let mut draw = Draw(seed);
    for round in 0..u128::from(ROUNDS) {
        let id = u128::from(seed) * 1_000_000 + round;
        let first = draw.below(WORKERS);
        let wishes = (0..2_u64).map(|other| {
            let name = format!("backup:{}", (first + other * 3) % WORKERS);
            wish(id * 2 + u128::from(other), &name)
        });
        let command = Command::Enqueue(wishes.collect());
        store.submit(&command).await.unwrap();
        if draw.below(3) == 0 {
            store.submit(&command).await.unwrap();
        }
        let run = RunId::v7(0, id * 2);
        if draw.below(4) == 0 {
            store.submit(&Command::Cancel { run, by: scene::by() }).await.unwrap();
        }
    }
}

async fn schedule<S: Store>(store: Arc<S>, seed: u64) {
    let limit = NonZeroU32::new(5).unwrap();
    for round in 0..ROUNDS {
        let scheduler = SchedulerId::from_bits(u128::from(seed));
        store.submit(&Command::Sweep { limit }).await.unwrap();
        store.submit(&Command::Tick(Tick { scheduler, limit, seed: round })).await.unwrap();
    }
}

/// For one worker, fences grow in the order of its claims.
fn fences_grow<'a>(runs: impl Iterator<Item = &'a Run>) {
    let mut claims: BTreeMap<&WorkerName, Vec<_>> = BTreeMap::new();
    for run in runs {
        let ended = run.end().and_then(|end| end.hold.as_ref());
        if let Some(hold) = run.hold().or(ended) {
            claims.entry(&run.worker).or_default().push((hold.claimed_at, hold.fence));
        }
    }
    for (worker, mut claims) in claims {
        claims.sort_unstable();
        let fences: Vec<Fence> = claims.iter().map(|(_, fence)| *fence).collect();
        assert!(fences.is_sorted(), "{worker}: {claims:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whatever_happens_at_once_every_invariant_holds() {
    let mut scene = Scene::new().await;
    for number in 0..WORKERS {
        scene.schedule(&format!("backup:{number}"), "* * * * *").await;
    }
    let store = Arc::new(scene.store.clone());
    let mut tasks = Vec::new();
    for seed in 1..=4 {
        tasks.push(tokio::spawn(run(Arc::clone(&store), seed)));
    }
    for seed in 5..=6 {
        tasks.push(tokio::spawn(ask(Arc::clone(&store), seed)));
        tasks.push(tokio::spawn(schedule(Arc::clone(&store), seed)));
    }
    // The clock runs while they work, and the rows are looked at on the way.
    while !tasks.iter().all(tokio::task::JoinHandle::is_finished) {
        scene.wait(Span::from_secs(5));
        let rows = scene.store.dump().await.unwrap();
        assert_eq!(check(&rows), []);
    }
    for task in tasks {
        task.await.unwrap();
    }
    let rows = scene.store.dump().await.unwrap();
    assert_eq!(check(&rows), []);
    fences_grow(rows.runs.values());
    let ended = rows.runs.values().filter(|run| !run.is_active()).count();
    println!(
        "{} runs, {ended} of them ended; {} occurrences",
        rows.runs.len(),
        rows.occurrences.len()
    );
    assert!(ended > 100, "only {ended} runs ended");
}
