//! A turn for a store that works on sets: everything that the turn says about one claim, as one
//! item, and the answers that follow from what the store found for each item.
//!
//! Promise: a store that carries out the items and answers with [`answers`] answers as the ledger
//! does, report by report. What is said of a claim after its end or its give-back is lost, but
//! for the same end said again.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::run::Units;
use crate::words::{Note, Span};

use super::command::Ending;
use super::reply::{HoldAnswer, ReportAnswer};
use super::{Claim, ReportEvent, Turn};

/// All that a turn says about one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<'a> {
    /// Which claim.
    pub claim: Claim,
    /// What the request resolved to, if a start is reported.
    pub started: Option<&'a Config>,
    /// The last units that were said.
    pub units: Option<Units>,
    /// The last words that were said.
    pub message: Option<&'a Note>,
    /// What becomes of the claim.
    pub last: Last<'a>,
}

/// What becomes of a claim by a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last<'a> {
    /// It is held on.
    Kept {
        /// True when its lease is to be renewed.
        renew: bool,
    },
    /// The job ended.
    Ended(&'a Ending),
    /// Somebody else may have the run.
    GivenBack,
}

/// What a store found for an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The runner holds the claim on; what was to be changed is changed.
    Held {
        /// What is left of the lease.
        remaining: Span,
        /// True when the run is to be cancelled.
        cancel: bool,
    },
    /// The end or the give-back is written.
    Gone,
    /// The runner had written an end under this fence before.
    EndedBefore,
    /// Another transaction has the row: nothing was changed.
    Busy,
    /// The runner does not hold the claim: nothing was changed.
    Lost,
}

/// The items of a turn, in the order in which their claims are first named.
pub fn items(turn: &Turn) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    let mut places: BTreeMap<Claim, usize> = BTreeMap::new();
    let mut place_of = |items: &mut Vec<Item<'_>>, claim| {
        *places.entry(claim).or_insert_with(|| {
            items.push(Item::plain(claim));
            items.len() - 1
        })
    };
    for report in &turn.reports {
        let place = place_of(&mut items, report.claim);
        if let Some(item) = items.get_mut(place) {
            item.take_in(&report.event);
        }
    }
    for held in &turn.holding {
        let place = place_of(&mut items, held.claim);
        if let Some(Item { last: Last::Kept { renew }, .. }) = items.get_mut(place) {
            *renew |= held.renew;
        }
    }
    items
}

impl<'a> Item<'a> {
    const fn plain(claim: Claim) -> Self {
        let last = Last::Kept { renew: false };
        Self { claim, started: None, units: None, message: None, last }
    }

    /// True when the item asks for a change and not just how the claim stands.
    pub const fn asks(&self) -> bool {
        self.started.is_some()
            || self.units.is_some()
            || self.message.is_some()
            || !matches!(self.last, Last::Kept { renew: false })
    }

    /// Adds a report. What comes after the end or the give-back is lost.
    fn take_in(&mut self, event: &'a ReportEvent) {
        match self.last {
            Last::Kept { .. } => {}
            Last::Ended(_) | Last::GivenBack => return,
        }
        match event {
            // Said again after a lost answer: the first report stands.
            ReportEvent::Started { config } => self.started = self.started.or(Some(config)),
            ReportEvent::Progressed { units, message } => {
                self.units = units.or(self.units);
                self.message = message.as_ref().or(self.message);
            }
            ReportEvent::Ended(ending) => {
                self.units = ending.units.or(self.units);
                self.last = Last::Ended(ending);
            }
            ReportEvent::GivenBack => self.last = Last::GivenBack,
        }
    }
}

/// The answers to a turn's reports and to what it holds, from what was found for its items.
pub fn answers(
    turn: &Turn,
    found: &BTreeMap<Claim, Found>,
) -> (Vec<ReportAnswer>, Vec<HoldAnswer>) {
    let find = |claim| found.get(&claim).copied().unwrap_or(Found::Lost);
    // How each claim that went in this turn went.
    let mut gone: BTreeMap<Claim, &ReportEvent> = BTreeMap::new();
    let reports = turn
        .reports
        .iter()
        .map(|report| {
            let went = gone.get(&report.claim).copied();
            if matches!(report.event, ReportEvent::Ended(_) | ReportEvent::GivenBack) {
                gone.entry(report.claim).or_insert(&report.event);
            }
            report_answer(find(report.claim), &report.event, went)
        })
        .collect();
    let holding = turn.holding.iter().map(|held| hold_answer(find(held.claim))).collect();
    (reports, holding)
}

fn report_answer(found: Found, event: &ReportEvent, went: Option<&ReportEvent>) -> ReportAnswer {
    let is_end = matches!(event, ReportEvent::Ended(_));
    match found {
        Found::Busy => ReportAnswer::Busy,
        Found::EndedBefore if is_end => ReportAnswer::Done,
        Found::EndedBefore | Found::Lost => ReportAnswer::Lost,
        Found::Held { .. } | Found::Gone => match went {
            None => ReportAnswer::Done,
            // Finishing twice is finishing.
            Some(ReportEvent::Ended(_)) if is_end => ReportAnswer::Done,
            Some(_) => ReportAnswer::Lost,
        },
    }
}

const fn hold_answer(found: Found) -> HoldAnswer {
    match found {
        Found::Held { remaining, cancel } => HoldAnswer::Held { remaining, cancel },
        Found::Busy => HoldAnswer::Busy,
        Found::Gone | Found::EndedBefore | Found::Lost => HoldAnswer::Lost,
    }
}
