//! The command line: every verb of `horarium`.
//!
//! Promises: data goes to standard output and all else to standard error; `-o json` is a stable
//! contract (`contract`); every failure has a documented exit status (`failure`). The verbs
//! decide nothing: each reads the store, sends one command and shows the answer.

mod arguments;
mod catalogue;
mod clock;
pub mod contract;
mod exec;
mod explain;
mod failure;
mod handler;
mod migrate;
mod next;
mod rule;
mod run;
mod runner;
mod schedule;
mod settings;
mod store;
mod submit;
mod table;
mod terminal;
mod up;
mod view;
mod worker;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::catalogue::CatalogueVerb;
use self::failure::{EXIT_STATUSES, Failure};
use self::terminal::{Color, Terminal};
use crate::daemon::OWN_FAILURE;
use crate::logging::LogArguments;
use crate::store_location::{Opening, StoreArguments};
use crate::zone_data;

const FIRST_STEPS: &str = "\
First steps:
  horarium up catalogue.toml                      # serve what the file declares
  horarium run start greeting --wait              # a run at once
  horarium schedule set greeting --cron '0 8 * * 1-5' --tz Europe/Berlin
  horarium worker show greeting                   # its slot, schedule, runs and occurrences
`horarium help VERB` says more about each.";

/// Durable schedules and runs on the database you already have
///
/// Horarium runs named workers on time, once, and remembers. A worker is `handler` or
/// `handler:instance`; it has one slot, so its runs never overlap, and at most one schedule.
#[derive(Debug, Parser)]
#[command(
    name = "horarium",
    version = zone_data::version(),
    max_term_width = 100,
    after_help = FIRST_STEPS,
    after_long_help = format!("{FIRST_STEPS}\n\n{EXIT_STATUSES}")
)]
struct Cli {
    #[command(flatten, next_help_heading = "Everywhere")]
    store: StoreArguments,
    #[command(flatten, next_help_heading = "Everywhere")]
    log: LogArguments,
    /// When to use colour; `NO_COLOR` turns it off, too
    #[arg(
        long,
        value_enum,
        default_value_t,
        global = true,
        value_name = "WHEN",
        help_heading = "Everywhere"
    )]
    color: Color,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Run scheduler and runner in one process, with what a catalogue file declares
    #[command(after_help = "\
Examples:
  horarium up                       # ./horarium.toml, or the shipped example
  horarium up catalogue.toml --concurrency 8

Ctrl-C or TERM once: no new runs, running jobs may end within the drain grace. Twice: at once.")]
    Up(Box<up::Up>),
    /// Run a worker in the foreground, with live output and the command's own exit status
    #[command(after_help = "\
Examples:
  horarium exec backup
  horarium exec backup --option level=3 && echo done

The run takes the worker's slot like any other. Exit status: the command's own; 128 + N when signal
N killed it; 124 on timeout; 130 after Ctrl-C, which cancels; 125 for a failure of horarium's own.")]
    Exec(Box<exec::Exec>),
    /// Runs: start, list, show, wait, cancel, release, output
    #[command(subcommand)]
    Run(Box<run::RunVerb>),
    /// Schedules: set, show, list, enable, disable, delete
    #[command(subcommand)]
    Schedule(schedule::ScheduleVerb),
    /// Workers: list, show
    #[command(subcommand)]
    Worker(worker::WorkerVerb),
    /// Runners: list
    #[command(subcommand)]
    Runner(runner::RunnerVerb),
    /// The catalogue of handlers: apply, show
    #[command(subcommand)]
    Catalogue(CatalogueVerb),
    /// An operator's defaults for a worker: set, show, clear
    #[command(subcommand)]
    Settings(settings::SettingsVerb),
    /// Show when a rule comes due, in its zone and in UTC, with what clock changes do to it
    #[command(after_help = "\
Examples:
  horarium next --cron '30 2 * * *' --tz Europe/Berlin
  horarium next --cron '*/15 * * * *' --tz America/New_York --after 2026-03-08T06:30:00Z --count 8
  horarium next --batch -

