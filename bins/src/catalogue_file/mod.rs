//! The catalogue file: handlers that are commands, and schedules that go with them, in TOML.
//!
//! Promises: a file that is read is valid as a whole, its schedules against its handlers too; one
//! that is not is refused with every fault at its line and column, and then nothing of it is used.
//! `examples/catalogue.toml` shows every key.

mod handler;
mod json;
mod page;
mod recurrence;
mod request;
mod schedule;
mod section;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use horarium_core::catalogue::Definition;
use horarium_core::config::resolve;
use horarium_core::recurrence::Zone;
use horarium_core::words::{Name, WorkerName};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use self::json::span_at;
use self::page::Page;
use self::section::Section;
use crate::local_handler::LocalHandler;
use crate::option_schema::validate;

pub use page::Fault;
pub use schedule::FileSchedule;

/// A catalogue file that was read.
#[derive(Debug, Clone, Default)]
pub struct CatalogueFile {
    /// The handlers.
    pub handlers: BTreeMap<Name, LocalHandler>,
    /// The schedules.
    pub schedules: BTreeMap<WorkerName, FileSchedule>,
}

/// Why a file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueFileError {
    /// It cannot be read.
    #[error("catalogue file {} cannot be read ({source}): correct the path or its permissions", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It holds something wrong.
    #[error("{}", Listed(.0))]
    Faulty(Vec<Fault>),
}

/// All faults, one below the other.
struct Listed<'a>(&'a [Fault]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{fault}")?;
        }
        Ok(())
    }
}

impl CatalogueFile {
    /// Reads the file at `path`. A schedule without a zone takes the file's `default_timezone`, or
    /// else `default_zone`.
    pub fn read(path: &Path, default_zone: Option<&Zone>) -> Result<Self, CatalogueFileError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| CatalogueFileError::Unreadable { path: path.to_owned(), source })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&path.display().to_string(), folder, &text, default_zone)
            .map_err(CatalogueFileError::Faulty)
    }

    /// Reads `text`, whose relative directories start at `folder`. `name` is how messages call it.
    pub fn parse(
        name: &str,
        folder: &Path,
        text: &str,
        default_zone: Option<&Zone>,
    ) -> Result<Self, Vec<Fault>> {
        let page = Page::new(name, text);
        let (document, errors) = DeTable::parse_recoverable(text);
        // One slip makes the parser stumble over much of what follows: only the first is shown.
        if let Some(error) = errors.first() {
            let end = text.len();
            page.refuse(error.span().unwrap_or(end..end), format!("TOML: {}", error.message()));
        }
        let file = if errors.is_empty() {
            read_document(&page, folder, &document, default_zone)
        } else {
            Self::default()
        };
        if page.faults_found() > 0 { Err(page.into_faults()) } else { Ok(file) }
    }

    /// The definitions, as they are published.
    pub fn definitions(&self) -> Vec<Definition> {
        self.handlers.values().map(|handler| handler.definition.clone()).collect()
    }
}

fn read_document<'t>(
    page: &'t Page<'t>,
    folder: &Path,
    document: &'t Spanned<DeTable<'t>>,
    default_zone: Option<&Zone>,
) -> CatalogueFile {
    let mut file = CatalogueFile::default();
    let root = Section::new(page, document.get_ref(), document.span());
    let own_zone = root.zone("default_timezone");
    let default_zone = own_zone.as_ref().or(default_zone);
    if let Some(handlers) = root.section("handler", "[handler.backup]") {
        for (key, value) in handlers.entries() {
            if let Some(name) = root.parse::<Name>(key.get_ref(), key.span())
                && let Some(handler) = handler::read(page, folder, name.clone(), value)
            {
                file.handlers.insert(name, handler);
            }
        }
    }
    if let Some(schedules) = root.section("schedule", "[schedule.\"backup:nightly\"]") {
        for (key, value) in schedules.entries() {
            if let Some(worker) = root.parse::<WorkerName>(key.get_ref(), key.span())
                && let Some(schedule) = schedule::read(page, worker.as_str(), value, default_zone)
            {
                check_request(page, &file, &worker, &schedule, value);
                file.schedules.insert(worker, schedule);
            }
        }
    }
    root.finish();
    file
}

/// Checks what a schedule asks for against the handler that the same file defines. Another
/// handler's is checked by the store, where the schedule is saved.
fn check_request(
    page: &Page<'_>,
    file: &CatalogueFile,
    worker: &WorkerName,
    schedule: &FileSchedule,
    value: &Spanned<DeValue<'_>>,
) {
    let Some(handler) = file.handlers.get(&worker.handler()).filter(|_| page.faults_found() == 0)
    else {
        return;
    };
    match resolve(&handler.definition, &schedule.plan.request, None) {
        Err(error) => page.refuse(span_at(value, "/request"), error.to_string()),
        Ok(config) => {
            for fault in validate(&handler.definition, &config).err().unwrap_or_default() {
                let place = format!("/request/{}{}", fault.field, fault.pointer);
                page.refuse(span_at(value, &place), fault.to_string());
            }
        }
    }
}
