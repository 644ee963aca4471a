//! A second opinion on when a rule comes due: a pool of rules, each with a predicate of our own
//! beside its text, and a plain walk over days and minutes.
//!
//! Promise: nothing here asks the recurrence code of core. From the zone data only the changes of
//! the clock are taken, so a wrong answer on either side shows.

mod places;
mod releases;
mod rules;
mod series;
mod wall_clock;

pub use places::{Place, place};
pub use releases::{Releases, ZoneNews};
pub use rules::draw;
pub use series::{Series, UnknownRule};
pub use wall_clock::{Reading, WallClock, ZoneUnknown};
