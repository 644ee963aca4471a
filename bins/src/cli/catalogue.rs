//! `horarium catalogue`: what is known of each handler.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use horarium_core::catalogue::{Execution, Published};
use horarium_core::recurrence::Zone;
use horarium_core::store::{Reader, Store};
use horarium_core::words::{Name, Timestamp, WorkerName};

use super::arguments::{Author, Format, Show};
use super::contract::{AppliedScheduleView, AppliedView, HandlerView};
use super::failure::Failure;
use super::handler::newest;
use super::table::{Facts, Table};
use super::terminal::Terminal;
use crate::catalogue_file::CatalogueFile;
use crate::daemon::declare;
use crate::store_location::Opening;

/// What can be done with the catalogue.
#[derive(Debug, Subcommand)]
pub(crate) enum CatalogueVerb {
    /// Check a catalogue file and make its handlers and schedules known
    #[command(after_help = "\
A runner makes its own handlers known when it starts; this does it by hand, for example to save
schedules before there is a runner. What the file says of a worker's schedule replaces what was
there; what it does not name stays. A store that is missing is made.

Examples:
  horarium catalogue apply horarium.toml
  horarium catalogue apply horarium.toml --check   # only look, no store needed")]
    Apply(Apply),
    /// Show all handlers, or one of them with its options
    Show(ShowCatalogue),
}

/// Which file.
#[derive(Debug, Args)]
pub(crate) struct Apply {
    /// The catalogue file
    file: PathBuf,
    /// Read and check the file, and change nothing
    #[arg(long)]
    pub(super) check: bool,
    /// The time zone of schedules that name none, if the file has no `default_timezone`
    #[arg(long, env = "HORARIUM_TIMEZONE", value_name = "ZONE", value_parser = crate::zone_data::zone)]
    tz: Option<Zone>,
    #[command(flatten)]
    author: Author,
    /// How to write the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

/// Which handler.
#[derive(Debug, Args)]
pub(crate) struct ShowCatalogue {
    /// One handler; all when not given
    handler: Option<Name>,
    #[command(flatten)]
    show: Show,
}

impl CatalogueVerb {
    pub(super) fn opening(&self) -> Opening {
        match self {
            Self::Apply(_) => Opening::Create,
            Self::Show(_) => Opening::Existing,
        }
    }

    pub(super) async fn act<S: Store + Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        match self {
            Self::Apply(verb) => verb.apply(store, terminal).await,
            Self::Show(verb) => verb.act(store, terminal).await,
        }
    }
}

impl Apply {
    /// Reads the file: before the store is opened, so that a faulty one makes none.
    pub(super) fn read(&self) -> Result<CatalogueFile, Failure> {
        Ok(CatalogueFile::read(&self.file, self.tz.as_ref())?)
    }

    /// Answers a check.
    pub(super) fn checked(&self, terminal: Terminal) -> Result<(), Failure> {
        let file = self.read()?;
        let schedules = file.schedules.keys().map(|worker| (worker.to_string(), None)).collect();
        self.answer(&file, schedules, "is valid and has", terminal)
    }

    async fn apply<S: Store + Reader>(&self, store: &S, terminal: Terminal) -> Result<(), Failure> {
        let file = self.read()?;
        // Before anything is saved: each schedule needs a handler, here or in the store.
        for worker in file.schedules.keys().map(WorkerName::handler) {
            if !file.handlers.contains_key(&worker) {
                newest(store, &worker).await?;
            }
        }
        let next = declare(store, &file, &self.author.by()).await?;
        let schedules = next.into_iter().map(|(worker, at)| (worker.to_string(), at)).collect();
        self.answer(&file, schedules, "is applied:", terminal)
    }

