//! `[schedule."worker"]`: when a worker comes due.

use std::num::NonZeroU32;
use std::ops::Range;

use horarium_core::recurrence::{Recurrence, RecurrenceError, Zone};
use horarium_core::schedule::Plan;
use horarium_core::words::{Request, Timestamp};
use toml::Spanned;
use toml::de::DeValue;

use super::handler::retry;
use super::page::Page;
use super::request;
use super::section::{Placed, Section, wrong_kind};

const INSTANT: &str = "2026-11-30T18:00:00+01:00";

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
    let recurrence = recurrence(&section, default_zone);
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

fn recurrence(section: &Section<'_>, default_zone: Option<&Zone>) -> Option<Recurrence> {
    let zone = zone(section, default_zone);
    let cron = section.text("cron", "\"30 2 * * *\"");
    let once = instant(section, "at");
    match (cron, once) {
        (Some(_), Some(once)) => {
            section.refuse(once.span, "`cron` and `at` exclude each other: keep one of them");
            None
        }
        (Some(cron), None) => match Recurrence::cron(cron.value, zone?) {
            Ok(recurrence) => Some(recurrence),
            Err(error) => {
                section.refuse(place_in_cron(section.page, &cron, &error), error.to_string());
                None
            }
        },
        (None, Some(once)) => Some(Recurrence::once(once.value, zone?)),
        (None, None) => {
            if section.value("cron").is_none() && section.value("at").is_none() {
                section.refuse(
                    section.span(),
                    format!("when? write `cron = \"30 2 * * *\"`, or `at = {INSTANT}` for once"),
                );
            }
            None
        }
    }
}

fn zone(section: &Section<'_>, default_zone: Option<&Zone>) -> Option<Zone> {
    if section.value("timezone").is_some() {
        return section.parsed("timezone", "\"Europe/Berlin\"");
    }
    if default_zone.is_none() {
        section.refuse(
            section.span(),
            "in which time zone? write `timezone = \"Europe/Berlin\"`, or once, at the top of the \
             file, `default_timezone`",
        );
    }
    default_zone.cloned()
}

/// The column inside the expression, where the file writes it plainly; else the whole of it.
fn place_in_cron(page: &Page<'_>, cron: &Placed<&str>, error: &RecurrenceError) -> Range<usize> {
    let column = match error {
        RecurrenceError::Cron(error) => error.column,
        RecurrenceError::NeverFires(_)
        | RecurrenceError::Zone(_)
        | RecurrenceError::Instant(_)
        | RecurrenceError::Rrule(_)
        | RecurrenceError::LocalTime(_)
        | RecurrenceError::RruleNeverFires(_)
        | RecurrenceError::TooManyDates(_)
        | RecurrenceError::Ics(_) => return cron.span.clone(),
    };
    let written = page.written(&cron.span);
    let at = cron.span.start + column;
    let is_plain = written.get(1..written.len().max(1) - 1) == Some(cron.value);
    if is_plain && at < cron.span.end { at..at + 1 } else { cron.span.clone() }
}

/// An instant: a date and time with an offset, in quotes or without.
fn instant(section: &Section<'_>, key: &'static str) -> Option<Placed<Timestamp>> {
    let value = section.value(key)?;
    let text = match value.get_ref() {
        DeValue::Datetime(datetime) => datetime.to_string(),
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => {
            wrong_kind(section.page, key, value, "an instant", INSTANT);
            return None;
        }
    };
    let instant = section.parse(&text, value.span())?;
    Some(Placed { value: instant, span: value.span() })
}
