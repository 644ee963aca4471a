//! Runner processes: each hosts a real machine, carries out what it wants, and can freeze or die.

use horarium_core::ledger::Wish;
use horarium_core::run::{StatusKind, Word as Whose};
use horarium_core::runner::{Input, Output, Purpose, Runner, RunnerConfig};
use horarium_core::words::{Moment, Note, RunId, RunnerId, Span};

use crate::breach::{Breach, Law};
use crate::clock::{HostClock, Time};
use crate::describe;
use crate::facts::Fact;
use crate::incident::Incident;
use crate::profile::Seat;
use crate::sabotage::{RunnerShell, Sabotage};

use super::guards::{Guard, Watch, Word};
use super::moments::Waiting;
use super::network::Sender;
use super::work::Process;
use super::{Happening, World};

/// How a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Well,
    Frozen { since: Time },
    Gone,
}

/// A runner process with its guard.
#[derive(Debug)]
pub(super) struct RunnerProcess {
    /// Where it runs; a foreground runner has no seat of its own.
    seat: Option<usize>,
    pub(super) clock: HostClock,
    machine: Runner,
    pub(super) condition: Condition,
    pub(super) guard: Guard,
    /// The last id that it was given.
    identity: Option<RunnerId>,
    /// The last alarm that its machine asked for.
    alarm: u64,
    /// What came while it was frozen.
    inbox: Vec<Input>,
    shell: RunnerShell,
    /// The call for whose answer it waits.
    pub(super) waiting: Option<Waiting>,
    /// True once it was asked to stop, or has to since its guard is gone.
    pub(super) is_stopping: bool,
    statement_timeout: Span,
    heartbeat: Span,
    pub(super) lease: Span,
    /// Nothing that it sends arrives before this.
    pub(super) mute_until: Time,
    /// No answer reaches it before this.
    pub(super) deaf_until: Time,
    /// The run that it is for, if it is for one.
    foreground: Option<RunId>,
    /// When it last heard an answer, or started.
    pub(super) heard: Time,
    /// True once it was asked to stop by the last phase of the world.
    pub(super) must_retire: bool,
    /// True when it was stopping before that.
    pub(super) stopped_early: bool,
}

impl RunnerProcess {
    /// True when it was given this id.
    pub(super) fn is_called(&self, id: RunnerId) -> bool {
        self.identity == Some(id)
    }

    /// True when it is there for one run.
    pub(super) const fn is_foreground(&self) -> bool {
        self.foreground.is_some()
    }

    /// The longest that it may be without an answer while none is lost: it speaks with every
    /// heartbeat, after a pause if the last call failed.
    pub(super) fn longest_silence(&self) -> Span {
        self.heartbeat.times(2).plus(self.statement_timeout.times(3))
    }
}

impl World {
    /// A runner process starts on a seat, unless one runs there.
    pub(super) fn runner_starts(&mut self, seat: usize) {
        if self.is_away() {
            self.queue.put(self.away_until, Happening::RunnerStarts { seat });
            return;
        }
        let is_taken = self
            .runners
            .iter()
            .any(|runner| runner.seat == Some(seat) && runner.condition != Condition::Gone);
        let Some(found) = self.profile.seats.get(seat).filter(|_| !is_taken).cloned() else {
            return;
        };
        if self.phase.is_stopping() {
            return;
        }
        self.start_process(&found, Some(seat), Purpose::Serve);
    }

    /// A foreground runner starts on a seat's host.
    pub(super) fn foreground_starts(&mut self, wish: Wish) {
        let Some(seat) = self.workload.pick_of(&self.profile.seats).cloned() else {
            return;
        };
        let runner = self.runners.len();
        self.start_process(&seat, None, Purpose::Foreground(Box::new(wish)));
        // Some people change their minds at once.
        if self.workload.chance(300) && self.lets(Incident::ChangeOfMind) {
            let longest = self.workload.pick([Span::from_millis(300), Span::from_secs(3)]);
            let soon = self.workload.span(Span::ZERO, longest);
            let input = Box::new(Input::Interrupt);
            self.after(soon, Happening::RunnerHears { runner, input });
        }
    }

