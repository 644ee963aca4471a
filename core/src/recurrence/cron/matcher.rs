//! Which wall-clock times a cron expression names.
//!
//! Promises: total and bounded for every expression that the grammar lets through. croner does
//! the matching, on wall-clock times alone: it never sees a zone. docs/adr/0002-cron-matcher.md
//! says what is put around it and why.

use croner::errors::CronError as CronerError;
use croner::parser::{CronParser, Seconds, Year};
use croner::{CivilDateTime, CronDateTime, Resolution, Weekday};
use jiff::ToSpan;
use jiff::civil;

use super::expression::Expression;
use crate::recurrence::Wall;
use crate::recurrence::clock_change::WallTimes;

/// The wall-clock times of one expression.
pub(super) struct Matcher(croner::Cron);

/// The Gregorian calendar repeats after this many years, weekdays included.
const CYCLE: i16 = 400;

impl Matcher {
    /// `None` only if croner refuses what our grammar accepts, which the tests rule out.
    pub(super) fn new(expression: &Expression) -> Option<Self> {
        CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .dom_and_dow(expression.needs_both_days())
            .build()
            .parse(&expression.to_string())
            .ok()
            .map(Self)
    }
}

impl WallTimes for Matcher {
    fn at_or_after(&self, from: Wall) -> Option<Wall> {
        // croner knows no year after 5000, so it is asked about the same place of the calendar's
        // cycle that begins in 2000.
        let civil = from.whole_minute()?.civil();
        let cycles = i32::from((civil.year() - 2000).div_euclid(CYCLE));
        let start = Naive(later(civil, -cycles)?);
        let found = self.0.find_next_occurrence(&start, true).ok()?;
        later(found.0, cycles).map(Wall::containing)
    }
}

/// The same place so many cycles later; `None` outside the calendar.
fn later(civil: civil::DateTime, cycles: i32) -> Option<civil::DateTime> {
    // Nearly every question is about the cycle that we live in.
    if cycles == 0 {
        return Some(civil);
    }
    civil.checked_add((cycles * i32::from(CYCLE)).years()).ok()
}

/// A civil time as croner reads it: every time exists exactly once.
#[derive(Clone)]
struct Naive(civil::DateTime);

impl CronDateTime for Naive {
    fn to_civil(&self) -> CivilDateTime {
        // Both calendars are the proleptic Gregorian one, so the parts need no check.
        CivilDateTime::new(
            croner::CivilDate::from_parts_unchecked(
                self.0.year().into(),
                self.0.month().unsigned_abs().into(),
                self.0.day().unsigned_abs().into(),
            ),
            croner::CivilTime::from_parts_unchecked(
                self.0.hour().unsigned_abs().into(),
                self.0.minute().unsigned_abs().into(),
                self.0.second().unsigned_abs().into(),
            ),
        )
    }

    fn civil_weekday(&self) -> Weekday {
        Weekday::from_days_from_sunday(
            self.0.weekday().to_sunday_zero_offset().unsigned_abs().into(),
        )
    }

    fn resolve_civil(&self, civil: CivilDateTime) -> Result<Resolution<Self>, CronerError> {
        let part = |value: u32| i8::try_from(value).map_err(|_| CronerError::InvalidTime);
        civil::DateTime::new(
            i16::try_from(civil.year()).map_err(|_| CronerError::InvalidDate)?,
            part(civil.month())?,
            part(civil.day())?,
            part(civil.hour())?,
            part(civil.minute())?,
            part(civil.second())?,
            0,
        )
        .map(|civil| Resolution::Single(Self(civil)))
        .map_err(|_| CronerError::InvalidDate)
    }

    fn checked_add_seconds(&self, seconds: i64) -> Option<Self> {
        self.0.checked_add(jiff::SignedDuration::from_secs(seconds)).ok().map(Self)
    }

    fn cmp_instant(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
