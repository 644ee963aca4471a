//! A world of disasters around the shipped machines.
//!
//! Promise: one seed is one world. The ledger, the runner machine and the scheduler machine are
//! the real ones; everything around them is virtual: time, network, processes, guards, jobs and
//! operators. The invariants are looked at after every command, `no-overlap` is judged in true
//! time over processes that live, and when the faults stop everything must converge in a time
//! that follows from the configuration. Any failure comes back from its seed.

pub mod batch;
pub mod breach;
pub mod calendar;
pub mod check;
pub mod clock;
pub mod coverage;
pub mod describe;
pub mod digest;
pub mod draw;
pub mod exhaustive;
pub mod facts;
pub mod hunt;
pub mod incident;
pub mod named;
pub mod narrate;
pub mod profile;
pub mod queue;
pub mod regression;
pub mod sabotage;
pub mod scenario;
pub mod seeds;
pub mod shrink;
pub mod signature;
pub mod store;
pub mod timeline;
pub mod witness;
pub mod world;

pub use scenario::Scenario;
pub use world::{Story, World};
