//! The machine's boot-time clock, which counts suspend and never steps back.
//!
//! Promises: every [`Moment`] of this process comes from [`now`]; an [`Alarm`] rings at its
//! moment, and after a suspend that slept past it at once, which a timeout on the monotonic clock
//! would not.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use horarium_core::words::time::Moment;
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime,
    timerfd_create, timerfd_settime,
};

const MICROS_PER_SECOND: u64 = 1_000_000;
const NANOS_PER_MICRO: u64 = 1_000;

/// The moment it is.
pub fn now() -> Moment {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Boottime);
    let seconds = u64::try_from(tv_sec).unwrap_or(0);
    let nanos = u64::try_from(tv_nsec).unwrap_or(0);
    Moment::from_micros(
        seconds.saturating_mul(MICROS_PER_SECOND).saturating_add(nanos / NANOS_PER_MICRO),
    )
}

/// A file descriptor that becomes readable at a moment and stays so until it is set anew.
#[derive(Debug)]
pub struct Alarm(OwnedFd);

impl Alarm {
    /// An alarm that never rings before it is set.
    pub fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        Ok(Self(timerfd_create(TimerfdClockId::Boottime, flags)?))
    }

    /// Ring at `moment` and no more at any earlier one; [`Moment::NEVER`] silences the alarm.
    pub fn set(&self, moment: Moment) -> io::Result<()> {
        let micros = if moment == Moment::NEVER { 0 } else { moment.micros().max(1) };
        let at = Timespec {
            tv_sec: i64::try_from(micros / MICROS_PER_SECOND).unwrap_or(i64::MAX),
            // Less than a second, so it always fits.
            tv_nsec: i64::try_from(micros % MICROS_PER_SECOND * NANOS_PER_MICRO).unwrap_or(0),
        };
        let once = Itimerspec { it_interval: Timespec::default(), it_value: at };
        timerfd_settime(&self.0, TimerfdTimerFlags::ABSTIME, &once)?;
        Ok(())
    }
}

impl AsFd for Alarm {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use horarium_core::words::time::Span;
    use rustix::event::{PollFd, PollFlags, poll};

    use super::*;

    fn rings_within_five_seconds(alarm: &Alarm) -> bool {
        let limit = Timespec { tv_sec: 5, tv_nsec: 0 };
        poll(&mut [PollFd::new(alarm, PollFlags::IN)], Some(&limit)).unwrap() == 1
    }

    #[test]
    fn the_clock_moves_forward() {
        let first = now();
        while now() == first {}
        assert!(now() > first);
    }

    #[test]
    fn an_alarm_rings_at_its_moment_and_not_before() {
        let alarm = Alarm::new().unwrap();
        let moment = now().plus(Span::from_millis(30));
        alarm.set(moment).unwrap();
        assert!(rings_within_five_seconds(&alarm));
        assert!(now() >= moment);
    }

    #[test]
    fn an_alarm_for_a_past_moment_rings_at_once() {
        let alarm = Alarm::new().unwrap();
        alarm.set(Moment::START).unwrap();
        assert!(rings_within_five_seconds(&alarm));
    }

    #[test]
    fn an_alarm_set_to_never_is_silent() {
        let alarm = Alarm::new().unwrap();
        alarm.set(Moment::START).unwrap();
        alarm.set(Moment::NEVER).unwrap();
        let at_once = Timespec::default();
        assert_eq!(poll(&mut [PollFd::new(&alarm, PollFlags::IN)], Some(&at_once)).unwrap(), 0);
    }
}
