//! The turn from the runner's side: what is said, and what is heard.

use std::num::NonZeroU64;

use crate::config;
use crate::ledger::reply::{HoldAnswer, ReportAnswer};
use crate::ledger::{Claim, Grant, Holding, Report, ReportEvent, Turn, Turned};
use crate::run::{Cancellation, Cause, Failure, Interruption, Outcome, Output as JobOutput, Units};
use crate::words::{Moment, Note, RunnerId};

use super::job::{Job, News, Stage};
use super::{Foreground, Output, Purpose, Runner, StopReason};

/// What a turn said, to be compared with what is heard.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Said {
    reports: Vec<(Claim, Point)>,
    holding: Vec<Claim>,
    /// True when every lease is as fresh as this turn.
    refreshed: bool,
    capacity: u32,
}

/// What a report was about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Point {
    Started,
    Progressed(Option<Units>, Option<Note>),
    Ended,
    GivenBack,
}

impl Runner {
    /// True when a turn is due.
    pub(super) fn is_turn_due(&self, now: Moment) -> bool {
        now >= self.turn_alarm()
    }

    /// When the next turn is due, pauses left out.
    pub(super) fn turn_alarm(&self) -> Moment {
        let mut alarm = Moment::NEVER;
        for job in self.jobs.values().filter(|job| !job.is_forgotten()) {
            // An abandoned claim is asked about too: the store says when it is lost.
            alarm = alarm.min(news_at(job)).min(self.next_heartbeat);
        }
        if self.is_draining() {
            // Nothing is held: one more turn shows whether the store agrees.
            let asks = self.jobs.is_empty() && !self.shown_empty;
            return if asks { Moment::START } else { alarm };
        }
        if self.look_for_cancels && !self.jobs.is_empty() {
            return Moment::START;
        }
        let held = self.jobs.values().filter(|job| !job.is_forgotten()).count();
        if usize::try_from(self.capacity()).is_ok_and(|capacity| held < capacity) {
            alarm = alarm.min(self.next_poll);
        }
        alarm
    }

    /// Says everything at once.
    pub(super) fn say(&mut self, now: Moment, runner: RunnerId) -> (Said, Turn) {
        let heartbeat = self.config.lease.timing().heartbeat;
        // A heartbeat that is due soon goes along.
        let renew = now.plus(heartbeat.scaled(1, 3)) >= self.next_heartbeat;
        let fresh = self.jobs.values().all(|job| job.is_forgotten() || !job.wants_lease());
        let mut reports = Vec::new();
        let mut holding = Vec::new();
        for (claim, job) in self.jobs.iter().filter(|(_, job)| !job.is_forgotten()) {
            let points = points_of(job, now);
            let is_over = matches!(job.stage, Stage::Ended(_) | Stage::GivenBack);
            reports.extend(points.into_iter().map(|event| Report { claim: *claim, event }));
            if !is_over {
                holding.push(Holding { claim: *claim, renew: renew && job.wants_lease() });
            }
        }
        self.look_for_cancels = false;
        self.shown_empty = false;
        self.turns_made = self.turns_made.saturating_add(1);
        let capacity = self.capacity();
        let said = Said {
            reports: reports.iter().map(|report| (report.claim, point(&report.event))).collect(),
            holding: holding.iter().map(|held| held.claim).collect(),
            refreshed: renew || fresh,
            capacity,
        };
        let number = NonZeroU64::new(self.turns_made).unwrap_or(NonZeroU64::MIN);
        (said, Turn { runner, number, reports, holding, capacity })
    }

    /// Hears what the store made of it.
    pub(super) fn hear(
        &mut self,
        now: Moment,
        sent: Moment,
        said: &Said,
        turned: Turned,
        out: &mut Vec<Output>,
    ) {
        let timing = *self.config.lease.timing();
        self.next_poll = sent.plus(self.config.poll);
        let mut busy = false;
        for ((claim, point), answer) in said.reports.iter().zip(&turned.reports) {
            busy |= *answer == ReportAnswer::Busy;
            self.hear_report(sent, *claim, point, *answer, out);
        }
        for (claim, answer) in said.holding.iter().zip(&turned.holding) {
            busy |= *answer == HoldAnswer::Busy;
            self.hear_hold(now, sent, *claim, *answer, out);
        }
        self.shown_empty =
            said.capacity == 0 && said.holding.is_empty() && !busy && turned.granted.is_empty();
        for grant in turned.granted {
            self.granted(now, sent, grant, out);
        }
        // A renewal that met a locked row is said again, too.
        if said.refreshed && !turned.holding.contains(&HoldAnswer::Busy) {
            self.next_heartbeat = sent.plus(timing.heartbeat);
        }
        // What is shown empty may still be refused as a retirement.
        if busy {
            self.met_busy(now);
        } else if !self.shown_empty {
            self.busy_turns = 0;
        }
    }

