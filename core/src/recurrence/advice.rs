//! What a careful colleague would say of a rule that is right and yet may surprise.
//!
//! Promise: a piece of advice is given only where what it says will happen; a rule without
//! surprises gets none.

use std::collections::BTreeSet;
use std::fmt;

use super::clock_change::Pace;
use super::cron::{CronField, DayFields, UnevenStep};
use super::preview::previews;
use super::zone::{instant, timestamp};
use super::{Preview, Recurrence, Wall};
use crate::words::time::{Span, Timestamp};

/// Clock changes are looked for so far ahead: each yearly change is met once, whatever the day.
const AHEAD: Span = Span::from_days(400);
const WEEK: Span = Span::from_days(7);
/// No clock change moves, merges, drops or repeats times further from itself than this.
const AROUND: Span = Span::from_hours(26);

/// Days of the month that a rule names one by one, and the months in which it does.
pub(super) struct Dates {
    pub(super) months: Vec<u8>,
    pub(super) days: Vec<u8>,
}

/// A surprise that a rule holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advice {
    /// A step of a cron field does not divide the field's range, or leaves one value.
    UnevenStep(UnevenStep),
    /// The rule names a day that short months do not have.
    ShortMonths {
        /// The days, from 29 on.
        days: Vec<u8>,
    },
    /// The rule waits for 29 February.
    LeapDay,
    /// Both day fields of a cron expression are restricted, and either is enough.
    EitherDay,
    /// Both day fields of a cron expression are restricted, and both must hold.
    BothDays,
    /// The rule counts real time from a start that the clock skips.
    StartSkipped {
        /// The named start.
        named: Wall,
        /// Where the count begins instead.
        begins: Wall,
    },
    /// A coming change of the zone's clock moves, merges or repeats a named time.
    ClockChange {
        /// The first run that it touches, with what happens to it.
        first: Preview,
        /// How the rule goes on there.
        pace: Pace,
    },
}

impl Recurrence {
    /// What may surprise those who wrote the rule, seen from `now`.
    pub fn advice(&self, now: Timestamp) -> Vec<Advice> {
        let mut advice = Vec::new();
        match self {
            Self::Once(_) => {}
            Self::Cron(rule) => {
                let cron = rule.cron();
                advice.extend(cron.uneven_steps().into_iter().map(Advice::UnevenStep));
                match cron.day_fields() {
                    DayFields::Both => advice.push(Advice::BothDays),
                    DayFields::Either => advice.push(Advice::EitherDay),
                    DayFields::OneOrNone => {}
                }
                advice.extend(short_months(&cron.single_dates()));
            }
            Self::Rrule(rule) => {
                advice.extend(short_months(&rule.single_dates()));
                advice.extend(
                    rule.skipped_start()
                        .map(|(named, begins)| Advice::StartSkipped { named, begins }),
                );
            }
        }
        advice.extend(
            self.touched_first(now).map(|first| Advice::ClockChange { first, pace: self.pace() }),
        );
        advice
    }

    /// Whether it names times of day or follows elapsed time.
    pub fn pace(&self) -> Pace {
        match self {
            Self::Once(_) => Pace::FixedTime,
            Self::Cron(rule) => rule.cron().pace(),
            Self::Rrule(rule) => rule.rrule().pace(),
        }
    }

    /// The first run after `now` that a clock change touches, of the changes of about a year.
    fn touched_first(&self, now: Timestamp) -> Option<Preview> {
        let mut from = instant(now);
        let limit = instant(now.plus(AHEAD));
        while let Some(change) = self.zone().stretch(from).until.filter(|change| *change <= limit) {
            let at = timestamp(change)?;
            let touched = self.preview_around(now, at).find(|preview| preview.mark.is_some());
            if touched.is_some() && self.is_surprising(at) {
                return touched;
            }
            from = change;
        }
        None
    }

