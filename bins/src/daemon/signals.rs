//! Signals as a stream of what they ask for.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// INT: somebody at the terminal wants it to end.
    Interrupt,
    /// TERM: stop in an orderly way.
    Terminate,
}

/// The signals of this process from now on. HUP counts as TERM: the terminal is gone.
pub(super) fn signals() -> io::Result<mpsc::UnboundedReceiver<Signal>> {
    let (sender, receiver) = mpsc::unbounded_channel();
    for (kind, meaning) in [
        (SignalKind::interrupt(), Signal::Interrupt),
        (SignalKind::terminate(), Signal::Terminate),
        (SignalKind::hangup(), Signal::Terminate),
    ] {
        let mut stream = signal(kind)?;
        let sender = sender.clone();
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                if sender.send(meaning).is_err() {
                    break;
                }
            }
        });
    }
    Ok(receiver)
}
