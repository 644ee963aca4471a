//! `horarium`: the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use horarium::daemon::{self, RunnerArguments, SchedulerArguments, UpOptions};
use horarium::exit_code::ExitCode as Code;
use horarium::guard;
use horarium::logging::LogArguments;
use horarium::store_location::StoreArguments;
use horarium_core::words::{Actor, ActorKind, By, Note};

#[derive(Parser)]
#[command(name = "horarium", version)]
enum Arguments {
    /// Scheduler and runner in one process
    Up {
        /// The catalogue file
        catalogue: Option<PathBuf>,
        #[command(flatten)]
        store: StoreArguments,
        #[command(flatten)]
        runner: RunnerArguments,
        #[command(flatten)]
        scheduler: SchedulerArguments,
        #[command(flatten)]
        log: LogArguments,
    },
}

fn main() -> ExitCode {
    let Arguments::Up { catalogue, store, runner, scheduler, log } = Arguments::parse();
    let guard = match guard::enter() {
        Ok(guard) => guard,
        Err(error) => {
            eprintln!("horarium: {error}");
            return Code::Failure.into();
        }
    };
    log.start("info");
    let by = By {
        actor: Actor { kind: ActorKind::Person, name: Note::lossy("operator") },
        reason: None,
    };
    let options = UpOptions {
        catalogue,
        store: &store,
        runner: &runner,
        scheduler: &scheduler,
        zone: None,
        by,
    };
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("horarium: {error}");
            return Code::Failure.into();
        }
    };
    match runtime.block_on(daemon::up(guard, options, |line| eprintln!("{line}"))) {
        Ok(()) => Code::Ok.into(),
        Err(error) => {
            eprintln!("horarium: {error}");
            Code::Failure.into()
        }
    }
}
