//! The runner's shell: one runner machine, the jobs under its guard, and the store.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use horarium_core::config::Config;
use horarium_core::ledger::{Claim, Command, Grant, Refusal};
use horarium_core::run::{Cause, Outcome};
use horarium_core::runner::{self, CallId, Input, JobExit, Output, Runner, RunnerConfig};
use horarium_core::store::Store;
use horarium_core::words::{Fence, Moment, Name, Note, RunId};
use tokio::sync::mpsc;
use tracing::{Span, info, info_span, warn};

use crate::boot_clock;
use crate::guard::{GuardLink, JobKey, Remains};
use crate::job::{self, JobCommand, JobEvent, Jobs};
use crate::local_handler::LocalHandler;

use super::ask::ask;
use super::{duration, fresh_runner_id, job_document, sleep_towards};

/// How a runner ended.
#[derive(Debug)]
pub(super) struct RunnerEnd {
    /// True when the registry says that it stopped.
    pub(super) retired: bool,
    /// What became of the foreground run, if there was one.
    pub(super) foreground: Foreground,
    /// True when the guard was lost, so that it had to end.
    pub(super) guard_lost: bool,
}

/// What became of a foreground run.
#[derive(Debug)]
pub enum Foreground {
    /// There was none, or nothing is known of it.
    None,
    /// The store refused it.
    Refused(Refusal),
    /// It ended so; none when the store gave it to nobody's word, or did not answer.
    Ended(Option<Outcome>),
}

/// The log span of each job that was started: its worker, run and number.
type Spans = Arc<Mutex<BTreeMap<Claim, Span>>>;

fn span_of(spans: &Spans, claim: Claim) -> Span {
    let spans = spans.lock().unwrap_or_else(PoisonError::into_inner);
    spans.get(&claim).cloned().unwrap_or_else(Span::none)
}

/// A runner machine and what it needs to act.
pub(super) struct RunnerShell<S> {
    store: Arc<S>,
    handlers: BTreeMap<Name, LocalHandler>,
    /// True to pass the jobs' output on, live.
    tee: bool,
    machine: Runner,
    outputs: Vec<Output>,
    jobs: Jobs,
    spans: Spans,
    inputs: mpsc::UnboundedReceiver<Input>,
    sender: mpsc::UnboundedSender<Input>,
    wake_at: Moment,
    call_timeout: std::time::Duration,
    foreground: Foreground,
    guard_lost: bool,
}

