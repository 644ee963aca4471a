//! `sim sabotage`: how soon each seeded bug is caught, and by which law.

use clap::Args;
use sim::batch::play;
use sim::sabotage::Sabotage;
use sim::{Scenario, named};

use crate::Verdict;

/// Tell by which law, and how soon, each seeded bug is caught.
#[derive(Debug, Args)]
pub(crate) struct Catch {
    /// The most worlds that are played for one bug.
    #[arg(long, default_value_t = 2_000)]
    most: u64,
}

impl Catch {
    pub(crate) fn answer(self) -> Verdict {
        let mut escaped = 0;
        for bug in Sabotage::ALL {
            let name = named::name(&bug);
            let caught =
                (0..self.most).find_map(|seed| play(Scenario::ordinary(seed), Some(bug), 0).err());
            if let Some(failure) = caught {
                println!("{name}: world {}, {}", failure.scenario.seed, failure.breach.law);
            } else {
                escaped += 1;
                println!("{name}: escapes");
            }
        }
        println!("{escaped} of {} seeded bugs escape", Sabotage::ALL.len());
        if escaped == 0 { Verdict::Holds } else { Verdict::Broken }
    }
}
