//! The judgement: the witness order, applied to a pristine ledger.

use std::collections::{BTreeMap, VecDeque};

use horarium_core::ledger::audit;
use horarium_core::ledger::{Command, Event, Ledger, Reply, Rows};

use super::explain::{agrees, by_parts, handle};
use super::{Call, Change, History, Unexplained};
use crate::lockstep::differences;

/// How many states are kept for those who saw an older one.
const REMEMBERED: usize = 400;
/// How often the invariants are asked, in changes.
const AUDITED: usize = 16;

/// What a judgement looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Judged {
    /// Calls in all.
    pub calls: usize,
    /// Calls that had the store to themselves.
    pub alone: usize,
    /// Calls whose answer was lost, and those of them that took place.
    pub lost: usize,
    /// Lost calls that took place all the same.
    pub lost_and_done: usize,
    /// Changes in the store's order.
    pub changes: usize,
    /// Changes that agree with an older state than the last, whose rows were as they had been.
    pub from_older_states: usize,
    /// Refusals and looks: calls that changed nothing.
    pub without_change: usize,
}

/// A call, its change, and the states that it may have seen.
struct Placed<'a> {
    call: &'a Call,
    change: Option<(usize, &'a Change)>,
    /// As many changes were certainly committed before it was sent.
    first: usize,
    /// And at most so many before it was answered, without its own.
    last: usize,
    alone: bool,
}

fn unexplained(what: impl Into<String>) -> Unexplained {
    Unexplained(what.into())
}

impl History {
    /// Holds everything against the ledger and against the rows at the end.
    pub fn judge(&self, rows: &Rows) -> Result<Judged, Unexplained> {
        let placed = self.placed()?;
        let mut at: BTreeMap<usize, Vec<&Placed<'_>>> = BTreeMap::new();
        for call in &placed {
            let position = call.change.map_or(call.last, |(position, _)| position);
            at.entry(position).or_default().push(call);
        }
        let mut states = States { kept: VecDeque::from([Ledger::new()]), first: 0 };
        let mut judged = Judged { calls: placed.len(), ..Judged::default() };
        for position in 0..=self.changes.len() {
            let here = at.get(&position).map_or(&[][..], Vec::as_slice);
            if let Some(call) = here.iter().find(|call| call.change.is_some()) {
                let (state, is_old) = self.changed(call, position, &states, rows)?;
                judged.from_older_states += usize::from(is_old);
                if position.is_multiple_of(AUDITED) {
                    sound(&state, call)?;
                }
                states.push(state);
            }
            for call in here.iter().filter(|call| call.change.is_none()) {
                unchanged(call, &states)?;
            }
            for call in here {
                judged.count(call);
            }
        }
        judged.changes = self.changes.len();
        let end = states.newest();
        if let Some(violation) = audit::check(rows).first() {
            return Err(unexplained(format!("in the rows at the end: {violation}")));
        }
        let differences = differences(&comparable(end.rows(), rows), rows);
        if differences.is_empty() {
            Ok(judged)
        } else {
            let lines = differences.join("\n  ");
            Err(unexplained(format!("the rows are not those that the order gives:\n  {lines}")))
        }
    }

