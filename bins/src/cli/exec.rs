//! `horarium exec`: one run in the foreground.

use std::path::PathBuf;

use clap::Args;
use horarium_core::config::resolve;
use horarium_core::ledger::{Refusal, Wish};
use horarium_core::recurrence::Zone;
use horarium_core::words::{Name, RunId, WorkerName};

use super::arguments::{Author, RequestArguments};
use super::failure::Failure;
use super::terminal::Terminal;
use crate::catalogue_file::CatalogueFile;
use crate::daemon::{self, ExecOptions, Foreground, LeaseArguments, fresh_run_id};
use crate::guard;
use crate::option_schema::validate;
use crate::store_location::StoreArguments;

/// What is to be executed.
#[derive(Debug, Args)]
pub(crate) struct Exec {
    /// Whose slot it takes: `handler` or `handler:instance`
    worker: WorkerName,
    /// The catalogue file that has the handler
    #[arg(long, env = "HORARIUM_CATALOGUE", default_value = "horarium.toml", value_name = "FILE")]
    catalogue: PathBuf,
    /// The time zone of schedules that name none, if the file has no `default_timezone`
    #[arg(long, env = "HORARIUM_TIMEZONE", value_name = "ZONE", value_parser = crate::zone_data::zone)]
    tz: Option<Zone>,
    #[command(flatten)]
    request: RequestArguments,
    /// The run's id
    #[arg(long, value_name = "UUID")]
    id: Option<RunId>,
    #[command(flatten)]
    author: Author,
    #[command(flatten)]
    lease: LeaseArguments,
}

impl Exec {
    /// Executes the run; the exit status is the command's own, 125 for a failure of ours.
    pub(super) fn act(&self, store: &StoreArguments, terminal: Terminal) -> Result<u8, Failure> {
        let wish = Wish {
            run: self.id.unwrap_or_else(fresh_run_id),
            worker: self.worker.clone(),
            request: self.request.request_without_stdin()?,
            not_before: None,
            by: self.author.by(),
        };
        self.check(&wish)?;
        // Before any thread: the guard is this process, what executes is a copy of it below.
        let guard = guard::enter().map_err(|error| Failure::Failed(error.to_string()))?;
        let options = ExecOptions {
            catalogue: self.catalogue.clone(),
            zone: self.tz.clone(),
            store,
            lease: &self.lease,
            wish,
        };
        let runtime = tokio::runtime::Runtime::new()
            .map_err(|error| Failure::Failed(format!("no runtime: {error}")))?;
        let foreground = runtime.block_on(daemon::exec(guard, options))?;
        match &foreground {
            Foreground::Refused(refusal) => return Err(Failure::Refused(refusal.clone())),
            Foreground::Ended(Some(outcome)) if daemon::exit_status(&foreground) != 0 => {
                terminal.note(&format!(
                    "horarium: {} {}: {outcome}",
                    self.worker,
                    outcome.status()
                ));
            }
            Foreground::Ended(Some(_)) => {}
            Foreground::Ended(None) | Foreground::None => {
                return Err(Failure::Failed(String::from(
                    "how the run ended is not recorded as ours: see `horarium run list`",
                )));
            }
        }
        Ok(daemon::exit_status(&foreground))
    }

    /// Checks the request before anything is started.
    fn check(&self, wish: &Wish) -> Result<(), Failure> {
        let file = CatalogueFile::read(&self.catalogue, self.tz.as_ref())?;
        let handler = self.worker.handler();
        let Some(local) = file.handlers.get(&handler) else {
            let names: Vec<&str> = file.handlers.keys().map(Name::as_str).collect();
            return Err(Failure::Usage(format!(
                "{} has no handler `{handler}`; it has: {}",
                self.catalogue.display(),
                names.join(", ")
            )));
        };
        let config = resolve(&local.definition, &wish.request, None)
            .map_err(|error| Failure::Refused(Refusal::InvalidRequest(error)))?;
        // The worker's settings may fill what is missing here; that is checked when it starts.
        let mut faults = validate(&local.definition, &config).err().unwrap_or_default();
        faults.retain(|fault| !fault.is_missing);
        if faults.is_empty() { Ok(()) } else { Err(Failure::Options { handler, faults }) }
    }
}
