//! `sim soak`: worlds that nobody has seen, until the time is up or a law is broken.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Args;
use sim::batch::{Batch, play_all};
use sim::profile::Kind;
use sim::seeds::{self, Seeds};
use sim::timeline::KEPT;

use crate::{Answer, Verdict};

/// Worlds between two looks at the clock.
const ROUND: u64 = 200;

/// Play worlds that nobody has seen, for a while.
#[derive(Debug, Args)]
pub(crate) struct Soak {
    /// For how many minutes.
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// The first seed (the time of day, if none is named).
    #[arg(long)]
    from: Option<u64>,
    /// Of which kind all worlds are.
    #[arg(long, value_parser = seeds::kind)]
    kind: Option<Kind>,
}

impl Soak {
    pub(crate) fn answer(self) -> Answer {
        let first = match self.from {
            Some(first) => first,
            None => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() * 1_000_000,
        };
        let end = Instant::now() + Duration::from_secs(self.minutes * 60);
        let mut all = Batch::default();
        let mut next = first;
        while Instant::now() < end {
            let seeds = Seeds::range(self.kind, next..next.saturating_add(ROUND));
            match play_all(&seeds.worlds, KEPT) {
                Ok(batch) => all.join(&batch),
                Err(failure) => {
                    println!("{failure}");
                    return Ok(Verdict::Broken);
                }
            }
            next = next.saturating_add(ROUND);
            println!("the seeds {first}..{next}: {all}");
        }
        Ok(Verdict::Holds)
    }
}