    fn start_process(&mut self, seat: &Seat, index: Option<usize>, purpose: Purpose) {
        let clock = HostClock { boot: self.latency.below(1_000_000_000), rate: seat.clock_rate };
        let foreground = match &purpose {
            Purpose::Serve => None,
            Purpose::Foreground(wish) => Some(wish.run),
        };
        let config = RunnerConfig {
            name: Note::lossy("runner"),
            host: Note::lossy("host"),
            version: Note::lossy("1"),
            definitions: seat.definitions.clone(),
            concurrency: seat.concurrency,
            lease: seat.lease,
            poll: seat.poll,
            drain_grace: seat.drain_grace,
            purpose,
            seed: self.latency.bits(),
        };
        let mut out = Vec::new();
        let machine = Runner::new(config, clock.at(self.time), &mut out);
        let runner = self.runners.len();
        self.runners.push(RunnerProcess {
            seat: index,
            clock,
            machine,
            condition: Condition::Well,
            guard: Guard::default(),
            identity: None,
            alarm: 0,
            inbox: Vec::new(),
            shell: RunnerShell::new(self.sabotage),
            waiting: None,
            is_stopping: false,
            statement_timeout: seat.lease.timing().statement_timeout,
            heartbeat: seat.lease.timing().heartbeat,
            lease: seat.lease.timing().lease,
            mute_until: Time::START,
            deaf_until: Time::START,
            foreground,
            heard: self.time,
            must_retire: false,
            stopped_early: false,
        });
        let timing = seat.lease.timing();
        let interval = seat.poll.min(timing.heartbeat.scaled(1, 3)).min(timing.statement_timeout);
        self.expect_work(Process::Runner(runner), interval);
        self.tell(|| match foreground {
            Some(run) => format!("runner {runner} starts, for {}", describe::run(run)),
            None => format!("runner {runner} starts"),
        });
        self.carry_out(runner, out);
        if self.is_chaos()
            && self.faults.chance(self.profile.faults.crash_again)
            && self.lets(Incident::CrashAgain)
        {
            let soon = self.faults.span(Span::ZERO, timing.statement_timeout);
            self.after(soon, Happening::RunnerDiesAgain { runner });
        }
    }

    /// A runner dies before it has heard much.
    pub(super) fn runner_dies_again(&mut self, runner: usize) {
        if self.may_crash(runner) {
            self.see(Fact::CrashedAgain);
            self.runner_crashes(runner);
        }
    }

    /// Tells a runner something about its own machine, a little later.
    pub(super) fn runner_hears_soon(&mut self, runner: usize, input: Input) {
        let soon = self.moment_later();
        self.after(soon, Happening::RunnerHears { runner, input: Box::new(input) });
    }

    pub(super) fn runner_wakes(&mut self, runner: usize, alarm: u64) {
        if self.runners[runner].alarm == alarm {
            self.runner_hears(runner, Input::Wake);
        }
    }

    pub(super) fn runner_hears(&mut self, runner: usize, input: Input) {
        let process = &mut self.runners[runner];
        match process.condition {
            Condition::Gone => return,
            Condition::Frozen { .. } => {
                process.inbox.push(input);
                return;
            }
            Condition::Well => {}
        }
        if input == Input::Interrupt {
            self.see(Fact::ForegroundInterrupted);
        }
        self.mark(&(runner, &input));
        let reasons = match &input {
            Input::Wake => 0,
            Input::Answered(_, reply) => Self::reasons_in(reply),
            Input::Identity(_)
            | Input::Unanswered(_)
            | Input::JobStarted(_)
            | Input::JobNotStarted(..)
            | Input::JobProgressed(..)
            | Input::JobExited(..)
            | Input::Hint
            | Input::CancelHint
            | Input::Shutdown
            | Input::Hurry
            | Input::Interrupt
            | Input::GuardLost => 1,
        };
        self.has_reason(Process::Runner(runner), reasons);
        if matches!(input, Input::Answered(..)) {
            self.runners[runner].heard = self.time;
        }
        self.note(|| format!("runner {runner} ← {}", describe::input(&input)));
        if let Some((claim, kill_at)) = self.runners[runner].shell.late_word(&input) {
            self.tell_guard(runner, Word::Deadline(claim, kill_at));
        }
        if let Some(again) = self.runners[runner].shell.start_again(&input) {
            self.carry_out_one(runner, again);
        }
        let process = &mut self.runners[runner];
        let now = process.clock.at(self.time);
        process.waiting = process.waiting.filter(|it| !it.ends_by_runner(&input));
        process.is_stopping |= matches!(input, Input::Shutdown | Input::Hurry | Input::GuardLost);
        let input = process.shell.hear(input, now);
        let mut out = Vec::new();
        process.machine.handle(now, input, &mut out);
        self.carry_out(runner, out);
    }

