//! The signals that the guard catches: those that it hands on to the runner, and the news that a
//! child has ended.
//!
//! Promises: each caught signal is readable in the guard's own loop, nothing happens inside a
//! handler. A signal that was ignored when the program was started (`nohup`, a background job of a
//! plain shell) stays ignored, for the runner too.

use std::fs;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::process::Signal;
use signal_hook::low_level::pipe;

/// What the guard does with a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caught {
    /// Hand it on to the runner.
    HandOn(Signal),
    /// Nothing: it only had to wake the guard, or must not stop it. A guard that Ctrl-Z stops
    /// would watch no deadline.
    Nothing,
}

const CAUGHT: [(Signal, Caught); 8] = [
    (Signal::TERM, Caught::HandOn(Signal::TERM)),
    (Signal::INT, Caught::HandOn(Signal::INT)),
    (Signal::HUP, Caught::HandOn(Signal::HUP)),
    (Signal::QUIT, Caught::HandOn(Signal::QUIT)),
    (Signal::USR1, Caught::HandOn(Signal::USR1)),
    (Signal::USR2, Caught::HandOn(Signal::USR2)),
    (Signal::TSTP, Caught::Nothing),
    (Signal::CHILD, Caught::Nothing),
];

/// One pipe for each caught signal.
#[derive(Debug)]
pub(super) struct Signals(Vec<(Caught, UnixStream)>);

impl Signals {
    /// Catch them from now on.
    pub(super) fn catch() -> io::Result<Self> {
        let ignored = ignored();
        let mut pipes = Vec::new();
        for (signal, caught) in CAUGHT {
            if ignored & mask_bit(signal) != 0 && signal != Signal::CHILD {
                continue;
            }
            let (ours, handlers) = UnixStream::pair()?;
            ours.set_nonblocking(true)?;
            pipe::register(signal.as_raw(), handlers)?;
            pipes.push((caught, ours));
        }
        Ok(Self(pipes))
    }

    /// What becomes readable when a signal has arrived.
    pub(super) fn readable(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.0.iter().map(|(_, pipe)| pipe.as_fd())
    }

    /// The signals to hand on that arrived since the last look, each as often as it came.
    pub(super) fn arrived(&mut self) -> Vec<Signal> {
        let mut signals = Vec::new();
        let mut bytes = [0; 64];
        for (caught, pipe) in &mut self.0 {
            // Ends with "would block", as the writing end never closes.
            while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                match caught {
                    Caught::HandOn(signal) => signals.extend(std::iter::repeat_n(*signal, count)),
                    Caught::Nothing => {}
                }
            }
        }
        signals
    }
}

/// The mask of the signals that this process ignores, none if the kernel does not tell.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn mask_bit(signal: Signal) -> u64 {
    1 << (signal.as_raw() - 1)
}