impl<S: Store + 'static> RunnerShell<S> {
    /// A runner that has done nothing yet.
    pub(super) fn new(
        store: Arc<S>,
        config: RunnerConfig,
        handlers: BTreeMap<Name, LocalHandler>,
        guard: GuardLink,
        tee: bool,
    ) -> Self {
        let (sender, inputs) = mpsc::unbounded_channel();
        let spans = Spans::default();
        let jobs = {
            let sender = sender.clone();
            let spans = Arc::clone(&spans);
            Jobs::new(guard, move |event| {
                if let Some(input) = input_of(event, &spans) {
                    // The shell has ended: nobody needs to know any more.
                    let _: Result<(), mpsc::error::SendError<Input>> = sender.send(input);
                }
            })
        };
        let call_timeout = duration(config.lease.timing().statement_timeout);
        let mut outputs = Vec::new();
        let machine = Runner::new(config, boot_clock::now(), &mut outputs);
        Self {
            store,
            handlers,
            tee,
            machine,
            outputs,
            jobs,
            spans,
            inputs,
            sender,
            wake_at: Moment::NEVER,
            call_timeout,
            foreground: Foreground::None,
            guard_lost: false,
        }
    }

    /// Where to say that there may be work, or that it should stop.
    pub(super) fn inputs(&self) -> mpsc::UnboundedSender<Input> {
        self.sender.clone()
    }

    /// Runs until the machine is finished.
    pub(super) async fn run(mut self) -> RunnerEnd {
        loop {
            for output in std::mem::take(&mut self.outputs) {
                if let Some(retired) = self.carry_out(output) {
                    return RunnerEnd {
                        retired,
                        foreground: self.foreground,
                        guard_lost: self.guard_lost,
                    };
                }
            }
            let input = tokio::select! {
                Some(input) = self.inputs.recv() => input,
                () = sleep_towards(self.wake_at) => Input::Wake,
            };
            if input == Input::GuardLost {
                warn!("the guard is gone: all jobs are killed and the runner ends");
                self.guard_lost = true;
            }
            self.machine.handle(boot_clock::now(), input, &mut self.outputs);
        }
    }

    /// Carries out one output. `Some` when it was the last.
    fn carry_out(&mut self, output: Output) -> Option<bool> {
        match output {
            Output::Identify => self.tell(Input::Identity(fresh_runner_id())),
            Output::Send(call, command) => self.send(call, command),
            Output::Start { grant, config, kill_at } => self.start(&grant, &config, kill_at),
            Output::Deadline { claim, kill_at } => {
                self.with_key(claim, |jobs, key| jobs.set_deadline(key, kill_at));
            }
            Output::Terminate(claim, reason) => {
                self.in_span(claim, || info!(%reason, "job is asked to end"));
                self.with_key(claim, Jobs::terminate);
            }
            Output::Kill(claim, reason) => {
                self.in_span(claim, || warn!(%reason, "job is killed"));
                self.with_key(claim, Jobs::kill);
            }
            Output::WakeAt(moment) => self.wake_at = moment,
            Output::ForegroundRefused(refusal) => self.foreground = Foreground::Refused(refusal),
            Output::ForegroundEnded(outcome) => self.foreground = Foreground::Ended(outcome),
            Output::Finished { retired } => {
                info!(retired, "runner has ended");
                return Some(retired);
            }
        }
        None
    }

    fn tell(&self, input: Input) {
        // The receiver lives as long as self.
        let _: Result<(), mpsc::error::SendError<Input>> = self.sender.send(input);
    }

    fn send(&self, call: CallId, command: Command) {
        let store = Arc::clone(&self.store);
        let sender = self.sender.clone();
        let patience = self.call_timeout;
        tokio::spawn(async move {
            let input = match ask(store.as_ref(), &command, patience).await {
                Some(reply) => Input::Answered(call, reply),
                None => Input::Unanswered(call),
            };
            let _: Result<(), mpsc::error::SendError<Input>> = sender.send(input);
        });
    }

    fn start(&mut self, grant: &Grant, config: &Config, kill_at: Moment) {
        let claim = grant.claim;
        let span =
            info_span!("run", worker = %grant.worker, run = %claim.run, number = grant.number.0);
        self.spans.lock().unwrap_or_else(PoisonError::into_inner).insert(claim, span.clone());
        let _entered = span.enter();
        let handler = grant.worker.handler();
        let refused = |cause| Input::JobNotStarted(claim, cause);
        let Some(local) = self.handlers.get(&handler) else {
            let why = Note::lossy(&format!("this runner does not serve `{handler}`"));
            return self.tell(refused(Cause::Config(why)));
        };
        if let Err(why) = local.check(config) {
            warn!(%why, "config is invalid");
            return self.tell(refused(Cause::Config(Note::lossy(&why))));
        }
        let Ok(key) = key_of(claim) else {
            let why = Note::lossy("the run has no key for the guard");
            return self.tell(refused(Cause::Spawn(why)));
        };
        let mut environment = local.environment.clone();
        environment.extend(job_document::identity(grant));
        let command = JobCommand {
            argv: local.argv.clone(),
            directory: local.directory.clone(),
            environment,
            clear_environment: local.clear_environment,
            stdin: job_document::document(grant, config),
            output_limit: local.output_limit,
            tee: self.tee,
        };
        info!(fence = claim.fence.number(), trigger = %grant.trigger.kind(), "job starts");
        if let Err(error) = self.jobs.start(key, command, kill_at) {
            self.tell(refused(Cause::Spawn(Note::lossy(&error.to_string()))));
        }
    }

    fn in_span(&self, claim: Claim, act: impl FnOnce()) {
        span_of(&self.spans, claim).in_scope(act);
    }

    fn with_key(&self, claim: Claim, act: impl Fn(&Jobs, &JobKey)) {
        if let Ok(key) = key_of(claim) {
            act(&self.jobs, &key);
        }
    }
}

/// A claim's name for the guard: the run's id and the fence.
fn key_of(claim: Claim) -> Result<JobKey, crate::guard::JobKeyError> {
    JobKey::new(&format!("{}/{}", claim.run, claim.fence))
}

fn claim_of(key: &JobKey) -> Option<Claim> {
    let (run, fence) = key.as_str().split_once('/')?;
    let run: RunId = run.parse().ok()?;
    Some(Claim { run, fence: Fence::from_number(fence.parse().ok()?) })
}

/// What a job's event means for the machine.
fn input_of(event: JobEvent, spans: &Spans) -> Option<Input> {
    match event {
        JobEvent::Started { key, pid } => {
            let claim = claim_of(&key)?;
            span_of(spans, claim).in_scope(|| info!(pid, "job runs"));
            Some(Input::JobStarted(claim))
        }
        JobEvent::SpawnFailed { key, error } => {
            let claim = claim_of(&key)?;
            span_of(spans, claim).in_scope(|| warn!(%error, "job could not be started"));
            forget(spans, claim);
            Some(Input::JobNotStarted(claim, Cause::Spawn(Note::lossy(&error.to_string()))))
        }
        JobEvent::Exited { key, exit, output, remains } => {
            let claim = claim_of(&key)?;
            span_of(spans, claim).in_scope(|| info!(%exit, "job has ended"));
            forget(spans, claim);
            Some(Input::JobExited(
                claim,
                JobExit {
                    exit: match exit {
                        job::Exit::Code(code) => runner::Exit::Code(code),
                        job::Exit::Signal(signal) => runner::Exit::Signal(signal),
                    },
                    group_empty: remains == Remains::Nothing,
                    is_final: false,
                    output: horarium_core::run::Output {
                        stdout: tail(output.stdout),
                        stderr: tail(output.stderr),
                    },
                },
            ))
        }
        JobEvent::GuardLost => Some(Input::GuardLost),
    }
}

fn forget(spans: &Spans, claim: Claim) {
    spans.lock().unwrap_or_else(PoisonError::into_inner).remove(&claim);
}

fn tail(tail: job::Tail) -> horarium_core::run::Tail {
    horarium_core::run::Tail { bytes: tail.bytes, dropped: tail.dropped }
}
