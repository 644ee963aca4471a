//! `horarium up`: scheduler and runner in one process, with what a catalogue file declares.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use horarium_core::recurrence::Zone;
use horarium_core::runner::Purpose;
use horarium_core::words::{By, Name, Timestamp, WorkerName};
use tracing::warn;

use crate::catalogue_file::{CatalogueFile, CatalogueFileError};
use crate::guard::GuardLink;
use crate::open_store::OpenStore;
use crate::store_location::{self, Opening, Role, StoreArguments, StoreLocationError};

use super::{
    ArgumentError, DeclareError, Roles, RunnerArguments, RunnerRole, SchedulerArguments,
    SchedulerRole, ServeEnd, ServeError, declare, serve,
};

/// The catalogue file that is served when there is no other.
const EXAMPLE: &str = include_str!("../../../examples/catalogue.toml");
/// The catalogue file that is served when nobody names another.
const DEFAULT_CATALOGUE: &str = "horarium.toml";
/// The example has a ledger of its own, so that trying it leaves nothing in the real one.
const EXAMPLE_STORE: &str = "example.db";

/// It declares, it ticks and it runs.
const ROLES: &[Role] = &[Role::Operator, Role::Scheduler, Role::Runner];

/// What `up` needs.
pub struct UpOptions<'a> {
    /// The catalogue file; `horarium.toml` here when not given, or else the shipped example.
    pub catalogue: Option<PathBuf>,
    /// Where the ledger is.
    pub store: &'a StoreArguments,
    /// What is set for the runner.
    pub runner: &'a RunnerArguments,
    /// What is set for the scheduler.
    pub scheduler: &'a SchedulerArguments,
    /// The zone of a schedule that names none.
    pub zone: Option<Zone>,
    /// Who declares the file's schedules.
    pub by: By,
}

/// `up` could not begin, or ended badly.
#[derive(Debug, thiserror::Error)]
pub enum UpError {
    /// The catalogue file is not usable.
    #[error(transparent)]
    Catalogue(#[from] CatalogueFileError),
    /// A setting cannot be.
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    /// The ledger is not usable.
    #[error(transparent)]
    Store(#[from] StoreLocationError),
    /// What the file declares was not taken.
    #[error(transparent)]
    Declare(#[from] DeclareError),
    /// Serving could not begin.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The guard was lost.
    #[error("the guard process has ended, so jobs could not be ended in time: they were killed")]
    GuardLost,
}

/// Serves a catalogue file until a signal ends it. What it says for people goes through `say`.
pub async fn up(
    guard: GuardLink,
    options: UpOptions<'_>,
    mut say: impl FnMut(&str),
) -> Result<(), UpError> {
    let (file, origin, is_example) =
        catalogue(options.catalogue.as_deref(), options.zone.as_ref())?;
    let config = options.runner.config(&file.handlers, Purpose::Serve)?;
    let scheduler = options.scheduler.config()?;
    let default_name = if is_example { EXAMPLE_STORE } else { store_location::DEFAULT_NAME };
    let store = options.store.location(default_name)?.open(Opening::Create, ROLES).await?;
    for warning in store.warnings() {
        warn!("{warning}");
    }

    let next = declare(&store, &file, &options.by).await?;
    let named = is_example || options.store.store.is_some();
    introduce(&mut say, &origin, (is_example, named), &store, config.concurrency, &file, &next);

    let roles = Roles {
        runner: Some(RunnerRole { guard, config, handlers: file.handlers }),
        scheduler: Some(SchedulerRole { config: scheduler }),
    };
    match serve(Arc::new(store), roles).await? {
        ServeEnd::Stopped => Ok(()),
        ServeEnd::GuardLost => Err(UpError::GuardLost),
    }
}

/// The catalogue file, how it is called, and whether it is the shipped example.
fn catalogue(
    named: Option<&Path>,
    zone: Option<&Zone>,
) -> Result<(CatalogueFile, String, bool), CatalogueFileError> {
    let default = Path::new(DEFAULT_CATALOGUE);
    let path = named.or_else(|| default.exists().then_some(default));
    if let Some(path) = path {
        return Ok((CatalogueFile::read(path, zone)?, path.display().to_string(), false));
    }
    let file = CatalogueFile::parse("example", Path::new(""), EXAMPLE, zone)
        .map_err(CatalogueFileError::Faulty)?;
    Ok((file, String::from("the shipped example"), true))
}

fn introduce(
    say: &mut impl FnMut(&str),
    origin: &str,
    (is_example, store_is_named): (bool, bool),
    store: &OpenStore,
    concurrency: NonZeroU32,
    file: &CatalogueFile,
    next: &[(WorkerName, Option<Timestamp>)],
) {
    if is_example {
        say(
            "no catalogue file was named and there is no ./horarium.toml: serving the shipped example",
        );
    }
    say(&format!("catalogue   {origin}"));
    say(&format!("ledger      {store}"));
    let handlers: Vec<&str> = file.handlers.keys().map(Name::as_str).collect();
    say(&format!("handlers    {} ({concurrency} jobs at a time)", handlers.join(", ")));
    for (worker, next) in next {
        let zone = file.schedules.get(worker).map(|schedule| schedule.plan.recurrence.zone());
        let when = match (next, zone) {
            (Some(at), Some(zone)) => zone.render(*at),
            (Some(at), None) => at.to_string(),
            (None, _) => String::from("never: disabled or at its end"),
        };
        say(&format!("schedule    {worker}: next at {when}"));
    }
    let store = if store_is_named { format!(" --store {store}") } else { String::new() };
    say(&format!("look at     horarium{store} run list"));
    if let Some((worker, _)) = next.first() {
        say(&format!("            horarium{store} worker show {worker}"));
    }
    say("stop with   Ctrl-C (twice: at once)");
}
