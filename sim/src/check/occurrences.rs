//! Occurrences expected from the rule, counted independently, are the occurrences recorded: through
//! edits, pauses, deletions, catch-ups and lateness.
//!
//! Promise: when a schedule comes due is known from [`calendar`](crate::calendar) alone, and what
//! must become of it is said here once more, in the words of the design.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use horarium_core::ledger::{Command, Event, Handled, Locked, Refusal, Reply};
use horarium_core::recurrence::ZoneRelease;
use horarium_core::schedule::due::Advance;
use horarium_core::schedule::{Exhausted, Fate, Occurrence, Plan, Schedule, SkipReason};
use horarium_core::words::{Span, Timestamp, WorkerName};

use crate::breach::{Breach, Law};
use crate::calendar::{Releases, Series, WallClock};
use crate::check::history::Change;
use crate::facts::{Fact, Facts};

/// What is expected of all schedules.
///
/// Which zone data count is said by whoever changes something: the ledger's release only moves
/// forward, and from the moment on at which a leader with newer data comes, theirs are in force.
#[derive(Debug, Clone, Default)]
pub struct Occurrences {
    releases: Releases,
    /// The release that leaders have brought.
    adopted: Option<ZoneRelease>,
    clocks: BTreeMap<String, Arc<WallClock>>,
    agendas: BTreeMap<WorkerName, Agenda>,
}

/// What is expected of one worker.
#[derive(Debug, Clone, Default)]
struct Agenda {
    /// All instants up to here are accounted for.
    accounted: Option<Timestamp>,
    wanted: Option<Wanted>,
}

/// A schedule by its own understanding.
#[derive(Debug, Clone)]
struct Wanted {
    plan: Plan,
    series: Series,
    /// The zone data that the series goes by.
    release: ZoneRelease,
    is_enabled: bool,
    /// Attempt-1 runs that were created.
    runs: u32,
    /// The instant that comes next.
    next: Option<Timestamp>,
}

/// What must become of a due schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Expected {
    accounts_from: Timestamp,
    scheduled_for: Timestamp,
    is_missed: bool,
    is_one_of_several: bool,
}

fn wrong(what: impl Into<String>) -> Breach {
    Breach::new(Law::Occurrences, what)
}

impl Wanted {
    fn first_after(&self, after: Timestamp) -> Option<Timestamp> {
        let tiny = Span::from_micros(1);
        let after = self.plan.not_before.map_or(after, |from| after.max(from.minus(tiny)));
        let at = self.series.first_after(after)?;
        self.plan.until.is_none_or(|until| at <= until).then_some(at)
    }

    fn has_runs_left(&self) -> bool {
        self.plan.max_runs.is_none_or(|most| self.runs < most.get())
    }

    fn look_ahead(&mut self, accounted: Timestamp) {
        let fires = self.is_enabled && self.has_runs_left();
        self.next = if fires { self.first_after(accounted) } else { None };
    }

    /// What must become of it now, if it is due.
    fn expected(&self, now: Timestamp) -> Option<Expected> {
        let first = self.next.filter(|at| *at <= now)?;
        let oldest = self.plan.max_lateness.map(|lateness| now.minus(lateness));
        let in_time = match oldest {
            Some(oldest) if first <= oldest => self.first_after(oldest).filter(|at| *at <= now),
            Some(_) | None => Some(first),
        };
        let scheduled_for = in_time.unwrap_or(first);
        let goes_on = self.first_after(scheduled_for).is_some_and(|second| second <= now);
        Some(Expected {
            accounts_from: first,
            scheduled_for,
            is_missed: in_time.is_none(),
            is_one_of_several: first < scheduled_for || goes_on,
        })
    }

    /// Core's next instant must be the one expected here, as far as the known years reach.
    fn agrees(&self, worker: &WorkerName, told: Option<Timestamp>) -> Result<(), Breach> {
        let is_beyond = self.next.is_none() && told.is_some_and(|at| !self.series.knows(at));
        if self.next == told || is_beyond {
            return Ok(());
        }
        let show = |at: Option<Timestamp>| at.map_or(String::from("never"), |at| at.to_string());
        Err(wrong(format!(
            "{worker} with `{}` in {} comes next {}, and by its rule {}",
            self.plan.recurrence.text(),
            self.plan.recurrence.zone().name(),
            show(told),
            show(self.next)
        )))
    }
}

impl Agenda {
    fn account(&mut self, until: Timestamp) -> Timestamp {
        let accounted = self.accounted.map_or(until, |before| before.max(until));
        self.accounted = Some(accounted);
        accounted
    }

