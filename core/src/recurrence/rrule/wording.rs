//! An RRULE in words.
//!
//! What the text leaves open and DTSTART settles (a weekday, a day, a time) is said as if it were
//! written.

use jiff::civil::Weekday;

use super::Dates;
use super::date_filter::{DateFilter, NthOf};
use super::local_time::LocalTime;
use super::parts::{End, Frequency, NthWeekday, Parts};
use crate::recurrence::advice;
use crate::recurrence::wording::listing::{self, ordinal, ordinals};
use crate::recurrence::wording::times::{Times, of_hours};

/// So many added and left-out times are listed; of more, only the number is said.
const MOST_DATES: usize = 5;

pub(super) fn in_words(parts: &Parts, dtstart: LocalTime, dates: &Dates) -> String {
    let filter = DateFilter::new(parts, dtstart.wall().civil().date());
    let mut said = match parts.frequency {
        Frequency::Yearly | Frequency::Monthly | Frequency::Weekly | Frequency::Daily => {
            named(parts, dtstart, &filter)
        }
        Frequency::Hourly => hourly(parts, &filter),
        Frequency::Minutely => minutely(parts, &filter),
    };
    said.push(format!("from {dtstart} on"));
    match parts.end {
        End::Never => {}
        End::Count(1) => said.push(String::from("once in all")),
        End::Count(count) => said.push(format!("{count} times in all")),
        End::Until(until) => said.push(format!("until {until}")),
    }
    said.extend(listed("also at", "added", &dates.rdate));
    said.extend(listed("but not at", "left-out", &dates.exdate));
    said.join(", ")
}

/// The days of the month that the rule names one by one, counted from the start, and its months.
pub(super) fn single_dates(parts: &Parts, dtstart: LocalTime) -> advice::Dates {
    let filter = DateFilter::new(parts, dtstart.wall().civil().date());
    let small = |list: &[i16]| list.iter().filter_map(|it| u8::try_from(*it).ok()).collect();
    let days: Vec<u8> = small(&filter.month_days);
    advice::Dates {
        months: if filter.months.is_empty() { (1..=12).collect() } else { small(&filter.months) },
        // A range of the last days stands for the last weekday or weekend, not for each of them.
        days: if days.len() < 3 { days } else { Vec::new() },
    }
}

/// A rule that names times of day.
fn named(parts: &Parts, dtstart: LocalTime, filter: &DateFilter) -> Vec<String> {
    let period = match parts.frequency {
        Frequency::Yearly if !parts.weeks.is_empty() => ["year of weeks", "years of weeks"],
        Frequency::Yearly => ["year", "years"],
        Frequency::Monthly => ["month", "months"],
        Frequency::Weekly => ["week", "weeks"],
        Frequency::Daily | Frequency::Hourly | Frequency::Minutely => ["day", "days"],
    };
    let mut rule = every(parts.interval, period);
    for (position, condition) in days(filter).into_iter().enumerate() {
        rule += if position == 0 { " " } else { ", only if also " };
        rule += &condition;
    }
    rule += &in_months(filter);
    let time = dtstart.wall().civil().time();
    let or_its = |list: &[i16], its: i8| match list {
        [] => vec![i64::from(its)],
        list => list.iter().copied().map(i64::from).collect(),
    };
    let times = Times {
        minutes: or_its(&parts.minutes, time.minute()),
        hours: or_its(&parts.hours, time.hour()),
        second: parts.second.map_or(time.second().into(), i64::from),
    };
    rule += if times.are_listed() { " " } else { ", " };
    rule += &times.in_words();
    let mut said = vec![rule];
    if !parts.positions.is_empty() {
        let positions = ordinals(&parts.positions);
        said.push(format!("of these the {positions} in each {}", period[0]));
    }
    said.extend(week_start(parts));
    said
}

/// A rule in real hours.
fn hourly(parts: &Parts, filter: &DateFilter) -> Vec<String> {
    let mut said = if parts.minutes.is_empty() {
        vec![every(parts.interval, ["hour of real time", "hours of real time"])]
    } else {
        let minutes = listing::numbers(&at_positions(&parts.minutes, &parts.positions), |it| it);
        let nth = match parts.interval {
            1 => String::new(),
            interval => format!("{} ", ordinal(interval.into())),
        };
        vec![format!("at minute {minutes} of every {nth}hour of real time")]
    };
    said.extend(seconds(parts));
    said.extend(only(parts, filter));
    said
}

