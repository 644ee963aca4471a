//! Second opinions on what a store does: each counts for itself and shares no decision with core.
//!
//! `occurrences` knows when every schedule comes due, `conservation` where every accepted run is,
//! `history` whether every answer agrees with the order of changes and with real time, `thorough`
//! whether who says that nothing is left has left nothing.

pub mod conservation;
pub mod history;
pub mod occurrences;
pub mod thorough;

pub use conservation::Conservation;
pub use history::History;
pub use occurrences::Occurrences;
