//! A broken shell around the runner machine.

use std::collections::BTreeMap;

use horarium_core::ledger::reply::{HoldAnswer, ReportAnswer};
use horarium_core::ledger::{Claim, Command, Reply, Turned};
use horarium_core::run::Output as JobOutput;
use horarium_core::runner::{CallId, Exit, Input, JobExit, Output, StopReason};
use horarium_core::words::{Moment, Span};

use super::Sabotage;

/// What stands between a runner machine and its world.
#[derive(Debug, Clone)]
pub struct RunnerShell {
    sabotage: Option<Sabotage>,
    /// The call that was sent last, and when.
    last_call: (CallId, Moment),
    /// What it asked.
    last_command: Option<Command>,
    /// The starts that were wanted.
    starts: BTreeMap<Claim, Output>,
}

impl RunnerShell {
    /// A shell, perhaps a broken one.
    pub const fn new(sabotage: Option<Sabotage>) -> Self {
        Self {
            sabotage,
            last_call: (CallId(0), Moment::START),
            last_command: None,
            starts: BTreeMap::new(),
        }
    }

    /// What the machine is told when `input` has happened.
    pub fn hear(&self, input: Input, now: Moment) -> Input {
        let (last, sent) = self.last_call;
        match (self.sabotage, input) {
            (Some(Sabotage::AnyAnswerTaken), Input::Answered(_, reply)) => {
                Input::Answered(last, reply)
            }
            (Some(Sabotage::DeadlineFromAnswer), Input::Answered(call, mut reply))
                if call == last =>
            {
                prolong(&mut reply, now.since(sent));
                Input::Answered(call, reply)
            }
            (Some(Sabotage::SilenceIsConsent), Input::Unanswered(call)) if call == last => {
                match self.consent() {
                    Some(turned) => Input::Answered(call, Reply::Turned(turned)),
                    None => Input::Unanswered(call),
                }
            }
            (_, input) => input,
        }
    }

    /// What is done when the machine wants `output`.
    pub fn want(&mut self, output: Output, now: Moment) -> Vec<Output> {
        match (self.sabotage, output) {
            (_, Output::Send(call, command)) => {
                self.last_call = (call, now);
                if self.sabotage.is_some() {
                    self.last_command = Some(command.clone());
                }
                vec![Output::Send(call, command)]
            }
            (Some(Sabotage::NoSelfFence), Output::Start { grant, config, .. }) => {
                vec![Output::Start { grant, config, kill_at: Moment::NEVER }]
            }
            (
                Some(Sabotage::NoSelfFence),
                Output::Deadline { .. }
                | Output::Terminate(_, StopReason::Lease)
                | Output::Kill(_, StopReason::Lease),
            )
            | (Some(Sabotage::KillIgnored), Output::Kill(..)) => Vec::new(),
            (
                Some(Sabotage::JobRestarted | Sabotage::GuardToldLate),
                Output::Start { grant, config, kill_at },
            ) => {
                let claim = grant.claim;
                let start = Output::Start { grant, config, kill_at };
                self.starts.insert(claim, start.clone());
                vec![start]
            }
            (Some(Sabotage::EndUntold), Output::ForegroundEnded(_)) => {
                vec![Output::ForegroundEnded(None)]
            }
            (_, output) => vec![output],
        }
    }

    /// What is done when `input` has happened, before the machine is told of it.
    pub fn start_again(&self, input: &Input) -> Option<Output> {
        match (self.sabotage, input) {
            (Some(Sabotage::JobRestarted), Input::JobExited(claim, exit))
                if exit.exit != Exit::Code(0) =>
            {
                self.starts.get(claim).cloned()
            }
            _ => None,
        }
    }

    /// The deadline that the guard is told only now that `input` has happened.
    pub fn late_word(&self, input: &Input) -> Option<(Claim, Moment)> {
        match (self.sabotage, input) {
            (Some(Sabotage::GuardToldLate), Input::JobStarted(claim)) => {
                match self.starts.get(claim) {
                    Some(Output::Start { kill_at, .. }) => Some((*claim, *kill_at)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What the machine is told when it wants `output`, whatever really happens.
    pub fn claim_done(&self, output: &Output) -> Option<Input> {
        match (self.sabotage, output) {
            (Some(Sabotage::ReportedAtTerm), Output::Terminate(claim, _)) => {
                let exit = JobExit {
                    exit: Exit::Signal(15),
                    group_empty: true,
                    is_final: false,
                    output: JobOutput::default(),
                };
                Some(Input::JobExited(*claim, exit))
            }
            _ => None,
        }
    }

    /// An answer to the last turn that takes all that was reported and says nothing of leases.
    fn consent(&self) -> Option<Turned> {
        match &self.last_command {
            Some(Command::Turn(turn)) => Some(Turned {
                reports: vec![ReportAnswer::Done; turn.reports.len()],
                holding: vec![HoldAnswer::Busy; turn.holding.len()],
                granted: Vec::new(),
            }),
            _ => None,
        }
    }
}

/// What is left of each lease, as if it had been told at the moment of the answer.
fn prolong(reply: &mut Reply, by: Span) {
    match reply {
        Reply::Turned(turned) => {
            for answer in &mut turned.holding {
                if let HoldAnswer::Held { remaining, .. } = answer {
                    *remaining = remaining.plus(by);
                }
            }
            for grant in &mut turned.granted {
                grant.remaining = grant.remaining.plus(by);
            }
        }
        Reply::Started(grant) => grant.remaining = grant.remaining.plus(by),
        _ => {}
    }
}
