//! Which zone data a process has: those that were the newest when it was built, or older ones.

use horarium_core::recurrence::ZoneData;

use crate::clock::Time;

use super::World;
use super::network::Sender;

impl World {
    /// The data of a process that starts now. Once the faults have stopped nobody starts an old one.
    pub(super) fn data_of_a_new_process(&mut self) -> ZoneData {
        let Some(news) = &self.profile.zone_news else {
            return self.releases.older().clone();
        };
        let (is_out, older) = (self.time >= Time::START.plus(news.after), news.older);
        let is_new = !self.is_chaos() || (is_out && !self.faults.chance(older));
        if is_new { self.releases.newest().clone() } else { self.releases.older().clone() }
    }

    /// The data of somebody who wants something. Operators get theirs after the leaders, or later.
    pub(super) fn data_of_an_operator(&mut self) -> ZoneData {
        let adopted = self.store.ledger().rows().zone_data;
        if adopted.is_none_or(|adopted| adopted < self.releases.newest().release()) {
            return self.releases.older().clone();
        }
        self.data_of_a_new_process()
    }

    /// The data of who sent a command.
    pub(super) fn zone_data_of(&self, sender: Sender) -> &ZoneData {
        match sender {
            Sender::Scheduler(scheduler, _) => Some(self.schedulers[scheduler].zones()),
            Sender::Operator(operation) => self.operators.zones_of(operation),
            // Neither computes anything of a schedule.
            Sender::Runner(..) | Sender::Vulture => None,
        }
        .unwrap_or_else(|| self.releases.older())
    }
}
