//! Work bounds: nobody asks the store again and again for nothing.

use std::collections::{BTreeMap, VecDeque};

use horarium_core::ledger::{Event, Handled};
use horarium_core::words::Span;

use crate::breach::{Breach, Law};
use crate::clock::Time;

use super::World;
use super::network::Sender;

/// Commands that change nothing, of one process, within [`WINDOW`].
const MOST_FRUITLESS: usize = 40;
const WINDOW: Span = Span::from_secs(1);

/// Who asked for nothing, and when.
#[derive(Debug, Default)]
pub(super) struct Work(BTreeMap<(u8, usize), VecDeque<Time>>);

impl World {
    /// Counts a command that changed nothing.
    pub(super) fn count_work(&mut self, sender: Sender, handled: &Handled) {
        let process = match sender {
            Sender::Runner(runner, _) => (0, runner),
            Sender::Scheduler(scheduler, _) => (1, scheduler),
            Sender::Operator(_) | Sender::Vulture => return,
        };
        let is_fruitful = handled.events.iter().any(|event| {
            !matches!(
                event,
                Event::TurnTaken { .. } | Event::SchedulerTicked(_) | Event::LeaseRenewed { .. }
            )
        });
        if is_fruitful {
            return;
        }
        let time = self.time;
        let asked = self.work.0.entry(process).or_default();
        asked.push_back(time);
        while asked.front().is_some_and(|first| time.since(*first) > WINDOW) {
            asked.pop_front();
        }
        if asked.len() > MOST_FRUITLESS {
            let who = Self::sender_name(sender);
            let what =
                format!("{who}: more than {MOST_FRUITLESS} commands within {WINDOW} for nothing");
            self.broke(Breach::new(Law::WorkBound, what));
        }
    }
}
