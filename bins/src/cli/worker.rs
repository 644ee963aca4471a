//! `horarium worker`: what is known of a worker.

use clap::{Args, Subcommand};
use horarium_core::ledger::Worker;
use horarium_core::run::Run;
use horarium_core::schedule::{Fate, Occurrence, Retry};
use horarium_core::store::{Reader, RunFilter};
use horarium_core::words::{Timestamp, WorkerName};

use super::arguments::Show;
use super::clock::WallClock;
use super::contract::{OccurrenceView, RunView, WorkerView};
use super::failure::Failure;
use super::run::{run_table, status_cell};
use super::schedule::{rule, state};
use super::table::{Cell, Facts, Table};
use super::terminal::{Terminal, WARNING};

/// What can be done with workers.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkerVerb {
    /// List all workers: who has a schedule, who is running
    List(List),
    /// Show one worker: its slot, schedule, settings, last runs and occurrences
    Show(ShowWorker),
}

/// How to show them.
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    show: Show,
}

/// Which worker.
#[derive(Debug, Args)]
pub(crate) struct ShowWorker {
    /// Which: `handler` or `handler:instance`
    worker: WorkerName,
    /// So many of its last runs and occurrences
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    limit: u32,
    #[command(flatten)]
    show: Show,
}

impl WorkerVerb {
    pub(super) async fn act<S: Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        match self {
            Self::List(verb) => verb.act(store, terminal).await,
            Self::Show(verb) => verb.act(store, terminal).await,
        }
    }
}

impl List {
    async fn act<S: Reader>(&self, store: &S, terminal: Terminal) -> Result<(), Failure> {
        let workers = store.workers().await?;
        if self.show.is_json() {
            let views: Vec<WorkerView> = workers
                .iter()
                .map(|(name, row, slot)| WorkerView::new(name, row, slot.as_ref()))
                .collect();
            return terminal.json(&views);
        }
        let clock = self.show.clock();
        let mut table =
            Table::new(["WORKER", "SLOT", "RUN", "RULE", &clock.heading("NEXT"), "SCHEDULE"]);
        for (name, row, slot) in &workers {
            let schedule = row.schedule.as_ref();
            let next = schedule.and_then(|schedule| schedule.next);
            table.row([
                name.to_string().into(),
                slot.as_ref().map_or_else(|| "free".into(), |run| status_cell(run.status_kind())),
                slot.as_ref().map(|run| run.number.to_string()).unwrap_or_default().into(),
                schedule.map(|schedule| rule(&schedule.plan.recurrence)).unwrap_or_default().into(),
                next.map(|next| clock.cell(next.at)).unwrap_or_default().into(),
                schedule.map_or_else(
                    || "none".into(),
                    |schedule| state(schedule, row.accounted_until, &clock),
                ),
            ]);
        }
        terminal.table(&table, "no worker has a run, a schedule or settings yet")
    }
}

impl ShowWorker {
    async fn act<S: Reader>(&self, store: &S, terminal: Terminal) -> Result<(), Failure> {
        let filter = RunFilter {
            worker: Some(self.worker.clone()),
            limit: self.limit,
            ..RunFilter::default()
        };
        let runs = store.runs(&filter).await?;
        let (row, slot) = match store.worker(&self.worker).await? {
            Some(known) => known,
            None if runs.is_empty() => return Err(Failure::NoSuchWorker(self.worker.clone())),
            None => (Worker::NEW, None),
        };
        let occurrences = store.occurrences(&self.worker, self.limit).await?;
        if self.show.is_json() {
            return terminal.json(&WorkerView {
                runs: runs.iter().map(RunView::from).collect(),
                occurrences: occurrences.iter().map(OccurrenceView::from).collect(),
                ..WorkerView::new(&self.worker, &row, slot.as_ref())
            });
        }
        let now = store.now().await?;
        let clock = self.show.clock();
        terminal.print(&page(&self.worker, &row, slot.as_ref(), now, &clock))?;
        if !runs.is_empty() {
            terminal.print(&format!("\n{}", run_table(&clock, now, &runs).render()))?;
        }
        if !occurrences.is_empty() {
            terminal.print(&format!("\n{}", occurrence_table(&clock, &occurrences, &runs)))?;
        }
        Ok(())
    }
}

fn page(
    name: &WorkerName,
    row: &Worker,
    slot: Option<&Run>,
    now: Timestamp,
    clock: &WallClock,
) -> String {
    let mut facts = Facts::new();
    facts.add("worker", name.to_string());
    facts.add(
        "slot",
        slot.map_or_else(
            || String::from("free"),
            |run| format!("taken by run {}, which is {}", run.number, run.status_kind()),
        ),
    );
    match &row.schedule {
        None => facts.add("schedule", "none"),
        Some(schedule) => {
            let recurrence = &schedule.plan.recurrence;
            facts.add("schedule", format!("{} in {}", rule(recurrence), recurrence.zone()));
            facts.add("state", state(schedule, row.accounted_until, clock));
            if let Some(next) = schedule.next {
                let distance = WallClock::distance(now, next.at);
                facts.add("next", format!("{}, {distance}", clock.full(next.at)));
            }
        }
    }
    if let Some(settings) = &row.settings {
        facts.add("settings", serde_json::to_string(&settings.request).unwrap_or_default());
        facts.add("set", format!("{} by {}", clock.full(settings.changed_at), settings.changed_by));
    }
    facts.render()
}

/// Occurrences in columns: what became of each due instant, and why.
fn occurrence_table(clock: &WallClock, occurrences: &[Occurrence], runs: &[Run]) -> String {
    let mut table =
        Table::new([&clock.heading("DUE"), "FATE", "REASON", "RUN", "ATTEMPT", "RETRY"]);
    for occurrence in occurrences {
        let chain = occurrence.chain.as_ref();
        let reason = match &occurrence.fate {
            Fate::Skipped(reason) => reason.to_string(),
            Fate::CaughtUp => format!("for all since {}", clock.cell(occurrence.accounts_from)),
            Fate::Missed => String::from("it could only have started too late"),
            Fate::Enqueued => String::new(),
        };
        let run = chain.map(|chain| {
            let known = runs.iter().find(|run| run.id == chain.last_run);
            known.map_or_else(|| chain.last_run.to_string(), |run| run.number.to_string())
        });
        table.row([
            clock.cell(occurrence.scheduled_for).into(),
            match occurrence.fate {
                Fate::Enqueued | Fate::CaughtUp => occurrence.fate.as_str().into(),
                Fate::Skipped(_) | Fate::Missed => Cell::styled(occurrence.fate.as_str(), WARNING),
            },
            reason.into(),
            run.unwrap_or_default().into(),
            chain.map(|chain| chain.attempt.to_string()).unwrap_or_default().into(),
            match chain.map(|chain| &chain.retry) {
                None | Some(Retry::None) => String::new(),
                Some(Retry::Owed { .. }) => String::from("owed"),
                Some(Retry::Dropped { by, .. }) => format!("dropped by {by}"),
            }
            .into(),
        ]);
    }
    table.render()
}
