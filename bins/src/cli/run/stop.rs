//! `horarium run cancel` and `horarium run release`.

use clap::Args;
use horarium_core::ledger::reply::Cancelling;
use horarium_core::ledger::{Command, Reply};
use horarium_core::store::{Reader, RunRef, Store};

use super::super::arguments::{Author, Format, run_ref};
use super::super::contract::StoppingView;
use super::super::failure::Failure;
use super::super::submit::submit;
use super::super::terminal::Terminal;
use super::find;

/// Which run is to end.
#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The run: its number, like 12, or its id
    #[arg(value_parser = run_ref)]
    run: RunRef,
    #[command(flatten)]
    author: Author,
    /// How to write the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

impl Cancel {
    pub(super) async fn act<S: Store + Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let run = find(store, self.run).await?;
        let command = Command::Cancel { run: run.id, by: self.author.by() };
        let Reply::Cancelling(cancelling) = submit(store, &command).await? else {
            return Err(Failure::Answer);
        };
        let (result, status, words) = match cancelling {
            Cancelling::Cancelled => ("cancelled", None, String::from("is cancelled")),
            Cancelling::Requested => {
                ("requested", None, String::from("is asked to end; its runner will stop the job"))
            }
            Cancelling::RetryDropped => {
                let words = "had ended; the retry that was owed is dropped";
                ("retry_dropped", None, String::from(words))
            }
            Cancelling::AlreadyEnded(status) => (
                "already_ended",
                Some(status.as_str()),
                format!("had already ended {status}; nothing to do"),
            ),
        };
        if self.output.is_json() {
            return terminal.json(&StoppingView { id: run.id.to_string(), result, status });
        }
        terminal.print(&format!("run {} of {} {words}\n", run.number, run.worker))
    }
}

/// Which run's slot is to be freed.
#[derive(Debug, Args)]
pub(crate) struct Release {
    /// The run: its number, like 12, or its id
    #[arg(value_parser = run_ref)]
    run: RunRef,
    /// You are sure that its job is gone
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    author: Author,
    /// How to write the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

impl Release {
    pub(super) async fn act<S: Store + Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let run = find(store, self.run).await?;
        let command = Command::Release { run: run.id, force: self.force, by: self.author.by() };
        let Reply::Released = submit(store, &command).await? else {
            return Err(Failure::Answer);
        };
        if self.output.is_json() {
            let id = run.id.to_string();
            return terminal.json(&StoppingView { id, result: "released", status: None });
        }
        terminal.print(&format!(
            "run {} of {} is released; it is not retried\n",
            run.number, run.worker
        ))
    }
}
