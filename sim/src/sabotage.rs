//! Seeded bugs, to show that the harness can fail. They are decorators around what goes into and
//! comes out of the real machines; the machines know nothing of them.

use horarium_core::ledger::{Command, Handled, Ledger, Locked};
use horarium_core::words::Timestamp;

/// A bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {}

impl Sabotage {
    /// Handles a command wrongly.
    pub fn handle(
        self,
        ledger: &mut Ledger,
        now: Timestamp,
        command: &Command,
        locked: &Locked,
    ) -> Handled {
        ledger.handle_amid(now, command, locked)
    }
}
