//! The instants of a rule, by a walk through every date or every minute.

use std::collections::BTreeSet;

use jiff::civil::{Date, DateTime};

use super::{End, Freq, Rule};
use crate::zone::{first_instant, instant, offsets, shown};
use crate::{DAY, MINUTE, Named};

/// The instants of the rule up to `end`, each once, with the latest wall-clock time behind it.
pub fn series(rule: &Rule, end: i64) -> Vec<Named> {
    let zone = offsets(&rule.zone);
    let by_parts = by_parts(rule, end);
    let counted: BTreeSet<i64> = by_parts.iter().map(|(at, _)| *at).collect();
    let within = |position: usize, at: i64| match rule.end {
        End::Never => true,
        End::Count(count) => position < count,
        End::Until(last) => at <= last,
    };
    let counted: BTreeSet<i64> = counted
        .into_iter()
        .enumerate()
        .filter(|(n, at)| within(*n, *at))
        .map(|(_, at)| at)
        .collect();
    let is_excluded = |(at, wall): &Named| {
        if rule.is_elapsed() {
            rule.exdate.iter().any(|wall| first_instant(&zone, *wall) == Some(*at))
        } else {
            rule.exdate.contains(wall)
        }
    };
    let mut named: Vec<Named> = by_parts
        .into_iter()
        .filter(|(at, _)| counted.contains(at))
        .filter(|named| !is_excluded(named))
        .collect();
    for wall in &rule.rdate {
        if !rule.exdate.contains(wall) {
            named.push((instant(&zone, *wall), *wall));
        }
    }
    named.retain(|(at, _)| *at <= end);
    named.sort_unstable();
    // Of those on one instant the last stays.
    named.reverse();
    named.dedup_by_key(|(at, _)| *at);
    named.reverse();
    named
}

/// What the parts name up to `end`, several to an instant where the clock goes forward.
pub fn by_parts(rule: &Rule, end: i64) -> Vec<Named> {
    if rule.is_elapsed() { every_minute(rule, end) } else { every_date(rule, end) }
}

/// Whether the BY parts, and DTSTART where they leave something open, name `wall`, whatever its
/// place among the periods and the positions.
pub fn names(rule: &Rule, wall: DateTime) -> bool {
    let allows = |list: &[i16], its: i8| list.is_empty() || list.contains(&its.into());
    let is_time = if rule.is_elapsed() {
        allows(&rule.hours, wall.hour()) && allows(&rule.minutes, wall.minute())
    } else {
        times(rule).contains(&(wall.hour(), wall.minute(), wall.second()))
    };
    is_time && names_date(rule, wall.date())
}

/// Walks through every date, and gathers those of each period.
fn every_date(rule: &Rule, end: i64) -> Vec<Named> {
    let zone = offsets(&rule.zone);
    let last = shown(&zone, end + 2 * DAY).date();
    let start_key = key(rule, rule.start.date());
    // Far enough back for the whole period of DTSTART.
    let mut date = rule.start.date().checked_sub(jiff::ToSpan::days(400)).unwrap();
    let mut its_key = key(rule, date);
    let mut period: Vec<DateTime> = Vec::new();
    // How many periods ago DTSTART's was.
    let mut age: Option<i64> = None;
    let mut walls = Vec::new();
    loop {
        let key = key(rule, date);
        if key != its_key {
            walls.extend(chosen(rule, std::mem::take(&mut period)));
            if date > last {
                break;
            }
            age = age.map_or((key == start_key).then_some(0), |age| Some(age + 1));
            its_key = key;
        }
        if age.is_some_and(|age| age % rule.interval == 0) && names_date(rule, date) {
            let times = times(rule).into_iter();
            period.extend(times.map(|(hour, minute, second)| date.at(hour, minute, second, 0)));
        }
        date = date.tomorrow().unwrap();
    }
    walls.retain(|wall| *wall >= rule.start);
    walls
        .into_iter()
        .map(|wall| (instant(&zone, wall), wall))
        .filter(|(at, _)| *at <= end)
        .collect()
}

/// Those of a whole period that the positions choose.
fn chosen(rule: &Rule, period: Vec<DateTime>) -> impl Iterator<Item = DateTime> {
    let count = i16::try_from(period.len()).unwrap();
    period.into_iter().zip(1_i16..).filter_map(move |(wall, place)| {
        (rule.positions.is_empty() || has(&rule.positions, place, count)).then_some(wall)
    })
}

/// What all dates of one period share.
fn key(rule: &Rule, date: Date) -> (i16, i64) {
    match rule.freq {
        Freq::Yearly if !rule.weeks.is_empty() => (middle_of_week(rule, date).year(), 0),
        Freq::Yearly => (date.year(), 0),
        Freq::Monthly => (date.year(), date.month().into()),
        Freq::Weekly => {
            let middle = middle_of_week(rule, date);
            (middle.year(), middle.day_of_year().into())
        }
        Freq::Daily | Freq::Hourly | Freq::Minutely => (date.year(), date.day_of_year().into()),
    }
}

/// The fourth day of the week of `date`: the year that it lies in is the week's.
fn middle_of_week(rule: &Rule, date: Date) -> Date {
    let mut middle = date;
    while middle.weekday().to_monday_zero_offset() != (rule.week_start + 3) % 7 {
        middle = middle.tomorrow().unwrap();
    }
    let is_next_week = date.until(middle).unwrap().get_days() > 3;
    if is_next_week { middle.checked_sub(jiff::ToSpan::days(7)).unwrap() } else { middle }
}

