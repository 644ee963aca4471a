//! What must hold for any input: the bodies of the fuzz targets, as plain functions.
//!
//! Promises: each takes any bytes and panics where a property is broken, and only there. The
//! fuzzer calls them with inputs that it invents (`fuzz/README.md`); `tests/corpus.rs` calls them
//! with the inputs that are kept.
#![allow(clippy::unwrap_used, clippy::panic)] // a broken property is to panic
#![allow(clippy::missing_panics_doc)] // the head of this file says it for all

mod catalogue_file;
mod cron;
mod oracles;
mod request;
mod rrule;
mod series;
mod zone;

pub use catalogue_file::catalogue_file;
pub use cron::cron;
pub use oracles::{cron_oracle, rrule_oracle};
pub use request::request;
pub use rrule::{ics, rrule};
pub use zone::zone;

use horarium_core::recurrence::RecurrenceError;

/// Takes any bytes, and panics where a property is broken.
pub type Property = fn(&[u8]);

/// Every property by name: its fuzz target and its corpus are called the same.
pub const PROPERTIES: [(&str, Property); 8] = [
    ("catalogue_file", catalogue_file),
    ("cron", cron),
    ("cron_oracle", cron_oracle),
    ("ics", ics),
    ("request", request),
    ("rrule", rrule),
    ("rrule_oracle", rrule_oracle),
    ("zone", zone),
];

/// A refusal stands at a byte of the text, or right behind its end.
fn assert_inside(column: usize, text: &str, message: &str) {
    assert!((1..=text.len() + 1).contains(&column), "column {column} of {text:?}: {message}");
}

/// What is written down is read back as it was.
fn assert_read_back<T>(value: &T)
where
    T: std::fmt::Debug + PartialEq + serde::Serialize + serde::de::DeserializeOwned,
{
    assert_read_back_by(value, Ok);
}

/// The same for what is read in two steps.
fn assert_read_back_by<T, W>(value: &T, read: impl Fn(W) -> Result<T, RecurrenceError>)
where
    T: std::fmt::Debug + PartialEq + serde::Serialize,
    W: serde::de::DeserializeOwned,
{
    let json = serde_json::to_string(value).unwrap();
    match serde_json::from_str::<W>(&json) {
        Ok(written) => assert_eq!(read(written).as_ref(), Ok(value), "{json}"),
        Err(error) => panic!("{json} is not read back: {error}"),
    }
}
