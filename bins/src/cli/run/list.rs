//! `horarium run list`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use horarium_core::run::{Run, StatusKind, TriggerKind};
use horarium_core::store::{Reader, RunFilter};
use horarium_core::words::{Name, Timestamp, WorkerName};

use super::super::arguments::Show;
use super::super::clock::{WallClock, rough};
use super::super::contract::RunView;
use super::super::failure::Failure;
use super::super::table::Table;
use super::super::terminal::Terminal;
use super::status_cell;

/// Which runs.
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only of this worker
    #[arg(long, value_name = "WORKER")]
    worker: Option<WorkerName>,
    /// Only of this handler, whatever the instance
    #[arg(long, value_name = "HANDLER")]
    handler: Option<Name>,
    /// Only in this status. Can be repeated
    #[arg(long, value_name = "STATUS", ignore_case = true, value_parser = status_parser())]
    status: Vec<StatusKind>,
    /// Only with this trigger
    #[arg(long, value_name = "TRIGGER", ignore_case = true, value_parser = trigger_parser())]
    trigger: Option<TriggerKind>,
    /// Only those accepted at or after this instant
    #[arg(long, value_name = "RFC3339")]
    since: Option<Timestamp>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    #[command(flatten)]
    show: Show,
}

const STATUSES: [(&str, StatusKind); 6] = [
    ("queued", StatusKind::Queued),
    ("running", StatusKind::Running),
    ("success", StatusKind::Success),
    ("failed", StatusKind::Failed),
    ("interrupted", StatusKind::Interrupted),
    ("cancelled", StatusKind::Cancelled),
];

const TRIGGERS: [(&str, TriggerKind); 3] = [
    ("manual", TriggerKind::Manual),
    ("cli", TriggerKind::Cli),
    ("schedule", TriggerKind::Schedule),
];

fn status_parser() -> impl TypedValueParser<Value = StatusKind> {
    word_parser(STATUSES)
}

fn trigger_parser() -> impl TypedValueParser<Value = TriggerKind> {
    word_parser(TRIGGERS)
}

/// One of these words, in whatever case.
fn word_parser<T, const N: usize>(words: [(&'static str, T); N]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(words.map(|(word, _)| word)).try_map(move |text| {
        words
            .iter()
            .find(|(word, _)| word.eq_ignore_ascii_case(&text))
            .map(|(_, value)| *value)
            .ok_or_else(|| format!("`{text}` is none of the words"))
    })
}

impl List {
    pub(super) async fn act<S: Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let filter = RunFilter {
            worker: self.worker.clone(),
            handler: self.handler.clone(),
            statuses: self.status.clone(),
            trigger: self.trigger,
            since: self.since,
            before: None,
            limit: self.limit,
        };
        let runs = store.runs(&filter).await?;
        if self.show.is_json() {
            return terminal.json(&runs.iter().map(RunView::from).collect::<Vec<_>>());
        }
        let now = store.now().await?;
        let table = table(&self.show.clock(), now, &runs);
        terminal.table(&table, "no such runs")
    }
}

/// Runs in columns.
pub(in super::super) fn table(clock: &WallClock, now: Timestamp, runs: &[Run]) -> Table {
    let mut table = Table::new([
        "RUN",
        "WORKER",
        "STATUS",
        "TRIGGER",
        &clock.heading("ENQUEUED"),
        "TOOK",
        "RESULT",
    ]);
    for run in runs {
        table.row([
            run.number.to_string().into(),
            run.worker.to_string().into(),
            status_cell(run.status_kind()),
            trigger(run).into(),
            clock.cell(run.enqueued_at).into(),
            took(run, now).into(),
            result(run, clock, now).into(),
        ]);
    }
    table
}

fn trigger(run: &Run) -> String {
    let kind = run.trigger.kind().to_string();
    match run.trigger.scheduled() {
        Some(scheduled) if scheduled.attempt.get() > 1 => {
            format!("{kind} attempt {}", scheduled.attempt)
        }
        Some(_) | None => kind,
    }
}

/// From the start of its job to its end, or until now.
pub(super) fn took(run: &Run, now: Timestamp) -> String {
    let hold = run.hold().or_else(|| run.end().and_then(|end| end.hold.as_ref()));
    let Some(hold) = hold else { return String::new() };
    let start = hold.started.as_ref().map_or(hold.claimed_at, |started| started.at);
    rough(run.end().map_or(now, |end| end.at).since(start))
}

/// How it ended, or what it waits for.
fn result(run: &Run, clock: &WallClock, now: Timestamp) -> String {
    match run.status_kind() {
        StatusKind::Success => String::new(),
        StatusKind::Queued if run.not_before > now => {
            format!("not before {}", clock.cell(run.not_before))
        }
        StatusKind::Queued => String::from("waits for a runner"),
        StatusKind::Running if run.cancel.is_some() => String::from("is asked to end"),
        StatusKind::Running => run
            .hold()
            .and_then(|hold| hold.progress.as_ref())
            .map(ToString::to_string)
            .unwrap_or_default(),
        StatusKind::Failed | StatusKind::Interrupted | StatusKind::Cancelled => {
            run.end().map(|end| end.outcome.to_string()).unwrap_or_default()
        }
    }
}
