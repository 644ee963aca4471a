//! Times of day in words: which minutes of which hours.

use super::listing::{self, even_step, ordinal};

const HOUR: i64 = 60;
const DAY: i64 = 24;
/// So many times of day are listed one by one.
const MOST_LISTED: usize = 6;

/// Minutes and hours, each in order and once; every minute of every hour is meant that way.
pub(in crate::recurrence) struct Times {
    pub(in crate::recurrence) minutes: Vec<i64>,
    pub(in crate::recurrence) hours: Vec<i64>,
    pub(in crate::recurrence) second: i64,
}

impl Times {
    /// Whether the times are few enough to be listed. Then days need to be named beside them:
    /// `at 02:30` alone says nothing of days.
    pub(in crate::recurrence) fn are_listed(&self) -> bool {
        !self.is_every_hour()
            && self.minutes.len() < 60
            && self.minutes.len() * self.hours.len() <= MOST_LISTED
    }

    fn is_every_hour(&self) -> bool {
        self.hours.len() == 24
    }

    pub(in crate::recurrence) fn in_words(&self) -> String {
        let second =
            if self.second == 0 { String::new() } else { format!(" and {} seconds", self.second) };
        let every_minute = self.minutes.len() == 60;
        let step = even_step(&self.minutes, HOUR);
        match (every_minute, self.is_every_hour(), step) {
            (true, true, _) if self.second == 0 => String::from("every minute"),
            (true, false, _) if self.second == 0 => format!("every minute of {}", self.of_hours()),
            (_, true, Some(step)) if self.minutes.first() == Some(&0) && self.second == 0 => {
                format!("every {step} minutes")
            }
            (_, false, _) if self.are_listed() => self.listed(),
            _ => format!("at {}{second} of {}", self.at_minutes(), self.of_hours()),
        }
    }

    fn listed(&self) -> String {
        let second = if self.second == 0 { String::new() } else { format!(":{:02}", self.second) };
        let times = self.hours.iter().flat_map(|hour| {
            self.minutes.iter().map(move |minute| format!("{hour:02}:{minute:02}"))
        });
        let times: Vec<String> = times.map(|time| time + &second).collect();
        format!("at {}", listing::and(&times))
    }

    fn at_minutes(&self) -> String {
        let word = if self.minutes.len() == 1 { "minute" } else { "minutes" };
        format!("{word} {}", listing::numbers(&self.minutes, |minute| minute))
    }

    fn of_hours(&self) -> String {
        of_hours(&self.hours)
    }
}

/// `every hour`, `every 2nd hour from hour 0`, `the hours 9 to 17`.
pub(in crate::recurrence) fn of_hours(hours: &[i64]) -> String {
    match (hours, even_step(hours, DAY)) {
        (_, Some(1)) => String::from("every hour"),
        ([first, _, _, ..], Some(step)) => {
            format!("every {} hour from hour {first}", ordinal(step))
        }
        ([only], _) => format!("the hour {only}"),
        (several, _) => format!("the hours {}", listing::numbers(several, |hour| hour)),
    }
}
