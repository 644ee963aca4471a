//! `horarium-runner`: claims runs of the handlers in a catalogue file, executes them, reports.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use horarium::catalogue_file::CatalogueFile;
use horarium::daemon::{self, Roles, RunnerArguments, RunnerRole, ServeEnd};
use horarium::exit_code::ExitCode as Code;
use horarium::guard::{self, GuardLink};
use horarium::logging::LogArguments;
use horarium::store_location::{Role, StoreArguments};
use horarium::zone_data;
use horarium_core::recurrence::Zone;
use horarium_core::runner::Purpose;

/// Claims runs of the handlers in a catalogue file, executes them, reports.
///
/// TERM or Ctrl-C once: no new runs, running jobs may end within the drain grace. Twice: jobs are
/// stopped at once. KILL: a guard process ends the jobs, and their runs are swept.
#[derive(Parser)]
#[command(name = "horarium-runner", version = zone_data::version())]
struct Arguments {
    /// The catalogue file with the handlers to serve
    #[arg(long, env = "HORARIUM_CATALOGUE", default_value = "horarium.toml", value_name = "FILE")]
    catalogue: PathBuf,
    /// The time zone of schedules that name none, if the file has no `default_timezone`
    #[arg(long, env = "HORARIUM_TIMEZONE", value_name = "ZONE", value_parser = zone_data::zone)]
    tz: Option<Zone>,
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    runner: RunnerArguments,
    #[command(flatten)]
    log: LogArguments,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // Before any thread: the guard is this process, the runner a copy of it below.
    let guard = match guard::enter() {
        Ok(guard) => guard,
        Err(error) => return fail(&error, Code::Failure),
    };
    arguments.log.start("info");
    zone_data::in_force().warn();
    match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime.block_on(run(arguments, guard)),
        Err(error) => fail(&error, Code::Failure),
    }
}

async fn run(arguments: Arguments, guard: GuardLink) -> ExitCode {
    let file = match CatalogueFile::read(&arguments.catalogue, arguments.tz.as_ref()) {
        Ok(file) => file,
        Err(error) => return fail(&error, Code::Failure),
    };
    let config = match arguments.runner.config(&file.handlers, Purpose::Serve) {
        Ok(config) => config,
        Err(error) => return fail(&error, Code::Usage),
    };
    let store = match arguments.store.open(&[Role::Runner]).await {
        Ok(store) => store,
        Err(error) => return fail(&error, error.exit_code()),
    };
    let runner = Some(RunnerRole { guard, config, handlers: file.handlers });
    match daemon::serve(Arc::new(store), Roles { runner, scheduler: None }).await {
        Ok(ServeEnd::Stopped) => Code::Ok.into(),
        Ok(ServeEnd::GuardLost) => Code::Failure.into(),
        Err(error) => fail(&error, Code::Failure),
    }
}

fn fail(error: &dyn std::error::Error, code: Code) -> ExitCode {
    eprintln!("horarium-runner: {error}");
    code.into()
}
