//! `horarium schedule enable` and `horarium schedule disable`.

use clap::Args;
use horarium_core::ledger::Command;
use horarium_core::store::{Reader, Store};
use horarium_core::words::WorkerName;

use super::super::arguments::{Author, Format};
use super::super::failure::Failure;
use super::super::terminal::Terminal;
use super::{answer, change, row};

/// Whose schedule fires again.
#[derive(Debug, Args)]
pub(crate) struct Enable {
    #[command(flatten)]
    switch: Switch,
}

/// Whose schedule fires no more.
#[derive(Debug, Args)]
pub(crate) struct Disable {
    #[command(flatten)]
    switch: Switch,
}

#[derive(Debug, Args)]
struct Switch {
    /// Whose: `handler` or `handler:instance`
    worker: WorkerName,
    #[command(flatten)]
    author: Author,
    /// How to write the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

impl Enable {
    pub(super) async fn act<S: Store + Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let Switch { worker, author, output } = &self.switch;
        let seen = row(store, worker).await?.revision;
        let command = Command::EnableSchedule { worker: worker.clone(), seen, by: author.by() };
        let saved = change(store, &command).await?;
        answer(store, worker, &saved, "is enabled", *output, terminal).await
    }
}

impl Disable {
    pub(super) async fn act<S: Store + Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let Switch { worker, author, output } = &self.switch;
        let seen = row(store, worker).await?.revision;
        let command = Command::DisableSchedule { worker: worker.clone(), seen, by: author.by() };
        let saved = change(store, &command).await?;
        answer(store, worker, &saved, "is disabled", *output, terminal).await
    }
}
