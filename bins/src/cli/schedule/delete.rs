//! `horarium schedule delete`.

use clap::Args;
use horarium_core::ledger::{Command, Refusal, Reply};
use horarium_core::store::{Reader, Store};
use horarium_core::words::WorkerName;

use super::super::arguments::{Author, Format};
use super::super::contract::ScheduleChangeView;
use super::super::failure::Failure;
use super::super::submit::submit;
use super::super::terminal::Terminal;
use super::{row, say_owed};

/// Whose schedule goes.
#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// Whose: `handler` or `handler:instance`
    worker: WorkerName,
    #[command(flatten)]
    author: Author,
    /// How to write the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

impl Delete {
    pub(super) async fn act<S: Store + Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let worker = &self.worker;
        let seen = row(store, worker).await?.revision;
        let command =
            Command::DeleteSchedule { worker: worker.clone(), seen, by: self.author.by() };
        let Reply::ScheduleDeleted { existed, retry_owed } = submit(store, &command).await? else {
            return Err(Failure::Answer);
        };
        if !existed {
            return Err(Failure::Refused(Refusal::NoSchedule { worker: worker.clone() }));
        }
        if self.output.is_json() {
            return terminal.json(&ScheduleChangeView {
                worker: worker.to_string(),
                changed: existed,
                revision: None,
                timezone: None,
                in_words: None,
                advice: Vec::new(),
                next: Vec::new(),
                exhausted: None,
                retry_owed: retry_owed.map(|run| run.to_string()),
            });
        }
        terminal.print(&format!("the schedule of {worker} is deleted\n"))?;
        say_owed(retry_owed, terminal);
        Ok(())
    }
}
