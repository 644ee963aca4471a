//! A cron expression that passed: five fields and what they name.
//!
//! Promises: every field names at least one value, each in its range; the two readings of a star
//! (crontab(5) lets it decide the pace and how the day fields combine) are answered here alone.

use std::fmt;

use crate::recurrence::Pace;
use crate::recurrence::advice::Dates;

const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
/// Of each month, the longest that it gets.
const MONTH_DAYS: [u8; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// A field of a cron expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CronField {
    /// 0 to 59.
    Minute,
    /// 0 to 23.
    Hour,
    /// 1 to 31.
    DayOfMonth,
    /// 1 to 12, JAN to DEC.
    Month,
    /// 0 to 7, SUN to SAT; 0 and 7 are Sunday.
    DayOfWeek,
}

/// Five fields that passed.
#[derive(Debug)]
pub(super) struct Expression {
    pub(super) minute: Values,
    pub(super) hour: Values,
    pub(super) day_of_month: Values,
    pub(super) month: Values,
    pub(super) day_of_week: Values,
}

/// What one field names: at least one item.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) items: Vec<Item>,
    pub(super) begins_with_star: bool,
}

/// How the two day fields of an expression combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::recurrence) enum DayFields {
    /// At most one of them says anything.
    OneOrNone,
    /// Either is enough.
    Either,
    /// Both must hold.
    Both,
}

/// A step over a whole field that does not come out even.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnevenStep {
    /// The field.
    pub field: CronField,
    /// The step; 60 stands for more, too.
    pub step: u8,
    /// The last value that it names.
    pub last: u8,
}

/// `first-last/step`; a star is the whole range, a single value the range of itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) first: u8,
    pub(super) last: u8,
    pub(super) step: u8,
}

impl CronField {
    pub(super) const fn first(self) -> u8 {
        match self {
            Self::Minute | Self::Hour | Self::DayOfWeek => 0,
            Self::DayOfMonth | Self::Month => 1,
        }
    }

    pub(super) const fn last(self) -> u8 {
        match self {
            Self::Minute => 59,
            Self::Hour => 23,
            Self::DayOfMonth => 31,
            Self::Month => 12,
            Self::DayOfWeek => 7,
        }
    }

    /// How many values it has; Sunday counts once.
    pub(in crate::recurrence) const fn size(self) -> u8 {
        match self {
            Self::Minute => 60,
            Self::Hour => 24,
            Self::DayOfMonth => 31,
            Self::Month => 12,
            Self::DayOfWeek => 7,
        }
    }

    pub(super) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Minute | Self::Hour | Self::DayOfMonth => &[],
            Self::Month => &MONTHS,
            Self::DayOfWeek => &WEEKDAYS,
        }
    }

    /// Whether two of its values mean the same.
    fn same(self, one: u8, other: u8) -> bool {
        match self {
            Self::DayOfWeek => one % 7 == other % 7,
            Self::Minute | Self::Hour | Self::DayOfMonth | Self::Month => one == other,
        }
    }

    /// The value of a three-letter name, in any case.
    pub(super) fn value_of(self, name: &str) -> Option<u8> {
        (self.first()..)
            .zip(self.names())
            .find_map(|(value, known)| known.eq_ignore_ascii_case(name).then_some(value))
    }
}

impl fmt::Display for CronField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::DayOfMonth => "day-of-month",
            Self::Month => "month",
            Self::DayOfWeek => "day-of-week",
        })
    }
}

impl Values {
    pub(super) fn iter(&self) -> impl Iterator<Item = u8> {
        self.items.iter().flat_map(|item| (item.first..=item.last).step_by(item.step.into()))
    }
}

impl Expression {
    /// A minute or hour field that begins with `*` makes a rule follow elapsed time.
    pub(super) fn pace(&self) -> Pace {
        if self.minute.begins_with_star || self.hour.begins_with_star {
            Pace::RealTime
        } else {
            Pace::FixedTime
        }
    }

    /// Where a day field begins with `*` both day fields must match; otherwise either is enough.
    pub(super) fn needs_both_days(&self) -> bool {
        self.day_of_month.begins_with_star || self.day_of_week.begins_with_star
    }

    /// How the two day fields combine, where both say something.
    pub(super) fn day_fields(&self) -> DayFields {
        let is_full = |values: &Values, field: CronField| {
            (field.first()..field.first() + field.size())
                .all(|value| values.iter().any(|named| field.same(named, value)))
        };
        let says_nothing = is_full(&self.day_of_month, CronField::DayOfMonth)
            || is_full(&self.day_of_week, CronField::DayOfWeek);
        match (says_nothing, self.needs_both_days()) {
            (true, _) => DayFields::OneOrNone,
            (false, true) => DayFields::Both,
            (false, false) => DayFields::Either,
        }
    }

    /// The steps over a whole field that do not come out even.
    pub(super) fn uneven_steps(&self) -> Vec<UnevenStep> {
        let fields = [
            (CronField::Minute, &self.minute),
            (CronField::Hour, &self.hour),
            (CronField::DayOfMonth, &self.day_of_month),
            (CronField::Month, &self.month),
            (CronField::DayOfWeek, &self.day_of_week),
        ];
        let uneven = |field: CronField, values: &Values| match values.items[..] {
            [Item { first, last, step }]
                if (step >= field.size() && first < last)
                    || ((first, last) == (field.first(), field.last())
                        && !field.size().is_multiple_of(step)) =>
            {
                let last = (first..=last).step_by(step.into()).next_back().unwrap_or(first);
                Some(UnevenStep { field, step, last })
            }
            _ => None,
        };
        fields.into_iter().filter_map(|(field, values)| uneven(field, values)).collect()
    }

    /// The days of the month that stand alone in their field, and their months.
    pub(super) fn single_dates(&self) -> Dates {
        let in_order = |mut values: Vec<u8>| {
            values.sort_unstable();
            values.dedup();
            values
        };
        let alone = self.day_of_month.items.iter().filter(|item| item.first == item.last);
        Dates {
            months: in_order(self.month.iter().collect()),
            days: in_order(alone.map(|item| item.first).collect()),
        }
    }

    /// A day that the rule waits for in vain. Every weekday falls on every date of some year, so
    /// only a day that none of the months has makes a rule impossible.
    pub(super) fn impossible_day(&self) -> Option<u8> {
        let longest = (1..=12).zip(MONTH_DAYS).filter_map(|(month, days)| {
            self.month.iter().any(|named| named == month).then_some(days)
        });
        let (first, longest) = (self.day_of_month.iter().min()?, longest.max()?);
        (self.needs_both_days() && first > longest).then_some(first)
    }
}
