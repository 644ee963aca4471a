//! `[schedule."worker"]`: when a worker comes due.

use std::num::NonZeroU32;

use horarium_core::recurrence::Zone;
use horarium_core::schedule::Plan;
use horarium_core::words::Request;
use toml::Spanned;
use toml::de::DeValue;

use super::handler::retry;
use super::page::Page;
use super::recurrence::{self, instant};
use super::request;
use super::section::Section;

/// A schedule as the file wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSchedule {
    /// When, and what each run is asked to do.
    pub plan: Plan,
    /// Whether it fires; when the file does not say, a pause that somebody ordered stays.
    pub enabled: Option<bool>,
}

pub(super) fn read(
    page: &Page<'_>,
    worker: &str,
    value: &Spanned<DeValue<'_>>,
    default_zone: Option<&Zone>,
) -> Option<FileSchedule> {
    let section = Section::of(page, worker, value, "[schedule.\"backup:nightly\"]")?;
    let recurrence = recurrence::read(&section, default_zone);
    let request = section.section("request", "{ preset = \"nightly\" }").map_or_else(
        Request::default,
        |table| {
            let request = request::read_with_preset(&table);
            table.finish();
            request
        },
    );
    let not_before = instant(&section, "not_before").map(|at| at.value);
    let until = instant(&section, "until").map(|at| at.value);
    let max_runs = section.integer("max_runs", 1, u32::MAX).and_then(NonZeroU32::new);
    let max_lateness = section.parsed("max_lateness", "\"1h\"");
    let retry = retry(&section);
    let enabled = section.boolean("enabled");
    section.finish();
    let recurrence = recurrence?;
    let plan = Plan { recurrence, request, not_before, until, max_runs, max_lateness, retry };
    Some(FileSchedule { plan, enabled })
}
