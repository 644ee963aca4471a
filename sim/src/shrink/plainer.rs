//! Ways to make a profile plainer, each a small step; none when there is nothing left to do.

use std::num::NonZeroU32;

use horarium_core::words::Span;

use crate::profile::{Faults, Profile, Seat};

/// One way.
pub(super) type Way = fn(&Profile) -> Option<Profile>;

/// All of them but [`sooner_healed`], those that save most first.
pub(super) const ALL: &[Way] = &[
    without_last_seat,
    without_first_seat,
    without_scheduler,
    without_worker,
    without_first_schedules,
    without_zone_news,
    without_vulture,
    without_retention,
    one_at_a_time,
    same_clocks,
    without_clock_steps,
    rarer_asking,
    shorter_ways,
    shorter_jobs,
    without_faults,
];

/// The profile, if it is another one.
fn changed(before: &Profile, after: Profile) -> Option<Profile> {
    (after != *before).then_some(after)
}

/// The faults stop earlier.
pub(super) fn sooner_healed(profile: &Profile) -> Option<Profile> {
    let chaos = profile.chaos.scaled(3, 4);
    (chaos > Span::from_secs(1)).then(|| Profile { chaos, ..profile.clone() })
}

fn without_last_seat(profile: &Profile) -> Option<Profile> {
    let mut plainer = profile.clone();
    plainer.seats.pop();
    (!plainer.seats.is_empty()).then_some(plainer)
}

fn without_first_seat(profile: &Profile) -> Option<Profile> {
    let mut plainer = profile.clone();
    if plainer.seats.len() < 2 {
        return None;
    }
    plainer.seats.remove(0);
    Some(plainer)
}

fn without_scheduler(profile: &Profile) -> Option<Profile> {
    let schedulers = profile.schedulers.checked_sub(1).filter(|left| *left > 0)?;
    Some(Profile { schedulers, ..profile.clone() })
}

fn without_worker(profile: &Profile) -> Option<Profile> {
    let mut plainer = profile.clone();
    plainer.workers.pop();
    let workers = &plainer.workers;
    plainer.definitions.retain(|name, _| workers.iter().any(|it| it.handler() == *name));
    (!plainer.workers.is_empty()).then_some(plainer)
}

fn without_first_schedules(profile: &Profile) -> Option<Profile> {
    changed(profile, Profile { is_scheduled: false, ..profile.clone() })
}

fn without_zone_news(profile: &Profile) -> Option<Profile> {
    changed(profile, Profile { zone_news: None, ..profile.clone() })
}

fn without_vulture(profile: &Profile) -> Option<Profile> {
    changed(profile, Profile { has_vulture: false, ..profile.clone() })
}

fn without_retention(profile: &Profile) -> Option<Profile> {
    changed(profile, Profile { retention: None, ..profile.clone() })
}

fn seats(profile: &Profile, plainer: impl Fn(Seat) -> Seat) -> Option<Profile> {
    let seats = profile.seats.iter().cloned().map(plainer).collect();
    changed(profile, Profile { seats, ..profile.clone() })
}

fn one_at_a_time(profile: &Profile) -> Option<Profile> {
    seats(profile, |seat| Seat { concurrency: NonZeroU32::MIN, ..seat })
}

fn same_clocks(profile: &Profile) -> Option<Profile> {
    seats(profile, |seat| Seat { clock_rate: 1_000_000, ..seat })
}

fn without_clock_steps(profile: &Profile) -> Option<Profile> {
    changed(profile, Profile { clock_step: Span::ZERO, ..profile.clone() })
}

fn rarer_asking(profile: &Profile) -> Option<Profile> {
    const RARELY: Span = Span::from_secs(60);
    let mut plainer = profile.clone();
    for seat in &mut plainer.seats {
        seat.poll = seat.poll.max(RARELY);
    }
    let timing = &mut plainer.scheduler;
    timing.poll = timing.poll.max(RARELY);
    timing.lock_retry = timing.lock_retry.max(RARELY);
    timing.probe = timing.probe.max(RARELY);
    changed(profile, plainer)
}

fn shorter_ways(profile: &Profile) -> Option<Profile> {
    changed(profile, Profile { latency: Span::from_millis(2), ..profile.clone() })
}

fn shorter_jobs(profile: &Profile) -> Option<Profile> {
    let mut plainer = profile.clone();
    plainer.jobs.longest = plainer.jobs.longest.min(Span::from_secs(5));
    changed(profile, plainer)
}

fn without_faults(profile: &Profile) -> Option<Profile> {
    changed(profile, Profile { faults: Faults::default(), ..profile.clone() })
}