    fn hear_report(
        &mut self,
        sent: Moment,
        claim: Claim,
        point: &Point,
        answer: ReportAnswer,
        out: &mut Vec<Output>,
    ) {
        match (answer, point) {
            (ReportAnswer::Busy, _) => {}
            (ReportAnswer::Lost, Point::Ended | Point::GivenBack)
            | (ReportAnswer::Done, Point::GivenBack) => self.forget(claim, None, out),
            (ReportAnswer::Lost, Point::Started | Point::Progressed(..)) => {
                // Of a job that has ended, the answer about its end is the verdict: an end that
                // was written and whose answer was lost makes its start look lost.
                let has_ended =
                    self.jobs.get(&claim).is_some_and(|job| matches!(job.stage, Stage::Ended(_)));
                if !has_ended {
                    self.lose(claim, out);
                }
            }
            (ReportAnswer::Done, Point::Ended) => {
                let outcome = self.jobs.get(&claim).and_then(|job| match &job.stage {
                    Stage::Ended(ending) => Some(ending.outcome.clone()),
                    Stage::Starting
                    | Stage::Running { .. }
                    | Stage::Terminated { .. }
                    | Stage::Killed
                    | Stage::GivenBack
                    | Stage::Abandoned => None,
                });
                self.forget(claim, outcome, out);
            }
            (ReportAnswer::Done, Point::Started) => {
                if let Some(job) = self.jobs.get_mut(&claim) {
                    job.news.started = None;
                }
            }
            (ReportAnswer::Done, Point::Progressed(units, message)) => {
                if let Some(job) = self.jobs.get_mut(&claim) {
                    told(&mut job.news, *units, message.as_ref());
                    Self::progress_told(job, sent);
                }
            }
        }
    }

    fn hear_hold(
        &mut self,
        now: Moment,
        sent: Moment,
        claim: Claim,
        answer: HoldAnswer,
        out: &mut Vec<Output>,
    ) {
        match answer {
            HoldAnswer::Busy => {}
            HoldAnswer::Lost => self.lose(claim, out),
            HoldAnswer::Held { remaining, cancel } => {
                let kill_at = self.config.lease.kill_at(sent, remaining);
                let Some(job) = self.jobs.get_mut(&claim) else {
                    return;
                };
                if job.is_dead() || job.stage == Stage::Killed {
                    return;
                }
                if job.kill_at != kill_at {
                    job.kill_at = kill_at;
                    out.push(Output::Deadline { claim, kill_at });
                }
                if cancel {
                    self.stop(now, claim, StopReason::Cancel, out);
                }
            }
        }
    }

    /// A run was handed over. It is started unless nobody wants it any more, its deadline is too
    /// near, or it is known already.
    pub(super) fn granted(
        &mut self,
        now: Moment,
        sent: Moment,
        grant: Grant,
        out: &mut Vec<Output>,
    ) {
        let claim = grant.claim;
        if self.jobs.contains_key(&claim) {
            return;
        }
        if self.foreground == Foreground::Wanted {
            self.foreground = Foreground::Held(claim);
        }
        let kill_at = self.config.lease.kill_at(sent, grant.remaining);
        let too_near = now.plus(self.config.lease.start_margin()) >= kill_at;
        let unwanted = self.interrupted || self.is_draining();
        let stage = match (&self.config.purpose, unwanted, too_near) {
            (Purpose::Serve, true, _) | (Purpose::Serve, false, true) => Some(Stage::GivenBack),
            // A foreground run is never handed to somebody else.
            (Purpose::Foreground(_), true, _) => {
                Some(never_started(Outcome::Cancelled(Cancellation::Requested)))
            }
            (Purpose::Foreground(_), false, true) => {
                Some(never_started(Outcome::Interrupted(Interruption::Lease)))
            }
            (Purpose::Serve | Purpose::Foreground(_), false, false) => None,
        };
        match stage {
            Some(stage) => {
                let job = self.job(grant, stage, kill_at);
                self.jobs.insert(claim, job);
            }
            None => self.start(grant, kill_at, out),
        }
    }

