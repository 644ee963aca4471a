//! The rows that a story leaves.

use horarium_core::ledger::{Rows, Runner};
use horarium_core::run::{Hold, Run, RunStatus, Word};

use super::{Names, outcome, progress, request};

impl Names {
    pub(in super::super) fn rows(&self, rows: &Rows) -> Vec<String> {
        let mut runs: Vec<&Run> = rows.runs.values().collect();
        runs.sort_by_key(|run| run.number);
        let mut lines: Vec<String> = runs.into_iter().map(|run| self.run_row(run)).collect();
        lines.extend(rows.occurrences.values().map(|occurrence| self.occurrence(occurrence)));
        for (name, worker) in &rows.workers {
            if let Some(schedule) = &worker.schedule {
                lines.push(format!("schedule of {name}: {}", self.schedule(schedule)));
            }
            if let Some(settings) = &worker.settings {
                let request = request(&settings.request);
                lines.push(format!("settings of {name}{request}: r{}", settings.revision));
            }
        }
        lines.extend(rows.runners.values().filter_map(|runner| self.stopped(runner)));
        lines
    }

    fn run_row(&self, run: &Run) -> String {
        let trigger = self.trigger(&run.trigger);
        let held = |hold: &Hold| format!("{} under {:?}", self.runner(hold.runner), hold.fence);
        let status = match &run.status {
            RunStatus::Queued if run.not_before > self.today => {
                format!("QUEUED, not before {}", self.at(run.not_before))
            }
            RunStatus::Queued => String::from("QUEUED"),
            RunStatus::Running(hold) => format!("RUNNING on {}", held(hold)),
            RunStatus::Ended(end) => {
                let held = end.hold.as_ref().map_or_else(
                    || String::from("never held"),
                    |hold| match end.word {
                        Word::Runner => format!("says {}", held(hold)),
                        Word::Store => format!("held by {}", held(hold)),
                    },
                );
                format!("{}; {held}", outcome(&end.outcome))
            }
        };
        let units = run
            .units
            .map_or_else(String::new, |units| format!("; {}", progress(Some(units), None)));
        format!("{} {} ({trigger}) {status}{units}", run.number, run.worker)
    }

    fn stopped(&self, runner: &Runner) -> Option<String> {
        let at = runner.stopped_at?;
        Some(format!(
            "runner {} stopped at {}",
            self.runner(runner.registration.runner),
            self.at(at)
        ))
    }
}
