//! Commands, replies and machine words in short, for timelines.

use std::fmt::Write;

use horarium_core::ledger::command::Ending;
use horarium_core::ledger::reply::{HoldAnswer, ReportAnswer};
use horarium_core::ledger::{Claim, Command, Reply, Report, ReportEvent};
use horarium_core::runner;
use horarium_core::words::RunId;

/// The end of an id: enough to tell runs apart.
pub fn run(id: RunId) -> String {
    let text = id.to_string();
    format!("…{}", text.get(30..).unwrap_or(&text))
}

/// A claim.
pub fn claim(claim: Claim) -> String {
    format!("{}/{:?}", run(claim.run), claim.fence)
}

fn report(report: &Report) -> String {
    let what = match &report.event {
        ReportEvent::Started { .. } => String::from("started"),
        ReportEvent::Progressed { .. } => String::from("progressed"),
        ReportEvent::Ended(Ending { outcome, .. }) => format!("ended ({outcome})"),
        ReportEvent::GivenBack => String::from("given back"),
    };
    format!("{} {what}", claim(report.claim))
}

/// A command.
pub fn command(command: &Command) -> String {
    match command {
        Command::Register(_) => String::from("register"),
        Command::Turn(turn) => {
            let mut text = format!("turn {} for {}", turn.number, turn.capacity);
            for said in &turn.reports {
                let _ = write!(text, ", {}", report(said));
            }
            for held in &turn.holding {
                let renew = if held.renew { " renew" } else { "" };
                let _ = write!(text, ", holds {}{renew}", claim(held.claim));
            }
            text
        }
        Command::Retire { .. } => String::from("retire"),
        Command::Sweep { limit } => format!("sweep {limit}"),
        Command::Tick(tick) => format!("tick {}", tick.limit),
        Command::Prune(_) => String::from("prune"),
        Command::Enqueue(wishes) => {
            wishes.iter().fold(String::from("enqueue"), |mut text, wish| {
                let _ = write!(text, " {} {}", wish.worker, run(wish.run));
                text
            })
        }
        Command::StartForeground { wish, .. } => {
            format!("start {} {} in the foreground", wish.worker, run(wish.run))
        }
        Command::Cancel { run: id, .. } => format!("cancel {}", run(*id)),
        Command::Release { run: id, force, .. } => format!("release {} force={force}", run(*id)),
        Command::PutSchedule { worker, seen, plan, .. } => {
            format!("put schedule {worker} seen {seen}: {}", plan.recurrence.text())
        }
        Command::EnableSchedule { worker, seen, .. } => format!("enable {worker} seen {seen}"),
        Command::DisableSchedule { worker, seen, .. } => format!("disable {worker} seen {seen}"),
        Command::DeleteSchedule { worker, seen, .. } => format!("delete {worker} seen {seen}"),
        Command::PutSettings { worker, seen, .. } => format!("put settings {worker} seen {seen}"),
        Command::PublishCatalogue { definitions, .. } => {
            format!("publish {} definitions", definitions.len())
        }
    }
}

/// A reply.
pub fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Turned(turned) => {
            let mut text = String::from("turned");
            for answer in &turned.reports {
                text.push_str(match answer {
                    ReportAnswer::Done => ", done",
                    ReportAnswer::Lost => ", lost",
                    ReportAnswer::Busy => ", busy",
                });
            }
            for answer in &turned.holding {
                let _ = match answer {
                    HoldAnswer::Held { remaining, cancel } => {
                        let cancel = if *cancel { " cancel" } else { "" };
                        write!(text, ", held {remaining}{cancel}")
                    }
                    HoldAnswer::Lost => write!(text, ", not held"),
                    HoldAnswer::Busy => write!(text, ", hold busy"),
                };
            }
            for grant in &turned.granted {
                let _ = write!(
                    text,
                    ", grants {} {} {}",
                    grant.worker,
                    claim(grant.claim),
                    grant.remaining
                );
            }
            text
        }
        Reply::Started(grant) => {
            format!("grants {} {} {}", grant.worker, claim(grant.claim), grant.remaining)
        }
        Reply::Registered { .. }
        | Reply::Stale(_)
        | Reply::Retired
        | Reply::StillHolding(_)
        | Reply::Swept { .. }
        | Reply::Ticked(_)
        | Reply::Pruned { .. }
        | Reply::Enqueued(_)
        | Reply::Cancelling(_)
        | Reply::Released
        | Reply::ScheduleSaved(_)
        | Reply::ScheduleDeleted { .. }
        | Reply::SettingsSaved { .. }
        | Reply::CataloguePublished { .. }
        | Reply::Refused(_) => shortened(&format!("{reply:?}")),
    }
}

/// What a runner machine is told.
pub fn input(input: &runner::Input) -> String {
    match input {
        runner::Input::Answered(call, answer) => format!("answer {}: {}", call.0, reply(answer)),
        runner::Input::Unanswered(call) => format!("no answer {}", call.0),
        runner::Input::JobStarted(id) => format!("job {} started", claim(*id)),
        runner::Input::JobNotStarted(id, _) => format!("job {} not started", claim(*id)),
        runner::Input::JobProgressed(id, ..) => format!("job {} progressed", claim(*id)),
        runner::Input::JobExited(id, exit) => {
            let rest = if exit.group_empty { "" } else { ", something is left of it" };
            format!("job {} exited with {:?}{rest}", claim(*id), exit.exit)
        }
        runner::Input::Identity(_)
        | runner::Input::Wake
        | runner::Input::Hint
        | runner::Input::CancelHint
        | runner::Input::Shutdown
        | runner::Input::Hurry
        | runner::Input::Interrupt
        | runner::Input::GuardLost => shortened(&format!("{input:?}")),
    }
}

/// At most 160 characters of a text.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
