//! The dates that a rule's parts name, looked for month by month.
//!
//! Promises: the dates are those that the filter lets through; what it says of the days of a month
//! is a set that is known beforehand, and months that are not named are passed over.

use jiff::civil::Date;

use super::date_filter::DateFilter;
use super::work::Work;
use crate::recurrence::bits::Bits;

/// The dates that a filter lets through.
#[derive(Debug)]
pub(super) struct NamedDates {
    filter: DateFilter,
    months: Bits,
    /// What the days of a month can be, by the weekday on which it begins, from Sunday, and by how
    /// many days it has beyond 28.
    days: [[Bits; 4]; 7],
    /// Whether the place in the year must be asked for too, date by date.
    by_year: bool,
}

impl NamedDates {
    pub(super) fn new(filter: DateFilter) -> Self {
        let months = if filter.months.is_empty() {
            Bits::below(13)
        } else {
            filter.months.iter().filter_map(|month| u32::try_from(*month).ok()).collect()
        };
        let mut days = [[Bits::NONE; 4]; 7];
        for (begins, lengths) in (0..).zip(&mut days) {
            for (length, days) in (28..).zip(lengths) {
                *days = filter.days_of_month(begins, length);
            }
        }
        let by_year = filter.depends_on_year();
        Self { filter, months, days, by_year }
    }

    /// True when every date is named.
    pub(super) fn is_every(&self) -> bool {
        self.filter.is_every()
    }

    pub(super) fn has(&self, date: Date) -> bool {
        self.of_month(date.first_of_month()).has(date.day().into())
    }

    /// The first of them from `from` to `last`.
    pub(super) fn first_between(&self, from: Date, last: Date, work: &mut Work) -> Option<Date> {
        self.months_between(from, last, work)
            .find_map(|(month, days)| dated(month, days.first_from(1)?))
    }

    /// Those from `from` to `last`.
    pub(super) fn between(&self, from: Date, last: Date, work: &mut Work) -> Vec<Date> {
        self.months_between(from, last, work)
            .flat_map(|(month, days)| days.iter().filter_map(move |day| dated(month, day)))
            .collect()
    }

    /// How many lie from `from` to `last`.
    pub(super) fn count_between(&self, from: Date, last: Date, work: &mut Work) -> u64 {
        self.months_between(from, last, work).map(|(_, days)| u64::from(days.count())).sum()
    }

    /// How many steps a look at one month takes.
    pub(super) const fn steps_a_month(&self) -> u64 {
        if self.by_year { 32 } else { 1 }
    }

    /// The first days of the named months that have a date from `from` to `last`, each with its
    /// days there.
    fn months_between(
        &self,
        from: Date,
        last: Date,
        work: &mut Work,
    ) -> impl Iterator<Item = (Date, Bits)> {
        let until_last = move |month: Option<Date>| month.filter(|month| *month <= last);
        let first = self.named_month(from.year(), from.month()).filter(|_| from <= last);
        let months = std::iter::successors(until_last(first), move |month| {
            until_last(self.named_month(month.year(), month.month() + 1))
        });
        let (begin, end) = (from.first_of_month(), last.first_of_month());
        months.map(move |month| {
            work.take(self.steps_a_month());
            let mut days = self.of_month(month);
            if month == begin {
                days = days.without(Bits::below(from.day().unsigned_abs().into()));
            }
            if month == end {
                days = days.and(Bits::below(u32::from(last.day().unsigned_abs()) + 1));
            }
            (month, days)
        })
    }

    /// The first day of the first named month from `month` of `year` on; 13 is the next January.
    fn named_month(&self, year: i16, month: i8) -> Option<Date> {
        let (year, month) = match self.months.first_from(month.into()) {
            Some(month) => (year, month),
            None => (year.checked_add(1)?, self.months.first_from(1)?),
        };
        Date::new(year, i8::try_from(month).ok()?, 1).ok()
    }

    /// The named days of the month that begins on `first`.
    fn of_month(&self, first: Date) -> Bits {
        if !self.months.has(first.month().into()) {
            return Bits::NONE;
        }
        let begins = usize::from(first.weekday().to_sunday_zero_offset().unsigned_abs());
        let length = usize::from(first.days_in_month().unsigned_abs());
        let days = self.days[begins % 7][length.saturating_sub(28) % 4];
        if self.by_year {
            days.filter(|day| dated(first, day).is_some_and(|date| self.filter.names(date)))
        } else {
            days
        }
    }
}

/// That day of the month that begins on `first`.
fn dated(first: Date, day: i64) -> Option<Date> {
    Date::new(first.year(), first.month(), i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::super::grammar::parse;
    use super::*;

    #[test]
    fn the_dates_are_those_that_the_filter_names_one_by_one() {
        let start = Date::constant(1999, 12, 31);
        let filter = |text: &str| DateFilter::new(&parse(text).unwrap(), start);
        for text in [
            "FREQ=DAILY",
            "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29",
            "FREQ=DAILY;BYMONTH=2,12;BYMONTHDAY=-1,1,30",
            "FREQ=MONTHLY;BYDAY=-1SU,2MO,FR",
            "FREQ=MONTHLY;BYDAY=5TU,-5WE;BYMONTHDAY=-31,29",
            "FREQ=MONTHLY",
            "FREQ=WEEKLY;BYDAY=MO,SU",
            "FREQ=YEARLY",
            "FREQ=YEARLY;BYDAY=53TH,-1FR,1SA",
            "FREQ=YEARLY;BYDAY=TH,FR;BYMONTH=7",
            "FREQ=YEARLY;BYDAY=TH,-2FR;BYMONTH=7",
            "FREQ=YEARLY;BYYEARDAY=366,-1,100;BYDAY=SU",
            "FREQ=YEARLY;BYWEEKNO=53,1,-2;BYDAY=MO,SU",
            "FREQ=YEARLY;BYWEEKNO=9;WKST=SU",
            "FREQ=MINUTELY;BYYEARDAY=60;BYMONTHDAY=29",
        ] {
            let (filter, named) = (filter(text), NamedDates::new(filter(text)));
            for (from, last) in [
                ("1999-12-31", "2100-03-01"),
                ("2000-02-29", "2000-02-29"),
                ("2001-05-07", "2001-05-06"),
                ("9990-01-01", "9999-12-31"),
            ] {
                let (from, last): (Date, Date) = (from.parse().unwrap(), last.parse().unwrap());
                let walked: Vec<Date> =
                    std::iter::successors(Some(from), |date| date.tomorrow().ok())
                        .take_while(|date| *date <= last)
                        .filter(|date| filter.names(*date))
                        .collect();
                let work = &mut Work::unlimited();
                assert_eq!(named.between(from, last, work), walked, "{text}");
                assert_eq!(named.first_between(from, last, work), walked.first().copied());
                let count = u64::try_from(walked.len()).unwrap();
                assert_eq!(named.count_between(from, last, work), count, "{text}");
                assert!(walked.iter().all(|date| named.has(*date)));
            }
        }
    }
}