    fn carry_out(&mut self, runner: usize, outputs: Vec<Output>) {
        for (index, output) in outputs.into_iter().enumerate() {
            if self.runners[runner].condition == Condition::Gone || self.breach.is_some() {
                return;
            }
            if self.may_crash(runner)
                && self.faults.chance(self.profile.faults.crash_amid)
                && self.lets(Incident::CrashAmid)
            {
                if index > 0 {
                    self.see(Fact::CrashedAmid);
                }
                self.runner_crashes(runner);
                return;
            }
            let is_call = matches!(output, Output::Send(..));
            let now = self.runners[runner].clock.at(self.time);
            for output in self.runners[runner].shell.want(output, now) {
                self.carry_out_one(runner, output);
            }
            if is_call && self.is_stopped_amid() {
                self.see(Fact::ShutdownAmid);
                self.runner_hears_soon(runner, Input::Shutdown);
            }
        }
    }

    fn carry_out_one(&mut self, runner: usize, output: Output) {
        match output {
            Output::Identify => {
                let id = RunnerId::from_bits(self.latency.wide_bits());
                self.runners[runner].identity = Some(id);
                self.runner_hears_soon(runner, Input::Identity(id));
            }
            Output::Send(call, command) => {
                self.runners[runner].waiting = Waiting::after(call, &command, self.time);
                let patience = self.runners[runner].statement_timeout;
                self.send(Sender::Runner(runner, call), command, patience);
            }
            Output::Start { grant, kill_at, .. } => {
                self.tell(|| {
                    let claim = describe::claim(grant.claim);
                    format!("runner {runner} starts {} {claim}", grant.worker)
                });
                if !self.has(Sabotage::GuardToldLate) {
                    self.tell_guard(runner, Word::Deadline(grant.claim, kill_at));
                }
                self.start_body(runner, &grant);
            }
            Output::Deadline { claim, kill_at } => {
                self.tell_guard(runner, Word::Deadline(claim, kill_at));
            }
            Output::Terminate(claim, reason) => {
                self.tell(|| format!("runner {runner} TERM {}: {reason}", describe::claim(claim)));
                let output = Output::Terminate(claim, reason);
                if let Some(untrue) = self.runners[runner].shell.claim_done(&output) {
                    self.runner_hears_soon(runner, untrue);
                }
                self.terminate_body(runner, claim);
            }
            Output::Kill(claim, reason) => {
                self.tell(|| format!("runner {runner} KILL {}: {reason}", describe::claim(claim)));
                self.kill_body(runner, claim);
            }
            Output::WakeAt(moment) => self.set_runner_alarm(runner, moment),
            Output::ForegroundRefused(refusal) => {
                self.tell(|| format!("runner {runner}: refused, {refusal}"));
            }
            Output::ForegroundEnded(outcome) => {
                self.tell(|| format!("runner {runner}: foreground ended, {outcome:?}"));
                self.judge_foreground(runner, outcome.is_some());
            }
            Output::Finished { retired } => self.runner_finishes(runner, retired),
        }
    }

    fn set_runner_alarm(&mut self, runner: usize, moment: Moment) {
        let process = &mut self.runners[runner];
        process.alarm += 1;
        let alarm = process.alarm;
        if let Some(time) = process.clock.when(moment) {
            let late = self.moment_later();
            let time = time.max(self.time).plus(late);
            self.queue.put(time, Happening::RunnerWakes { runner, alarm });
        }
    }

    /// Who is told that nothing is known of a foreground run must not have ended it himself.
    fn judge_foreground(&mut self, runner: usize, is_known: bool) {
        let process = &self.runners[runner];
        let run = process.foreground.and_then(|id| self.store.ledger().rows().runs.get(&id));
        let (Some(run), Some(id)) = (run, process.machine.id()) else {
            return;
        };
        let own = run.end().is_some_and(|end| {
            end.word == Whose::Runner && end.hold.as_ref().is_some_and(|hold| hold.runner == id)
        });
        let status = run.status_kind();
        if own && !is_known {
            let what = format!("runner {runner} ended its run {status} and tells nothing of it");
            self.broke(Breach::new(Law::ForegroundWord, what));
        } else if is_known && !own && status != StatusKind::Cancelled {
            let what = format!("runner {runner} tells an end that it did not write");
            self.broke(Breach::new(Law::ForegroundWord, what));
        }
    }

    fn runner_finishes(&mut self, runner: usize, retired: bool) {
        self.tell(|| format!("runner {runner} ends, retired: {retired}"));
        if self.runners[runner].must_retire && !retired && !self.may_end_unretired(runner) {
            let what = format!("runner {runner} was stopped in peace and did not retire");
            self.broke(Breach::new(Law::Convergence, what));
        }
        self.runner_is_gone(runner);
    }

