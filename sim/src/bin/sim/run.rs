//! `sim run`: worlds by their seeds.

use clap::Args;
use sim::batch::play_all;
use sim::profile::Kind;
use sim::seeds::{self, Seeds};
use sim::timeline::KEPT;

use crate::{Answer, Verdict};

/// Play worlds: the whole batch, or those of some seeds.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Which seeds: `7`, or `1000..2000` (the whole batch, if none are named).
    seeds: Option<String>,
    /// Of which kind all worlds are.
    #[arg(long, value_parser = seeds::kind)]
    kind: Option<Kind>,
    /// How many lines of a failure's timeline to show.
    #[arg(long, default_value_t = KEPT)]
    lines: usize,
}

impl Run {
    pub(crate) fn answer(self) -> Answer {
        let seeds = match self.seeds.as_deref() {
            None => Seeds::whole_batch(self.kind),
            Some(text) if text.contains("..") => Seeds::range(self.kind, seeds::range(text)?),
            Some(text) => Seeds::one(self.kind.unwrap_or_default(), seeds::seed_of(text)?),
        };
        println!("playing {seeds}");
        match play_all(&seeds.worlds, self.lines) {
            Ok(batch) => {
                println!("{batch}");
                Ok(Verdict::Holds)
            }
            Err(failure) => {
                println!("{failure}");
                Ok(Verdict::Broken)
            }
        }
    }
}
