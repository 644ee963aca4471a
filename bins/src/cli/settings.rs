//! `horarium settings`: an operator's defaults for one worker.

use clap::{Args, Subcommand};
use horarium_core::ledger::{Command, Reply};
use horarium_core::schedule::Revision;
use horarium_core::store::{Reader, Store};
use horarium_core::words::{Request, WorkerName};

use super::arguments::{Author, RequestArguments, Show};
use super::contract::WorkerView;
use super::failure::Failure;
use super::handler::check_settings;
use super::submit::submit;
use super::terminal::Terminal;

/// What can be done with settings.
#[derive(Debug, Subcommand)]
pub(crate) enum SettingsVerb {
    /// Save a worker's settings; what is there already is replaced as a whole
    #[command(after_help = "\
Settings fill what a request leaves open, before the handler's own defaults. They never change a
request that was accepted.

Example:
  horarium settings set backup --option level=9 --reason 'the disks are full'")]
    Set(Set),
    /// Show a worker's settings
    Show(ShowSettings),
    /// Remove a worker's settings
    Clear(Clear),
}

/// What the settings shall be.
#[derive(Debug, Args)]
pub(crate) struct Set {
    /// Whose: `handler` or `handler:instance`
    worker: WorkerName,
    #[command(flatten)]
    request: RequestArguments,
    #[command(flatten)]
    author: Author,
}

/// Whose settings.
#[derive(Debug, Args)]
pub(crate) struct ShowSettings {
    /// Whose: `handler` or `handler:instance`
    worker: WorkerName,
    #[command(flatten)]
    show: Show,
}

/// Whose settings go.
#[derive(Debug, Args)]
pub(crate) struct Clear {
    /// Whose: `handler` or `handler:instance`
    worker: WorkerName,
    #[command(flatten)]
    author: Author,
}

impl SettingsVerb {
    pub(super) async fn act<S: Store + Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        match self {
            Self::Set(Set { worker, request, author }) => {
                let settings = request.request()?;
                if settings.is_empty() {
                    return Err(Failure::Usage(format!(
                        "no setting is given: name one, or write `horarium settings clear {worker}`"
                    )));
                }
                check_settings(store, worker, &settings).await?;
                put(store, worker, settings, author).await?;
                terminal.print(&format!("the settings of {worker} are saved\n"))
            }
            Self::Show(ShowSettings { worker, show }) => {
                let row = store.worker(worker).await?;
                let (row, slot) = row.ok_or_else(|| Failure::NoSuchWorker(worker.clone()))?;
                let view = WorkerView::new(worker, &row, slot.as_ref()).settings;
                if show.is_json() {
                    return terminal.json(&view);
                }
                match view {
                    None => terminal.print(&format!("{worker} has no settings\n")),
                    Some(view) => terminal.json(&view.request),
                }
            }
            Self::Clear(Clear { worker, author }) => {
                put(store, worker, Request::default(), author).await?;
                terminal.print(&format!("{worker} has no settings any more\n"))
            }
        }
    }
}

async fn put<S: Store + Reader>(
    store: &S,
    worker: &WorkerName,
    settings: Request,
    author: &Author,
) -> Result<(), Failure> {
    let seen = store
        .worker(worker)
        .await?
        .and_then(|(row, _)| row.settings)
        .map_or(Revision::NONE, |settings| settings.revision);
    let command = Command::PutSettings { worker: worker.clone(), seen, settings, by: author.by() };
    let Reply::SettingsSaved { .. } = submit(store, &command).await? else {
        return Err(Failure::Answer);
    };
    Ok(())
}