    /// Finds each call's change, and the states between which it took place.
    fn placed(&self) -> Result<Vec<Placed<'_>>, Unexplained> {
        let mut by_client: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (index, call) in self.calls.iter().enumerate() {
            by_client.entry(call.client).or_default().push(index);
        }
        let mut changes: BTreeMap<usize, (usize, &Change)> = BTreeMap::new();
        for (position, change) in (1..).zip(&self.changes) {
            let own = by_client.get(&change.client).map_or(&[][..], Vec::as_slice);
            let sent = own.iter().rev().find(|call| self.calls[**call].sent <= change.at);
            let Some(index) = sent else {
                return Err(unexplained(format!(
                    "something happened that nobody sent: {change:?}"
                )));
            };
            let call = &self.calls[*index];
            if call.answered.is_some_and(|answered| answered < change.at) {
                return Err(unexplained(format!("answered before it took place: {call:?}")));
            }
            if changes.insert(*index, (position, change)).is_some() {
                return Err(unexplained(format!("took place twice: {call:?}")));
            }
        }
        // The latest change that was answered for by then.
        let mut answers: Vec<(i64, usize)> = changes
            .iter()
            .filter_map(|(index, (position, _))| Some((self.calls[*index].answered?, *position)))
            .collect();
        answers.sort_unstable();
        let mut latest = 0;
        for (_, position) in &mut answers {
            latest = latest.max(*position);
            *position = latest;
        }
        let place = |(index, call): (usize, &'_ Call)| {
            let before = answers.partition_point(|(answered, _)| *answered < call.sent);
            let first = before.checked_sub(1).map_or(0, |before| answers[before].1);
            let end = call.answered.unwrap_or(i64::MAX);
            let last = self.changes.partition_point(|change| change.at <= end);
            (index, first, last)
        };
        let alone = self.alone();
        let mut placed = Vec::with_capacity(self.calls.len());
        for (index, first, last) in self.calls.iter().enumerate().map(place) {
            let (call, change) = (&self.calls[index], changes.get(&index).copied());
            let last = change.map_or(last, |(position, _)| position - 1);
            if last < first {
                return Err(unexplained(format!("took place before it was sent: {call:?}")));
            }
            placed.push(Placed { call, change, first, last, alone: alone[index] });
        }
        Ok(placed)
    }

    /// Which calls had the store to themselves from their sending to their answer.
    fn alone(&self) -> Vec<bool> {
        let mut order: Vec<usize> = (0..self.calls.len()).collect();
        order.sort_by_key(|index| self.calls[*index].sent);
        let mut alone = vec![true; self.calls.len()];
        let mut open: Option<(usize, i64)> = None;
        for index in order {
            let call = &self.calls[index];
            // One that was given up may still be under way.
            let end = call.answered.unwrap_or(i64::MAX);
            if let Some((before, until)) = open
                && call.sent <= until
            {
                alone[before] = false;
                alone[index] = false;
            }
            if open.is_none_or(|(_, until)| until < end) {
                open = Some((index, end));
            }
        }
        alone
    }

    /// The state after a change, and whether it was decided on an older one than the last.
    fn changed(
        &self,
        placed: &Placed<'_>,
        position: usize,
        states: &States,
        end: &Rows,
    ) -> Result<(Ledger, bool), Unexplained> {
        let change = placed.change.map(|(_, change)| change);
        let mut expected = Vec::new();
        for seen in (placed.first..position).rev() {
            let between = &self.changes[seen..position - 1];
            let is_as_it_was =
                |change: &Change, other: &Change| other.rows.is_disjoint(&change.rows);
            let is_kept =
                change.is_some_and(|own| between.iter().all(|other| is_as_it_was(own, other)));
            let Some(state) = states.get(seen).filter(|_| is_kept) else {
                break;
            };
            let handled = handle(placed.call, change, placed.alone, state);
            let is_heard = is_heard(placed, &handled.reply, states);
            if is_heard
                && change.is_some_and(|change| is_drawn(&handled.events, change))
                && is_recorded(&handled.events, end)
            {
                let mut state = states.newest().clone();
                for event in &handled.events {
                    state.evolve(event);
                }
                return Ok((state, seen + 1 < position));
            }
            remember(&mut expected, handled.reply);
        }
        Err(disagreement(placed, &expected))
    }
}

/// A call that wrote nothing: some state that it may have seen gives its answer and no change.
fn unchanged(placed: &Placed<'_>, states: &States) -> Result<(), Unexplained> {
    if placed.call.reply.is_none() {
        return Ok(());
    }
    let mut expected = Vec::new();
    for seen in (placed.first..=placed.last).rev() {
        let Some(state) = states.get(seen) else {
            break;
        };
        let handled = handle(placed.call, None, placed.alone, state);
        if handled.events.is_empty() && is_heard(placed, &handled.reply, states) {
            return Ok(());
        }
        remember(&mut expected, handled.reply);
    }
    Err(disagreement(placed, &expected))
}

