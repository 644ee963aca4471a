//! Tables that somebody brings along.

use std::fs;

use crate::table::every_row_holds;
use crate::{cron, rrule};

/// Names files of tables, with colons between.
const VARIABLE: &str = "CASE_TABLES";

#[test]
fn every_row_of_the_tables_that_the_environment_names_holds() {
    let Ok(paths) = std::env::var(VARIABLE) else { return };
    for path in paths.split(':') {
        let table = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let rows = every_row_holds(&table, |case| match case.kind {
            "cron" => cron::rule(&case.expression, case.zone),
            "rrule" => rrule::rule(&case.expression, case.zone, case.dtstart),
            kind => panic!("{path}: kind {kind}: a table has cron and rrule"),
        });
        println!("{path}: {rows} rows hold");
    }
}
