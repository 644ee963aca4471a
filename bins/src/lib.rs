//! The shells of Horarium: everything here waits, spawns, reads and prints; nothing here decides.

pub mod boot_clock;
pub mod guard;
pub mod job;