    /// Whether the rule does at a clock change what it does not do at the same hours a week
    /// before: one of every hour, in real time, only meets other names of its hours.
    fn is_surprising(&self, change: Timestamp) -> bool {
        match self.pace() {
            Pace::FixedTime => true,
            Pace::RealTime => {
                let (there, usual) =
                    (self.distances_around(change), self.distances_around(change.minus(WEEK)));
                let distinct =
                    |distances: &[Span]| distances.iter().copied().collect::<BTreeSet<_>>();
                // A rule of every five hours may have one run more or fewer in two equal days.
                distinct(&there) != distinct(&usual) || there.len().abs_diff(usual.len()) > 1
            }
        }
    }

    /// The distances between the occasions around `middle`.
    fn distances_around(&self, middle: Timestamp) -> Vec<Span> {
        let occasions = self.occasions_after(middle.minus(AROUND)).map(|occasion| occasion.at);
        let around: Vec<_> = occasions.take_while(|at| *at <= middle.plus(AROUND)).collect();
        around.windows(2).filter_map(|pair| Some(pair.last()?.since(*pair.first()?))).collect()
    }

    fn preview_around(&self, now: Timestamp, change: Timestamp) -> impl Iterator<Item = Preview> {
        // What a rule lost to a change is marked on the next run, however far away that is.
        let mut is_past = false;
        previews(self, now.max(change.minus(AROUND))).take_while(move |preview| {
            !std::mem::replace(&mut is_past, preview.at > change.plus(AROUND))
        })
    }
}

fn short_months(dates: &Dates) -> Option<Advice> {
    let Dates { months, days } = dates;
    let is_lacking = |day: u8| months.iter().any(|month| day > fewest_days(*month));
    let late: Vec<u8> = days.iter().copied().filter(|day| is_lacking(*day)).collect();
    match late[..] {
        [] => None,
        [29] if months[..] == [2] => Some(Advice::LeapDay),
        [..] => Some(Advice::ShortMonths { days: late }),
    }
}

const fn fewest_days(month: u8) -> u8 {
    match month {
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnevenStep(step) => step.fmt(f),
            Self::ShortMonths { days } => {
                let days: Vec<String> = days.iter().map(u8::to_string).collect();
                write!(
                    f,
                    "not every month has a day {}; for the last day of each, write an RRULE with \
                     BYMONTHDAY=-1",
                    days.join(" or ")
                )
            }
            Self::LeapDay => f.write_str("29 February comes in leap years only"),
            Self::EitherDay => f.write_str(
                "day-of-month and day-of-week are both given: either is enough (crontab(5)); for \
                 both at once, write an RRULE with BYMONTHDAY and BYDAY",
            ),
            Self::BothDays => f.write_str(
                "day-of-month and day-of-week are both given and one begins with `*`: both must \
                 hold (crontab(5))",
            ),
            Self::StartSkipped { named, begins } => write!(
                f,
                "the clock skips {named}, at which the rule starts: it counts from {begins} on, and \
                 so do all its runs"
            ),
            Self::ClockChange { first, pace } => {
                let so_on = match pace {
                    Pace::FixedTime => "each named time runs once, whatever the clock does",
                    Pace::RealTime => {
                        "the rule follows elapsed time, so clock changes drop and repeat its runs"
                    }
                };
                write!(f, "the clock changes at the run of {}", first.wall)?;
                if let Some(mark) = &first.mark {
                    write!(f, ": {mark}")?;
                }
                write!(f, " ({so_on})")
            }
        }
    }
}

/// The field of a step and what is uneven about it.
impl fmt::Display for UnevenStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, step, last } = self;
        if *step >= field.size() {
            return write!(
                f,
                "the {field} field's step is as long as its range or longer: it names {last} alone"
            );
        }
        let around = match field {
            CronField::Minute => "hour",
            CronField::Hour => "day",
            CronField::DayOfMonth => "month",
            CronField::Month => "year",
            CronField::DayOfWeek => "week",
        };
        write!(
            f,
            "the {field} field's step of {step} does not divide the {around}: after {last} \
             it starts anew, at another distance"
        )
    }
}
