//! `sim coverage`: which facts a batch of worlds meets.

use clap::Args;
use sim::batch::play_all;
use sim::facts::Fact;
use sim::named;
use sim::seeds::{self, Seeds};
use sim::timeline::KEPT;

use crate::{Answer, Verdict};

/// Tell which facts the worlds meet.
#[derive(Debug, Args)]
pub(crate) struct Coverage {
    /// Which seeds, such as `0..500` (the whole batch, if none are named).
    seeds: Option<String>,
}

impl Coverage {
    pub(crate) fn answer(self) -> Answer {
        let seeds = match self.seeds.as_deref() {
            None => Seeds::whole_batch(None),
            Some(text) => Seeds::range(None, seeds::range(text)?),
        };
        let batch = match play_all(&seeds.worlds, KEPT) {
            Ok(batch) => batch,
            Err(failure) => {
                println!("{failure}");
                return Ok(Verdict::Broken);
            }
        };
        for fact in Fact::ALL {
            println!("{:>9} {}", batch.facts.count(*fact), named::name(fact));
        }
        println!("{batch}");
        let missing = batch.facts.missing();
        println!("{} facts never happened", missing.len());
        Ok(if missing.is_empty() { Verdict::Holds } else { Verdict::Broken })
    }
}
