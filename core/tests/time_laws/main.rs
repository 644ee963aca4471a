//! The laws of recurrence: random rules against an oracle that looks at every date and every
//! minute, mostly where clocks change, and every change of every zone.
#![allow(clippy::unwrap_used)] // the helpers of a test may fail as the test does

mod count_cost;
mod cron;
mod cron_draw;
mod every_zone;
mod near_changes;
mod rrule;
mod rrule_draw;

use horarium_core::words::time::Timestamp;
use oracle::Named;

/// `second` since 1970 as an instant.
fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

/// What the oracle saw, as the rule's own answers are written.
fn shown((second, wall): &Named) -> (Timestamp, String) {
    let seconds = if wall.second() == 0 { "" } else { ":%S" };
    (at(*second), wall.strftime(&format!("%Y-%m-%dT%H:%M{seconds}")).to_string())
}
