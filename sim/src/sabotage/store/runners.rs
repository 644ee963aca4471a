//! Bugs about the registry and the numbers of turns.

use std::num::NonZeroU64;

use horarium_core::catalogue::Definition;
use horarium_core::ledger::{Command, Event, Ledger, Registration, Reply, Runner, Turn};

use super::Spoiling;

/// The turn with a number that the store takes.
pub(super) fn renumbered(ledger: &Ledger, turn: &Turn) -> Turn {
    let taken = ledger.rows().runners.get(&turn.runner).map_or(0, |runner| runner.turn);
    let number = NonZeroU64::new(taken.saturating_add(1)).unwrap_or(NonZeroU64::MIN);
    Turn { number: number.max(turn.number), ..turn.clone() }
}

impl Spoiling<'_> {
    /// A known runner registers as if it were new: one that works, or one that has stopped.
    pub(super) fn registered_again(&mut self, is_stopped: bool) {
        let Command::Register(registration) = self.command else { return };
        let known = self.before.rows().runners.get(&registration.runner);
        if known.is_some_and(|known| known.stopped_at.is_some() == is_stopped) {
            self.handled.reply = Reply::Registered { turn: 0 };
            let catalogue = registration.catalogue.iter().map(Definition::hash).collect();
            self.add(Event::RunnerRegistered(Box::new(Runner {
                registration: Registration { catalogue: Vec::new(), ..registration.clone() },
                catalogue,
                registered_at: self.now,
                last_seen: self.now,
                stopped_at: None,
                turn: 0,
            })));
        }
    }

    pub(super) fn retired_holding(&mut self) {
        if let (Command::Retire { runner }, Reply::StillHolding(_)) =
            (self.command, &self.handled.reply)
        {
            self.handled.reply = Reply::Retired;
            self.add(Event::RunnerStopped { runner: *runner, at: self.now });
        }
    }
}
