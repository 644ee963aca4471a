//! A rule as iCalendar lines.
//!
//! Promises: DTSTART, RRULE, RDATE and EXDATE and nothing else, folded or not (RFC 5545, 3.1);
//! every time is local to DTSTART's TZID, or, with a DTSTART in UTC, in UTC; what does not pass is
//! refused with its line.

use super::error::RruleError;
use super::local_time::{LocalTime, LocalTimeError};
use super::{Dates, Rrule};
use crate::recurrence::{Zone, ZoneData, ZoneError};

/// The most bytes of all lines.
const MAX_BYTES: usize = 65_536;

/// What the lines say.
pub(super) struct Lines {
    pub(super) rrule: Rrule,
    pub(super) dtstart: LocalTime,
    pub(super) zone: Zone,
    pub(super) dates: Dates,
}

/// Refused lines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct IcsError {
    /// The line at fault, from 1; of a folded one the first.
    pub line: usize,
    /// What is wrong with it, and what to write.
    pub problem: IcsProblem,
}

/// What is wrong with a line. In every variant `found` is the part at fault as typed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the message of each variant is its documentation
pub enum IcsProblem {
    #[error("the lines have {bytes} bytes, more than 65536: give the rule's own lines alone")]
    TooLong { bytes: usize },
    #[error("a line that begins with a blank continues the one before it, and there is none")]
    NothingToContinue,
    #[error("`{found}` is no line of a rule: write NAME:VALUE, like RRULE:FREQ=DAILY")]
    NoLine { found: String },
    #[error(
        "`{found}` does not belong here: give the lines DTSTART, RRULE, RDATE and EXDATE alone"
    )]
    UnknownProperty { found: String },
    #[error("{property} is given a second time: one schedule has one of it")]
    SecondTime { property: &'static str },
    #[error("`{found}` cannot stand here: write TZID alone, and times with date and time of day")]
    UnknownParameter { found: String },
    #[error(
        "DTSTART has no zone: write it like DTSTART;TZID=Europe/Berlin:20260101T090000, or in UTC \
         with a Z at its end"
    )]
    NoZone,
    #[error("a time in UTC has no TZID: drop one of them")]
    ZoneAndUtc,
    #[error("the times of a line are all local or all in UTC: write them alike")]
    Mixed,
    #[error(
        "this line is in {found}, DTSTART is in {start}: write all times as DTSTART is written"
    )]
    OtherZone { found: String, start: String },
    #[error("DTSTART is missing: write it like DTSTART;TZID=Europe/Berlin:20260101T090000")]
    NoStart,
    #[error("RRULE is missing: write it like RRULE:FREQ=MONTHLY;BYDAY=-1SU")]
    NoRule,
    #[error("RRULE, {0}")]
    Rrule(#[from] RruleError),
    #[error(transparent)]
    Time(#[from] LocalTimeError),
    #[error(transparent)]
    Zone(#[from] ZoneError),
}

impl IcsProblem {
    fn at(self, line: usize) -> IcsError {
        IcsError { line, problem: self }
    }
}

/// Reads all lines; zones are those of these data.
pub(super) fn read(text: &str, zones: &ZoneData) -> Result<Lines, IcsError> {
    if text.len() > MAX_BYTES {
        return Err(IcsProblem::TooLong { bytes: text.len() }.at(1));
    }
    let (mut rule, mut start, mut added, mut excluded) = (None, None, Vec::new(), Vec::new());
    let mut last = 1;
    for (number, line) in unfolded(text)? {
        last = number;
        let property = Property::of(&line).map_err(|problem| problem.at(number))?;
        let once = |is_second: bool, property| {
            if is_second { Err(IcsProblem::SecondTime { property }.at(number)) } else { Ok(()) }
        };
        match property.name.to_ascii_uppercase().as_str() {
            "RRULE" => {
                once(rule.is_some(), "RRULE")?;
                rule = Some(property.rule().map_err(|problem| problem.at(number))?);
            }
            "DTSTART" => {
                once(start.is_some(), "DTSTART")?;
                start = Some(property.start(zones).map_err(|problem| problem.at(number))?);
            }
            "RDATE" => added.push((number, property.times(zones))),
            "EXDATE" => excluded.push((number, property.times(zones))),
            _ => {
                let found = property.name.chars().take(40).collect();
                return Err(IcsProblem::UnknownProperty { found }.at(number));
            }
        }
    }
    let (dtstart, zone) = start.ok_or_else(|| IcsProblem::NoStart.at(last))?;
    let rrule = rule.ok_or_else(|| IcsProblem::NoRule.at(last))?;
    let collect = |lines: Vec<(usize, Result<Times, IcsProblem>)>| {
        let mut times = Vec::new();
        for (number, line) in lines {
            let line = line.and_then(|line| line.in_zone(&zone));
            times.extend(line.map_err(|problem| problem.at(number))?);
        }
        Ok(times)
    };
    let dates = Dates { rdate: collect(added)?, exdate: collect(excluded)? };
    Ok(Lines { rrule, dtstart, zone, dates })
}

/// The lines with their numbers, those that a line break and a blank cut apart put together.
fn unfolded(text: &str) -> Result<Vec<(usize, String)>, IcsError> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match line.strip_prefix([' ', '\t']) {
            Some(more) => match lines.last_mut() {
                Some((_, line)) => line.push_str(more),
                None => return Err(IcsProblem::NothingToContinue.at(number)),
            },
            None if line.is_empty() => {}
            None => lines.push((number, line.to_owned())),
        }
    }
    Ok(lines)
}

