//! Runners on the stage: what happens to them, and what they want done.

use std::num::NonZeroU32;

use horarium_core::ledger::{Claim, Command, Wish};
use horarium_core::run::{Cause, Output as JobOutput, Units};
use horarium_core::runner::{Exit, Input, JobExit, Output, Purpose, Runner, RunnerConfig};
use horarium_core::words::{Lease, Moment, Note, RunnerId};

use super::cast::{Machine, Member};
use super::{Stage, span, telling};

/// Makes a runner one that executes a single run in the foreground.
pub(crate) fn foreground(wish: Wish) -> impl FnOnce(&mut RunnerConfig) {
    |config| config.purpose = Purpose::Foreground(Box::new(wish))
}

impl Stage {
    /// A runner for one job at a time registers and has its first turn.
    pub(crate) fn runner(&mut self, who: &'static str) {
        self.runner_with(who, |_| {});
        self.settle(who);
    }

    /// A runner that differs from the usual one appears; nothing has reached the store yet.
    pub(crate) fn runner_with(
        &mut self,
        who: &'static str,
        differ: impl FnOnce(&mut RunnerConfig),
    ) {
        let mut config = RunnerConfig {
            name: who.parse().unwrap(),
            host: "host".parse().unwrap(),
            version: "0.1.0".parse().unwrap(),
            definitions: self.definitions.clone(),
            concurrency: NonZeroU32::MIN,
            lease: Lease::default(),
            poll: span("10s"),
            drain_grace: span("30s"),
            purpose: Purpose::Serve,
            seed: 1,
        };
        differ(&mut config);
        let mut out = Vec::new();
        let machine = Machine::Runner(Box::new(Runner::new(config, self.moment, &mut out)));
        self.cast.insert(who, Member::new(machine));
        self.runner_wants(who, out);
    }

    pub(super) fn runner_input(&mut self, who: &'static str, input: Input) {
        let moment = self.moment;
        let mut out = Vec::new();
        let Machine::Runner(runner) = &mut self.member(who).machine else {
            panic!("{who} is no runner");
        };
        runner.handle(moment, input, &mut out);
        self.runner_wants(who, out);
    }

    fn runner_wants(&mut self, who: &'static str, out: Vec<Output>) {
        for output in out {
            match output {
                Output::Identify => self.identify(who),
                Output::Send(id, command) => self.member(who).call = Some((id, command)),
                Output::Start { grant, config, kill_at } => {
                    let worker = grant.worker.to_string();
                    self.member(who).jobs.insert(worker.clone(), grant.claim);
                    let claim = self.names.claim(grant.claim);
                    let config = telling::resolved(&config);
                    let dead = kill_at.since(self.moment);
                    self.does(who, &format!("START {worker} {claim}{config}, dead in {dead}"));
                }
                Output::Deadline { claim, kill_at } => {
                    let dead = kill_at.since(self.moment);
                    let claim = self.names.claim(claim);
                    self.does(who, &format!("deadline of {claim} moves: dead in {dead}"));
                }
                Output::Terminate(claim, reason) => {
                    assert!(!self.is_muted, "TERM while all should be quiet");
                    let claim = self.names.claim(claim);
                    self.does(who, &format!("TERM to {claim}: {reason}"));
                }
                Output::Kill(claim, reason) => {
                    assert!(!self.is_muted, "KILL while all should be quiet");
                    let claim = self.names.claim(claim);
                    self.does(who, &format!("KILL to {claim}: {reason}"));
                }
                Output::WakeAt(moment) => self.member(who).alarm = moment,
                Output::ForegroundRefused(refusal) => {
                    let text = self.names.refusal(&refusal);
                    self.does(who, &format!("says: refused, {text}"));
                }
                Output::ForegroundEnded(outcome) => {
                    let text = outcome.map_or_else(
                        || String::from("the run is not ours"),
                        |outcome| format!("{} ({outcome})", outcome.status()),
                    );
                    self.does(who, &format!("says: {text}"));
                }
                Output::Finished { retired } => {
                    let known = if retired { "retired" } else { "the store was not told" };
                    self.does(who, &format!("ends ({known})"));
                    self.member(who).call = None;
                    self.member(who).alarm = Moment::NEVER;
                }
            }
        }
    }

    fn identify(&mut self, who: &'static str) {
        let member = self.member(who);
        member.ids += 1;
        member.call = None;
        let number = member.ids;
        let bits = u128::from(who.as_bytes()[0]) << 8 | u128::from(number);
        let id = RunnerId::from_bits(bits);
        let name = if number == 1 { who.to_owned() } else { format!("{who}{number}") };
        if number > 1 {
            self.does(who, &format!("takes a fresh id: {name}"));
        }
        self.names.runners.insert(id, name);
        self.runner_input(who, Input::Identity(id));
    }

    /// The next turn of the runner is sent and answered; so is what it says before.
    pub(crate) fn turn(&mut self, who: &'static str) {
        self.next_turn(who);
        self.call_and_answer(who);
    }

    /// The runner's next call is a turn; what it says before is answered.
    fn next_turn(&mut self, who: &'static str) {
        for _ in 0..10 {
            let (id, command) = self.call(who);
            let is_turn = matches!(command, Command::Turn(_));
            self.member(who).call = Some((id, command));
            if is_turn {
                return;
            }
            self.call_and_answer(who);
        }
        panic!("{who} takes no turn");
    }

    /// The runner's next turn is handled, and its answer is lost.
    pub(crate) fn lose_answer_of_turn(&mut self, who: &'static str) {
        self.next_turn(who);
        self.lose_answer(who);
    }

