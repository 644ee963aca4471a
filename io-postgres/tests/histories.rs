//! Concurrent histories: ten clients on one ledger, each with its own connection, ask whatever
//! comes to their minds; some answers are lost. What they asked and heard, the commits in their
//! order and the rows at the end must agree with the ledger.
//!
//! `HISTORY_SEED=7 cargo xtask test -p horarium-postgres --test histories -- --ignored` plays one
//! seed, a range like `0..200` many; `HISTORY_ROUNDS` says how long each client goes on. The seed
//! settles what is asked; who meets whom is the machine's to say.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

mod history;
mod scene;
mod server;

use history::{Play, seeds};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "its judge wants one moment for all workers of a tick, which looks at one after the other"]
async fn every_history_agrees_with_the_ledger() {
    for seed in seeds(0..3) {
        match Play::new(seed).await.play().await {
            Ok(judged) => println!("seed {seed}: {judged:?}"),
            Err(why) => panic!(
                "seed {seed}: {why}\nto see it again, as far as the machine plays along: \
                 HISTORY_SEED={seed} cargo xtask test -p horarium-postgres --test histories -- --ignored"
            ),
        }
    }
}
