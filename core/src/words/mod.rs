//! The words of Horarium as types: parsed once at the border, trusted ever after.

pub mod actor;
pub mod fence;
pub mod id;
pub mod lease;
pub mod name;
pub mod request;
pub mod retry;
pub mod time;

pub use actor::{Actor, ActorKind, By, Note};
pub use fence::Fence;
pub use id::{RunId, RunNumber, RunnerId, SchedulerId};
pub use lease::{Lease, LeaseTiming};
pub use name::{Name, WorkerName};
pub use request::{Options, Request};
pub use retry::{Attempt, Backoff, RetryPolicy};
pub use time::{Moment, Span, Timestamp};