/// True when what the ledger says in one state is what was heard, or nothing was.
fn is_heard(placed: &Placed<'_>, expected: &Reply, states: &States) -> bool {
    let Some(heard) = &placed.call.reply else { return true };
    if agrees(expected, heard, placed.alone) {
        return true;
    }
    if placed.alone || !matches!(placed.call.command, Command::Enqueue(_)) {
        return false;
    }
    let seen = (placed.first..=placed.last).filter_map(|changes| states.get(changes));
    let elsewhere: Vec<Reply> =
        seen.map(|state| handle(placed.call, None, false, state).reply).collect();
    by_parts(expected.clone(), heard, &elsewhere) == *heard
}

fn disagreement(placed: &Placed<'_>, expected: &[Reply]) -> Unexplained {
    let Placed { call, change, first, last, alone } = placed;
    unexplained(format!(
        "{:?}\nof client {} at {}{}\nwrote {change:?}\nand heard {:?}\n\
         after {first} to {last} changes; the ledger says {expected:?}",
        call.command,
        call.client,
        call.now,
        if *alone { ", alone," } else { "" },
        call.reply,
    ))
}

fn remember(expected: &mut Vec<Reply>, reply: Reply) {
    if expected.len() < 3 && !expected.contains(&reply) {
        expected.push(reply);
    }
}

/// As many runs are created and claimed as numbers and fences were written.
fn is_drawn(events: &[Event], change: &Change) -> bool {
    let handled = horarium_core::ledger::Handled { reply: Reply::Retired, events: events.to_vec() };
    handled.used() == (change.numbers.len(), change.fences.len())
}

/// The occurrences are those in the rows at the end, which never change what became of them: of a
/// call whose answer was lost, they alone say which state it saw.
fn is_recorded(events: &[Event], end: &Rows) -> bool {
    events.iter().all(|event| {
        let Event::OccurrenceRecorded(occurrence) = event else { return true };
        let key = (occurrence.worker.clone(), occurrence.scheduled_for);
        end.occurrences.get(&key).is_none_or(|found| found.fate == occurrence.fate)
    })
}

/// Every invariant holds after the change.
fn sound(state: &Ledger, placed: &Placed<'_>) -> Result<(), Unexplained> {
    match audit::check(state.rows()).first() {
        None => Ok(()),
        Some(violation) => Err(unexplained(format!("{violation}, after {:?}", placed.call))),
    }
}

/// What the sequences give next is nobody's promise here, since who fails has drawn all the same;
/// and of two schedulers that tick at once the row of the leader shows either.
fn comparable(expected: &Rows, found: &Rows) -> Rows {
    Rows { sequences: found.sequences, leadership: found.leadership.clone(), ..expected.clone() }
}

/// The last states, by how many changes led to them.
struct States {
    kept: VecDeque<Ledger>,
    first: usize,
}

impl States {
    fn get(&self, changes: usize) -> Option<&Ledger> {
        self.kept.get(changes.checked_sub(self.first)?)
    }

    fn newest(&self) -> &Ledger {
        &self.kept[self.kept.len() - 1]
    }

    fn push(&mut self, state: Ledger) {
        self.kept.push_back(state);
        if self.kept.len() > REMEMBERED {
            self.kept.pop_front();
            self.first += 1;
        }
    }
}

impl Judged {
    fn count(&mut self, placed: &Placed<'_>) {
        let is_lost = placed.call.reply.is_none();
        self.alone += usize::from(placed.alone);
        self.lost += usize::from(is_lost);
        self.lost_and_done += usize::from(is_lost && placed.change.is_some());
        self.without_change += usize::from(placed.change.is_none());
    }
}
