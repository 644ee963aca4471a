//! Letting a state go on in good order: every message arrives, jobs end, time goes on, a capable
//! runner lives. Every run must end.

use horarium_core::runner::Runner;

use crate::breach::{Breach, Law};

use super::action::Action;
use super::scope::Part;
use super::shared::Shared;
use super::state::{Host, State};

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
                self.apply_freely(Action::Tick(0))?;
                self.apply_freely(Action::Deliver(0))?;
                tell(self.describe(Action::Time));
                self.apply_freely(Action::Time)?;
            }
        }
        Err(Breach::new(Law::Convergence, format!("not quiet after {MOST_STEPS} steps in peace")))
    }

    /// What happens next when everything goes well.
    fn good_action(&self) -> Option<Action> {
        if !self.messages.is_empty() {
            return Some(Action::Deliver(0));
        }
        let works = |host: &Shared<Host>| !host.jobs.is_empty();
        let busy = self.hosts.iter().position(works)?;
        Some(Action::JobEnds(u8::try_from(busy).unwrap_or(0), true))
    }

    /// True when every run has ended, no retry is owed, and no runner has anything to say.
    fn is_quiet(&self) -> bool {
        let ledger = &self.store.ledger;
        ledger.slot(&self.cast.worker).is_none()
            && ledger.owed_retries().next().is_none()
            && self.hosts.iter().all(|host| host.is_gone || host.machine.jobs() == 0)
    }

    /// Lets one thing happen, whatever is left of the budget.
    fn apply_freely(&mut self, action: Action) -> Result<(), Breach> {
        self.left.times = u8::MAX;
        self.left.ticks = u8::MAX;
        self.apply(action)
    }

    /// Where no runner process is left, one that serves starts.
    fn replace_the_gone(&mut self) -> Result<(), Breach> {
        if self.hosts.iter().any(|host| !host.is_gone) {
            return Ok(());
        }
        let machine = Runner::new(self.cast.config(Part::Serves, 9), self.now, &mut Vec::new());
        self.hosts[0] = Shared::new(Host::new(machine, self.now));
        self.identify(0);
        self.settle()
    }
}
