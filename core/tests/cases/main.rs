//! Questions with known answers: the case tables, and what other programs answer.
#![allow(clippy::unwrap_used, clippy::panic)] // the helpers of a test may fail as the test does
#![allow(clippy::disallowed_types, clippy::disallowed_methods)] // the tests look at the clock

mod cron;
mod cronsim;
mod dateutil;
mod rrule;
mod table;
