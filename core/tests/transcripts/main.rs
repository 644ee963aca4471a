//! Transcripts: the life stories of runs, told as scripts of commands and time, with every reply
//! and event. Read the snapshots: each says in its head what it is about and what must hold.
#![allow(clippy::unwrap_used, clippy::panic)] // the helpers of a test may fail as the test does
#![allow(clippy::format_push_string)] // it reads well, and nobody waits for it

mod agenda;
mod bounds;
mod cancel;
mod catch_up;
mod clock;
mod drain;
mod explain;
mod fencing;
mod foreground;
mod lost_answers;
mod operators;
mod scheduled;
mod schedulers;
mod skips;
mod stage;
mod turn_rules;
mod zone_data;
