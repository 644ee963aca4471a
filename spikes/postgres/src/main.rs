//! The spike of the PostgreSQL shapes: `race`, `forced`, `breaks`, `time`.

mod drain;
mod forced;
mod ledger;
mod race;
mod runner;
mod schedule;
mod sql;
mod time;
mod world;

use std::env;
use std::time::Duration;

use sql::{Break, Texts};
use tokio_postgres::Error;

const USAGE: &str =
    "postgres-spike race [SECONDS [SEED]] | forced | breaks [SECONDS [SEED]] | time [FIGURE...]
SPIKE_URL names an empty database, like postgres://spike@127.0.0.1:54517/spike";

#[tokio::main]
async fn main() -> Result<(), Error> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |index: usize, default: u64| {
        arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let Ok(url) = env::var("SPIKE_URL") else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let red = match arguments.first().map(String::as_str) {
        Some("race") => raced(&url, None, number(1, 60), number(2, 1)).await?,
        Some("forced") => forced::all(&url, None).await?,
        Some("breaks") => {
            let mut unseen = false;
            for fault in Break::ALL {
                println!("== {fault:?}");
                let forced = forced::all(&url, Some(fault)).await?;
                let race = raced(&url, Some(fault), number(1, 8), number(2, 1)).await?;
                unseen |= !forced && !race;
            }
            unseen
        }
        Some("time") => {
            time::all(&url, &arguments[1..]).await?;
            false
        }
        _ => {
            eprintln!("{USAGE}");
            std::process::exit(2);
        }
    };
    std::process::exit(i32::from(red))
}

async fn raced(url: &str, fault: Option<Break>, seconds: u64, seed: u64) -> Result<bool, Error> {
    let texts = fault.map_or_else(Texts::sound, Texts::broken);
    let world = race::race(url, texts, Duration::from_secs(seconds), seed).await?;
    let counts = world.counts();
    let counts: Vec<String> =
        counts.iter().map(|(what, times)| format!("{what} {times}")).collect();
    println!("race of {seconds} s, seed {seed}: {}", counts.join(", "));
    for (what, times) in world.faults() {
        println!("  BROKEN {what} (seen {times} times)");
    }
    let red = !world.faults().is_empty();
    println!("  {}", if red { "red" } else { "green" });
    Ok(red)
}
