//! Replies in short words.

use horarium_core::ledger::reply::{
    Accepted, Cancelling, Done, HoldAnswer, ReportAnswer, Saved, Ticked,
};
use horarium_core::ledger::{Command, Grant, Refusal, Reply, Turned};
use horarium_core::words::{RunId, Timestamp};

use super::{Names, listed};

impl Names {
    pub(in super::super) fn reply(&self, command: &Command, reply: &Reply) -> String {
        match reply {
            Reply::Registered { turn: 0 } => String::from("registered"),
            Reply::Registered { turn } => format!("registered, turn {turn} was the last"),
            Reply::Turned(turned) => self.turned(command, turned),
            Reply::Stale(stale) => format!("stale: {stale}"),
            Reply::Retired => String::from("retired"),
            Reply::StillHolding(claims) => {
                let claims: Vec<String> = claims.iter().map(|claim| self.claim(*claim)).collect();
                format!("still holding {}", claims.join(", "))
            }
            Reply::Swept { interrupted, too_late, more } => {
                let more = if *more { ", more is left" } else { "" };
                format!("{interrupted} interrupted, {too_late} too late{more}")
            }
            Reply::Ticked(ticked) => self.ticked(ticked),
            Reply::Pruned { runs, occurrences, more } => {
                let more = if *more { ", more is left" } else { "" };
                format!("{runs} runs and {occurrences} occurrences deleted{more}")
            }
            Reply::Enqueued(items) => {
                let items: Vec<String> = items.iter().map(|item| self.accepted(item)).collect();
                listed(&items, "nothing")
            }
            Reply::Started(grant) => format!("started, {}", self.grant(grant)),
            Reply::Cancelling(Cancelling::Cancelled) => String::from("cancelled"),
            Reply::Cancelling(Cancelling::Requested) => String::from("its runner will be told"),
            Reply::Cancelling(Cancelling::RetryDropped) => String::from("its retry is dropped"),
            Reply::Cancelling(Cancelling::AlreadyEnded(status)) => {
                format!("it has ended already: {status}")
            }
            Reply::Released => String::from("released"),
            Reply::ScheduleSaved(saved) => self.saved(saved),
            Reply::ScheduleDeleted { existed, retry_owed } => {
                let existed = if *existed { "deleted" } else { "there is none" };
                format!("{existed}{}", self.still_owed(*retry_owed))
            }
            Reply::SettingsSaved { revision } => format!("saved, r{revision}"),
            Reply::CataloguePublished { new } => format!("{new} new"),
            Reply::Refused(refusal) => format!("refused: {}", self.refusal(refusal)),
        }
    }

    fn turned(&self, command: &Command, turned: &Turned) -> String {
        let Command::Turn(turn) = command else {
            return String::from("an answer to a turn that was none");
        };
        let reports = turn.reports.iter().zip(&turned.reports).map(|(report, answer)| {
            let answer = match answer {
                ReportAnswer::Done => "done",
                ReportAnswer::Lost => "LOST",
                ReportAnswer::Busy => "busy",
            };
            format!("{} {answer}", self.claim(report.claim))
        });
        let holding = turn.holding.iter().zip(&turned.holding).map(|(held, answer)| {
            let claim = self.claim(held.claim);
            match answer {
                HoldAnswer::Held { remaining, cancel: true } => {
                    format!("{claim} held, {remaining} left, CANCEL")
                }
                HoldAnswer::Held { remaining, cancel: false } => {
                    format!("{claim} held, {remaining} left")
                }
                HoldAnswer::Lost => format!("{claim} LOST"),
                HoldAnswer::Busy => format!("{claim} busy"),
            }
        });
        let granted = turned.granted.iter().map(|grant| self.grant(grant));
        let parts: Vec<String> = reports.chain(holding).chain(granted).collect();
        listed(&parts, "nothing")
    }

    fn grant(&self, grant: &Grant) -> String {
        let claim = self.claim(grant.claim);
        format!("granted {claim} {}, {} left", grant.worker, grant.remaining)
    }

    fn ticked(&self, ticked: &Ticked) -> String {
        let told = |done: &&Done| !matches!(done, Done::ZoneDataAdopted { before: None, .. });
        let mut parts: Vec<String> =
            ticked.done.iter().filter(told).map(|done| self.done(done)).collect();
        if ticked.recomputed > 0 {
            parts.push(format!("{} computed anew", ticked.recomputed));
        }
        if ticked.more {
            parts.push(String::from("more is left"));
        }
        if let Some(wait) = ticked.wait {
            parts.push(format!("next in {wait}"));
        }
        listed(&parts, "nothing, and nothing comes")
    }

    fn done(&self, done: &Done) -> String {
        match done {
            Done::Retried { run, attempt, not_before, .. } => format!(
                "{} is attempt {attempt}, not before {}",
                self.run(*run),
                self.at(*not_before)
            ),
            Done::Occurred { worker, scheduled_for, fate } => {
                format!("{worker} {} {}", self.at(*scheduled_for), self.fate(fate))
            }
            Done::ZoneDataAdopted { before: None, release } => format!("zone data {release}"),
            Done::ZoneDataAdopted { before: Some(before), release } => {
                format!("zone data {release} after {before}")
            }
            Done::Recomputed { worker, before, now } => {
                let at =
                    |at: &Option<Timestamp>| at.map_or(String::from("never"), |at| self.at(at));
                format!("{worker} moved from {} to {}", at(before), at(now))
            }
            Done::Poisoned { worker, why } => format!("{worker} disabled: {why}"),
        }
    }

    fn accepted(&self, item: &Result<Accepted, Refusal>) -> String {
        match item {
            Ok(Accepted { number, status, existed: true }) => {
                format!("{number} was there already, {status}")
            }
            Ok(Accepted { number, status, existed: false }) => {
                format!("{number} accepted, {status}")
            }
            Err(refusal) => format!("refused: {}", self.refusal(refusal)),
        }
    }

    fn saved(&self, saved: &Saved) -> String {
        let Saved { revision, changed, next_run_at, exhausted, retry_owed } = saved;
        let mut text = if *changed {
            format!("saved, r{revision}")
        } else {
            format!("nothing is different, r{revision}")
        };
        if let Some(at) = next_run_at {
            text += &format!(", next {}", self.at(*at));
        }
        if let Some(why) = exhausted {
            text += &format!(", exhausted: {why}");
        }
        text + &self.still_owed(*retry_owed)
    }

    fn still_owed(&self, run: Option<RunId>) -> String {
        run.map_or_else(String::new, |run| format!(", a retry of {} is owed", self.run(run)))
    }
}
