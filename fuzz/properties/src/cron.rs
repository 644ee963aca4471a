//! The text of a cron expression.

use horarium_core::recurrence::{Cron, CronRule, Recurrence, Zone};

use crate::assert_inside;
use crate::series::assert_series;

const ZONES: [&str; 4] = ["UTC", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"];

/// A refusal has its place; what passes is kept as typed and has a series in every zone.
pub fn cron(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match text.parse::<Cron>() {
        Err(error) => assert_inside(error.column, text, &error.to_string()),
        Ok(cron) => {
            assert_eq!(cron.to_string(), text);
            for zone in ZONES {
                let zone: Zone = zone.parse().unwrap();
                if let Ok(rule) = CronRule::new(cron.clone(), zone) {
                    assert_series(&Recurrence::Cron(rule));
                }
            }
        }
    }
}
