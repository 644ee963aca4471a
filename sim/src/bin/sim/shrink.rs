//! `sim shrink`: a failing world made as small as can be, and written down.

use std::path::PathBuf;

use clap::Args;
use sim::batch::play;
use sim::breach::Law;
use sim::facts::Fact;
use sim::named::{self, UnknownName};
use sim::regression::{self, Regression};
use sim::shrink::{Target, shrink};
use sim::timeline::KEPT;

use crate::which_world::{Known, WhichWorld};
use crate::{Answer, Verdict};

/// Make a failing world as small as can be, and write it down.
#[derive(Debug, Args)]
pub(crate) struct Shrink {
    #[command(flatten)]
    which: WhichWorld,
    /// The law that must be broken still (that which the world breaks, if none is named).
    #[arg(long, value_parser = regression::law, conflicts_with = "shows")]
    breaks: Option<Law>,
    /// A fact that must happen still, instead of a breach.
    #[arg(long, value_parser = fact)]
    shows: Option<Fact>,
    /// The most worlds to try.
    #[arg(long, default_value_t = 2_000)]
    tries: u64,
    /// Where to write it (for a breach: sim/regressions/ with a name of its own).
    #[arg(long)]
    out: Option<PathBuf>,
}

fn fact(name: &str) -> Result<Fact, UnknownName> {
    named::find("fact", Fact::ALL, |fact| named::name(&fact), name)
}

impl Shrink {
    pub(crate) fn answer(&self) -> Answer {
        let Known { scenario, sabotage, law } = self.which.known()?;
        let target = match (self.shows, self.breaks.or(law)) {
            (Some(fact), _) => Target::Shows(fact),
            (None, Some(law)) => Target::Breaks(law),
            (None, None) => match play(scenario.clone(), sabotage, 0) {
                Err(failure) => Target::Breaks(failure.breach.law),
                Ok(_) => return Err("this world breaks no law: there is nothing to shrink".into()),
            },
        };
        let mut tell = |line: &str| println!("{line}");
        let Some(shrunk) = shrink(&scenario, sabotage, target, self.tries, &mut tell) else {
            let what = match target {
                Target::Breaks(law) => format!("does not break {law}"),
                Target::Shows(fact) => format!("never shows {}", named::name(&fact)),
            };
            return Err(format!("this world {what}: there is nothing to shrink").into());
        };
        let (before, after) = (&shrunk.before, &shrunk.after);
        println!(
            "{} steps and {} incidents became {} and {}, in {} tries",
            before.steps, before.incidents, after.steps, after.incidents, shrunk.tries
        );
        let small = after.scenario.clone();
        let (Target::Breaks(law), Err(failure)) = (target, play(small, sabotage, KEPT)) else {
            println!("{}", serde_json::to_string_pretty(&after.scenario)?);
            return Ok(Verdict::Holds);
        };
        println!("{failure}");
        let name = match sabotage {
            Some(bug) => format!("{}.json", named::name(&bug)),
            None => format!("{law}-{}.json", scenario.seed),
        };
        let file = self.out.clone().unwrap_or_else(|| regression::folder().join(name));
        Regression::of(&failure).write(&file)?;
        println!("\nwritten: {0}\nreplay: sim replay {0}", file.display());
        Ok(Verdict::Broken)
    }
}
