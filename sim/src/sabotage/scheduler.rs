//! A broken shell around the scheduler machine.

use horarium_core::ledger::Reply;
use horarium_core::scheduler::Input;

use super::Sabotage;

/// What stands between a scheduler machine and its world.
#[derive(Debug, Clone, Default)]
pub struct SchedulerShell {
    sabotage: Option<Sabotage>,
    has_stopped: bool,
}

impl SchedulerShell {
    /// A shell, perhaps a broken one.
    pub const fn new(sabotage: Option<Sabotage>) -> Self {
        Self { sabotage, has_stopped: false }
    }

    /// What the machine is told when `input` has happened, if anything.
    pub fn hear(&mut self, input: Input) -> Option<Input> {
        match (self.sabotage, input) {
            (Some(Sabotage::StopsAfterError), input) => {
                self.has_stopped |= matches!(input, Input::Unanswered(_));
                (!self.has_stopped).then_some(input)
            }
            (Some(Sabotage::LockUnnoticed), Input::LockHeld) => None,
            (Some(Sabotage::TicksForEver), Input::Answered(call, Reply::Ticked(mut ticked))) => {
                ticked.more = true;
                Some(Input::Answered(call, Reply::Ticked(ticked)))
            }
            (_, input) => Some(input),
        }
    }
}
