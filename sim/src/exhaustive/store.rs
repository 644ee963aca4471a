//! The store of the search: the ledger behind messages, judged at every command.

use std::num::NonZeroU32;

use horarium_core::ledger::audit::{self, Invariant};
use horarium_core::ledger::command::Tick;
use horarium_core::ledger::{Command, Event, Handled, Locked, Reply};
use horarium_core::runner::Input;
use horarium_core::words::{Moment, SchedulerId, Timestamp};

use crate::breach::{Breach, Law};
use crate::describe;

use super::scope::GRID;
use super::shared::Shared;
use super::state::{Message, State};

/// More rows than a scope ever has.
pub(super) const LIMIT: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);

impl State {
    pub(super) fn store_time(moment: Moment) -> Timestamp {
        Timestamp::EPOCH.plus(moment.since(Moment::START)).plus(GRID)
    }

    pub(super) fn enqueue(&mut self) -> Result<(), Breach> {
        self.enqueued += 1;
        let wish = self.cast.wish(self.enqueued);
        self.command(&Command::Enqueue(vec![wish]))
    }

    fn tick(&mut self, scheduler: u8) -> Result<(), Breach> {
        let scheduler = SchedulerId::from_bits(u128::from(scheduler));
        self.command(&Command::Tick(Tick { scheduler, limit: LIMIT, seed: 0 }))
    }

    /// Has the store handle a command.
    pub(super) fn command(&mut self, command: &Command) -> Result<(), Breach> {
        self.ask(command).map(|_| ())
    }

    pub(super) fn ask(&mut self, command: &Command) -> Result<Reply, Breach> {
        let now = Self::store_time(self.now);
        let before = self.store.clone();
        let watched = self.store.change();
        let handled = match self.sabotage {
            Some(sabotage) => {
                sabotage.handle(&mut watched.ledger, now, command, &Locked::default())
            }
            None => watched.ledger.handle_amid(now, command, &Locked::default()),
        };
        watched.audit.observe(now, command, &handled)?;
        if handled.events.is_empty() {
            self.store = before;
            return Ok(handled.reply);
        }
        let mut folded = before.ledger.clone();
        for event in &handled.events {
            folded.evolve(event);
        }
        if folded != watched.ledger {
            return Err(Breach::new(Law::Fold, "the fold of the events differs"));
        }
        if let Some(violation) = audit::check(watched.ledger.rows()).into_iter().next() {
            return Err(violation.into());
        }
        self.judge_slots(&handled)?;
        Ok(handled.reply)
    }

    /// When the store gives a slot away, the job that had it is dead.
    pub(super) fn judge_slots(&self, handled: &Handled) -> Result<(), Breach> {
        for event in &handled.events {
            let (Event::RunEnded { run, .. } | Event::RunGivenBack { run }) = event else {
                continue;
            };
            let mut live = self.hosts.iter().flat_map(|host| host.jobs.keys());
            if let Some(claim) = live.find(|claim| claim.run == *run) {
                let what =
                    format!("the slot of {} is free while it lives", describe::claim(*claim));
                return Err(Breach::of(Invariant::NoOverlap, what));
            }
        }
        Ok(())
    }

    pub(super) fn post(&mut self, message: Shared<Message>) {
        self.messages.push(message);
        self.messages.sort_by_key(|message| (message.key(), message.digest()));
    }

    pub(super) fn deliver(&mut self, index: usize) -> Result<(), Breach> {
        let message = self.messages.remove(index);
        match &*message {
            Message::Request(runner, call, command) => {
                let reply = self.ask(command)?;
                if !self.hosts[usize::from(*runner)].is_gone {
                    self.post(Shared::new(Message::Answer(*runner, *call, reply)));
                }
                Ok(())
            }
            Message::Tick(scheduler) => self.tick(*scheduler),
            Message::Answer(runner, call, reply) => {
                self.feed(*runner, Input::Answered(*call, reply.clone()));
                Ok(())
            }
        }
    }
}