/// `NAME;PARAMETER=VALUE:VALUE`.
struct Property<'a> {
    name: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
    value: &'a str,
}

/// The times of a line, and in which zone it says that they are.
struct Times {
    times: Vec<LocalTime>,
    zone: Option<Zone>,
}

impl<'a> Property<'a> {
    fn of(line: &'a str) -> Result<Self, IcsProblem> {
        let no_line = || IcsProblem::NoLine { found: line.chars().take(40).collect() };
        let end = line.find([':', ';']).ok_or_else(no_line)?;
        let (name, mut rest) = line.split_at(end);
        let mut parameters = Vec::new();
        while let Some(parameter) = rest.strip_prefix(';') {
            let (key, value) = parameter.split_once('=').ok_or_else(no_line)?;
            let (value, after) = match value.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').ok_or_else(no_line)?,
                None => value.split_at(value.find([':', ';']).ok_or_else(no_line)?),
            };
            parameters.push((key, value));
            rest = after;
        }
        let value = rest.strip_prefix(':').ok_or_else(no_line)?;
        Ok(Self { name, parameters, value })
    }

    fn rule(&self) -> Result<Rrule, IcsProblem> {
        match self.parameters.first() {
            Some((key, value)) => Err(unknown_parameter(key, value)),
            None => Ok(self.value.parse()?),
        }
    }

    fn start(&self, zones: &ZoneData) -> Result<(LocalTime, Zone), IcsProblem> {
        let Times { times, zone } = self.times(zones)?;
        match times[..] {
            [time] => Ok((time, zone.ok_or(IcsProblem::NoZone)?)),
            [..] => Err(IcsProblem::SecondTime { property: "DTSTART" }),
        }
    }

    fn times(&self, zones: &ZoneData) -> Result<Times, IcsProblem> {
        let mut zone = None;
        for (key, value) in &self.parameters {
            if key.eq_ignore_ascii_case("TZID") && zone.is_none() {
                zone = Some(zones.zone(value)?);
            } else if !(key.eq_ignore_ascii_case("VALUE")
                && value.eq_ignore_ascii_case("DATE-TIME"))
            {
                return Err(unknown_parameter(key, value));
            }
        }
        let is_utc = |time: &str| time.ends_with(['Z', 'z']);
        let all_are_utc = self.value.split(',').all(is_utc);
        match (all_are_utc, self.value.split(',').any(is_utc), &zone) {
            (false, true, _) => return Err(IcsProblem::Mixed),
            (true, _, Some(_)) => return Err(IcsProblem::ZoneAndUtc),
            (true, _, None) => zone = Some(Zone::utc()),
            (false, false, _) => {}
        }
        let times = self.value.split(',').map(|time| {
            time.strip_suffix(['Z', 'z']).filter(|_| all_are_utc).unwrap_or(time).parse()
        });
        Ok(Times { times: times.collect::<Result<_, LocalTimeError>>()?, zone })
    }
}

impl Times {
    /// The times, if their line says that they are in the zone of DTSTART.
    fn in_zone(self, of_start: &Zone) -> Result<Vec<LocalTime>, IcsProblem> {
        match self.zone {
            Some(zone) if zone == *of_start => Ok(self.times),
            other => Err(IcsProblem::OtherZone {
                found: other.map_or_else(|| "no zone".to_owned(), |zone| zone.to_string()),
                start: of_start.to_string(),
            }),
        }
    }
}

fn unknown_parameter(key: &str, value: &str) -> IcsProblem {
    IcsProblem::UnknownParameter { found: format!("{key}={value}").chars().take(40).collect() }
}