    /// No request of the runner arrives any more, until it ends.
    pub(crate) fn lose_requests_until_it_ends(&mut self, who: &'static str) {
        let mut lost = 0;
        while self.member(who).alarm != Moment::NEVER {
            if let Some((id, _)) = self.member(who).call.take() {
                lost += 1;
                self.runner_input(who, Input::Unanswered(id));
            } else {
                self.wait_for_alarm(who);
            }
        }
        self.note(&format!("{lost} requests of {who} were lost"));
    }

    /// Time passes in which the runner has nothing to tell but that it lives.
    pub(crate) fn heartbeats(&mut self, who: &'static str, until: &str) {
        let begin = self.now;
        let before = (self.now, self.moment);
        self.at(until);
        let end = self.moment;
        (self.now, self.moment) = before;
        self.is_muted = true;
        let mut turns = 0;
        self.settle(who);
        while self.member(who).alarm <= end {
            self.wait_for_alarm(who);
            turns += usize::from(self.member(who).call.is_some());
            self.settle(who);
        }
        self.is_muted = false;
        self.at(until);
        let time = self.now.since(begin);
        self.note(&format!("for {time} nothing new from {who}, in {turns} calls"));
    }

    /// The claim of the job that the runner was last asked to start for the worker.
    pub(crate) fn claim(&mut self, who: &'static str, name: &str) -> Claim {
        let claim = self.member(who).jobs.get(name).copied();
        claim.unwrap_or_else(|| panic!("{who} was never asked to start {name}"))
    }

    /// The job's process runs, and the store is told.
    pub(crate) fn job_starts(&mut self, who: &'static str, name: &str) {
        self.job_is_started(who, name);
        self.turn(who);
    }

    /// The job's process runs; the store is not told yet.
    pub(crate) fn job_is_started(&mut self, who: &'static str, name: &str) {
        let claim = self.claim(who, name);
        self.job_line(who, claim, "runs");
        self.runner_input(who, Input::JobStarted(claim));
    }

    /// The job's process could not be started.
    pub(crate) fn job_cannot_start(&mut self, who: &'static str, name: &str, why: &str) {
        let claim = self.claim(who, name);
        self.job_line(who, claim, &format!("cannot be started: {why}"));
        let cause = Cause::Spawn(Note::lossy(why));
        self.runner_input(who, Input::JobNotStarted(claim, cause));
    }

    /// The job says how far it is.
    pub(crate) fn job_progresses(&mut self, who: &'static str, name: &str, units: Units) {
        let claim = self.claim(who, name);
        let Units { pending, processed } = units;
        self.job_line(who, claim, &format!("says: {processed} done, {pending} to do"));
        self.runner_input(who, Input::JobProgressed(claim, Some(units), None));
    }

    /// The job exits with this code and leaves nothing behind.
    pub(crate) fn job_exits(&mut self, who: &'static str, name: &str, code: i32) {
        let claim = self.claim(who, name);
        self.job_line(who, claim, &format!("exits with code {code}"));
        self.exit(who, claim, Exit::Code(code), true, false);
    }

    /// The job exits with a code that its handler declares final.
    pub(crate) fn job_exits_for_good(&mut self, who: &'static str, name: &str, code: i32) {
        let claim = self.claim(who, name);
        self.job_line(who, claim, &format!("exits with code {code}, declared final"));
        self.exit(who, claim, Exit::Code(code), true, true);
    }

    /// The job dies of a signal and leaves nothing behind.
    pub(crate) fn job_dies(&mut self, who: &'static str, name: &str, signal: i32) {
        let claim = self.claim(who, name);
        self.job_line(who, claim, &format!("dies of signal {signal}"));
        self.exit(who, claim, Exit::Signal(signal), true, false);
    }

    /// The job dies of a signal, and something that it started cannot be found dead.
    pub(crate) fn job_dies_and_leaves_something(&mut self, who: &'static str, name: &str) {
        let claim = self.claim(who, name);
        self.job_line(who, claim, "dies of signal 9, and its group is not empty");
        self.exit(who, claim, Exit::Signal(9), false, false);
    }

    fn exit(
        &mut self,
        who: &'static str,
        claim: Claim,
        exit: Exit,
        group_empty: bool,
        is_final: bool,
    ) {
        let output = JobOutput::default();
        let exit = JobExit { exit, group_empty, is_final, output };
        self.runner_input(who, Input::JobExited(claim, exit));
    }

    fn job_line(&mut self, who: &str, claim: Claim, text: &str) {
        let claim = self.names.claim(claim);
        self.line(&format!("job {claim} on {who} {text}"));
    }

    /// The runner is told that there may be work.
    pub(crate) fn hint_runner(&mut self, who: &'static str) {
        self.runner_input(who, Input::Hint);
    }

    /// The runner is told that a run that it holds may have been cancelled.
    pub(crate) fn cancel_hint(&mut self, who: &'static str) {
        self.runner_input(who, Input::CancelHint);
    }

    /// The runner is asked to stop.
    pub(crate) fn shutdown(&mut self, who: &'static str) {
        self.line(&format!("{who} is asked to stop"));
        self.runner_input(who, Input::Shutdown);
    }

    /// The runner is asked to stop at once.
    pub(crate) fn hurry(&mut self, who: &'static str) {
        self.line(&format!("{who} is asked to hurry"));
        self.runner_input(who, Input::Hurry);
    }

    /// The person at the terminal presses Ctrl-C.
    pub(crate) fn interrupt(&mut self, who: &'static str) {
        self.line(&format!("{who} gets Ctrl-C"));
        self.runner_input(who, Input::Interrupt);
    }

    /// The runner's guard is gone.
    pub(crate) fn guard_lost(&mut self, who: &'static str) {
        self.line(&format!("{who} sees its guard gone"));
        self.runner_input(who, Input::GuardLost);
    }
}
