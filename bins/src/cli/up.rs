//! `horarium up`: everything in one process.

use std::path::PathBuf;

use clap::Args;
use horarium_core::recurrence::Zone;

use super::arguments::Author;
use super::failure::Failure;
use super::terminal::Terminal;
use crate::daemon::{self, RunnerArguments, SchedulerArguments, UpOptions};
use crate::guard;
use crate::store_location::StoreArguments;

/// What is to be brought up.
#[derive(Debug, Args)]
pub(crate) struct Up {
    /// The catalogue file; ./horarium.toml when not given, and without that the shipped example
    #[arg(env = "HORARIUM_CATALOGUE", value_name = "CATALOGUE")]
    catalogue: Option<PathBuf>,
    /// The time zone of schedules that name none, if the file has no `default_timezone`
    #[arg(long, env = "HORARIUM_TIMEZONE", value_name = "ZONE", value_parser = crate::zone_data::zone)]
    tz: Option<Zone>,
    #[command(flatten)]
    author: Author,
    #[command(flatten)]
    runner: RunnerArguments,
    #[command(flatten)]
    scheduler: SchedulerArguments,
}

impl Up {
    /// Serves until a signal ends it.
    pub(super) fn act(&self, store: &StoreArguments, terminal: Terminal) -> Result<(), Failure> {
        // Before any thread: the guard is this process, what serves is a copy of it below.
        let guard = guard::enter().map_err(|error| Failure::Failed(error.to_string()))?;
        let options = UpOptions {
            catalogue: self.catalogue.clone(),
            store,
            runner: &self.runner,
            scheduler: &self.scheduler,
            zone: self.tz.clone(),
            by: self.author.by(),
        };
        let runtime = tokio::runtime::Runtime::new()
            .map_err(|error| Failure::Failed(format!("no runtime: {error}")))?;
        runtime.block_on(daemon::up(guard, options, |line| terminal.note(line)))?;
        Ok(())
    }
}
