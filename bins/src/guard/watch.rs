//! The guard process: one thread, one loop, no asynchronous runtime, nothing that can be slow.
//!
//! Promises: deadlines are watched whatever the runner does, a stopped runner included; nothing
//! below the guard outlives the runner; every child that the guard adopted is reaped; the guard
//! ends last, with the runner's own status.

use std::collections::BTreeSet;
use std::env;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

use horarium_core::words::time::Span;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, WaitOptions, WaitStatus, getpid, kill_process, set_child_subreaper, wait,
};

use super::key::JobKey;
use super::owner::{Owner, owners};
use super::process_table::{Process, ProcessTable};
use super::protocol::{Lines, ProtocolError};
use super::signals::Signals;
use super::watchlist::Watchlist;
use super::{EnterError, GUARD_VARIABLE};
use crate::boot_clock::{self, Alarm};

/// How soon to look again for what is left when everything is being killed, at first and at most.
const LOOK_SOON: Span = Span::from_millis(4);
const LOOK_LATER: Span = Span::from_millis(250);

/// Why the watch ended.
enum End {
    /// The runner ended and was reaped.
    Ended(WaitStatus),
    /// The runner closed the socket, which happens as it ends.
    Closed,
    /// It cannot go on.
    Failed(String),
}

struct Guard {
    own: i32,
    runner: Pid,
    socket: UnixStream,
    lines: Lines,
    /// What the runner has not read yet.
    unsent: Vec<u8>,
    alarm: Alarm,
    signals: Signals,
    watchlist: Watchlist,
    /// Processes that were below this one before there was a runner, as a shell leaves them that
    /// started something and then `exec`ed this program: none of ours.
    strangers: BTreeSet<(i32, u64)>,
}

/// Start this program again as the runner, guard it, and give the status that the guard ends with.
pub(super) fn guard_the_runner() -> Result<i32, EnterError> {
    let own = getpid();
    set_child_subreaper(Some(own)).map_err(|source| EnterError::Subreaper(source.into()))?;
    let table = ProcessTable::read().map_err(EnterError::ProcessTable)?;
    let own = own.as_raw_pid();
    let strangers = table.below(own, |_| false);
    let strangers = strangers.into_iter().map(|process| (process.pid, process.started)).collect();

    let alarm = Alarm::new().map_err(EnterError::Start)?;
    let signals = Signals::catch().map_err(EnterError::Start)?;
    let (socket, runners_end) = UnixStream::pair().map_err(EnterError::Start)?;
    socket.set_nonblocking(true).map_err(EnterError::Start)?;
    let runner = start_the_runner(own, runners_end.into()).map_err(EnterError::Start)?;

    let guard = Guard {
        own,
        runner,
        socket,
        lines: Lines::default(),
        unsent: Vec::new(),
        alarm,
        signals,
        watchlist: Watchlist::default(),
        strangers,
    };
    Ok(guard.run())
}

/// The runner gets a process group of its own: Ctrl-C on a terminal then reaches the guard alone,
/// and the runner once, through the guard.
fn start_the_runner(own: i32, socket: OwnedFd) -> io::Result<Pid> {
    let mut arguments = env::args_os();
    let mut command = Command::new(env::current_exe()?);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    let runner = command
        .args(arguments)
        .env(GUARD_VARIABLE, own.to_string())
        // It names the service's main process, which is the guard; without it the runner may send
        // the watchdog's messages.
        .env_remove("WATCHDOG_PID")
        .stdin(socket)
        .process_group(0)
        .spawn()?;
    Ok(Pid::from_child(&runner))
}

impl Guard {
    fn run(mut self) -> i32 {
        let end = loop {
            match self.turn() {
                Ok(None) => {}
                Ok(Some(end)) => break end,
                Err(error) => break End::Failed(format!("it cannot watch any more: {error}")),
            }
        };
        self.end_everything(end)
    }

    /// Wait for something to happen and deal with it. Orders come before deadlines, so that a
    /// renewal that waits in the socket counts, and a forgotten group is not hit.
    fn turn(&mut self) -> io::Result<Option<End>> {
        self.alarm.set(self.watchlist.wake_at(boot_clock::now()))?;
        self.wait_for_something()?;
        for signal in self.signals.arrived() {
            // The runner is not reaped yet, so the number is its own.
            let _: Result<(), Errno> = kill_process(self.runner, signal);
        }
        if let Some(status) = self.reap() {
            return Ok(Some(End::Ended(status)));
        }
        match self.take_orders() {
            Ok(true) => {}
            Ok(false) => return Ok(Some(End::Closed)),
            Err(error) => {
                return Ok(Some(End::Failed(format!("the runner talks nonsense: {error}"))));
            }
        }
        self.hunt()?;
        self.send_answers();
        Ok(None)
    }

