//! The instants of a rule: what its parts name, less EXDATE, up to COUNT or UNTIL, and RDATE.
//!
//! Promises: the next instant is found without a walk from DTSTART; COUNT counts the distinct
//! instants that the parts name, EXDATE or not, and goes on from an earlier occasion if there is
//! one.

use jiff::SignedDuration;

use super::elapsed::{self, Elapsed};
use super::expansion::Expansion;
use super::parts::{End, Parts};
use super::work::Work;
use crate::recurrence::clock_change::{WallTimes, next_fixed_time};
use crate::recurrence::zone::{Gap, Reading, instant, timestamp};
use crate::recurrence::{Occasion, Wall, Zone};
use crate::words::time::{Span, Timestamp};

/// How many changes of its clock a zone has until the year 9999, at the most: two a year.
const CHANGES: u64 = 16_500;

/// A count that begins elsewhere than a rule's start can look at a few months and days more.
const MARGIN: u64 = 2_000;

/// The instants of a rule.
#[derive(Debug)]
pub(super) struct Series {
    zone: Zone,
    start: jiff::Timestamp,
    named: Named,
    end: End,
    /// RDATEs that no EXDATE takes back, in order.
    added: Added,
}

/// What the parts name, less EXDATE.
#[derive(Debug)]
enum Named {
    Times(Expansion, Excluded),
    Elapsed(Elapsed, Vec<Timestamp>),
}

/// EXDATEs in order.
#[derive(Debug)]
struct Excluded(Vec<Wall>);

/// RDATEs in order.
#[derive(Debug)]
struct Added(Vec<Wall>);

/// The wall-clock times behind one occasion.
pub(super) struct Behind<'a> {
    series: &'a Series,
    /// Whether the parts still count then: neither COUNT nor UNTIL has ended them.
    by_parts: bool,
}

impl Series {
    /// The series of `parts` from `start` on; `rdate` and `exdate` are in order. `None` outside
    /// the calendar.
    pub(super) fn new(
        parts: &Parts,
        zone: &Zone,
        start: Wall,
        rdate: &[Wall],
        exdate: &[Wall],
    ) -> Option<Self> {
        let added = rdate.iter().copied().filter(|wall| exdate.binary_search(wall).is_err());
        let start_instant = zone.instant_of(start)?;
        let named = if parts.frequency.is_elapsed() {
            // In elapsed time a missing wall-clock time names nothing that could be left out.
            let excluded = exdate.iter().filter_map(|wall| match zone.read(*wall)? {
                Reading::Once(at) | Reading::Twice { first: at, .. } => timestamp(at),
                Reading::Never { .. } => None,
            });
            let mut excluded: Vec<Timestamp> = excluded.collect();
            excluded.sort_unstable();
            Named::Elapsed(Elapsed::new(parts, start_instant, zone), excluded)
        } else {
            Named::Times(Expansion::new(parts, start), Excluded(exdate.to_vec()))
        };
        Some(Self {
            zone: zone.clone(),
            start: start_instant,
            named,
            end: parts.end,
            added: Added(added.collect()),
        })
    }

    /// The first occasion after `after`; see [`Recurrence`](crate::recurrence::Recurrence).
    pub(super) fn next_after(
        &self,
        after: Timestamp,
        last_wall: Option<Wall>,
        known: Option<Occasion>,
    ) -> Option<Occasion> {
        let by_parts = self.next_by_parts(after, last_wall, known);
        let added = next_fixed_time(&self.added, &self.zone, after, last_wall);
        match (by_parts, added) {
            (Some(named), Some(added)) if named.at == added.at => {
                Some(Occasion { wall: named.wall.max(added.wall), ..named })
            }
            (Some(named), Some(added)) if named.at < added.at => Some(named),
            (Some(named), None) => Some(named),
            (_, Some(added)) => Some(Occasion { ordinal: self.ordinal(added.at, known), ..added }),
            (None, None) => None,
        }
    }

