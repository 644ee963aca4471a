//! A job's standard streams, served by one thread without ever blocking on them.
//!
//! Promises: input that the job does not read, and output pipes that somebody else keeps open,
//! hold nothing up. Output that our own standard output does not take slows the job down (as in
//! any pipeline), and when ours is closed the job goes on without it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Child, ChildStdin};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio, read, retry_on_intr, write};

use super::command::JobCommand;
use super::tail::{GrowingTail, Tail};

const CHUNK: usize = 64 * 1024;

/// How much is read of a stream after the job has ended: more than a pipe holds, and little
/// enough that a process which we could not kill cannot keep us.
const DRAIN_LIMIT: usize = 4 * 1024 * 1024;

/// The last of what a job wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobOutput {
    /// Standard output.
    pub stdout: Tail,
    /// Standard error.
    pub stderr: Tail,
}

/// The pipes to one job.
#[derive(Debug)]
pub(super) struct Streams {
    input: Option<Input>,
    stdout: Output,
    stderr: Output,
}

#[derive(Debug)]
struct Input {
    pipe: ChildStdin,
    bytes: Vec<u8>,
    written: usize,
}

#[derive(Debug)]
struct Output {
    /// `None` once nobody holds the other end.
    pipe: Option<OwnedFd>,
    tail: GrowingTail,
    tee: Option<Tee>,
}

/// One of our own streams.
#[derive(Debug, Clone, Copy)]
enum Tee {
    Stdout,
    Stderr,
}

impl Streams {
    /// Take the pipes of a job that was just started.
    pub(super) fn take(job: &mut Child, command: &JobCommand) -> io::Result<Self> {
        let output = |pipe: Option<OwnedFd>, tee| -> io::Result<Output> {
            if let Some(pipe) = &pipe {
                ioctl_fionbio(pipe, true)?;
            }
            let tail = GrowingTail::new(command.output_limit);
            Ok(Output { pipe, tail, tee: command.tee.then_some(tee) })
        };
        let stdout = output(job.stdout.take().map(OwnedFd::from), Tee::Stdout)?;
        let stderr = output(job.stderr.take().map(OwnedFd::from), Tee::Stderr)?;
        let input = match job.stdin.take() {
            Some(pipe) => {
                ioctl_fionbio(&pipe, true)?;
                Some(Input { pipe, bytes: command.stdin.clone(), written: 0 })
            }
            None => None,
        };
        Ok(Self { input, stdout, stderr })
    }

    /// Feed and read the job until `ended` becomes readable.
    pub(super) fn serve(&mut self, ended: &OwnedFd) -> io::Result<()> {
        let mut buffer = vec![0; CHUNK];
        loop {
            let mut waiting = vec![PollFd::new(ended, PollFlags::IN)];
            let pipes = [&self.stdout, &self.stderr];
            waiting.extend(
                pipes.into_iter().filter_map(|output| output.pipe.as_ref()).map(for_reading),
            );
            waiting.extend(self.input.iter().map(|input| PollFd::new(&input.pipe, PollFlags::OUT)));
            match poll(&mut waiting, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let ended = !waiting.first().is_none_or(|ended| ended.revents().is_empty());
            if ended {
                self.input = None;
                return Ok(());
            }
            // Each is non-blocking, so it does not matter which of them is ready.
            if self.input.as_mut().is_some_and(|input| input.feed().is_break()) {
                self.input = None;
            }
            self.stdout.read_some(&mut buffer);
            self.stderr.read_some(&mut buffer);
        }
    }

    /// Read what is still in the pipes and close them.
    pub(super) fn drain(mut self) -> JobOutput {
        let mut buffer = vec![0; CHUNK];
        for output in [&mut self.stdout, &mut self.stderr] {
            let mut rest = DRAIN_LIMIT;
            while rest > 0 {
                match output.read_some(&mut buffer) {
                    0 => break,
                    count => rest = rest.saturating_sub(count),
                }
            }
        }
        JobOutput { stdout: self.stdout.tail.finish(), stderr: self.stderr.tail.finish() }
    }
}

fn for_reading(pipe: &OwnedFd) -> PollFd<'_> {
    PollFd::new(pipe, PollFlags::IN)
}

impl Input {
    /// Write what the pipe takes. Breaks when all is written, or nobody reads any more.
    fn feed(&mut self) -> std::ops::ControlFlow<()> {
        match write(&self.pipe, &self.bytes[self.written..]) {
            Ok(count) => self.written += count,
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => return std::ops::ControlFlow::Break(()),
        }
        if self.written < self.bytes.len() {
            std::ops::ControlFlow::Continue(())
        } else {
            std::ops::ControlFlow::Break(())
        }
    }
}

impl Output {
    /// Read one chunk of what is there; 0 when there is nothing.
    fn read_some(&mut self, buffer: &mut [u8]) -> usize {
        let Some(pipe) = &self.pipe else { return 0 };
        match retry_on_intr(|| read(pipe, &mut *buffer)) {
            Ok(count @ 1..) => {
                let bytes = &buffer[..count];
                self.tail.push(bytes);
                if self.tee.is_some_and(|tee| tee.pass_on(bytes).is_err()) {
                    self.tee = None;
                }
                count
            }
            Err(Errno::AGAIN) => 0,
            Ok(0) | Err(_) => {
                self.pipe = None;
                0
            }
        }
    }
}

impl Tee {
    fn pass_on(self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Stdout => write_all(io::stdout().as_fd(), bytes),
            Self::Stderr => write_all(io::stderr().as_fd(), bytes),
        }
    }
}

/// Write past the buffer of our own standard output, waiting where somebody made it non-blocking.
fn write_all(to: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match write(to, rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => rest = &rest[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let _: Result<usize, Errno> = poll(&mut [PollFd::new(&to, PollFlags::OUT)], None);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
