//! The command line as scripts and people meet it: what is printed where, with which exit status.
#![allow(clippy::unwrap_used, clippy::expect_used)] // the helpers of a test may fail as the test does

mod bad_input;
mod contract;
mod explain;
mod history;
mod next;
mod program;
mod rrule;
mod verbs;
mod zone_data;