    fn start(&mut self, grant: Grant, kill_at: Moment, out: &mut Vec<Output>) {
        let handler = grant.worker.handler();
        let resolved = match self.config.definitions.get(&handler) {
            Some(definition) => {
                config::resolve(definition, &grant.request, grant.settings.as_ref())
                    .map_err(|invalid| invalid.to_string())
            }
            None => Err(format!("this runner does not serve `{handler}`")),
        };
        let claim = grant.claim;
        match resolved {
            Ok(config) => {
                let mut job = self.job(grant.clone(), Stage::Starting, kill_at);
                job.news.started = Some(config.clone());
                self.jobs.insert(claim, job);
                out.push(Output::Start {
                    grant: Box::new(grant),
                    config: Box::new(config),
                    kill_at,
                });
            }
            Err(why) => {
                let cause = Cause::Config(Note::lossy(&why));
                let outcome = Outcome::Failed(Failure { cause, is_final: false });
                let job = self.job(grant, never_started(outcome), kill_at);
                self.jobs.insert(claim, job);
            }
        }
    }

    fn job(&self, grant: Grant, stage: Stage, kill_at: Moment) -> Job {
        let definition = self.config.definitions.get(&grant.worker.handler());
        let stop_grace = definition
            .map_or(self.config.lease.timing().kill_grace, |definition| definition.stop_grace);
        Job { grant, stage, kill_at, stop_grace, stop: None, news: News::default() }
    }
}

fn never_started(outcome: Outcome) -> Stage {
    Stage::Ended(Box::new(crate::ledger::command::Ending {
        outcome,
        units: None,
        output: JobOutput::default(),
    }))
}

/// When something new is to be said about a job.
fn news_at(job: &Job) -> Moment {
    match job.stage {
        Stage::Ended(_) | Stage::GivenBack => Moment::START,
        Stage::Running { .. } | Stage::Terminated { .. } | Stage::Killed
            if job.news.started.is_some() =>
        {
            Moment::START
        }
        Stage::Running { .. } | Stage::Terminated { .. } | Stage::Killed
            if job.news.has_progress() =>
        {
            job.news.progress_at
        }
        Stage::Starting
        | Stage::Running { .. }
        | Stage::Terminated { .. }
        | Stage::Killed
        | Stage::Abandoned => Moment::NEVER,
    }
}

/// What is to be said about a job now.
fn points_of(job: &Job, now: Moment) -> Vec<ReportEvent> {
    let mut events = Vec::new();
    match &job.stage {
        Stage::GivenBack => events.push(ReportEvent::GivenBack),
        Stage::Ended(ending) => {
            if let Some(config) = &job.news.started {
                events.push(ReportEvent::Started { config: config.clone() });
            }
            events.push(ReportEvent::Ended(ending.as_ref().clone()));
        }
        Stage::Running { .. } | Stage::Terminated { .. } | Stage::Killed => {
            if let Some(config) = &job.news.started {
                events.push(ReportEvent::Started { config: config.clone() });
            }
            if job.news.has_progress() && now >= job.news.progress_at {
                events.push(ReportEvent::Progressed {
                    units: job.news.units,
                    message: job.news.message.clone(),
                });
            }
        }
        Stage::Starting | Stage::Abandoned => {}
    }
    events
}

fn point(event: &ReportEvent) -> Point {
    match event {
        ReportEvent::Started { .. } => Point::Started,
        ReportEvent::Progressed { units, message } => Point::Progressed(*units, message.clone()),
        ReportEvent::Ended(_) => Point::Ended,
        ReportEvent::GivenBack => Point::GivenBack,
    }
}

/// What the store knows need not be said again, unless it has changed since.
fn told(news: &mut News, units: Option<Units>, message: Option<&Note>) {
    if news.units == units {
        news.units = None;
    }
    if news.message.as_ref() == message {
        news.message = None;
    }
}
