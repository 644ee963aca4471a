//! RRULE: a recurrence rule of RFC 5545, in a time zone.
//!
//! Promises: a text is read strictly and refused with column and remedy; a [`RruleRule`] that
//! exists has an instant; asking for the next is total, bounded, and never walks from DTSTART
//! but to count, which a rule that would need too many steps for it is refused for.
//! docs/adr/0004-rrule.md says why the expansion is our own and how the RFC's open questions are
//! answered.
//!
//! `grammar` reads the text into `parts`, `error` answers what it refuses; `local_time` is DTSTART
//! and its like, `ics` reads all of them as iCalendar lines. `periods`, `date_filter` and
//! `named_dates` say which dates are meant, `expansion` which times of day; `elapsed` counts real
//! minutes instead; `series` puts the instants together. `work` measures what a count costs;
//! `wording` says the rule in English.

mod date_filter;
mod elapsed;
mod error;
mod expansion;
mod grammar;
mod ics;
mod local_time;
mod named_dates;
mod parts;
mod periods;
mod series;
mod wording;
mod work;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

pub use error::{RruleError, RruleNeverFires, RruleProblem, RruleTooCostly, TooManyDates};
pub use ics::{IcsError, IcsProblem};
pub use local_time::{LocalTime, LocalTimeError};
pub use parts::{Frequency, RruleKey};

use self::parts::Parts;
use self::series::Series;
use super::advice;
use super::clock_change::{Pace, WallTimes};
use super::zone::{Gap, Reading, timestamp};
use super::{Occasion, RecurrenceError, Wall, Zone, ZoneData};
use crate::words::time::Timestamp;

/// The most RDATEs and EXDATEs of a rule together.
const MAX_DATES: usize = 1_000;

/// The most steps ([`RruleRule::steps_to`]) that a rule which is accepted may need.
pub const MOST_STEPS: u64 = work::Work::MOST;

/// The text of an RRULE, without DTSTART. Equal, ordered and hashed by its text as typed.
#[derive(Clone)]
pub struct Rrule {
    text: Arc<str>,
    parts: Arc<Parts>,
}

/// An RRULE with its start and its zone, and with the times that are added to it and left out.
/// Equal, ordered and hashed by these.
#[derive(Clone)]
pub struct RruleRule {
    rrule: Rrule,
    dtstart: LocalTime,
    zone: Zone,
    dates: Dates,
    series: Arc<Series>,
}

/// What is added to a rule and what is left out. A rule keeps them in order, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dates {
    /// RDATE: it fires then too. COUNT and UNTIL pay no heed to it.
    pub rdate: Vec<LocalTime>,
    /// EXDATE: it does not fire then. COUNT counts it all the same.
    pub exdate: Vec<LocalTime>,
}

impl Rrule {
    /// The rule as typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How often its periods come.
    pub fn frequency(&self) -> Frequency {
        self.parts.frequency
    }

    /// Whether it names times of day or follows elapsed time.
    pub fn pace(&self) -> Pace {
        if self.parts.frequency.is_elapsed() { Pace::RealTime } else { Pace::FixedTime }
    }
}

impl FromStr for Rrule {
    type Err = RruleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = grammar::parse(text)?;
        Ok(Self { text: text.into(), parts: Arc::new(parts) })
    }
}

impl RruleRule {
    /// `rrule` from `dtstart` on, in `zone`, if it ever fires there and its COUNT can be afforded.
    pub fn new(
        rrule: Rrule,
        dtstart: LocalTime,
        zone: Zone,
        dates: Dates,
    ) -> Result<Self, RecurrenceError> {
        let rule = Self::saved(rrule, dtstart, zone, dates)?;
        if rule.series.is_affordable() {
            Ok(rule)
        } else {
            Err(RruleTooCostly::of(rule.rrule.text()).into())
        }
    }

    /// The same for a rule that was saved before: what its COUNT costs is not judged again.
    pub(super) fn saved(
        rrule: Rrule,
        dtstart: LocalTime,
        zone: Zone,
        dates: Dates,
    ) -> Result<Self, RecurrenceError> {
        let count = dates.rdate.len().saturating_add(dates.exdate.len());
        if count > MAX_DATES {
            return Err(TooManyDates { dates: count }.into());
        }
        let dates = Dates { rdate: in_order(dates.rdate), exdate: in_order(dates.exdate) };
        let walls = |dates: &[LocalTime]| dates.iter().map(|date| date.wall()).collect::<Vec<_>>();
        let series = Series::new(
            &rrule.parts,
            &zone,
            dtstart.wall(),
            &walls(&dates.rdate),
            &walls(&dates.exdate),
        );
        match series.filter(|series| series.next_after(Timestamp::EPOCH, None, None).is_some()) {
            Some(series) => Ok(Self { rrule, dtstart, zone, dates, series: Arc::new(series) }),
            None => Err(RruleNeverFires { rrule: rrule.text().to_owned(), dtstart, zone }.into()),
        }
    }

