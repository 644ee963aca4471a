//! Cron: every row of the case table, and the inputs that other matchers choke on.

use std::time::Instant;

use horarium_core::recurrence::{Recurrence, RecurrenceError};

use crate::table::{TIME_LIMIT, every_row_holds, next_five};

pub(crate) fn rule(expression: &str, zone: &str) -> Result<Recurrence, RecurrenceError> {
    Recurrence::cron(expression, zone.parse()?)
}

#[test]
fn every_row_of_the_case_table_holds() {
    let rows = every_row_holds(include_str!("cron.tsv"), |case| {
        assert_eq!((case.kind, case.dtstart), ("cron", "-"));
        rule(&case.expression, case.zone)
    });
    assert_eq!(rows, 460);
}

#[test]
fn heavy_expressions_are_answered_or_refused_at_once() {
    let million_zeros = format!("{}0 * * * *", "0,".repeat(1_000_000));
    let longest_list = format!("{}0 0 29 2 */7", "0,".repeat(121));
    for expression in [
        ", * * * *",
        "0 , * * *",
        "0 0 31 2,4,6,9,11 *",
        million_zeros.as_str(),
        longest_list.as_str(),
        "59 23 29 2 */7",
        "*/5 2 8-14 3 */7",
        "0-59 0-23 29 2 0-7",
    ] {
        for (zone, after) in [
            ("UTC", "1970-01-01T00:00:00Z"),
            ("America/New_York", "2026-03-08T06:30:00Z"),
            ("Africa/Casablanca", "2096-03-01T00:00:00Z"),
            ("Pacific/Apia", "2011-12-30T09:59:59Z"),
            ("Antarctica/Troll", "9999-12-30T21:59:59Z"),
        ] {
            let started = Instant::now();
            next_five(rule(expression, zone), after.parse().unwrap());
            assert!(started.elapsed() < TIME_LIMIT, "{expression:.40} in {zone}");
        }
    }
}