    fn is_due(&self, now: Timestamp) -> bool {
        self.wanted.as_ref().is_some_and(|wanted| wanted.next.is_some_and(|next| next <= now))
    }
}

impl Occurrences {
    /// Nothing is expected yet, in a world with these zone data.
    pub fn by(releases: Releases) -> Self {
        Self { releases, ..Self::default() }
    }

    /// Looks at what a command did.
    pub fn observe(
        &mut self,
        change: &Change,
        command: &Command,
        handled: &Handled,
        facts: &mut Facts,
    ) -> Result<(), Breach> {
        let Change { now, locked, zones, .. } = change;
        let (now, release) = (*now, zones.release());
        if let (Command::PutSchedule { worker, plan, reset_runs, .. }, Reply::Refused(refusal)) =
            (command, &handled.reply)
        {
            self.refused(now, release, worker, plan, *reset_runs, refusal)?;
        }
        let mut recorded = BTreeSet::new();
        for event in &handled.events {
            match event {
                Event::OccurrenceRecorded(occurrence) => {
                    if matches!(command, Command::Tick(_)) {
                        self.goes_by(now, &occurrence.worker, release)?;
                    }
                    self.recorded(now, command, occurrence, facts)?;
                    recorded.insert(occurrence.worker.clone());
                }
                Event::ScheduleAdvanced { worker, advance, release } => {
                    self.in_force(worker, *release)?;
                    if !recorded.contains(worker) {
                        return Err(wrong(format!("{worker} moved on and nothing was recorded")));
                    }
                    self.advanced(now, worker, advance)?;
                }
                Event::ScheduleRecomputed { worker, next, release } => {
                    self.in_force(worker, *release)?;
                    self.recomputed(now, worker, *release, next.map(|next| next.at))?;
                }
                Event::ZoneDataAdopted { release } => {
                    if self.adopted.is_some_and(|adopted| *release <= adopted) {
                        return Err(wrong(format!("{release} took the place of newer zone data")));
                    }
                    self.adopted = Some(*release);
                }
                Event::ScheduleSaved { worker, schedule, .. } => {
                    self.nothing_dropped(now, worker, &recorded)?;
                    self.saved(now, release, command, worker, schedule)?;
                }
                Event::ScheduleDeleted { worker, .. } => {
                    self.nothing_dropped(now, worker, &recorded)?;
                    let agenda = self.agendas.entry(worker.clone()).or_default();
                    agenda.account(now);
                    agenda.wanted = None;
                }
                Event::RunnerRegistered(_)
                | Event::TurnTaken { .. }
                | Event::RunnerStopped { .. }
                | Event::RunCreated(_)
                | Event::RunClaimed { .. }
                | Event::RunStarted { .. }
                | Event::RunProgressed { .. }
                | Event::LeaseRenewed { .. }
                | Event::RunGivenBack { .. }
                | Event::CancelRequested { .. }
                | Event::RunEnded { .. }
                | Event::RetryChanged { .. }
                | Event::ChainExtended { .. }
                | Event::SettingsSaved { .. }
                | Event::CataloguePublished(_)
                | Event::SchedulerTicked(_)
                | Event::RunPruned { .. }
                | Event::OccurrencePruned { .. } => {}
            }
        }
        self.nothing_left(now, command, locked, handled, recorded.len())
    }

    /// A worker that has been due for longer than `slack`, if there is one.
    pub fn overdue(&self, now: Timestamp, slack: Span) -> Option<(&WorkerName, Timestamp)> {
        let nexts = self
            .agendas
            .iter()
            .filter_map(|(worker, agenda)| Some((worker, agenda.wanted.as_ref()?.next?)));
        nexts.filter(|(_, at)| at.plus(slack) < now).min_by_key(|(_, at)| *at)
    }

