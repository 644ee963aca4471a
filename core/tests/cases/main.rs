//! Questions with known answers: the case tables, and what other programs answer.
//!
//! Other tables of the same form are asked too when the variable `CASE_TABLES` names their files,
//! with colons between: `CASE_TABLES=/tmp/more.tsv cargo test -p horarium-core --test cases others`.
#![allow(clippy::unwrap_used, clippy::panic)] // the helpers of a test may fail as the test does
#![allow(clippy::disallowed_types, clippy::disallowed_methods)] // the tests look at the clock

mod cron;
mod cronsim;
mod dateutil;
mod others;
mod rrule;
mod table;
