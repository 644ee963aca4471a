//! `sim replay`: one world again, with its timeline.

use clap::Args;
use sim::profile::Kind;
use sim::sabotage::Sabotage;
use sim::timeline::Timeline;
use sim::{Scenario, World, named, seeds};

use crate::{Answer, Verdict};

/// Play one world again and tell what happens in it.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The world's seed.
    seed: String,
    /// The world's kind.
    #[arg(long, default_value = "ordinary", value_parser = seeds::kind)]
    kind: Kind,
    /// A bug to seed.
    #[arg(long, value_parser = sabotage)]
    sabotage: Option<Sabotage>,
    /// Show only so many lines of the end.
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    lines: usize,
}

/// The bug of this name.
pub(crate) fn sabotage(name: &str) -> Result<Sabotage, named::UnknownName> {
    named::find("seeded bug", &Sabotage::ALL, |bug| named::name(&bug), name)
}

impl Replay {
    pub(crate) fn answer(self) -> Answer {
        let scenario = Scenario::of(self.kind, seeds::seed_of(&self.seed)?);
        println!("drawn:\n{}", scenario.profile);
        let mut world = World::new(scenario, self.sabotage, Timeline::keeping(self.lines));
        let played = world.run();
        for line in world.lines() {
            println!("{line}");
        }
        match played {
            Ok(story) => {
                println!(
                    "every law held: {} steps, {} commands, digest {:016x}",
                    story.steps, story.commands, story.digest
                );
                Ok(Verdict::Holds)
            }
            Err(breach) => {
                println!("broke {breach}, after {} steps", world.steps());
                Ok(Verdict::Broken)
            }
        }
    }
}
