//! The timings: each beside its limit shape, in the same run, as ratios. Absolute figures depend
//! on the machine and its neighbours.

mod fill;
mod turn;

use std::time::Instant;

use tokio_postgres::{Client, Error};

use crate::ledger::{Ledger, connect};
use crate::sql::{self, Texts};
use crate::world::fresh_schema;

const ROUNDS: usize = 5;

/// The figures, in the order in which they are taken.
const FIGURES: [&str; 8] =
    ["turn", "idle", "heartbeat", "tick", "enqueue", "queue", "plan", "history"];

/// Takes the figures that are named, or all.
pub async fn all(url: &str, named: &[String]) -> Result<(), Error> {
    let bench = Bench::set(url).await?;
    println!("{:<58} {:>9} {:>9}", "", "ours", "limit");
    for figure in FIGURES {
        if !named.is_empty() && !named.iter().any(|name| name == figure) {
            continue;
        }
        match figure {
            "turn" => bench.throughput().await?,
            "idle" => bench.empty_claim().await?,
            "heartbeat" => bench.heartbeat().await?,
            "tick" => bench.tick().await?,
            "enqueue" => bench.enqueue(url).await?,
            "queue" => bench.queue_shapes().await?,
            "plan" => bench.cached_plan(url).await?,
            _ => Bench::set(&format!("{url}_full")).await?.history(&bench).await?,
        }
    }
    Ok(())
}

struct Bench {
    client: Client,
    ledger: Ledger,
}

impl Bench {
    async fn set(url: &str) -> Result<Self, Error> {
        fresh_schema(url).await?;
        let client = connect(url, "time").await?;
        client.batch_execute(sql::LIMIT).await?;
        client.batch_execute("RESET plan_cache_mode; RESET enable_seqscan").await?;
        let ledger = Ledger::connect(url, "time", &Texts::sound()).await?;
        Ok(Self { client, ledger })
    }
}

/// What a figure and its limit came to in each round.
#[derive(Default)]
struct Rounds {
    ours: Vec<f64>,
    limit: Vec<f64>,
}

impl Rounds {
    fn note(&mut self, ours: f64, limit: f64) {
        self.ours.push(ours);
        self.limit.push(limit);
    }

    fn tell(mut self, what: &str, unit: &str) {
        let mut ratios: Vec<f64> = self.ours.iter().zip(&self.limit).map(|(o, l)| o / l).collect();
        let (ours, limit) = (median(&mut self.ours), median(&mut self.limit));
        println!("{what:<58} {ours:>9.1} {limit:>9.1} {unit:<12} ratio {:.2}", median(&mut ratios));
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1_000.0
}
