//! A cron expression in words.

use super::expression::{Expression, Values};
use crate::recurrence::wording::listing::{self, ordinals};
use crate::recurrence::wording::times::Times;

pub(super) fn in_words(expression: &Expression) -> String {
    let times =
        Times { minutes: sorted(&expression.minute), hours: sorted(&expression.hour), second: 0 };
    let days = days(expression, times.are_listed());
    let gap = if days.is_empty() { "" } else { " " };
    format!("{}{gap}{days}", times.in_words())
}

fn sorted(values: &Values) -> Vec<i64> {
    let mut numbers: Vec<i64> = values.iter().map(i64::from).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Sunday is the last day of a week.
fn weekdays(values: &Values) -> Vec<i64> {
    let mut days: Vec<i64> = values.iter().map(|day| (i64::from(day) + 6) % 7).collect();
    days.sort_unstable();
    days.dedup();
    days
}

fn days(expression: &Expression, names_every_day: bool) -> String {
    let dates = sorted(&expression.day_of_month);
    let weekdays = weekdays(&expression.day_of_week);
    let months = sorted(&expression.month);
    let (every_date, every_weekday) = (dates.len() == 31, weekdays.len() == 7);
    let in_months = if months.len() == 12 {
        String::new()
    } else {
        format!(" in {}", listing::numbers(&months, listing::month))
    };
    let dates = ordinals(&dates);
    let one_of = |days: &[i64]| {
        let names: Vec<String> = days.iter().map(|day| listing::weekday(*day).to_owned()).collect();
        listing::or(&names)
    };
    let both = expression.needs_both_days();
    match (every_date, every_weekday) {
        (false, false) if both => format!(
            "on those of the {dates} of the month that are {}{in_months} (both must hold)",
            one_of(&weekdays)
        ),
        (false, false) => format!(
            "on the {dates} of the month or on {}{in_months} (either is enough)",
            one_of(&weekdays)
        ),
        (false, true) if both => format!("on the {dates} of the month{in_months}"),
        (true, false) if both => {
            format!("on {}{in_months}", listing::numbers(&weekdays, listing::weekday))
        }
        (true | false, true | false) if names_every_day || !in_months.is_empty() => {
            format!("every day{in_months}")
        }
        (true | false, true | false) => String::new(),
    }
}
