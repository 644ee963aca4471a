//! Seeded bugs, to show that the harness can fail. Each is taken from reality. They are
//! decorators around what goes into and comes out of the real machines; the machines know nothing
//! of them. A guard or a client that is broken does something wrong where the world has it do
//! something right.

mod list;
mod runner;
mod scheduler;
mod store;

pub use list::{Sabotage, Side};
pub use runner::RunnerShell;
pub use scheduler::SchedulerShell;
