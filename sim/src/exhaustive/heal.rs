//! Letting a state go on in good order: every message arrives, jobs end, time goes on, a capable
//! runner lives. Every run must end.

use crate::breach::{Breach, Law};

use super::action::Action;
use super::state::State;

/// Steps after which everything must have ended.
const MOST_STEPS: usize = 600;

impl State {
    /// Lets everything go on in good order until nothing is left to do.
    pub(super) fn heal(&mut self) -> Result<(), Breach> {
        self.heal_telling(&mut |_| {})
    }

    /// The same, saying what happens.
    pub(super) fn heal_telling(&mut self, tell: &mut dyn FnMut(String)) -> Result<(), Breach> {
        for _ in 0..MOST_STEPS {
            if self.is_quiet() {
                return Ok(());
            }
            let action = self.good_action();
            if let Some(action) = action {
                tell(self.describe(action));
                self.apply_freely(action)?;
            } else {
                self.replace_the_gone()?;
                self.apply_freely(Action::Sweep)?;
                self.apply_freely(Action::Tick)?;
                tell(self.describe(Action::Time));
                self.apply_freely(Action::Time)?;
            }
        }
        Err(Breach::new(Law::Convergence, format!("not quiet after {MOST_STEPS} steps in peace")))
    }
}
