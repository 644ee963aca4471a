//! `cron`, `rrule` or `at`: when a schedule comes due.

use std::ops::Range;

use horarium_core::recurrence::{
    Dates, LocalTime, Recurrence, RecurrenceError, Rrule, RruleRule, Zone,
};
use horarium_core::words::Timestamp;
use toml::Spanned;
use toml::de::DeValue;

use super::page::Page;
use super::section::{Placed, Section, wrong_kind};

const INSTANT: &str = "2026-11-30T18:00:00+01:00";
const LOCAL_TIME: &str = "2026-01-01T09:00:00";

pub(super) fn read(section: &Section<'_>, default_zone: Option<&Zone>) -> Option<Recurrence> {
    let zone = zone(section, default_zone);
    let cron = section.text("cron", "\"30 2 * * *\"");
    let rrule = section.text("rrule", "\"FREQ=MONTHLY;BYDAY=-1SU\"");
    let start = local_time(section, "dtstart");
    let dates = Dates {
        rdate: local_times(section, "rdate").unwrap_or_default(),
        exdate: local_times(section, "exdate").unwrap_or_default(),
    };
    let once = instant(section, "at");
    let given = |key| section.value(key).map(|value| (key, value.span()));
    let mut languages = ["cron", "rrule", "at"].into_iter().filter_map(given);
    match (languages.next(), languages.next()) {
        (None, _) => {
            section.refuse(
                section.span(),
                format!(
                    "when? write `cron = \"30 2 * * *\"`, or `rrule` and `dtstart`, or \
                     `at = {INSTANT}` for once"
                ),
            );
            return None;
        }
        (Some((first, _)), Some((second, span))) => {
            section.refuse(
                span,
                format!("`{first}` and `{second}` exclude each other: keep one of them"),
            );
            return None;
        }
        (Some(_), None) => {}
    }
    if section.value("rrule").is_none() {
        for (key, span) in ["dtstart", "rdate", "exdate"].into_iter().filter_map(given) {
            section.refuse(span, format!("`{key}` belongs to `rrule`, and there is none"));
        }
    }
    if let Some(once) = once {
        return Some(Recurrence::once(once.value, zone?));
    }
    let (text, rule) = match (cron, rrule) {
        (Some(text), _) => {
            let rule = Recurrence::cron(text.value, zone?);
            (text, rule)
        }
        (None, Some(text)) => {
            if section.value("dtstart").is_none() {
                section.refuse(
                    text.span,
                    format!("from when? add the local time `dtstart = {LOCAL_TIME}`"),
                );
                return None;
            }
            let rule = rule(text.value, start?, zone?, dates);
            (text, rule)
        }
        (None, None) => return None,
    };
    rule.map_err(|error| section.refuse(place(section.page, &text, &error), error.to_string())).ok()
}

fn rule(
    text: &str,
    start: LocalTime,
    zone: Zone,
    dates: Dates,
) -> Result<Recurrence, RecurrenceError> {
    let rrule: Rrule = text.parse()?;
    RruleRule::new(rrule, start, zone, dates).map(Recurrence::Rrule)
}

fn zone(section: &Section<'_>, default_zone: Option<&Zone>) -> Option<Zone> {
    if section.value("timezone").is_some() {
        return section.zone("timezone");
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

/// The column inside the rule, where the file writes it plainly; else the whole of it.
fn place(page: &Page<'_>, rule: &Placed<&str>, error: &RecurrenceError) -> Range<usize> {
    let Some(column) = error.column() else { return rule.span.clone() };
    let written = page.written(&rule.span);
    let at = rule.span.start + column;
    let is_plain = written.get(1..written.len().max(1) - 1) == Some(rule.value);
    if is_plain && at < rule.span.end { at..at + 1 } else { rule.span.clone() }
}

/// An instant: a date and time with an offset, in quotes or without.
pub(super) fn instant(section: &Section<'_>, key: &'static str) -> Option<Placed<Timestamp>> {
    let value = section.value(key)?;
    let text = date_and_time(section, key, value, "an instant", INSTANT)?;
    let instant = section.parse(&text, value.span())?;
    Some(Placed { value: instant, span: value.span() })
}

/// A date and time without an offset, in quotes or without.
fn local_time(section: &Section<'_>, key: &'static str) -> Option<LocalTime> {
    let value = section.value(key)?;
    let text = date_and_time(section, key, value, "a local time", LOCAL_TIME)?;
    section.parse(&text, value.span())
}

fn local_times(section: &Section<'_>, key: &'static str) -> Option<Vec<LocalTime>> {
    let value = section.value(key)?;
    let DeValue::Array(values) = value.get_ref() else {
        wrong_kind(section.page, key, value, "a list of local times", &format!("[{LOCAL_TIME}]"));
        return None;
    };
    let times = values.iter().map(|value| {
        let text = date_and_time(section, key, value, "a local time", LOCAL_TIME)?;
        section.parse(&text, value.span())
    });
    // Every fault of the list is noted.
    let times: Vec<Option<LocalTime>> = times.collect();
    times.into_iter().collect()
}

fn date_and_time(
    section: &Section<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    needed: &str,
    example: &str,
) -> Option<String> {
    match value.get_ref() {
        DeValue::Datetime(datetime) => Some(datetime.to_string()),
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => {
            wrong_kind(section.page, key, value, needed, example);
            None
        }
    }
}
