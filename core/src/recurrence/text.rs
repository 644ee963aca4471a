//! How a recurrence is written down.
//!
//! Promises: an object whose `kind` says the language, whose `timezone` is always there; reading
//! one validates it in the reader's zone data as if it were new, but for what its COUNT costs, since
//! it was saved; a field too many is refused.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    Dates, LocalTime, LocalTimeError, Recurrence, RecurrenceError, Rrule, RruleRule, ZoneData,
};

/// The language of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecurrenceKind {
    /// One instant.
    Once,
    /// crontab(5).
    Cron,
    /// RFC 5545.
    Rrule,
}

impl fmt::Display for RecurrenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Once => "once",
            Self::Cron => "cron",
            Self::Rrule => "rrule",
        })
    }
}

/// A recurrence as it is written down, not yet validated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
#[allow(missing_docs)] // each field is a part of the rule as typed
pub enum WrittenRecurrence {
    /// At one instant.
    Once { at: String, timezone: String },
    /// By crontab(5).
    Cron { expression: String, timezone: String },
    /// By RFC 5545.
    Rrule {
        rrule: String,
        dtstart: String,
        timezone: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rdate: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        exdate: Vec<String>,
    },
}

impl WrittenRecurrence {
    /// What it says, in these zone data.
    pub fn read(self, zones: &ZoneData) -> Result<Recurrence, RecurrenceError> {
        match self {
            Self::Once { at, timezone } => {
                Ok(Recurrence::once(at.parse()?, zones.zone(&timezone)?))
            }
            Self::Cron { expression, timezone } => {
                Recurrence::cron(&expression, zones.zone(&timezone)?)
            }
            Self::Rrule { rrule, dtstart, timezone, rdate, exdate } => {
                let times = |texts: Vec<String>| {
                    texts.iter().map(|text| text.parse()).collect::<Result<_, LocalTimeError>>()
                };
                let dates = Dates { rdate: times(rdate)?, exdate: times(exdate)? };
                let (rrule, dtstart, zone) =
                    (rrule.parse::<Rrule>()?, dtstart.parse()?, zones.zone(&timezone)?);
                Ok(Recurrence::Rrule(RruleRule::saved(rrule, dtstart, zone, dates)?))
            }
        }
    }
}

impl From<Recurrence> for WrittenRecurrence {
    fn from(recurrence: Recurrence) -> Self {
        let timezone = recurrence.zone().name().to_owned();
        let text = recurrence.text().into_owned();
        match recurrence {
            Recurrence::Once(_) => Self::Once { at: text, timezone },
            Recurrence::Cron(_) => Self::Cron { expression: text, timezone },
            Recurrence::Rrule(rule) => {
                let texts = |times: &[LocalTime]| times.iter().map(ToString::to_string).collect();
                Self::Rrule {
                    rrule: text,
                    dtstart: rule.dtstart().to_string(),
                    timezone,
                    rdate: texts(&rule.dates().rdate),
                    exdate: texts(&rule.dates().exdate),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Recurrence, String> {
        let written: WrittenRecurrence =
            serde_json::from_str(json).map_err(|error| error.to_string())?;
        written.read(&ZoneData::bundled()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_recurrence_reads_as_it_was_written() {
        for json in [
            r#"{"kind":"cron","expression":"0 2 * * *","timezone":"Europe/Berlin"}"#,
            r#"{"kind":"cron","expression":" @daily\t","timezone":"US/Pacific"}"#,
            r#"{"kind":"once","at":"2026-03-08T07:00:00Z","timezone":"UTC"}"#,
            r#"{"kind":"rrule","rrule":"FREQ=DAILY","dtstart":"2026-01-01T09:00","timezone":"Europe/Berlin"}"#,
            r#"{"kind":"rrule","rrule":"freq=daily;COUNT=3","dtstart":"2026-01-01T09:00:30","timezone":"UTC","rdate":["2026-02-01T00:00"],"exdate":["2026-01-02T09:00:30","2026-01-03T09:00:30"]}"#,
        ] {
            let recurrence = read(json).unwrap();
            assert_eq!(serde_json::to_string(&recurrence).unwrap(), json);
        }
    }

    #[test]
    fn an_invalid_recurrence_is_not_read() {
        for (json, why) in [
            (r#"{"kind":"cron","expression":"0 2 * *","timezone":"UTC"}"#, "four fields"),
            (r#"{"kind":"cron","expression":"0 2 * * *","timezone":"Mars/Base"}"#, "no zone"),
            (r#"{"kind":"cron","expression":"0 2 * * *"}"#, "zone left out"),
            (r#"{"kind":"cron","expression":"0 0 31 2 *","timezone":"UTC"}"#, "never"),
            (r#"{"kind":"once","at":"tomorrow","timezone":"UTC"}"#, "no instant"),
            (
                r#"{"kind":"once","at":"2026-03-08T07:00:00Z","timezone":"UTC","expression":"x"}"#,
                "a field too many",
            ),
            (r#"{"kind":"lunar","timezone":"UTC"}"#, "no such kind"),
            (r#"{"kind":"rrule","rrule":"FREQ=DAILY","timezone":"UTC"}"#, "no start"),
            (
                r#"{"kind":"rrule","rrule":"FREQ=DAILY","dtstart":"2026-01-01","timezone":"UTC"}"#,
                "a date for a start",
            ),
            (
                r#"{"kind":"rrule","rrule":"COUNT=3","dtstart":"2026-01-01T09:00","timezone":"UTC"}"#,
                "no frequency",
            ),
            (
                r#"{"kind":"rrule","rrule":"FREQ=DAILY","dtstart":"2026-01-01T09:00","timezone":"UTC","exdate":["never"]}"#,
                "no time to leave out",
            ),
        ] {
            assert!(read(json).is_err(), "{why}");
        }
    }
}
