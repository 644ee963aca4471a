//! `horarium explain`: why a worker does not run, or what became of an instant.

use clap::Args;
use horarium_core::explain::{Scene, Standing, explain, explain_at};
use horarium_core::run::StatusKind;
use horarium_core::store::{Reader, RunFilter};
use horarium_core::words::{Timestamp, WorkerName};

use super::arguments::Show;
use super::contract::{ExplanationView, FindingView, OccurrenceView};
use super::failure::Failure;
use super::table::{Cell, Table};
use super::terminal::{ACTIVE, ERROR, GOOD, Terminal};

/// So many of the worker's last occurrences are looked through.
const MOST_OCCURRENCES: u32 = 10_000;
/// So many running runs are counted to see which runners are full.
const MOST_RUNNING: u32 = 10_000;

/// What to explain.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Whose run: `handler` or `handler:instance`
    worker: WorkerName,
    /// What became of this instant; without it, why no run starts now
    #[arg(long, value_name = "RFC3339")]
    at: Option<Timestamp>,
    #[command(flatten)]
    show: Show,
}

impl Explain {
    pub(super) async fn act<S: Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let known = store.worker(&self.worker).await?;
        let (row, slot) = known.map_or((None, None), |(row, slot)| (Some(row), slot));
        let occurrences = store.occurrences(&self.worker, MOST_OCCURRENCES).await?;
        let running = RunFilter {
            statuses: vec![StatusKind::Running],
            limit: MOST_RUNNING,
            ..RunFilter::default()
        };
        let held = store.runs(&running).await?;
        let (runners, leadership) = (store.runners().await?, store.leadership().await?);
        let scene = Scene {
            now: store.now().await?,
            worker: &self.worker,
            row: row.as_ref(),
            slot: slot.as_ref(),
            occurrences: &occurrences,
            runners: &runners,
            held: &held,
            leadership: leadership.as_ref(),
        };
        match self.at {
            None => self.now(&scene, terminal),
            Some(instant) => self.past(&scene, instant, terminal),
        }
    }

    fn now(&self, scene: &Scene<'_>, terminal: Terminal) -> Result<(), Failure> {
        let findings = explain(scene);
        if self.show.is_json() {
            return terminal.json(&ExplanationView {
                worker: self.worker.to_string(),
                at: scene.now,
                findings: findings.iter().map(FindingView::from).collect(),
                occurrence: None,
                answer: None,
            });
        }
        let mut table = Table::new(["", "WHAT HAS TO BE TRUE", "WHAT TO DO"]);
        for finding in findings {
            let sign = match finding.standing() {
                Standing::Holds => Cell::styled("ok", GOOD),
                Standing::Waits => Cell::styled("wait", ACTIVE),
                Standing::Fails => Cell::styled("no", ERROR),
            };
            table.row([
                sign,
                finding.to_string().into(),
                finding.remedy().unwrap_or_default().into(),
            ]);
        }
        terminal.print(&table.render())
    }

    fn past(
        &self,
        scene: &Scene<'_>,
        instant: Timestamp,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let answer = explain_at(scene, instant);
        if self.show.is_json() {
            return terminal.json(&ExplanationView {
                worker: self.worker.to_string(),
                at: instant,
                findings: Vec::new(),
                occurrence: answer.occurrence().map(OccurrenceView::from),
                answer: Some(answer.to_string()),
            });
        }
        terminal.print(&format!("{instant}: {answer}\n"))
    }
}
