//! Runners come, go and say what they know.

use crate::catalogue::{Definition, Published};
use crate::words::{By, RunnerId};

use super::{Claim, Event, Registration, Reply, Runner, Stale, Transaction};

impl Transaction<'_> {
    /// Registering a known runner changes nothing and never revives a stopped one.
    pub(super) fn register(&mut self, registration: &Registration) -> Reply {
        if let Some(known) = self.ledger.rows.runners.get(&registration.runner) {
            return match known.stopped_at {
                Some(_) => Reply::Stale(Stale::Stopped),
                None => Reply::Registered { turn: known.turn },
            };
        }
        self.publish(&registration.catalogue, None);
        let catalogue = registration.catalogue.iter().map(Definition::hash).collect();
        let registration = Registration { catalogue: Vec::new(), ..registration.clone() };
        self.emit(Event::RunnerRegistered(Box::new(Runner {
            registration,
            catalogue,
            registered_at: self.now,
            last_seen: self.now,
            stopped_at: None,
            turn: 0,
        })));
        Reply::Registered { turn: 0 }
    }

    /// Publishes definitions; those that are known already stay as they were. How many were new.
    pub(super) fn publish(&mut self, definitions: &[Definition], by: Option<&By>) -> u32 {
        let mut new: u32 = 0;
        for definition in definitions {
            let hash = definition.hash();
            let entries = self.ledger.rows.catalogue.get(&definition.handler);
            if entries.is_some_and(|entries| entries.contains_key(&hash)) {
                continue;
            }
            new = new.saturating_add(1);
            self.emit(Event::CataloguePublished(Box::new(Published {
                hash,
                definition: definition.clone(),
                at: self.now,
                by: by.cloned(),
            })));
        }
        new
    }

    /// A runner stops for good, once it holds nothing. Stopping twice is stopping.
    pub(super) fn retire(&mut self, runner: RunnerId) -> Reply {
        let Some(known) = self.ledger.rows.runners.get(&runner) else {
            return Reply::Stale(Stale::Unknown);
        };
        if known.stopped_at.is_some() {
            return Reply::Retired;
        }
        let held: Vec<Claim> = self
            .ledger
            .held_by(runner)
            .filter_map(|run| run.hold().map(|hold| Claim { run: run.id, fence: hold.fence }))
            .collect();
        if !held.is_empty() {
            return Reply::StillHolding(held);
        }
        self.emit(Event::RunnerStopped { runner, at: self.now });
        Reply::Retired
    }
}
