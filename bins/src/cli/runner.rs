//! `horarium runner`.

use clap::{Args, Subcommand};
use horarium_core::store::Reader;
use horarium_core::words::Name;

use super::arguments::Show;
use super::clock::WallClock;
use super::contract::RunnerView;
use super::failure::Failure;
use super::table::{Cell, Table};
use super::terminal::{GOOD, Terminal, WARNING};

/// What can be done with runners.
#[derive(Debug, Subcommand)]
pub(crate) enum RunnerVerb {
    /// List runners, the last heard of first
    #[command(after_help = "\
A runner is `online` while it was heard of within its lease, `silent` when it was not and has not
said goodbye (its runs are closed when their leases run out), and `stopped` when it ended in order.")]
    List(List),
}

/// How to show them.
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Runners that have stopped, too
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    show: Show,
}

impl RunnerVerb {
    pub(super) async fn act<S: Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let Self::List(list) = self;
        let now = store.now().await?;
        let runners: Vec<RunnerView> = store
            .runners()
            .await?
            .iter()
            .filter(|runner| list.all || runner.stopped_at.is_none())
            .map(|runner| RunnerView::at(now, runner))
            .collect();
        if list.show.is_json() {
            return terminal.json(&runners);
        }
        let clock = list.show.clock();
        let mut table = Table::new([
            "RUNNER",
            "STATE",
            &clock.heading("LAST SEEN"),
            "AGO",
            "HOST",
            "VERSION",
            "JOBS",
            "HANDLERS",
            "ID",
        ]);
        for runner in runners {
            let style = if runner.state == "online" { GOOD } else { WARNING };
            let style = if runner.state == "stopped" { anstyle::Style::new() } else { style };
            table.row([
                runner.name.into(),
                Cell::styled(runner.state, style),
                clock.cell(runner.last_seen).into(),
                WallClock::distance(now, runner.last_seen).into(),
                runner.host.into(),
                runner.version.into(),
                runner.concurrency.to_string().into(),
                runner.handlers.map_or_else(|| String::from("all"), |names| names.join(",")).into(),
                runner.id.into(),
            ]);
        }
        terminal.table(&table, "no runner has registered and not stopped: `horarium up` starts one")
    }
}

/// True when a runner that was heard of within its lease serves the handler.
pub(super) async fn somebody_serves<S: Reader>(store: &S, handler: &Name) -> Result<bool, Failure> {
    let now = store.now().await?;
    Ok(store.runners().await?.iter().any(|runner| {
        runner.stopped_at.is_none()
            && now.since(runner.last_seen) <= runner.registration.lease
            && runner.registration.handlers.serves(handler)
    }))
}