    fn next_by_parts(
        &self,
        after: Timestamp,
        last_wall: Option<Wall>,
        known: Option<Occasion>,
    ) -> Option<Occasion> {
        if self.is_past_end(after, known) {
            return None;
        }
        let from = self.just_before_start().map_or(after, |before| before.max(after));
        let next = match &self.named {
            Named::Times(times, excluded) => {
                next_fixed_time(&Kept { times, excluded }, &self.zone, from, last_wall)
            }
            Named::Elapsed(elapsed, excluded) => elapsed.next_after(&self.zone, from, excluded),
        }?;
        let next = Occasion { ordinal: self.ordinal(next.at, known), ..next };
        self.counts(next).then_some(next)
    }

    /// Whether nothing can come any more by the parts, as far as that is known without a search.
    fn is_past_end(&self, after: Timestamp, known: Option<Occasion>) -> bool {
        match self.end {
            End::Never => false,
            End::Until(last) => last <= after,
            End::Count(count) => known.is_some_and(|known| {
                known.at <= after && known.ordinal.is_some_and(|ordinal| ordinal >= count)
            }),
        }
    }

    /// Whether the parts still count at `occasion`.
    fn counts(&self, occasion: Occasion) -> bool {
        match self.end {
            End::Never => true,
            End::Until(last) => occasion.at <= last,
            End::Count(count) => occasion.ordinal.is_some_and(|ordinal| ordinal <= count),
        }
    }

    /// For a rule with COUNT, how many instants its parts name up to `at`; what lies beyond COUNT
    /// is not told apart.
    fn ordinal(&self, at: Timestamp, known: Option<Occasion>) -> Option<u32> {
        self.counted(at, known, &mut Work::unlimited())
    }

    /// How many steps it takes to know that number.
    pub(super) fn steps_to(&self, at: Timestamp, known: Option<Occasion>) -> u64 {
        let work = &mut Work::unlimited();
        self.counted(at, known, work);
        work.steps()
    }

    fn counted(&self, at: Timestamp, known: Option<Occasion>, work: &mut Work) -> Option<u32> {
        let End::Count(count) = self.end else { return None };
        let beyond = count.saturating_add(1);
        let known = known.filter(|known| known.at <= at);
        let known = known.and_then(|known| Some((known.at, known.ordinal?)));
        let before = known.map_or(0, |(_, ordinal)| ordinal);
        if before >= beyond {
            return Some(beyond);
        }
        let since = known.map(|(at, _)| at);
        let enough = u64::from(beyond - before);
        let more = match &self.named {
            Named::Times(times, _) => self.count_times(times, since, at, enough, work),
            Named::Elapsed(elapsed, _) => elapsed.count(&self.zone, since, at, enough, work),
        };
        Some(before.saturating_add(u32::try_from(more).unwrap_or(u32::MAX)).min(beyond))
    }

    /// How many instants `times` become after `since`, or from the start, up to `at`: as many as
    /// the times, but that those of one gap become one.
    fn count_times(
        &self,
        times: &Expansion,
        since: Option<Timestamp>,
        at: Timestamp,
        enough: u64,
        work: &mut Work,
    ) -> u64 {
        let (from, since) = match since {
            Some(since) => (self.zone.latest_shown(since).next(), Some(instant(since))),
            None => (Some(times.start()), self.before_start()),
        };
        let (Some(from), Some(since)) = (from, since) else { return 0 };
        let enough = enough.saturating_mul(times.most_merged());
        let count = times.count(from, self.zone.latest_shown(at), enough, work);
        if count > enough {
            return count;
        }
        self.merges(times, from, since, at, work).fold(count, u64::saturating_sub)
    }

