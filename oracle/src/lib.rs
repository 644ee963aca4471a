//! What a rule means, found by looking at every minute and at every date.
//!
//! Promises: a second opinion. This package does not depend on the code under test, reads the
//! text of a rule in its own way, and takes nothing but offsets from the zone data. It is slow
//! and simple; it expects a rule that is well formed, and panics at anything else.
#![allow(clippy::unwrap_used, clippy::panic)] // it answers tests, and fails as they do
#![allow(clippy::missing_panics_doc)] // the head of this file says it for all

pub mod cron;
pub mod rrule;
pub mod zone;

/// One minute, in seconds.
pub const MINUTE: i64 = 60;
/// One day of 24 hours, in seconds.
pub const DAY: i64 = 86_400;

/// An instant in seconds since 1970, and a wall-clock time that names it.
pub type Named = (i64, jiff::civil::DateTime);