/// A rule in real minutes.
fn minutely(parts: &Parts, filter: &DateFilter) -> Vec<String> {
    let mut said = vec![every(parts.interval, ["minute of real time", "minutes of real time"])];
    said.extend(seconds(parts));
    if !parts.minutes.is_empty() {
        said.push(format!("only at minute {}", listing::numbers(&parts.minutes, |it| it)));
    }
    said.extend(only(parts, filter));
    said
}

/// What a rule in real time is limited to.
fn only(parts: &Parts, filter: &DateFilter) -> Vec<String> {
    let hours: Vec<i64> = parts.hours.iter().copied().map(i64::from).collect();
    let hours = (!hours.is_empty()).then(|| format!("only in {}", of_hours(&hours)));
    let days = days(filter).into_iter().map(|condition| format!("only {condition}"));
    let months = Some(in_months(filter)).filter(|months| !months.is_empty());
    let months = months.map(|months| format!("only{months}"));
    hours.into_iter().chain(days).chain(months).chain(week_start(parts)).collect()
}

fn every(interval: u16, [one, many]: [&str; 2]) -> String {
    match interval {
        1 => format!("every {one}"),
        interval => format!("every {interval} {many}"),
    }
}

/// The conditions on a date, but for the month's; all of them must hold.
fn days(filter: &DateFilter) -> Vec<String> {
    let mut said = Vec::new();
    if !filter.month_days.is_empty() {
        said.push(format!("on the {} day of the month", ordinals(&filter.month_days)));
    }
    if !filter.year_days.is_empty() {
        said.push(format!("on the {} day of the year", ordinals(&filter.year_days)));
    }
    if !filter.weekdays.is_empty() {
        said.push(format!("on {}", weekdays(&filter.weekdays, filter.nth_of)));
    }
    if !filter.weeks.is_empty() {
        said.push(format!("in the {} week of the year", ordinals(&filter.weeks)));
    }
    said
}

fn in_months(filter: &DateFilter) -> String {
    if filter.months.is_empty() {
        return String::new();
    }
    format!(" in {}", listing::numbers(&filter.months, listing::month))
}

fn weekdays(weekdays: &[NthWeekday], nth_of: NthOf) -> String {
    let every = |day: &NthWeekday| day.nth.is_none();
    let mut each: Vec<i8> = weekdays
        .iter()
        .filter(|day| every(day))
        .map(|day| day.weekday.to_monday_zero_offset())
        .collect();
    each.sort_unstable();
    each.dedup();
    let of = match nth_of {
        NthOf::Month => "month",
        NthOf::Year => "year",
    };
    let nth = weekdays.iter().filter_map(|day| {
        let nth = ordinal(day.nth?.into());
        Some(format!("the {nth} {} of the {of}", listing::name(day.weekday)))
    });
    let each = (!each.is_empty()).then(|| listing::numbers(&each, listing::weekday));
    listing::and(&each.into_iter().chain(nth).collect::<Vec<_>>())
}

/// The day on which weeks begin, where it matters.
fn week_start(parts: &Parts) -> Option<String> {
    let counts_weeks = !parts.weeks.is_empty() || parts.frequency == Frequency::Weekly;
    (counts_weeks && parts.week_start != Weekday::Monday)
        .then(|| format!("weeks beginning on {}", listing::name(parts.week_start)))
}

fn seconds(parts: &Parts) -> Option<String> {
    parts.second.map(|second| format!("at second {second}"))
}

/// Those of `numbers` at the given places, from 1 or, negative, from the end.
fn at_positions(numbers: &[i16], positions: &[i16]) -> Vec<i16> {
    let place_of = |index: usize| i16::try_from(index).unwrap_or(i16::MAX).saturating_add(1);
    let count = place_of(numbers.len());
    let chosen = numbers.iter().enumerate().filter(|(index, _)| {
        let place = place_of(*index);
        positions.is_empty() || positions.contains(&place) || positions.contains(&(place - count))
    });
    chosen.map(|(_, number)| *number).collect()
}

fn listed(word: &str, kind: &str, times: &[LocalTime]) -> Option<String> {
    match times {
        [] => None,
        few if few.len() <= MOST_DATES => {
            let times: Vec<String> = few.iter().map(LocalTime::to_string).collect();
            Some(format!("{word} {}", listing::and(&times)))
        }
        many => Some(format!("{word} {} {kind} times", many.len())),
    }
}
