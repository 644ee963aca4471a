//! A rule in English words.
//!
//! Promise: the sentence says neither more nor less than the rule, so that the rule can be read
//! back from it, and the tests do. What a careful colleague would add is `advice`.
//!
//! Each language puts its own rules into words; here is what both need: `listing` for numbers,
//! weekdays and months, `times` for times of day.

pub(super) mod listing;
pub(super) mod times;

use super::Recurrence;

/// The sentence.
pub(super) fn in_words(recurrence: &Recurrence) -> String {
    let zone = recurrence.zone();
    match recurrence {
        Recurrence::Once(once) => format!("once, at {}, {zone} time", zone.wall_at(once.at())),
        Recurrence::Cron(rule) => format!("{}, {zone} time", rule.cron().in_words()),
        Recurrence::Rrule(rule) => format!("{}, {zone} time", rule.in_words()),
    }
}
