//! `horarium-scheduler`: enqueues what is due and creates owed retries; one leads, the others
//! stand by.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use horarium::daemon::{self, Roles, SchedulerArguments, SchedulerRole};
use horarium::exit_code::ExitCode as Code;
use horarium::logging::LogArguments;
use horarium::store_location::{Role, StoreArguments};
use horarium::zone_data;

/// Enqueues what is due and creates owed retries. Of several on one ledger one leads, the others
/// stand by.
#[derive(Parser)]
#[command(name = "horarium-scheduler", version = zone_data::version())]
struct Arguments {
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    scheduler: SchedulerArguments,
    #[command(flatten)]
    log: LogArguments,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    arguments.log.start("info");
    zone_data::in_force().warn();
    match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime.block_on(run(arguments)),
        Err(error) => fail(&error, Code::Failure),
    }
}

async fn run(arguments: Arguments) -> ExitCode {
    let config = match arguments.scheduler.config() {
        Ok(config) => config,
        Err(error) => return fail(&error, Code::Usage),
    };
    let store = match arguments.store.open(&[Role::Scheduler]).await {
        Ok(store) => store,
        Err(error) => return fail(&error, error.exit_code()),
    };
    let scheduler = Some(SchedulerRole { config });
    match daemon::serve(Arc::new(store), Roles { runner: None, scheduler }).await {
        Ok(_) => Code::Ok.into(),
        Err(error) => fail(&error, Code::Failure),
    }
}

fn fail(error: &dyn std::error::Error, code: Code) -> ExitCode {
    eprintln!("horarium-scheduler: {error}");
    code.into()
}
