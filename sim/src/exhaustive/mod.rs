//! The protocol searched to the end in a small scope.
//!
//! The ledger and the runner machines are the real ones. Every order of a few actions is tried:
//! each message delivered, late, lost or doubled, in any order; jobs that end; sweeps, ticks,
//! cancels, drains, crashes, interrupts. What the search leaves out, it leaves out openly:
//!
//! - Time moves from grid point to grid point, so alarms come late by up to one step, all clocks
//!   run at one rate, and the store's clock never steps. (The worlds have drift and steps.)
//! - Job processes start, and are seen to end, at once. A job hears no TERM: it ends by itself at
//!   any time, or by KILL.
//! - Schedulers are no machines here: two that both believe to lead may send a tick at any moment,
//!   and hear no answers; of each, one tick is on its way at once. (The worlds have the machines, their lock and its loss.)
//! - A runner's own sweeps take no way: somebody else may sweep at any moment anyway.
//! - Messages in flight, losses and all other disasters are counted, as each [`Scope`] says; a
//!   state with more messages on their way than the scope allows is not followed.
//! - A late answer, and a late request that the store has outlived, is not kept on its way: it is
//!   seen that it does nothing, then it is gone.
//!
//! Every state is looked at: the audit of each step, the rows at rest, the fold of the events, no
//! two live jobs of one worker, no claim started twice. And from a sample of states everything
//! is let go on in good order: every run must end.

mod action;
mod heal;
mod processes;
mod scope;
mod search;
mod shared;
mod spent;
mod state;
mod store;

pub use action::Action;
pub use scope::{Budget, Part, Scope, Work};
pub use search::{Found, search};