    /// Nobody computes with older data than a leader has brought.
    fn in_force(&self, worker: &WorkerName, release: ZoneRelease) -> Result<(), Breach> {
        match self.adopted {
            Some(adopted) if release < adopted => {
                Err(wrong(format!("{worker} was computed with {release}, and {adopted} is there")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// From now on the worker's series goes by this release. What comes next stays.
    fn goes_by(
        &mut self,
        now: Timestamp,
        worker: &WorkerName,
        release: ZoneRelease,
    ) -> Result<(), Breach> {
        let wanted = self.agendas.get(worker).and_then(|agenda| agenda.wanted.as_ref());
        let Some(plan) = wanted.filter(|it| it.release != release).map(|it| it.plan.clone()) else {
            return Ok(());
        };
        let series = self.series(now, &plan, release)?;
        let agenda = self.agendas.entry(worker.clone()).or_default();
        if let Some(wanted) = &mut agenda.wanted {
            wanted.series = series;
            wanted.release = release;
        }
        Ok(())
    }

    /// Newer data move what is not due yet, and nothing that is accounted for.
    fn recomputed(
        &mut self,
        now: Timestamp,
        worker: &WorkerName,
        release: ZoneRelease,
        next: Option<Timestamp>,
    ) -> Result<(), Breach> {
        self.goes_by(now, worker, release)?;
        let agenda = self.agendas.entry(worker.clone()).or_default();
        if agenda.is_due(now) {
            return Err(wrong(format!("{worker} was due, and newer zone data moved it")));
        }
        match (&mut agenda.wanted, agenda.accounted) {
            (Some(wanted), Some(accounted)) => {
                wanted.look_ahead(accounted);
                wanted.agrees(worker, next)
            }
            (None, _) | (_, None) => {
                Err(wrong(format!("{worker} has no schedule and was computed anew")))
            }
        }
    }

    fn recorded(
        &mut self,
        now: Timestamp,
        command: &Command,
        occurrence: &Occurrence,
        facts: &mut Facts,
    ) -> Result<(), Breach> {
        let Occurrence { worker, scheduled_for, accounts_from, fate, .. } = occurrence;
        let agenda = self.agendas.entry(worker.clone()).or_default();
        let expected = agenda.wanted.as_ref().and_then(|wanted| wanted.expected(now));
        let (Some(wanted), Some(mut expected)) = (&mut agenda.wanted, expected) else {
            return Err(wrong(format!("{worker} is not due, and {scheduled_for} is {fate}")));
        };
        if wanted.series.is_near_a_change(*scheduled_for) {
            facts.see(Fact::DueNearClockChange);
        }
        let is_tick = matches!(command, Command::Tick(_));
        if !is_tick {
            // An edit drops the instant that is due, and speaks of that one alone.
            let first = expected.accounts_from;
            expected = Expected { scheduled_for: first, is_missed: false, ..expected };
        }
        let fits = match fate {
            Fate::Missed => is_tick && expected.is_missed,
            Fate::Skipped(SkipReason::SlotTaken { .. } | SkipReason::RetryOwed { .. }) => {
                is_tick && !expected.is_missed
            }
            Fate::Skipped(
                SkipReason::Edited(_) | SkipReason::Disabled(_) | SkipReason::Deleted(_),
            ) => !is_tick,
            Fate::Enqueued => is_tick && !expected.is_missed && !expected.is_one_of_several,
            Fate::CaughtUp => is_tick && !expected.is_missed && expected.is_one_of_several,
        };
        let told = (*accounts_from, *scheduled_for);
        if !fits || told != (expected.accounts_from, expected.scheduled_for) {
            return Err(wrong(format!(
                "{worker} at {now}: {scheduled_for}, from {accounts_from} on, is {fate}; \
                 by its rule `{}`, {expected:?}",
                wanted.plan.recurrence.text()
            )));
        }
        wanted.runs += u32::from(fate.creates_run());
        wanted.next = None;
        agenda.account(now.max(*scheduled_for));
        Ok(())
    }

    fn advanced(
        &mut self,
        now: Timestamp,
        worker: &WorkerName,
        advance: &Advance,
    ) -> Result<(), Breach> {
        let agenda = self.agendas.entry(worker.clone()).or_default();
        let accounted = agenda.account(now);
        let Some(wanted) = &mut agenda.wanted else {
            return Err(wrong(format!("{worker} has no schedule and moved on")));
        };
        wanted.look_ahead(accounted);
        wanted.agrees(worker, advance.next.map(|next| next.at))
    }

    fn saved(
        &mut self,
        now: Timestamp,
        release: ZoneRelease,
        command: &Command,
        worker: &WorkerName,
        schedule: &Schedule,
    ) -> Result<(), Breach> {
        let (plan, is_enabled, reset) = match command {
            Command::PutSchedule { plan, reset_runs, .. } => (Some(plan), None, *reset_runs),
            Command::EnableSchedule { .. } => (None, Some(true), false),
            Command::DisableSchedule { .. } => (None, Some(false), false),
            Command::Register(_)
            | Command::Turn(_)
            | Command::Retire { .. }
            | Command::Sweep { .. }
            | Command::Tick(_)
            | Command::Prune(_)
            | Command::Enqueue(_)
            | Command::StartForeground { .. }
            | Command::Cancel { .. }
            | Command::Release { .. }
            | Command::DeleteSchedule { .. }
            | Command::PutSettings { .. }
            | Command::PublishCatalogue { .. } => {
                return Err(wrong(format!("the schedule of {worker} was changed by nobody")));
            }
        };
        let series = match plan {
            Some(plan) => Some(self.series(now, plan, release)?),
            None => None,
        };
        if plan.is_some() || is_enabled == Some(true) {
            self.in_force(worker, release)?;
            self.goes_by(now, worker, release)?;
        }
        let agenda = self.agendas.entry(worker.clone()).or_default();
        let accounted = agenda.account(now);
        let wanted = match (plan, series, agenda.wanted.take()) {
            (Some(plan), Some(series), before) => Wanted {
                plan: Plan::clone(plan),
                series,
                release,
                is_enabled: before.as_ref().is_none_or(|before| before.is_enabled),
                runs: before.filter(|_| !reset).map_or(0, |before| before.runs),
                next: None,
            },
            (None, None, Some(before)) => before,
            (Some(_), None, _) | (None, Some(_), _) | (None, None, None) => {
                return Err(wrong(format!("{worker} has no schedule that could be changed")));
            }
        };
        let is_enabled = is_enabled.unwrap_or(wanted.is_enabled);
        let wanted = agenda.wanted.insert(Wanted { is_enabled, ..wanted });
        wanted.look_ahead(accounted);
        wanted.agrees(worker, schedule.next.map(|next| next.at))
    }

    /// A schedule that would never fire is refused, and no other.
    fn refused(
        &mut self,
        now: Timestamp,
        release: ZoneRelease,
        worker: &WorkerName,
        plan: &Plan,
        reset: bool,
        refusal: &Refusal,
    ) -> Result<(), Breach> {
        let Refusal::NeverFires(why) = refusal else { return Ok(()) };
        let series = self.series(now, plan, release)?;
        let agenda = self.agendas.entry(worker.clone()).or_default();
        let runs = agenda.wanted.as_ref().filter(|_| !reset).map_or(0, |wanted| wanted.runs);
        let accounted = agenda.accounted.map_or(now, |accounted| accounted.max(now));
        let plan = plan.clone();
        let wanted = Wanted { plan, series, release, is_enabled: true, runs, next: None };
        match (why, wanted.first_after(accounted)) {
            (Exhausted::Rule | Exhausted::Until, None) => Ok(()),
            (Exhausted::MaxRuns, _) => {
                Err(wrong(format!("{worker} was refused because its runs are used up")))
            }
            (Exhausted::Rule | Exhausted::Until, Some(at)) => {
                let rule = wanted.plan.recurrence.text();
                Err(wrong(format!("{worker} with `{rule}` was refused and would fire at {at}")))
            }
        }
    }

    /// What was due when a schedule was changed must have its row.
    fn nothing_dropped(
        &self,
        now: Timestamp,
        worker: &WorkerName,
        recorded: &BTreeSet<WorkerName>,
    ) -> Result<(), Breach> {
        let is_due = self.agendas.get(worker).is_some_and(|agenda| agenda.is_due(now));
        if is_due && !recorded.contains(worker) {
            return Err(wrong(format!("{worker} was due when it was changed, and has no row")));
        }
        Ok(())
    }

    /// A tick with room leaves nothing due behind but what others hold.
    fn nothing_left(
        &self,
        now: Timestamp,
        command: &Command,
        locked: &Locked,
        handled: &Handled,
        recorded: usize,
    ) -> Result<(), Breach> {
        let (Command::Tick(tick), Reply::Ticked(_)) = (command, &handled.reply) else {
            return Ok(());
        };
        let has_room = u32::try_from(recorded).unwrap_or(u32::MAX) < tick.limit.get();
        let left = self
            .agendas
            .iter()
            .filter(|_| has_room)
            .find(|(worker, agenda)| agenda.is_due(now) && !locked.workers.contains(worker));
        match left {
            Some((worker, _)) => Err(wrong(format!("a tick with room left {worker} due"))),
            None => Ok(()),
        }
    }

    fn series(
        &mut self,
        now: Timestamp,
        plan: &Plan,
        release: ZoneRelease,
    ) -> Result<Series, Breach> {
        let zone = self.releases.rules_of(plan.recurrence.zone().name(), release);
        let clock = if let Some(clock) = self.clocks.get(zone) {
            Arc::clone(clock)
        } else {
            let clock = WallClock::around(zone, now.micros().div_euclid(1_000_000));
            let clock = Arc::new(clock.map_err(|unknown| wrong(unknown.to_string()))?);
            self.clocks.insert(zone.to_owned(), Arc::clone(&clock));
            clock
        };
        Series::of(&plan.recurrence, clock).map_err(|unknown| wrong(unknown.to_string()))
    }
}
