//! Whether the histories would notice: SQL that is broken on the wire must turn them red.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

mod history;
mod scene;
mod server;
mod wire;

use std::sync::atomic::Ordering;
use std::time::Duration;

use history::Play;
use tokio::time::timeout;
use wire::{Rewriting, proxy};

/// Each with what it does to the statements.
const SABOTAGES: [(&str, Rewriting); 7] = [
    (
        "a turn's number unchecked",
        &[("AND (seen.turn # (1::bigint << 63)) < ($2 # (1::bigint << 63))", "")],
    ),
    (
        "a claim before its time",
        &[("AND not_before <= (SELECT now FROM me)", ""), ("AND not_before <= me.now", "")],
    ),
    ("a claim out of order", &[("ORDER BY not_before, id", "ORDER BY not_before DESC, id")]),
    (
        "a sweep before the lease has run out",
        &[(
            "lease_expires_at <= (SELECT now FROM clock)",
            "lease_expires_at <= (SELECT now + 30000000 FROM clock)",
        )],
    ),
    (
        "a renewal that is not written",
        &[(
            "lease_expires_at = greatest(lease_expires_at, (SELECT renewal FROM me))",
            "lease_expires_at = lease_expires_at",
        )],
    ),
    (
        "a lease of another length",
        &[(
            "lease_expires_at = (SELECT renewal FROM me),",
            "lease_expires_at = (SELECT renewal + 1000000 FROM me),",
        )],
    ),
    (
        "a prune of what is too young",
        &[(
            "ended_at <= (SELECT cut FROM clock)",
            "ended_at <= (SELECT cut + 240000000 FROM clock)",
        )],
    ),
];

/// How many seeds a sabotage has to hide from.
const PATIENCE: u64 = 8;

/// How long one history may take, which is two seconds when the machine is quiet.
const LIMIT: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "its judge wants one moment for all workers of a tick, which looks at one after the other"]
async fn what_passes_the_proxy_unchanged_agrees_with_the_ledger() {
    let mut play = Play::new(0).await;
    play.location = proxy(&play.location, &[]).await.0;
    let found = timeout(LIMIT, play.play()).await.unwrap();
    assert!(found.is_ok(), "{}", found.err().unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "its judge wants one moment for all workers of a tick, which looks at one after the other"]
async fn every_sabotage_turns_the_histories_red() {
    let mut hidden = Vec::new();
    for (name, rewriting) in SABOTAGES {
        let mut caught = None;
        for seed in 0..PATIENCE {
            let mut play = Play::new(seed).await;
            let (location, count) = proxy(&play.location, rewriting).await;
            play.location = location;
            // One that does not end is no catch.
            let found = timeout(LIMIT, play.play()).await.unwrap();
            assert!(count.load(Ordering::Relaxed) > 0, "{name}: no such statement");
            if let Err(why) = found {
                caught = Some((seed, why.to_string()));
                break;
            }
        }
        match caught {
            Some((seed, why)) => println!("{name}: seed {seed}: {}", why.lines().next().unwrap()),
            None => hidden.push(name),
        }
    }
    assert!(hidden.is_empty(), "nothing noticed: {hidden:?}");
}