    /// The rule in iCalendar lines: DTSTART with its TZID, RRULE, RDATE, EXDATE.
    pub fn from_ics(text: &str, zones: &ZoneData) -> Result<Self, RecurrenceError> {
        let lines = ics::read(text, zones)?;
        Self::new(lines.rrule, lines.dtstart, lines.zone, lines.dates)
    }

    /// The rule's text.
    pub fn rrule(&self) -> &Rrule {
        &self.rrule
    }

    /// From when.
    pub fn dtstart(&self) -> LocalTime {
        self.dtstart
    }

    /// The zone.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// What is added and left out.
    pub fn dates(&self) -> &Dates {
        &self.dates
    }

    /// How many steps it takes to count the rule's instants up to `at`, going on from `known` if
    /// there is one; none without COUNT. A step is a month, a date or a minute that is looked at,
    /// and takes some 10 ns.
    pub fn steps_to(&self, at: Timestamp, known: Option<Occasion>) -> u64 {
        self.series.steps_to(at, known)
    }

    /// The first occasion after `after`; see [`Recurrence::next_after`](super::Recurrence).
    pub(super) fn next_after(
        &self,
        after: Timestamp,
        last_wall: Option<Wall>,
        known: Option<Occasion>,
    ) -> Option<Occasion> {
        self.series.next_after(after, last_wall, known)
    }

    /// Whether the clock on the wall named `occasion`, and not elapsed time.
    pub(super) fn is_named(&self, occasion: Occasion) -> bool {
        match self.rrule.pace() {
            Pace::FixedTime => true,
            Pace::RealTime => self.series.adds(occasion),
        }
    }

    /// The wall-clock times that may have become `occasion`.
    pub(super) fn behind(&self, occasion: Occasion) -> impl WallTimes {
        self.series.behind(occasion)
    }

    /// What a rule in elapsed time loses to `gap`, which ends at `gap_end`.
    pub(super) fn lost(&self, gap_end: jiff::Timestamp, gap: Gap) -> Vec<Wall> {
        self.series.lost(gap_end, gap)
    }

    /// The days of the month that it names one by one, counted from the start.
    pub(super) fn single_dates(&self) -> advice::Dates {
        wording::single_dates(&self.rrule.parts, self.dtstart)
    }

    /// For a rule that counts real time from a DTSTART that the zone's clock skips: that, and the
    /// wall-clock time at which the count begins.
    pub(super) fn skipped_start(&self) -> Option<(Wall, Wall)> {
        let start = self.dtstart.wall();
        match self.zone.read(start).filter(|_| self.rrule.pace() == Pace::RealTime)? {
            Reading::Never { gap_end } => Some((start, self.zone.wall_at(timestamp(gap_end)?))),
            Reading::Once(_) | Reading::Twice { .. } => None,
        }
    }

    /// What it says, in English, without a zone.
    pub(super) fn in_words(&self) -> String {
        wording::in_words(&self.rrule.parts, self.dtstart, &self.dates)
    }

    /// What makes two rules the same.
    fn key(&self) -> (&Rrule, LocalTime, &Zone, &Dates) {
        (&self.rrule, self.dtstart, &self.zone, &self.dates)
    }
}

fn in_order(mut dates: Vec<LocalTime>) -> Vec<LocalTime> {
    dates.sort_unstable();
    dates.dedup();
    dates
}

impl PartialEq for RruleRule {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for RruleRule {}

impl PartialOrd for RruleRule {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RruleRule {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Hash for RruleRule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for RruleRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RruleRule")
            .field("rrule", &self.rrule)
            .field("dtstart", &self.dtstart)
            .field("zone", &self.zone)
            .field("dates", &self.dates)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Rrule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Rrule {}

impl PartialOrd for Rrule {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rrule {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for Rrule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl fmt::Display for Rrule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Rrule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rrule({})", self.text)
    }
}