With --batch each line of the file is a JSON object
  {\"id\",\"kind\":\"cron\",\"expression\",\"timezone\",\"dtstart\":null,\"after\",\"count\"}
and is answered with one line: {\"id\",\"next\":[…]}, {\"id\",\"next\":[…],\"exhausted\":true} when
the series ends, or {\"id\",\"error\"}.")]
    Next(next::Next),
    /// Say why a worker does not run now, or what became of an instant, and what to do
    #[command(after_help = "\
Examples:
  horarium explain backup
  horarium explain backup --at 2026-03-08T07:30:00Z

Each line is one thing that has to be true for the next run to start: ok, wait (it will come by
itself) or no, with what to do.")]
    Explain(explain::Explain),
    /// Make the store, or bring its schema up to what this program knows
    #[command(after_help = "\
Examples:
  horarium migrate
  horarium migrate --store 'postgres://HOST/DATABASE?schema=north'
  horarium migrate --store postgres://HOST/DATABASE --print    # what it would execute; no change
  horarium migrate --store postgres://HOST/DATABASE --roles    # and make the roles horarium_owner,
                                # horarium_operator, horarium_scheduler and horarium_runner

Daemons never migrate a server: they check the schema and say what is missing.")]
    Migrate(migrate::Migrate),
}

/// Parses the command line, acts, and says how it went.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help goes to standard output, a refusal to standard error; if nobody reads, so be it.
            drop(error.print());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let terminal = Terminal::new(cli.color);
    let is_exec = matches!(cli.verb, Verb::Exec(_));
    match act(&cli, terminal) {
        Ok(status) => ExitCode::from(status),
        Err(Failure::OutputClosed) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal.error(&failure.to_string());
            ExitCode::from(if is_exec { OWN_FAILURE } else { failure.exit_status() })
        }
    }
}

fn act(cli: &Cli, terminal: Terminal) -> Result<u8, Failure> {
    if let Some(refused) = zone_data::in_force().refused() {
        terminal.warn(&refused.to_string());
    }
    match &cli.verb {
        Verb::Up(up) => {
            cli.log.start("info");
            up.act(&cli.store, terminal).map(|()| 0)
        }
        Verb::Exec(exec) => {
            cli.log.start("warn");
            exec.act(&cli.store, terminal)
        }
        Verb::Next(next) => next::next(terminal, next).map(|()| 0),
        Verb::Catalogue(CatalogueVerb::Apply(apply)) if apply.check => {
            apply.checked(terminal).map(|()| 0)
        }
        Verb::Run(_)
        | Verb::Schedule(_)
        | Verb::Worker(_)
        | Verb::Runner(_)
        | Verb::Catalogue(_)
        | Verb::Settings(_)
        | Verb::Explain(_)
        | Verb::Migrate(_) => {
            cli.log.start("warn");
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| Failure::Failed(format!("no runtime: {error}")))?;
            runtime.block_on(with_store(cli, terminal)).map(|()| 0)
        }
    }
}

async fn with_store(cli: &Cli, terminal: Terminal) -> Result<(), Failure> {
    if let Verb::Migrate(migrate) = &cli.verb
        && migrate.print
    {
        return migrate.printed(&cli.store, terminal).await;
    }
    if let Verb::Catalogue(CatalogueVerb::Apply(apply)) = &cli.verb {
        // A faulty file must not leave an empty store behind.
        apply.read()?;
    }
    let opening = match &cli.verb {
        Verb::Migrate(_) => Opening::Migrate,
        Verb::Catalogue(verb) => verb.opening(),
        Verb::Up(_)
        | Verb::Exec(_)
        | Verb::Next(_)
        | Verb::Run(_)
        | Verb::Schedule(_)
        | Verb::Worker(_)
        | Verb::Runner(_)
        | Verb::Settings(_)
        | Verb::Explain(_) => Opening::Existing,
    };
    let store = store::open(&cli.store, opening, terminal).await?;
    let done = match &cli.verb {
        Verb::Run(verb) => verb.act(&store, terminal).await,
        Verb::Schedule(verb) => verb.act(&store, terminal).await,
        Verb::Worker(verb) => verb.act(&store, terminal).await,
        Verb::Runner(verb) => verb.act(&store, terminal).await,
        Verb::Catalogue(verb) => verb.act(&store, terminal).await,
        Verb::Settings(verb) => verb.act(&store, terminal).await,
        Verb::Explain(verb) => verb.act(&store, terminal).await,
        Verb::Migrate(migrate) => match migrate.make_roles(&cli.store).await {
            Ok(()) => terminal.print("the store's schema is up to date\n"),
            Err(failure) => Err(failure),
        },
        // They have no use for a store that is open.
        Verb::Up(_) | Verb::Exec(_) | Verb::Next(_) => Ok(()),
    };
    store.close().await;
    done
}
