//! What is done to whom, and when: drawn from the seed before anything starts.

use std::fmt;
use std::time::Duration;

use crate::cluster::UNITS;
use crate::draw::Draw;
use crate::scene::LEASE_MILLIS;

/// Whom of a unit it hits. A scheduler is one process, so either means the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Victim {
    Guard,
    Runner,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blow {
    /// SIGKILL.
    Kill,
    /// SIGSTOP, and after a while SIGCONT or SIGKILL.
    Freeze { span: Duration, then_kill: bool },
    /// SIGTERM to the whole unit, as an operator does; a second signal at once if in a hurry.
    Stop { hurry: bool },
}

/// One attack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attack {
    pub(crate) at: Duration,
    pub(crate) unit: usize,
    pub(crate) victim: Victim,
    pub(crate) blow: Blow,
}

impl fmt::Display for Attack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, unit, victim, blow } = self;
        write!(f, "{:>7.2}s {:<12} {victim:?} {blow:?}", at.as_secs_f32(), UNITS[*unit].0)
    }
}

/// The attacks within `length`, in order.
pub(crate) fn plan(seed: u64, length: Duration) -> Vec<Attack> {
    let mut draw = Draw::new(seed, "plan");
    let mut attacks = Vec::new();
    let mut at = draw.millis(1_000, 2_000);
    while at < length {
        let victim = *draw.pick(&[Victim::Guard, Victim::Runner]);
        let blow = match draw.below(10) {
            0..4 => Blow::Kill,
            4..8 => Blow::Freeze { span: freeze(&mut draw), then_kill: draw.percent(25) },
            _ => Blow::Stop { hurry: draw.percent(50) },
        };
        let unit = usize::try_from(draw.below(u64::try_from(UNITS.len()).unwrap())).unwrap();
        attacks.push(Attack { at, unit, victim, blow });
        at += draw.millis(150, 1_500);
    }
    attacks
}

/// A blink, a good part of a lease, or longer than one.
fn freeze(draw: &mut Draw) -> Duration {
    match draw.below(4) {
        0 => draw.millis(20, 400),
        1 => draw.millis(400, LEASE_MILLIS),
        _ => draw.millis(LEASE_MILLIS, LEASE_MILLIS + 5_000),
    }
}
