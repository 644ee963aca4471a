//! Real processes on one real file, killed and frozen at random moments; then every invariant is
//! checked over the rows and over what the jobs themselves have marked.
//!
//! `CHAOS_SECONDS` says how long the attacks go on, `CHAOS_SEED` what they are. A seed gives the
//! same attacks at the same times again; what the processes make of them is real time's affair,
//! so it need not show the same fault.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may

mod cluster;
#[path = "../daemons/mod.rs"]
mod daemons;
mod draw;
mod marks;
mod plan;
mod scene;
mod verdict;
mod work;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use horarium::catalogue_file::CatalogueFile;
use horarium::daemon::declare;
use horarium_sqlite::{OpenOptions, SqliteStore};

use cluster::Cluster;
use draw::Draw;
use plan::plan;
use scene::Scene;
use verdict::{census, judge, successes};
use work::{Customer, by, come_to_rest};

/// How long the attacks go on when nobody says.
const SECONDS: u64 = 40;
/// How long the ledger may take to come to rest afterwards.
const PATIENCE: Duration = Duration::from_secs(90);

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

#[test]
fn whatever_is_killed_or_frozen_no_run_is_lost_and_none_overlap() {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = number("CHAOS_SEED").unwrap_or(u64::from(clock.subsec_nanos()));
    let seconds = number("CHAOS_SECONDS").unwrap_or(SECONDS);
    let again = format!(
        "CHAOS_SEED={seed} CHAOS_SECONDS={seconds} cargo test -p horarium --test chaos -- --nocapture"
    );
    eprintln!("the same attacks again: {again}");

    let scene = Scene::new();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let store = runtime.block_on(async {
        let options = OpenOptions::new(scene.ledger());
        let store = SqliteStore::open_or_create(&options).await.unwrap();
        let file = CatalogueFile::read(&scene.catalogue(), None).unwrap();
        declare(&store, &file, &by()).await.unwrap();
        store
    });

    let over = AtomicBool::new(false);
    let (promises, mut cluster) = thread::scope(|threads| {
        let attacks = threads.spawn(|| {
            // Whatever becomes of the attacks, the customer must not wait for them.
            let cluster = attack(&scene, seed, Duration::from_secs(seconds));
            over.store(true, Ordering::Relaxed);
            cluster
        });
        let promises = runtime.block_on(Customer::new(&store, seed).ask_until(&over));
        (promises, attacks.join().unwrap())
    });
    cluster.heal();
    let rest = runtime.block_on(come_to_rest(&store, PATIENCE));
    let blows = cluster.blows;
    let faults = cluster.stop();

    let rows = runtime.block_on(store.dump()).unwrap();
    let mut verdict = judge(&scene, &rows, &promises);
    verdict.add_all(rest.err());
    verdict.add_all(faults);
    eprintln!("{blows} attacks; {} runs\n{}", rows.runs.len(), census(&rows));
    if !verdict.is_clean() {
        let told = verdict.tell(&scene, &rows);
        runtime.block_on(store.close());
        let kept = scene.keep();
        panic!("{told}\nkept: {}\nthe same attacks again: {again}", kept.display());
    }
    let enough = usize::try_from(seconds / 2).unwrap();
    assert!(successes(&rows) >= enough, "too little happened to say anything");
    assert!(usize::try_from(blows).unwrap() >= enough / 2, "too few attacks to say anything");
}

/// Carries the plan out.
fn attack(scene: &Scene, seed: u64, length: Duration) -> Cluster<'_> {
    let mut attacks = plan(seed, length).into_iter().peekable();
    let mut draw = Draw::new(seed, "pauses");
    let mut cluster = Cluster::new(scene);
    let start = Instant::now();
    while start.elapsed() < length {
        cluster.look_after(draw.millis(0, 1_500));
        while let Some(attack) = attacks.next_if(|attack| attack.at <= start.elapsed()) {
            let hit = cluster.strike(attack.unit, attack.victim, attack.blow);
            eprintln!("{attack}{}", if hit { "" } else { " (in vain: it is hurt already)" });
        }
        thread::sleep(Duration::from_millis(20));
    }
    cluster
}
