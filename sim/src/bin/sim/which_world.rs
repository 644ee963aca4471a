//! Which world a subcommand is about: a seed's, or one that was written down.

use std::error::Error;
use std::path::Path;

use clap::Args;
use sim::breach::Law;
use sim::profile::Kind;
use sim::regression::{self, Regression};
use sim::sabotage::Sabotage;
use sim::{Scenario, seeds};

/// Which world.
#[derive(Debug, Args)]
pub(crate) struct WhichWorld {
    /// The world's seed, or a file such as sim/regressions/NAME.json.
    #[arg(value_name = "SEED|FILE")]
    world: String,
    /// The kind of the seed's world.
    #[arg(long, value_parser = seeds::kind)]
    kind: Option<Kind>,
    /// A bug to seed.
    #[arg(long, value_parser = regression::sabotage)]
    sabotage: Option<Sabotage>,
}

/// A world, and what is known of it.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) scenario: Scenario,
    pub(crate) sabotage: Option<Sabotage>,
    /// The law that it broke when it was written down.
    pub(crate) law: Option<Law>,
}

impl WhichWorld {
    pub(crate) fn known(&self) -> Result<Known, Box<dyn Error>> {
        if !self.world.contains(['.', '/', '\\']) {
            let seed = seeds::seed_of(&self.world)?;
            let scenario = Scenario::of(self.kind.unwrap_or_default(), seed);
            return Ok(Known { scenario, sabotage: self.sabotage, law: None });
        }
        if self.kind.is_some() {
            return Err("a file says of which kind its world is: leave --kind out".into());
        }
        let Regression { law, sabotage, scenario, .. } = Regression::read(Path::new(&self.world))?;
        let sabotage = self.sabotage.or(sabotage);
        Ok(Known { scenario, sabotage, law: Some(law) })
    }
}