fn times(rule: &Rule) -> BTreeSet<(i8, i8, i8)> {
    let or = |list: &[i16], its: i8| -> Vec<i8> {
        let list: Vec<i8> = list.iter().map(|n| i8::try_from(*n).unwrap()).collect();
        if list.is_empty() { vec![its] } else { list }
    };
    let second = rule.second.map_or(rule.start.second(), |second| i8::try_from(second).unwrap());
    let minutes = or(&rule.minutes, rule.start.minute());
    or(&rule.hours, rule.start.hour())
        .into_iter()
        .flat_map(|hour| minutes.iter().map(move |minute| (hour, *minute, second)))
        .collect()
}

fn has(list: &[i16], place: i16, count: i16) -> bool {
    list.iter().any(|n| *n == place || (*n < 0 && count + 1 + n == place))
}

fn names_date(rule: &Rule, date: Date) -> bool {
    let start = rule.start.date();
    let (month, day) = (i16::from(date.month()), i16::from(date.day()));
    let in_month = i16::from(date.days_in_month());
    let weekday = date.weekday().to_monday_zero_offset();
    let parts = [
        (!rule.months.is_empty()).then(|| rule.months.contains(&month)),
        (!rule.year_days.is_empty())
            .then(|| has(&rule.year_days, date.day_of_year(), date.days_in_year())),
        (!rule.month_days.is_empty()).then(|| has(&rule.month_days, day, in_month)),
        (!rule.weeks.is_empty()).then(|| {
            let middle = middle_of_week(rule, date);
            let week = (middle.day_of_year() - 1) / 7 + 1;
            let more = (middle.days_in_year() - middle.day_of_year()) / 7;
            has(&rule.weeks, week, week + more)
        }),
        (!rule.weekdays.is_empty()).then(|| {
            rule.weekdays.iter().any(|(nth, named)| {
                let in_year = rule.freq == Freq::Yearly && rule.months.is_empty();
                let (place, count) = if in_year {
                    (date.day_of_year(), date.days_in_year())
                } else {
                    (day, in_month)
                };
                let (from_start, from_end) = ((place - 1) / 7 + 1, (count - place) / 7 + 1);
                *named == weekday && (*nth == 0 || *nth == from_start || *nth == -from_end)
            })
        }),
    ];
    let says_which_day = parts[1].or(parts[2]).or(parts[4]).is_some();
    // What the rule leaves open is as in DTSTART.
    let as_in_start = says_which_day
        || match rule.freq {
            Freq::Yearly if !rule.weeks.is_empty() => date.weekday() == start.weekday(),
            Freq::Yearly => {
                date.day() == start.day()
                    && (!rule.months.is_empty() || date.month() == start.month())
            }
            Freq::Monthly => date.day() == start.day(),
            Freq::Weekly => date.weekday() == start.weekday(),
            Freq::Daily | Freq::Hourly | Freq::Minutely => true,
        };
    as_in_start && parts.into_iter().flatten().all(|is_named| is_named)
}

/// Walks through every minute of real time.
fn every_minute(rule: &Rule, end: i64) -> Vec<Named> {
    let zone = offsets(&rule.zone);
    let start = instant(&zone, rule.start);
    let at_start = shown(&zone, start);
    let second = rule.second.map_or(i64::from(at_start.second()), i64::from);
    let first_minute = start - i64::from(at_start.second());
    let lists_minutes = rule.freq == Freq::Hourly && !rule.minutes.is_empty();
    // Steps are counted from DTSTART's minute, or from its hour when the hour's minutes are listed.
    let first_step =
        if lists_minutes { first_minute - i64::from(at_start.minute()) * 60 } else { first_minute };
    let mut listed: Vec<i16> = rule.minutes.clone();
    listed.sort_unstable();
    listed.dedup();
    let mut named = Vec::new();
    let mut minute = first_minute;
    while minute + second <= end {
        let (at, elapsed) = (minute + second, (minute - first_step) / MINUTE);
        minute += MINUTE;
        let is_step = match rule.freq {
            Freq::Minutely => elapsed % rule.interval == 0,
            _ if lists_minutes => elapsed / 60 % rule.interval == 0,
            _ => elapsed % (60 * rule.interval) == 0,
        };
        if at < start || !is_step {
            continue;
        }
        let wall = shown(&zone, at);
        let of_hour = i16::from(wall.minute());
        let is_chosen = rule.positions.is_empty() || {
            let (place, count) = if lists_minutes {
                let place = listed.iter().position(|minute| *minute == of_hour);
                (place.map_or(0, |place| i16::try_from(place + 1).unwrap()), listed.len())
            } else {
                (1, 1)
            };
            place > 0 && has(&rule.positions, place, i16::try_from(count).unwrap())
        };
        if is_chosen
            && (rule.hours.is_empty() || rule.hours.contains(&wall.hour().into()))
            && (rule.minutes.is_empty() || rule.minutes.contains(&of_hour))
            && names_date(rule, wall.date())
        {
            named.push((at, wall));
        }
    }
    named
}