    /// For each gap after `since`, up to `at`, that can hold several of `times` from `from` on: how
    /// many instants it costs.
    fn merges<'a>(
        &'a self,
        times: &'a Expansion,
        mut from: Wall,
        since: jiff::Timestamp,
        at: Timestamp,
        work: &'a mut Work,
    ) -> impl Iterator<Item = u64> + 'a {
        self.zone.gaps(since, instant(at)).map_while(move |gap| {
            let (first, last) = (from.max(gap.first()), gap.last_merged());
            work.take(elapsed::CHANGE);
            from = from.max(last.next()?);
            let merged = if times.can_merge(first, last) {
                times.count(first, last, times.most_merged(), work)
            } else {
                1
            };
            Some(merged.saturating_sub(1))
        })
    }

    /// Whether no question takes more steps of counting than one may.
    pub(super) fn is_affordable(&self) -> bool {
        let End::Count(count) = self.end else { return true };
        let enough = u64::from(count) + 1;
        let work = &mut Work::at_most(Work::MOST - MARGIN);
        match &self.named {
            Named::Elapsed(elapsed, _) => {
                elapsed.count(&self.zone, None, Timestamp::MAX, enough, work);
            }
            Named::Times(times, _) => {
                let changes = CHANGES * elapsed::CHANGE;
                if changes + times.most_steps(CHANGES / 2) > Work::MOST - MARGIN {
                    self.count_all(times, enough.saturating_mul(times.most_merged()), work);
                }
            }
        }
        !work.is_spent()
    }

    /// Takes the steps of the costliest question about `times`, of which there may be `enough`.
    fn count_all(&self, times: &Expansion, enough: u64, work: &mut Work) {
        times.count_turns(enough, work);
        let Some(since) = self.before_start() else { return };
        let (mut from, mut count) = (times.start(), 0);
        for gap in self.zone.gaps(since, instant(Timestamp::MAX)) {
            let (first, last) = (gap.first(), gap.last_merged());
            count += times.count(from, last, enough, &mut Work::unlimited());
            if count > enough || work.is_spent() {
                return;
            }
            work.take(elapsed::CHANGE);
            if times.can_merge(first, last) {
                times.count(first, last, times.most_merged(), work);
            }
            let Some(next) = last.next() else { return };
            from = from.max(next);
        }
    }

    /// A gap that ends where the rule starts merges too.
    fn before_start(&self) -> Option<jiff::Timestamp> {
        self.start.checked_sub(SignedDuration::from_nanos(1)).ok()
    }

    fn just_before_start(&self) -> Option<Timestamp> {
        // Before 1970 nothing is asked.
        timestamp(self.start).map(|start| start.minus(Span::from_micros(1)))
    }

    /// Whether `occasion` is an RDATE.
    pub(super) fn adds(&self, occasion: Occasion) -> bool {
        self.added.0.binary_search(&occasion.wall).is_ok()
    }

    /// The wall-clock times that may have become `occasion`.
    pub(super) fn behind(&self, occasion: Occasion) -> Behind<'_> {
        Behind { series: self, by_parts: self.counts(occasion) }
    }

    /// What a rule in elapsed time loses to `gap`, which ends at `gap_end`.
    pub(super) fn lost(&self, gap_end: jiff::Timestamp, gap: Gap) -> Vec<Wall> {
        match &self.named {
            Named::Times(..) => Vec::new(),
            Named::Elapsed(elapsed, _) => elapsed.lost(&self.zone, gap_end, gap),
        }
    }
}

/// The times of the parts that no EXDATE leaves out.
struct Kept<'a> {
    times: &'a Expansion,
    excluded: &'a Excluded,
}

impl WallTimes for Kept<'_> {
    fn at_or_after(&self, from: Wall) -> Option<Wall> {
        let mut wall = self.times.at_or_after(from)?;
        while self.excluded.0.binary_search(&wall).is_ok() {
            wall = self.times.at_or_after(wall.next()?)?;
        }
        Some(wall)
    }

    fn horizon(&self) -> Span {
        self.times.horizon()
    }
}

impl WallTimes for Added {
    fn at_or_after(&self, from: Wall) -> Option<Wall> {
        self.0.get(self.0.partition_point(|wall| *wall < from)).copied()
    }

    /// A listed time is found however far away it is.
    fn horizon(&self) -> Span {
        Span::from_micros(u64::MAX)
    }
}

impl WallTimes for Behind<'_> {
    fn at_or_after(&self, from: Wall) -> Option<Wall> {
        let named = match &self.series.named {
            Named::Times(times, excluded) if self.by_parts => {
                Kept { times, excluded }.at_or_after(from)
            }
            Named::Times(..) | Named::Elapsed(..) => None,
        };
        let added = self.series.added.at_or_after(from);
        named.into_iter().chain(added).min()
    }
}
