//! Schedules of a catalogue file that recur by an RRULE.
#![allow(clippy::unwrap_used)] // the helpers of a test may fail as the test does

use std::path::Path;

use horarium::catalogue_file::{CatalogueFile, CatalogueFileError};

const HANDLER: &str = "default_timezone = \"UTC\"\n[handler.a]\ncommand = [\"true\"]\n";

fn parsed(text: &str) -> Result<CatalogueFile, String> {
    CatalogueFile::parse("catalogue.toml", Path::new("/"), &format!("{HANDLER}{text}"), None)
        .map_err(|faults| CatalogueFileError::Faulty(faults).to_string())
}

#[test]
fn a_rule_has_a_start_and_perhaps_dates_in_quotes_or_without() {
    let file = parsed(
        r#"
[schedule.a]
rrule = "FREQ=MONTHLY;BYDAY=-1FR"
dtstart = 2026-01-30T17:00:00
timezone = "Europe/Berlin"
rdate = ["2026-12-23T12:00", 2026-12-24T12:00:00]
exdate = [2026-12-25T17:00:00]
"#,
    );
    let file = file.unwrap();
    let recurrence = &file.schedules[&"a".parse().unwrap()].plan.recurrence;
    insta::assert_snapshot!(serde_json::to_string_pretty(recurrence).unwrap());
}

#[test]
fn what_is_no_rule_is_refused_at_its_place() {
    let refusal = parsed(
        r#"
[schedule."a:misspelt"]
rrule = "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=25"
dtstart = 2026-01-30T17:00:00

[schedule."a:never"]
rrule = "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30"
dtstart = 2026-01-30T17:00:00

[schedule."a:no-start"]
rrule = "FREQ=DAILY"

[schedule."a:start-with-offset"]
rrule = "FREQ=DAILY"
dtstart = 2026-01-30T17:00:00Z

[schedule."a:start-without-time"]
rrule = "FREQ=DAILY"
dtstart = 2026-01-30

[schedule."a:no-list"]
rrule = "FREQ=DAILY"
dtstart = 2026-01-30T17:00:00
rdate = 2026-01-31T17:00:00
exdate = [7, "tomorrow"]

[schedule."a:two-languages"]
rrule = "FREQ=DAILY"
cron = "@daily"

[schedule."a:dates-for-cron"]
cron = "@daily"
dtstart = 2026-01-30T17:00:00
exdate = []
"#,
    );
    insta::assert_snapshot!(refusal.unwrap_err());
}
