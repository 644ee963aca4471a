//! The runner's end of the socket.
//!
//! Promises: telling the guard something never blocks, so that a stopped guard cannot stop the
//! runner's heartbeats; asking it something ends after [`PATIENCE`] at the latest. A guard that
//! closes the socket, talks nonsense or does not answer in time is lost, once and for all: the
//! protection is gone, and the runner must end.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use horarium_core::words::time::Moment;

use super::key::JobKey;
use super::process_group::ProcessGroup;
use super::protocol::{Answer, Lines, Order, ProtocolError};

/// How long an answer may take: far more than the guard's own limits add up to, and less than a
/// lease.
const PATIENCE: Duration = Duration::from_secs(20);

/// The guard has died, or is as good as dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the guard is lost: it ended or does not answer, so jobs can no longer be killed in time")]
pub struct GuardLost;

/// What is left of a job that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remains {
    /// Nothing: its group is empty, and what left the group is dead too.
    Nothing,
    /// Something was killed but has not died: it hangs in the kernel or took another user's
    /// rights. The job must not be taken for over.
    Lingering,
}

/// Whether a job may be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Armed {
    /// The guard watches the deadline.
    InTime,
    /// The deadline has passed.
    Late,
}

/// The way from the runner to its guard.
pub struct GuardLink(Arc<Shared>);

type WhenLost = Box<dyn FnOnce() + Send>;

struct Shared {
    socket: UnixStream,
    orders: mpsc::Sender<Order>,
    state: Mutex<State>,
}

enum State {
    Open { questions: BTreeMap<JobKey, mpsc::Sender<Answer>>, when_lost: Vec<WhenLost> },
    Lost,
}

/// A question that was sent.
pub(crate) struct Question {
    link: Arc<Shared>,
    answer: mpsc::Receiver<Answer>,
}

impl GuardLink {
    /// The link over `socket`; two threads serve it as long as the process lives.
    pub(super) fn open(socket: UnixStream) -> io::Result<Self> {
        let (orders, queue) = mpsc::channel();
        let (writing, reading) = (socket.try_clone()?, socket.try_clone()?);
        let open = State::Open { questions: BTreeMap::new(), when_lost: Vec::new() };
        let shared = Arc::new(Shared { socket, orders, state: Mutex::new(open) });
        thread::Builder::new()
            .name("to-guard".to_owned())
            .spawn(move || send_orders(writing, &queue))?;
        let listener = Arc::clone(&shared);
        thread::Builder::new()
            .name("from-guard".to_owned())
            .spawn(move || listener.listen(reading))?;
        Ok(Self(shared))
    }

    /// Call `act` when the guard is lost, or now if it is.
    pub(crate) fn when_lost(&self, act: impl FnOnce() + Send + 'static) {
        let mut state = self.0.state();
        match &mut *state {
            State::Open { when_lost, .. } => when_lost.push(Box::new(act)),
            State::Lost => {
                drop(state);
                act();
            }
        }
    }

    /// Ask the guard to watch a job that is about to be started.
    pub(crate) fn arm(&self, key: &JobKey, deadline: Moment) -> Question {
        self.ask(key, Order::Arm { key: key.clone(), deadline })
    }

    /// Tell the guard the group of a job that was started.
    pub(crate) fn name_group(&self, key: &JobKey, group: ProcessGroup) {
        self.tell(Order::Group { key: key.clone(), group });
    }

    /// Give the job another deadline; [`Moment::START`] means at once.
    pub(crate) fn renew(&self, key: &JobKey, deadline: Moment) {
        self.tell(Order::Renew { key: key.clone(), deadline });
    }

    /// Ask the guard to KILL what is left of the job and to forget its group.
    pub(crate) fn forget(&self, key: &JobKey) -> Question {
        self.ask(key, Order::Forget { key: key.clone() })
    }

    fn tell(&self, order: Order) {
        // Fails only when the writing thread has ended: the guard is lost, which is told elsewhere.
        let _: Result<(), mpsc::SendError<Order>> = self.0.orders.send(order);
    }

    fn ask(&self, key: &JobKey, order: Order) -> Question {
        let (sender, answer) = mpsc::channel();
        match &mut *self.0.state() {
            State::Open { questions, .. } => {
                questions.insert(key.clone(), sender);
            }
            // The sender is dropped, so the question finds no answer.
            State::Lost => {}
        }
        self.tell(order);
        Question { link: Arc::clone(&self.0), answer }
    }
}

impl fmt::Debug for GuardLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GuardLink").field(&self.0.socket).finish()
    }
}

impl Question {
    /// The answer to an `arm`.
    pub(crate) fn armed(self) -> Result<Armed, GuardLost> {
        match self.wait()? {
            Answer::Armed(_) => Ok(Armed::InTime),
            Answer::Late(_) => Ok(Armed::Late),
            Answer::Gone(_) | Answer::Lingering(_) => Err(self.link.lose()),
        }
    }

    /// The answer to a `forget`.
    pub(crate) fn remains(self) -> Result<Remains, GuardLost> {
        match self.wait()? {
            Answer::Gone(_) => Ok(Remains::Nothing),
            Answer::Lingering(_) => Ok(Remains::Lingering),
            Answer::Armed(_) | Answer::Late(_) => Err(self.link.lose()),
        }
    }

    fn wait(&self) -> Result<Answer, GuardLost> {
        match self.answer.recv_timeout(PATIENCE) {
            Ok(answer) => Ok(answer),
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(GuardLost),
            Err(mpsc::RecvTimeoutError::Timeout) => Err(self.link.lose()),
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listen(&self, mut socket: UnixStream) {
        let mut lines = Lines::default();
        let mut bytes = [0; 4096];
        loop {
            match socket.read(&mut bytes) {
                Ok(count @ 1..) => {
                    let answers = lines.take(&bytes[..count]);
                    if answers.and_then(|answers| self.deliver(answers)).is_err() {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => break,
            }
        }
        self.lose();
    }

    fn deliver(&self, answers: Vec<Answer>) -> Result<(), ProtocolError> {
        for answer in answers {
            let key = answer.key().clone();
            match &mut *self.state() {
                State::Open { questions, .. } => match questions.remove(&key) {
                    // Who asked may have run out of patience; then nobody listens.
                    Some(asker) => drop(asker.send(answer)),
                    None => return Err(ProtocolError::StrayAnswer { key }),
                },
                State::Lost => {}
            }
        }
        Ok(())
    }

    /// Give the guard up. Both sides see the socket close.
    fn lose(&self) -> GuardLost {
        let was = std::mem::replace(&mut *self.state(), State::Lost);
        match was {
            State::Open { when_lost, questions } => {
                let _: io::Result<()> = self.socket.shutdown(Shutdown::Both);
                for act in when_lost {
                    act();
                }
                // Only now do those who wait learn of it.
                drop(questions);
            }
            State::Lost => {}
        }
        GuardLost
    }
}

fn send_orders(mut socket: UnixStream, queue: &mpsc::Receiver<Order>) {
    for order in queue {
        if socket.write_all(format!("{order}\n").as_bytes()).is_err() {
            // The reading thread sees the same end and tells it.
            return;
        }
    }
}
