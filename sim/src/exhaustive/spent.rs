//! Messages that can do nothing any more: it is seen that they do nothing, then they go. That
//! keeps the search small without leaving anything out.

use horarium_core::ledger::audit::Invariant;
use horarium_core::ledger::{Command, Locked, Reply};
use horarium_core::runner::{CallId, Input};

use crate::breach::Breach;
use crate::describe;

use super::state::{Host, Message, State};

impl State {
    /// Takes away what can do nothing any more, after it was seen that it does nothing: answers
    /// to calls that were given up, and requests of such calls that the store has outlived.
    pub(super) fn drop_the_spent(&mut self) -> Result<(), Breach> {
        for message in self.messages.clone() {
            let is_spent = match &*message {
                Message::Tick(_) => false,
                Message::Answer(runner, call, reply) => {
                    let host = &*self.hosts[usize::from(*runner)];
                    let is_old = call.0 < host.last_call;
                    if is_old {
                        self.see_it_ignored(host, *call, reply)?;
                    }
                    is_old || host.is_gone
                }
                Message::Request(runner, call, command) => {
                    let host = &*self.hosts[usize::from(*runner)];
                    (call.0 < host.last_call || host.is_gone) && self.is_outlived(command)?
                }
            };
            if is_spent {
                self.messages.retain(|kept| kept.digest() != message.digest());
            }
        }
        Ok(())
    }

    /// A late answer does no more than a look at the clock.
    fn see_it_ignored(&self, host: &Host, call: CallId, reply: &Reply) -> Result<(), Breach> {
        let mut told = host.machine.clone();
        let mut woken = host.machine.clone();
        let (mut from_answer, mut from_clock) = (Vec::new(), Vec::new());
        told.handle(self.now, Input::Answered(call, reply.clone()), &mut from_answer);
        woken.handle(self.now, Input::Wake, &mut from_clock);
        if told == woken && from_answer == from_clock {
            return Ok(());
        }
        let what = format!("the late answer to call {} changes its runner", call.0);
        Err(Breach::of(Invariant::Fenced, what))
    }

    /// True when the store will never change by this command of a call that was given up.
    fn is_outlived(&self, command: &Command) -> Result<bool, Breach> {
        let rows = self.store.ledger.rows();
        let is_outlived = match command {
            Command::Turn(turn) => rows
                .runners
                .get(&turn.runner)
                .is_some_and(|known| known.stopped_at.is_some() || turn.number.get() <= known.turn),
            Command::StartForeground { wish, .. } => rows.runs.contains_key(&wish.run),
            Command::Register(registration) => rows.runners.contains_key(&registration.runner),
            Command::Retire { runner } => {
                rows.runners.get(runner).is_some_and(|known| known.stopped_at.is_some())
            }
            _ => false,
        };
        if is_outlived {
            let mut ledger = self.store.ledger.clone();
            let now = Self::store_time(self.now);
            let handled = match self.sabotage {
                Some(sabotage) => sabotage.handle(&mut ledger, now, command, &Locked::default()),
                None => ledger.handle(now, command),
            };
            if !handled.events.is_empty() {
                let what = format!("{} changes rows too late", describe::command(command));
                return Err(Breach::of(Invariant::Fenced, what));
            }
        }
        Ok(is_outlived)
    }
}
