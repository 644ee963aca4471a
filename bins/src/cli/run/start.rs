//! `horarium run start`.

use clap::Args;
use horarium_core::ledger::{Command, Reply, Wish};
use horarium_core::store::{Reader, RunRef, Store, StoreError};
use horarium_core::words::{RunId, Timestamp, WorkerName};

use super::super::arguments::{Author, RequestArguments, Show};
use super::super::contract::AcceptedView;
use super::super::failure::Failure;
use super::super::handler::check_request;
use super::super::runner::somebody_serves;
use super::super::submit::submit;
use super::super::terminal::Terminal;
use super::wait::wait;
use crate::daemon::fresh_run_id;

/// What is asked for.
#[derive(Debug, Args)]
pub(crate) struct Start {
    /// Whose slot it takes: `handler` or `handler:instance`
    worker: WorkerName,
    #[command(flatten)]
    request: RequestArguments,
    /// Never start before this instant
    #[arg(long, value_name = "RFC3339")]
    not_before: Option<Timestamp>,
    /// The run's id; with the same id, asking twice is asking once
    #[arg(long, value_name = "UUID")]
    id: Option<RunId>,
    /// Wait until it has ended; exit status 0 only if it ended SUCCESS
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    author: Author,
    #[command(flatten)]
    show: Show,
}

impl Start {
    pub(super) async fn act<S: Store + Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let request = self.request.request()?;
        check_request(store, &self.worker, &request).await?;
        let run = self.id.unwrap_or_else(fresh_run_id);
        let wish = Wish {
            run,
            worker: self.worker.clone(),
            request,
            not_before: self.not_before,
            by: self.author.by(),
        };
        let reply = submit(store, &Command::Enqueue(vec![wish])).await.inspect_err(|failure| {
            if let Failure::Store(StoreError::Unknown(_)) = failure {
                terminal.note(&format!("to ask again, add --id {run}"));
            }
        })?;
        let Reply::Enqueued(answers) = reply else { return Err(Failure::Answer) };
        let accepted = match answers.into_iter().next() {
            Some(Ok(accepted)) => accepted,
            Some(Err(refusal)) => return Err(Failure::Refused(refusal)),
            None => return Err(Failure::Answer),
        };
        if !somebody_serves(store, &self.worker.handler()).await? {
            terminal.warn(&format!(
                "no runner that serves `{}` is online: the run waits for one (`horarium up` starts one)",
                self.worker.handler()
            ));
        }
        if self.wait {
            return wait(store, RunRef::Id(run), None, &self.show, terminal).await;
        }
        if self.show.is_json() {
            return terminal.json(&AcceptedView {
                id: run.to_string(),
                number: accepted.number.0,
                worker: self.worker.to_string(),
                status: accepted.status.as_str(),
                existed: accepted.existed,
            });
        }
        let was = if accepted.existed { "was there already and is" } else { "is" };
        terminal.print(&format!(
            "run {} of {} {was} {} (id {run})\n",
            accepted.number, self.worker, accepted.status
        ))
    }
}
