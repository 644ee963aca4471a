//! `sim replay`: one world again, with its timeline.

use clap::Args;
use sim::World;
use sim::timeline::Timeline;

use crate::which_world::{Known, WhichWorld};
use crate::{Answer, Verdict};

/// Play one world again and tell what happens in it.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    #[command(flatten)]
    which: WhichWorld,
    /// Show only so many lines of the end.
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    lines: usize,
}

impl Replay {
    pub(crate) fn answer(&self) -> Answer {
        let Known { scenario, sabotage, .. } = self.which.known()?;
        println!("drawn:\n{}", scenario.profile);
        let mut world = World::new(scenario, sabotage, Timeline::keeping(self.lines));
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
