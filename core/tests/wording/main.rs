//! A rule in words says neither more nor less than the rule: read back, it gives the same
//! instants. And advice is given where there is something to say.
#![allow(clippy::unwrap_used, clippy::panic)] // the readers of a test may fail as the test does

mod advice;
mod cron;
mod reading;
mod rrule;
mod transcript;
