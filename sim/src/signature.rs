//! How different what worlds meet is: one number for what a command met, what came of it, and
//! which faults were about. A batch that meets few of them tries the same thing again and again.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use horarium_core::ledger::{Command, Handled, Ledger};

use crate::digest::Digest;

/// Rows are told apart up to so many.
const MANY: usize = 3;

/// The signature of a command that was handled: (state, command, outcome, active faults).
pub fn of(ledger: &Ledger, command: &Command, handled: &Handled, active_faults: u64) -> u64 {
    let mut digest = Digest::default();
    ledger.queue().take(MANY).count().hash(&mut digest);
    ledger.running().take(MANY).count().hash(&mut digest);
    ledger.owed_retries().take(MANY).count().hash(&mut digest);
    discriminant(command).hash(&mut digest);
    discriminant(&handled.reply).hash(&mut digest);
    for event in &handled.events {
        discriminant(event).hash(&mut digest);
    }
    active_faults.hash(&mut digest);
    digest.finish()
}
