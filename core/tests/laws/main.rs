//! The laws of the ledger, of the config and of the machines, for whatever anybody sends.
#![allow(clippy::unwrap_used, clippy::panic)] // the helpers of a test may fail as the test does

mod config;
mod draft;
mod extremes;
mod items;
mod ledger;
mod machines;