    fn wait_for_something(&self) -> io::Result<()> {
        let wanted =
            if self.unsent.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        let mut sources =
            vec![PollFd::new(&self.socket, wanted), PollFd::new(&self.alarm, PollFlags::IN)];
        sources
            .extend(self.signals.readable().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        match poll(&mut sources, None) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reap every child that has ended; the runner's status if it is among them.
    fn reap(&mut self) -> Option<WaitStatus> {
        let mut runner = None;
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid == self.runner {
                runner = Some(status);
            } else {
                // A job's leader comes here only when the runner died; its number is free now.
                self.watchlist.reaped(pid.as_raw_pid());
            }
        }
        runner
    }

    /// Read what the runner says. False at the end.
    fn take_orders(&mut self) -> Result<bool, ProtocolError> {
        let mut bytes = [0; 4096];
        loop {
            match self.socket.read(&mut bytes) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    for order in self.lines.take(&bytes[..count])? {
                        if let Some(answer) = self.watchlist.obey(order, boot_clock::now())? {
                            self.unsent.extend_from_slice(format!("{answer}\n").as_bytes());
                        }
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Ok(false),
            }
        }
    }

    fn send_answers(&mut self) {
        while !self.unsent.is_empty() {
            match self.socket.write(&self.unsent) {
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Full: a stopped runner reads later. Closed: reading will tell.
                Err(_) => return,
            }
        }
    }

    /// KILL what must not live any more.
    fn hunt(&mut self) -> io::Result<()> {
        let now = boot_clock::now();
        self.watchlist.fall_due(now);
        let hunted = self.watchlist.hunted(now);
        if hunted.is_empty() {
            return Ok(());
        }
        for (key, group) in self.watchlist.jobs() {
            if let Some(group) = group.filter(|_| hunted.contains(key)) {
                group.kill();
            }
        }
        // Between a spawn and the naming of its group the guard cannot tell the job from another
        // child of the runner: what belongs to no other job is taken for it.
        let without_group = self.watchlist.hunted_without_group(now);
        // An adopted process without a mark cannot be told apart while jobs live that may have
        // started it. As process 1 the guard adopts what others start in its container, too.
        let strays_must_die = self.own != 1 && self.watchlist.all_are_ending();

        let table = ProcessTable::read()?;
        let below = table.below(self.own, |process| self.is_stranger(process));
        let runner = self.runner.as_raw_pid();
        let mut alive: BTreeSet<JobKey> = BTreeSet::new();
        let mut strays: BTreeSet<i32> = BTreeSet::new();
        for (process, owner) in owners(&below, self.watchlist.jobs(), Process::marks) {
            if !process.alive || process.pid == runner {
                continue;
            }
            let adopted = process.parent == self.own || strays.contains(&process.parent);
            let suspects = match owner {
                Owner::Job(key) => hunted.get(key).copied().into_iter().collect(),
                Owner::Nobody if strays_must_die && adopted => {
                    strays.insert(process.pid);
                    hunted.clone()
                }
                Owner::Nobody => without_group.clone(),
            };
            if suspects.is_empty() {
                continue;
            }
            // Who may not be killed counts against its own job, whose answer will say so, but a
            // stray that stays for ever must not count against every later job.
            if process.kill().is_ok() || matches!(owner, Owner::Job(_)) {
                alive.extend(suspects.into_iter().cloned());
            }
        }
        for answer in self.watchlist.looked(&alive, now) {
            self.unsent.extend_from_slice(format!("{answer}\n").as_bytes());
        }
        Ok(())
    }

    fn is_stranger(&self, process: &Process) -> bool {
        self.strangers.contains(&(process.pid, process.started))
    }

    /// KILL everything below, the runner included, until nothing is left.
    fn end_everything(mut self, end: End) -> i32 {
        for (_, group) in self.watchlist.jobs() {
            if let Some(group) = group {
                group.kill();
            }
        }
        let mut protected = BTreeSet::new();
        let mut dying = self.kill_everything_below(&mut protected);
        // Talking comes after killing: whoever should read it may be stuck.
        let mut status = match end {
            End::Ended(status) => Some(status),
            End::Closed => None,
            End::Failed(why) => {
                say(&format_args!("{why}; the runner and all jobs were killed"));
                None
            }
        };
        let mut pause = LOOK_SOON;
        loop {
            status = self.reap().or(status);
            if let (Some(status), Ok(false)) = (status, dying) {
                for pid in protected {
                    say(&format_args!("process {pid} took another user's rights and lives on"));
                }
                return exit_status(status);
            }
            if self.alarm.set(boot_clock::now().plus(pause)).is_ok() {
                let _: Result<usize, Errno> =
                    poll(&mut [PollFd::new(&self.alarm, PollFlags::IN)], None);
            }
            pause = pause.times(2).min(LOOK_LATER);
            // A failing look (no memory, no descriptor) is repeated: to end now would free them.
            dying = self.kill_everything_below(&mut protected);
        }
    }

    /// True while something is left that will die of it. Who may not be killed is `protected`.
    fn kill_everything_below(&self, protected: &mut BTreeSet<i32>) -> io::Result<bool> {
        let table = ProcessTable::read()?;
        protected.clear();
        let mut dying = false;
        for process in table.below(self.own, |process| self.is_stranger(process)) {
            if !process.alive {
                continue;
            }
            match process.kill() {
                Ok(()) => dying = true,
                Err(_) => drop(protected.insert(process.pid)),
            }
        }
        Ok(dying)
    }
}

/// The status that a shell would give for the runner's: its own, or 128 + the signal.
fn exit_status(status: WaitStatus) -> i32 {
    let by_signal = || status.terminating_signal().map(|signal| signal.saturating_add(128));
    status.exit_status().or_else(by_signal).unwrap_or(1)
}

/// A line for whoever reads the service's log; without a reader it is lost, no more.
fn say(what: &dyn std::fmt::Display) {
    let _: io::Result<()> = writeln!(io::stderr(), "horarium guard: {what}");
}
