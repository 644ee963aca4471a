//! Which dates a rule's parts name.
//!
//! Promise: a date is named when every part that is given names it. Where the text leaves open
//! which day of a period is meant, it is the day that DTSTART has there.

use jiff::civil::{Date, Weekday};

use super::parts::{Frequency, NthWeekday, Parts};
use super::periods::week_of_year;
use crate::recurrence::bits::Bits;

/// A filter of dates: an empty list lets every date through.
#[derive(Debug)]
pub(super) struct DateFilter {
    pub(super) months: Vec<i16>,
    pub(super) weeks: Vec<i16>,
    pub(super) year_days: Vec<i16>,
    pub(super) month_days: Vec<i16>,
    pub(super) weekdays: Vec<NthWeekday>,
    /// What an nth weekday is counted in.
    pub(super) nth_of: NthOf,
    pub(super) week_start: Weekday,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum NthOf {
    Month,
    Year,
}

impl DateFilter {
    /// The dates of `parts` in a rule that starts on `start`.
    pub(super) fn new(parts: &Parts, start: Date) -> Self {
        let mut filter = Self {
            months: parts.months.clone(),
            weeks: parts.weeks.clone(),
            year_days: parts.year_days.clone(),
            month_days: parts.month_days.clone(),
            weekdays: parts.weekdays.clone(),
            nth_of: match parts.frequency {
                Frequency::Yearly if parts.months.is_empty() => NthOf::Year,
                Frequency::Yearly
                | Frequency::Monthly
                | Frequency::Weekly
                | Frequency::Daily
                | Frequency::Hourly
                | Frequency::Minutely => NthOf::Month,
            },
            week_start: parts.week_start,
        };
        if parts.year_days.is_empty() && parts.month_days.is_empty() && parts.weekdays.is_empty() {
            let its_weekday = NthWeekday { nth: None, weekday: start.weekday() };
            match parts.frequency {
                Frequency::Yearly if !parts.weeks.is_empty() => filter.weekdays = vec![its_weekday],
                Frequency::Yearly => {
                    filter.month_days = vec![start.day().into()];
                    if parts.months.is_empty() {
                        filter.months = vec![start.month().into()];
                    }
                }
                Frequency::Monthly => filter.month_days = vec![start.day().into()],
                Frequency::Weekly => filter.weekdays = vec![its_weekday],
                Frequency::Daily | Frequency::Hourly | Frequency::Minutely => {}
            }
        }
        filter
    }

    /// True when every date passes.
    pub(super) fn is_every(&self) -> bool {
        self.months.is_empty()
            && self.weeks.is_empty()
            && self.year_days.is_empty()
            && self.month_days.is_empty()
            && self.weekdays.is_empty()
    }

    /// Whether `date` passes.
    pub(super) fn names(&self, date: Date) -> bool {
        self.names_month(date)
            && names(&self.month_days, date.day().into(), date.days_in_month().into())
            && names(&self.year_days, date.day_of_year(), date.days_in_year())
            && self.names_weekday(date)
            && self.names_week(date)
    }

    /// The days that may pass of a month of `length` days that begins so many days after Sunday;
    /// all that do, unless that depends on the year.
    pub(super) fn days_of_month(&self, begins: i16, length: i16) -> Bits {
        let weekdays = if self.counts_weekdays_of_year() { &[] } else { &self.weekdays[..] };
        (1..=length)
            .filter(|day| names(&self.month_days, *day, length))
            .filter(|day| {
                let weekday = (begins + day - 1) % 7;
                let is_it = |named: &&NthWeekday| {
                    i16::from(named.weekday.to_sunday_zero_offset()) == weekday
                };
                weekdays.is_empty()
                    || weekdays.iter().filter(is_it).any(|named| named.is_place(*day, length))
            })
            .filter_map(|day| u32::try_from(day).ok())
            .collect()
    }

    /// Whether a date's month and weekday do not yet tell if it passes.
    pub(super) fn depends_on_year(&self) -> bool {
        !self.weeks.is_empty() || !self.year_days.is_empty() || self.counts_weekdays_of_year()
    }

    fn counts_weekdays_of_year(&self) -> bool {
        match self.nth_of {
            NthOf::Month => false,
            NthOf::Year => self.weekdays.iter().any(|named| named.nth.is_some()),
        }
    }

    fn names_month(&self, date: Date) -> bool {
        self.months.is_empty() || self.months.contains(&date.month().into())
    }

    fn names_weekday(&self, date: Date) -> bool {
        if self.weekdays.is_empty() {
            return true;
        }
        let (day, days) = match self.nth_of {
            NthOf::Month => (date.day().into(), date.days_in_month().into()),
            NthOf::Year => (date.day_of_year(), date.days_in_year()),
        };
        let weekday = date.weekday();
        self.weekdays
            .iter()
            .filter(|named| named.weekday == weekday)
            .any(|named| named.is_place(day, days))
    }

    fn names_week(&self, date: Date) -> bool {
        self.weeks.is_empty() || {
            let (week, weeks) = week_of_year(date, self.week_start);
            names(&self.weeks, week, weeks)
        }
    }
}

impl NthWeekday {
    /// Whether the day `day` of `days`, which is of this weekday, is the meant one of them.
    fn is_place(self, day: i16, days: i16) -> bool {
        // The how manieth of its weekday, from both ends.
        self.nth.is_none_or(|nth| nth == (day - 1) / 7 + 1 || nth == -((days - day) / 7 + 1))
    }
}

/// Whether `list` names the place `place` of `count`, from the start or, negative, from the end.
fn names(list: &[i16], place: i16, count: i16) -> bool {
    list.is_empty()
        || list.binary_search(&place).is_ok()
        || list.binary_search(&(place - count - 1)).is_ok()
}