    /// True for a runner that does not know yet that it is registered, for one of whose jobs
    /// something was left (such a claim is let go without a word), and for one whose time to stop
    /// ran out before peace had lasted for a lost answer and another try.
    fn may_end_unretired(&self, runner: usize) -> bool {
        let taken = self.runners[runner]
            .identity
            .and_then(|id| self.store.ledger().rows().runners.get(&id))
            .map_or(0, |known| known.turn);
        let process = &self.runners[runner];
        let another_try = process.statement_timeout.plus(process.heartbeat);
        let had_no_time = process.stopped_early
            && self.healed.is_none_or(|healed| self.time < healed.plus(another_try));
        taken == 0 || self.bodies.left_something(runner) || had_no_time
    }

    /// True when a process is asked to stop although a call of it is out.
    pub(super) fn is_stopped_amid(&mut self) -> bool {
        self.is_chaos()
            && self.faults.chance(self.profile.faults.shutdown_amid)
            && self.lets(Incident::ShutdownAmid)
    }

    /// True when a runner may die or freeze: never while its guard cannot do its part.
    pub(super) fn may_crash(&self, runner: usize) -> bool {
        let process = &self.runners[runner];
        self.is_chaos()
            && process.guard.watch == Watch::Awake
            && process.condition == Condition::Well
    }

    pub(super) fn runner_crashes(&mut self, runner: usize) {
        self.tell(|| format!("runner {runner} crashes"));
        self.runner_is_gone(runner);
    }

    fn runner_is_gone(&mut self, runner: usize) {
        self.runners[runner].condition = Condition::Gone;
        self.tell_guard(runner, Word::RunnerGone);
        if let Some(seat) = self.runners[runner].seat {
            let pause = if self.is_chaos() {
                let longest = self.runners[runner].lease.times(2);
                self.faults.span(Span::from_millis(50), longest)
            } else {
                Span::from_millis(50)
            };
            self.after(pause, Happening::RunnerStarts { seat });
        }
    }

    pub(super) fn runner_freezes(&mut self, runner: usize) {
        let lease = self.runners[runner].lease;
        let pause = self.faults.span(Span::ZERO, lease.scaled(5, 2));
        self.tell(|| format!("runner {runner} freezes for {pause}"));
        self.runners[runner].condition = Condition::Frozen { since: self.time };
        self.after(pause, Happening::RunnerThaws { runner });
    }

    /// A frozen runner goes on; what came meanwhile comes now, in any order.
    pub(super) fn runner_thaws(&mut self, runner: usize) {
        let process = &mut self.runners[runner];
        let Condition::Frozen { since } = process.condition else {
            return;
        };
        process.condition = Condition::Well;
        let mut inbox = std::mem::take(&mut process.inbox);
        let (lease, jobs) = (process.lease, process.machine.jobs());
        if jobs > 0 && self.time.since(since) > lease {
            self.see(Fact::FrozenPastLease);
        }
        self.tell(|| format!("runner {runner} goes on"));
        while !inbox.is_empty() {
            let next = if self.faults.chance(300) { self.faults.index(inbox.len()) } else { 0 };
            let input = inbox.remove(next);
            self.runner_hears(runner, input);
        }
        self.runner_hears(runner, Input::Wake);
    }

    /// A guard dies: its runner sees the pipe close and kills everything.
    pub(super) fn guard_dies(&mut self, runner: usize) {
        self.tell(|| format!("guard {runner} dies"));
        self.see(Fact::GuardDied);
        self.runners[runner].guard.watch = Watch::Dead;
        for claim in self.bodies.alive_of(runner) {
            self.kill_body(runner, claim);
        }
        self.runner_hears(runner, Input::GuardLost);
    }

    /// Some runner process that may be struck by a fault.
    pub(super) fn some_runner(&mut self) -> Option<usize> {
        let well: Vec<usize> = (0..self.runners.len()).filter(|it| self.may_crash(*it)).collect();
        self.faults.pick_of(&well).copied()
    }

    pub(super) fn is_away(&self) -> bool {
        self.time < self.away_until
    }

    /// A person ends a foreground run.
    pub(super) fn interrupt_some_foreground(&mut self) {
        let of = |it: &RunnerProcess| it.foreground.is_some() && it.condition != Condition::Gone;
        let live: Vec<usize> =
            (0..self.runners.len()).filter(|it| self.runners.get(*it).is_some_and(of)).collect();
        if let Some(runner) = self.workload.pick_of(&live).copied() {
            self.runner_hears(runner, Input::Interrupt);
        }
    }
}
