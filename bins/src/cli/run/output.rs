//! `horarium run output`.

use clap::Args;
use horarium_core::store::{Reader, RunRef};

use super::super::arguments::run_ref;
use super::super::failure::Failure;
use super::super::terminal::Terminal;
use super::find;

/// Whose output.
#[derive(Debug, Args)]
pub(crate) struct OutputOf {
    /// The run: its number, like 12, or its id
    #[arg(value_parser = run_ref)]
    run: RunRef,
    /// What it wrote to standard error instead of standard output
    #[arg(long)]
    stderr: bool,
}

impl OutputOf {
    pub(super) async fn act<S: Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let run = find(store, self.run).await?;
        let Some(end) = run.end() else {
            return Err(Failure::Failed(format!(
                "run {} is {}: what it prints is kept when it has ended",
                run.number,
                run.status_kind()
            )));
        };
        let tail = if self.stderr { &end.output.stderr } else { &end.output.stdout };
        if tail.dropped > 0 {
            terminal.warn(&format!(
                "{} bytes before this were not kept; `output_limit` in the catalogue says how many are",
                tail.dropped
            ));
        }
        terminal.bytes(&tail.bytes)
    }
}
