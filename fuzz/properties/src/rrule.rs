//! The text of an RRULE, and the lines that carry one.

use horarium_core::recurrence::{
    Dates, IcsProblem, LocalTime, Recurrence, RecurrenceError, Rrule, RruleRule, Zone, ZoneData,
};

use crate::assert_inside;
use crate::series::assert_series;

const STARTS: [(&str, &str); 4] = [
    ("1970-01-01T00:00", "UTC"),
    ("2020-02-29T02:30", "America/New_York"),
    ("2026-04-05T01:45:30", "Australia/Lord_Howe"),
    ("2200-12-31T23:59", "Africa/Casablanca"),
];

/// A refusal has its place; what passes is kept as typed and has a series from every start.
pub fn rrule(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match text.parse::<Rrule>() {
        Err(error) => assert_inside(error.column, text, &error.to_string()),
        Ok(rrule) => {
            assert_eq!(rrule.to_string(), text);
            for (start, zone) in STARTS {
                let (start, zone): (LocalTime, Zone) =
                    (start.parse().unwrap(), zone.parse().unwrap());
                if let Ok(rule) = RruleRule::new(rrule.clone(), start, zone, Dates::default()) {
                    assert_series(&Recurrence::Rrule(rule));
                }
            }
        }
    }
}

/// A refusal names a line that is there; what passes has a series.
pub fn ics(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match Recurrence::ics(text, &ZoneData::bundled()) {
        Ok(recurrence) => assert_series(&recurrence),
        Err(RecurrenceError::Ics(error)) => {
            assert!((1..=text.split('\n').count()).contains(&error.line), "{text:?}: {error}");
            if let IcsProblem::Rrule(inner) = error.problem {
                assert_inside(inner.column, text, &inner.to_string());
            }
        }
        Err(
            RecurrenceError::RruleNeverFires(_)
            | RecurrenceError::RruleTooCostly(_)
            | RecurrenceError::TooManyDates(_),
        ) => {}
        Err(other) => panic!("{text:?} is refused without a line: {other}"),
    }
}