    fn answer(
        &self,
        file: &CatalogueFile,
        schedules: Vec<(String, Option<Timestamp>)>,
        done: &str,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let handlers: Vec<String> = file.handlers.keys().map(ToString::to_string).collect();
        if self.output == Format::Json {
            let schedules = schedules
                .into_iter()
                .map(|(worker, next_run_at)| AppliedScheduleView { worker, next_run_at })
                .collect();
            return terminal.json(&AppliedView { handlers, schedules });
        }
        let (file, counts) = (self.file.display(), (handlers.len(), schedules.len()));
        let mut lines = vec![format!(
            "{file} {done} {}, {}",
            counted(counts.0, "handler"),
            counted(counts.1, "schedule")
        )];
        lines.extend(handlers.iter().map(|handler| format!("handler   {handler}")));
        lines.extend(schedules.iter().map(|(worker, next)| match next {
            Some(at) => format!("schedule  {worker}: next at {at}"),
            None => format!("schedule  {worker}"),
        }));
        terminal.print(&(lines.join("\n") + "\n"))
    }
}

/// `1 handler`, `2 handlers`.
fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

impl ShowCatalogue {
    async fn act<S: Reader>(&self, store: &S, terminal: Terminal) -> Result<(), Failure> {
        if let Some(handler) = &self.handler {
            let entry = newest(store, handler).await?;
            return if self.show.is_json() {
                terminal.json(&HandlerView::from(&entry))
            } else {
                terminal.print(&self.page(&entry))
            };
        }
        let mut newest: Vec<Published> = Vec::new();
        for entry in store.catalogue().await? {
            match newest
                .iter_mut()
                .find(|other| other.definition.handler == entry.definition.handler)
            {
                Some(other) if other.recency() < entry.recency() => *other = entry,
                Some(_) => {}
                None => newest.push(entry),
            }
        }
        if self.show.is_json() {
            return terminal.json(&newest.iter().map(HandlerView::from).collect::<Vec<_>>());
        }
        let clock = self.show.clock();
        let mut table = Table::new([
            "HANDLER",
            "VERSION",
            "DESCRIPTION",
            "TIMEOUT",
            &clock.heading("PUBLISHED"),
        ]);
        for entry in &newest {
            let definition = &entry.definition;
            table.row([
                definition.handler.to_string().into(),
                definition.version.to_string().into(),
                definition.description.clone().into(),
                definition.timeout.to_string().into(),
                clock.cell(entry.at).into(),
            ]);
        }
        terminal.table(&table, "no handler is known: `horarium catalogue apply FILE` makes them so")
    }

    fn page(&self, entry: &Published) -> String {
        let definition = &entry.definition;
        let names =
            |names: Vec<&Name>| names.into_iter().map(Name::as_str).collect::<Vec<_>>().join(", ");
        let mut facts = Facts::new();
        facts.add("handler", definition.handler.to_string());
        facts.add("description", definition.description.clone());
        match &definition.execution {
            Execution::Command { argv, directory } => {
                facts.add("command", serde_json::to_string(argv).unwrap_or_default());
                facts.add("directory", directory.clone().unwrap_or_default());
            }
            Execution::Rust => facts.add("code", "in the program that runs it"),
        }
        facts.add("timeout", definition.timeout.to_string());
        facts.add("stop grace", definition.stop_grace.to_string());
        facts.add(
            "retry",
            format!(
                "at most {} attempts, {} from {}",
                definition.retry.max_attempts, definition.retry.backoff, definition.retry.base
            ),
        );
        facts.add("engines", names(definition.engines.keys().collect()));
        facts.add("presets", names(definition.presets.keys().collect()));
        if !definition.defaults.is_empty() {
            facts.add("defaults", serde_json::to_string(&definition.defaults).unwrap_or_default());
        }
        facts.add("version", definition.version.to_string());
        facts.add("published", self.show.clock().full(entry.at));
        facts.add("by", entry.by.as_ref().map(ToString::to_string).unwrap_or_default());
        facts.add("hash", entry.hash.to_string());
        let mut page = facts.render();
        if let Some(schema) = &definition.options {
            page.push_str("\noptions, as JSON Schema:\n");
            page.push_str(&serde_json::to_string_pretty(schema).unwrap_or_default());
            page.push('\n');
        }
        page
    }
}
