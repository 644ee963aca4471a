//! `horarium run show`.

use clap::Args;
use horarium_core::config::{Config, Provenance, Resolved};
use horarium_core::run::Run;
use horarium_core::store::{Reader, RunRef};
use horarium_core::words::Timestamp;

use super::super::arguments::{Show, run_ref};
use super::super::clock::WallClock;
use super::super::contract::RunView;
use super::super::failure::Failure;
use super::super::table::{Facts, Table};
use super::super::terminal::Terminal;
use super::list::took;
use super::{find, status_cell};

/// Which run.
#[derive(Debug, Args)]
pub(crate) struct ShowRun {
    /// The run: its number, like 12, or its id
    #[arg(value_parser = run_ref)]
    run: RunRef,
    #[command(flatten)]
    show: Show,
}

impl ShowRun {
    pub(super) async fn act<S: Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let run = find(store, self.run).await?;
        show(&run, store.now().await?, &self.show, terminal)
    }
}

/// Prints one run.
pub(super) fn show(
    run: &Run,
    now: Timestamp,
    show: &Show,
    terminal: Terminal,
) -> Result<(), Failure> {
    if show.is_json() {
        terminal.json(&RunView::with_output(run))
    } else {
        terminal.print(&page(run, now, &show.clock()))
    }
}

fn page(run: &Run, now: Timestamp, clock: &WallClock) -> String {
    let at = |at: Timestamp| format!("{}, {}", clock.full(at), WallClock::distance(now, at));
    let mut facts = Facts::new();
    facts.add("run", format!("{} {}", run.number, run.id));
    facts.add("worker", run.worker.to_string());
    facts.add("status", status_cell(run.status_kind()));
    if let Some(end) = run.end() {
        facts.add("result", end.outcome.to_string());
    }
    facts.add("trigger", run.trigger.kind().to_string());
    if let Some(scheduled) = run.trigger.scheduled() {
        facts.add("scheduled for", at(scheduled.scheduled_for));
        facts.add("attempt", format!("{} of {}", scheduled.attempt, run.retry.max_attempts));
        let of = scheduled.retry_of.map(|run| run.to_string()).unwrap_or_default();
        facts.add("retry of", of);
    }
    facts.add("asked for by", run.by.to_string());
    facts.add("enqueued", at(run.enqueued_at));
    if run.not_before > run.enqueued_at {
        facts.add("not before", at(run.not_before));
    }
    if let Some(latest) = run.start_before {
        facts.add("latest start", at(latest));
    }
    facts.add("timeout", run.timeout.to_string());
    let hold = run.hold().or_else(|| run.end().and_then(|end| end.hold.as_ref()));
    if let Some(hold) = hold {
        facts.add("runner", hold.runner.to_string());
        facts.add("fence", hold.fence.number().to_string());
        facts.add("claimed", at(hold.claimed_at));
        if let Some(started) = &hold.started {
            facts.add("started", at(started.at));
        }
        if run.hold().is_some() {
            facts.add("lease until", at(hold.lease_expires_at));
        }
        facts.add("progress", hold.progress.as_ref().map(ToString::to_string).unwrap_or_default());
    }
    if let Some(cancel) = &run.cancel {
        facts.add("cancel", format!("{} by {}", at(cancel.at), cancel.by));
    }
    if let Some(end) = run.end() {
        facts.add("ended", at(end.at));
        facts.add("took", took(run, now));
    }
    if let Some(units) = run.units {
        facts.add("units", format!("{} processed, {} pending", units.processed, units.pending));
    }
    let mut page = facts.render();
    let started = hold.and_then(|hold| hold.started.as_ref());
    let config = started.map_or(&run.config, |started| &started.config);
    page.push_str(&options(config));
    if let Some(end) = run.end() {
        let kept = end.output.stdout.bytes.len() + end.output.stderr.bytes.len();
        if kept > 0 {
            let hint = format!("its output: {kept} bytes, horarium run output {}", run.number.0);
            page = [page, hint, String::new()].join("\n");
        }
    }
    page
}

/// What it works with, and where each value came from.
fn options(config: &Config) -> String {
    let mut table = Table::new(["CONFIG", "VALUE", "FROM"]);
    let mut rows = 0;
    let mut row = |name: String, value: String, from: Provenance| {
        rows += 1;
        table.row([name.into(), value.into(), provenance(from).into()]);
    };
    if let Some(Resolved { value, from }) = &config.engine {
        row(String::from("engine"), value.to_string(), *from);
    }
    if let Some(Resolved { value, from }) = &config.batch_size {
        row(String::from("batch_size"), value.to_string(), *from);
    }
    for (field, options) in
        [("options", &config.options), ("engine_options", &config.engine_options)]
    {
        for (name, Resolved { value, from }) in options {
            row(format!("{field}.{name}"), value.to_string(), *from);
        }
    }
    if rows == 0 { String::new() } else { format!("\n{}", table.render()) }
}

fn provenance(from: Provenance) -> &'static str {
    match from {
        Provenance::Request => "request",
        Provenance::RequestPreset => "the request's preset",
        Provenance::Settings => "settings",
        Provenance::SettingsPreset => "the settings' preset",
        Provenance::Default => "default",
    }
}
