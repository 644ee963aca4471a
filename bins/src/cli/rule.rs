//! A rule as it was typed.
//!
//! Promise: what is wrong with it is shown below it, at its place.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use horarium_core::recurrence::{LocalTime, Recurrence, RecurrenceError, Zone};

use super::failure::Failure;
use crate::zone_data;

/// More than any rule's lines have, so that a wrong file is not read to its end.
const LONGEST_FILE: u64 = 128 * 1024;

/// A rule in one of its languages. A verb says which of `cron`, `rrule` and `ics` it needs.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct RuleArguments {
    /// By this rule: minute, hour, day-of-month, month and day-of-week, or @daily and its like
    #[arg(long, value_name = "EXPR")]
    cron: Option<String>,
    /// By this RRULE of RFC 5545, like 'FREQ=MONTHLY;BYDAY=-1SU'
    #[arg(long, value_name = "RULE", requires = "dtstart")]
    rrule: Option<String>,
    /// The local time at which the RRULE starts, like 2026-01-01T09:00
    #[arg(long, value_name = "LOCAL")]
    dtstart: Option<LocalTime>,
    /// By the iCalendar lines DTSTART, RRULE, RDATE and EXDATE of a file (`-`: standard input)
    #[arg(long, value_name = "FILE")]
    ics: Option<PathBuf>,
    /// The time zone in which the rule is read; iCalendar lines have their own
    #[arg(long, env = "HORARIUM_TIMEZONE", value_name = "ZONE", value_parser = crate::zone_data::zone)]
    pub(super) tz: Option<Zone>,
}

impl RuleArguments {
    /// The rule, if one is given, or what is wrong with it and where.
    pub(super) fn recurrence(&self) -> Result<Option<Recurrence>, Failure> {
        let refused = |text, error| Failure::Usage(format!("{error}{}", pointed(text, &error)));
        if self.dtstart.is_some() && self.rrule.is_none() {
            return Err(Failure::Usage(String::from(
                "--dtstart is the start of an --rrule: drop it",
            )));
        }
        if let Some(cron) = &self.cron {
            let rule = Recurrence::cron(cron, self.zone()?);
            return rule.map(Some).map_err(|error| refused(cron, error));
        }
        if let (Some(rrule), Some(dtstart)) = (&self.rrule, self.dtstart) {
            let rule = Recurrence::rrule(rrule, dtstart, self.zone()?);
            return rule.map(Some).map_err(|error| refused(rrule, error));
        }
        if let Some(file) = &self.ics {
            let rule = Recurrence::ics(&lines(file)?, zone_data::in_force().data());
            return rule
                .map(Some)
                .map_err(|error| Failure::Usage(format!("--ics: {}: {error}", file.display())));
        }
        Ok(None)
    }

    fn zone(&self) -> Result<Zone, Failure> {
        self.tz.clone().ok_or_else(|| {
            Failure::Usage(String::from(
                "in which time zone? write --tz Europe/Berlin, or set HORARIUM_TIMEZONE once and \
                 for all",
            ))
        })
    }
}

/// The text of a file, or of standard input.
fn lines(file: &Path) -> Result<String, Failure> {
    let read = |source: &mut dyn Read| {
        let mut text = String::new();
        source.take(LONGEST_FILE).read_to_string(&mut text).map(|_| text)
    };
    let text = if file == Path::new("-") {
        read(&mut io::stdin().lock())
    } else {
        File::open(file).and_then(|mut file| read(&mut file))
    };
    text.map_err(|error| {
        Failure::Usage(format!("--ics: {} cannot be read: {error}", file.display()))
    })
}

/// The text with a mark below the column at fault.
fn pointed(text: &str, error: &RecurrenceError) -> String {
    let Some(column) = error.column() else { return String::new() };
    match text.get(..column - 1) {
        Some(before) if text.len() <= 256 && !text.contains(char::is_control) => {
            let width = unicode_width::UnicodeWidthStr::width(before);
            format!("\n  {text}\n  {}^", " ".repeat(width))
        }
        Some(_) | None => String::new(),
    }
}
