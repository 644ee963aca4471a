//! What the guard knows of each job: its deadline, its group, and whether it is hunted.
//!
//! Promises: pure bookkeeping, no clock and no process. A deadline that has passed stands: no
//! renewal brings the job back, and a group that is named too late is hunted at once. A group is
//! no longer known when its key is forgotten, so that a reused number is never hit.

use std::collections::{BTreeMap, BTreeSet};

use horarium_core::words::time::{Moment, Span};

use super::key::JobKey;
use super::process_group::ProcessGroup;
use super::protocol::{Answer, Order, ProtocolError};

/// How soon the guard looks again whether what it killed is dead, at first.
const LOOK_SOON: Span = Span::from_millis(4);
/// How often it looks for what does not die, and for latecomers of a job whose deadline has
/// passed.
const LOOK_LATER: Span = Span::from_secs(1);
/// How long the answer to a forget waits for the last process of the job to die.
const FORGET_LIMIT: Span = Span::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Its deadline is ahead.
    Watched { deadline: Moment },
    /// Its deadline has passed: everything of it is killed, again and again until it is forgotten.
    Overdue { look_again: Moment, pause: Span },
    /// Its leader has ended: whatever else it started is killed, then the runner is answered.
    Forgetting { give_up: Moment },
}

#[derive(Debug)]
struct Watch {
    group: Option<ProcessGroup>,
    phase: Phase,
}

impl Watch {
    fn hunted(&self, now: Moment) -> bool {
        match self.phase {
            Phase::Watched { .. } => false,
            Phase::Overdue { look_again, .. } => look_again <= now,
            Phase::Forgetting { .. } => true,
        }
    }
}

/// The jobs that the runner told the guard about.
#[derive(Debug, Default)]
pub(super) struct Watchlist(BTreeMap<JobKey, Watch>);

impl Watchlist {
    /// Take an order from the runner in; an `arm` is answered at once, a `forget` by
    /// [`Self::looked`].
    pub(super) fn obey(
        &mut self,
        order: Order,
        now: Moment,
    ) -> Result<Option<Answer>, ProtocolError> {
        match order {
            Order::Arm { key, .. } if self.0.contains_key(&key) => {
                Err(ProtocolError::ArmedTwice { key })
            }
            Order::Arm { key, deadline } if deadline <= now => Ok(Some(Answer::Late(key))),
            Order::Arm { key, deadline } => {
                let phase = Phase::Watched { deadline };
                self.0.insert(key.clone(), Watch { group: None, phase });
                Ok(Some(Answer::Armed(key)))
            }
            Order::Group { key, group } => match self.0.get_mut(&key) {
                Some(watch) if watch.group.is_none() => {
                    watch.group = Some(group);
                    if let Phase::Overdue { .. } = watch.phase {
                        watch.phase = Phase::Overdue { look_again: now, pause: LOOK_SOON };
                    }
                    Ok(None)
                }
                Some(_) | None => Err(ProtocolError::StrayGroup { key }),
            },
            Order::Renew { key, deadline: renewed } => {
                // A renewal can cross the job's own end, and then has nothing to renew.
                if let Some(Watch { phase: Phase::Watched { deadline }, .. }) = self.0.get_mut(&key)
                {
                    *deadline = renewed;
                }
                Ok(None)
            }
            Order::Forget { key } => match self.0.get_mut(&key) {
                Some(watch) => {
                    watch.phase = Phase::Forgetting { give_up: now.plus(FORGET_LIMIT) };
                    Ok(None)
                }
                None => Ok(Some(Answer::Gone(key))),
            },
        }
    }

    /// Hunt from now on the jobs whose deadline has passed.
    pub(super) fn fall_due(&mut self, now: Moment) {
        for watch in self.0.values_mut() {
            match watch.phase {
                Phase::Watched { deadline } if deadline <= now => {
                    watch.phase = Phase::Overdue { look_again: now, pause: LOOK_SOON };
                }
                Phase::Watched { .. } | Phase::Overdue { .. } | Phase::Forgetting { .. } => {}
            }
        }
    }

    /// Every job with its group, as far as named.
    pub(super) fn jobs(&self) -> impl Iterator<Item = (&JobKey, Option<ProcessGroup>)> {
        self.0.iter().map(|(key, watch)| (key, watch.group))
    }

    /// The jobs to be looked for and killed now.
    pub(super) fn hunted(&self, now: Moment) -> BTreeSet<&JobKey> {
        let hunted = self.0.iter().filter(|(_, watch)| watch.hunted(now));
        hunted.map(|(key, _)| key).collect()
    }

    /// The hunted jobs of which the guard does not know what was started, or whether anything
    /// was: the runner stopped between the two.
    pub(super) fn hunted_without_group(&self, now: Moment) -> BTreeSet<&JobKey> {
        let overdue = |watch: &Watch| match watch.phase {
            Phase::Overdue { .. } => watch.hunted(now) && watch.group.is_none(),
            Phase::Watched { .. } | Phase::Forgetting { .. } => false,
        };
        self.0.iter().filter(|(_, watch)| overdue(watch)).map(|(key, _)| key).collect()
    }

    /// True when no job is left but those about to be forgotten.
    pub(super) fn all_are_ending(&self) -> bool {
        self.0.values().all(|watch| matches!(watch.phase, Phase::Forgetting { .. }))
    }

    /// The hunted jobs were looked for at `now`, and of those in `alive` something was found (and
    /// killed). Gives the answers that are due by this.
    pub(super) fn looked(&mut self, alive: &BTreeSet<JobKey>, now: Moment) -> Vec<Answer> {
        let mut answers = Vec::new();
        self.0.retain(|key, watch| match &mut watch.phase {
            Phase::Watched { .. } => true,
            Phase::Overdue { look_again, pause } => {
                if *look_again <= now {
                    let dying = alive.contains(key);
                    *look_again = now.plus(if dying { *pause } else { LOOK_LATER });
                    *pause = pause.times(2).min(LOOK_LATER);
                }
                true
            }
            Phase::Forgetting { give_up } => {
                if !alive.contains(key) {
                    answers.push(Answer::Gone(key.clone()));
                } else if *give_up <= now {
                    answers.push(Answer::Lingering(key.clone()));
                } else {
                    return true;
                }
                false
            }
        });
        answers
    }

    /// A child of the guard's with this id was reaped: its group is known no more.
    pub(super) fn reaped(&mut self, pid: i32) {
        for watch in self.0.values_mut() {
            watch.group = watch.group.filter(|group| group.raw() != pid);
        }
    }

    /// When to look again, if the runner says nothing before.
    pub(super) fn wake_at(&self, now: Moment) -> Moment {
        let next = self.0.values().map(|watch| match watch.phase {
            Phase::Watched { deadline } => deadline,
            Phase::Overdue { look_again, .. } => look_again,
            Phase::Forgetting { .. } => now.plus(LOOK_SOON),
        });
        next.min().unwrap_or(Moment::NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> JobKey {
        JobKey::new(text).unwrap()
    }

    fn at(second: u64) -> Moment {
        Moment::START.plus(Span::from_secs(second))
    }

    fn group(raw: i32) -> ProcessGroup {
        ProcessGroup::from_raw(raw).unwrap()
    }

    /// A list on which `a` is armed for second 10.
    fn armed() -> Watchlist {
        let mut list = Watchlist::default();
        let arm = Order::Arm { key: key("a"), deadline: at(10) };
        assert_eq!(list.obey(arm, at(0)), Ok(Some(Answer::Armed(key("a")))));
        list
    }

    fn hunted(list: &mut Watchlist, now: Moment) -> Vec<String> {
        list.fall_due(now);
        list.hunted(now).into_iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_job_is_hunted_from_its_deadline_on() {
        let mut list = armed();
        assert_eq!(list.wake_at(at(0)), at(10));
        assert!(hunted(&mut list, at(9)).is_empty());
        assert_eq!(hunted(&mut list, at(10)), ["a"]);
    }

    #[test]
    fn a_renewal_moves_the_deadline_both_ways() {
        let mut list = armed();
        list.obey(Order::Renew { key: key("a"), deadline: at(20) }, at(5)).unwrap();
        assert!(hunted(&mut list, at(19)).is_empty());
        list.obey(Order::Renew { key: key("a"), deadline: Moment::START }, at(19)).unwrap();
        assert_eq!(hunted(&mut list, at(19)), ["a"]);
    }

    #[test]
    fn a_renewal_after_the_deadline_brings_nothing_back() {
        let mut list = armed();
        list.fall_due(at(10));
        list.obey(Order::Renew { key: key("a"), deadline: at(99) }, at(10)).unwrap();
        assert_eq!(hunted(&mut list, at(10)), ["a"]);
    }

    #[test]
    fn a_deadline_that_has_passed_is_not_armed() {
        let mut list = Watchlist::default();
        let late = Order::Arm { key: key("a"), deadline: at(10) };
        assert_eq!(list.obey(late, at(10)), Ok(Some(Answer::Late(key("a")))));
        assert_eq!(list.wake_at(at(10)), Moment::NEVER);
    }

    #[test]
    fn a_group_named_after_the_deadline_is_hunted_at_once() {
        let mut list = armed();
        list.fall_due(at(10));
        assert_eq!(list.hunted_without_group(at(10)).len(), 1);
        list.looked(&BTreeSet::new(), at(10));
        assert!(hunted(&mut list, at(10)).is_empty(), "it rests until it looks again");
        list.obey(Order::Group { key: key("a"), group: group(50) }, at(10)).unwrap();
        assert_eq!(hunted(&mut list, at(10)), ["a"]);
        assert!(list.hunted_without_group(at(10)).is_empty());
    }

    #[test]
    fn an_overdue_job_is_looked_for_until_it_is_forgotten() {
        let mut list = armed();
        list.fall_due(at(10));
        assert_eq!(list.looked(&BTreeSet::from([key("a")]), at(10)), []);
        assert_eq!(list.wake_at(at(10)), at(10).plus(LOOK_SOON));
        assert_eq!(list.looked(&BTreeSet::new(), at(11)), []);
        assert_eq!(list.wake_at(at(11)), at(11).plus(LOOK_LATER));
        list.obey(Order::Forget { key: key("a") }, at(11)).unwrap();
        assert_eq!(list.looked(&BTreeSet::new(), at(11)), [Answer::Gone(key("a"))]);
        assert_eq!(list.wake_at(at(11)), Moment::NEVER);
    }

    #[test]
    fn a_forget_is_answered_when_nothing_lives_or_when_waiting_is_in_vain() {
        let alive = BTreeSet::from([key("a")]);
        let mut list = armed();
        list.obey(Order::Forget { key: key("a") }, at(1)).unwrap();
        assert_eq!(list.looked(&alive, at(1)), []);
        assert_eq!(list.looked(&alive, at(2)), []);
        assert_eq!(list.looked(&alive, at(3)), [Answer::Lingering(key("a"))]);
        assert_eq!(
            list.obey(Order::Forget { key: key("a") }, at(4)),
            Ok(Some(Answer::Gone(key("a"))))
        );
    }

    #[test]
    fn a_reaped_leaders_group_is_known_no_more() {
        let mut list = armed();
        list.obey(Order::Group { key: key("a"), group: group(50) }, at(0)).unwrap();
        list.reaped(51);
        assert_eq!(list.jobs().next(), Some((&key("a"), Some(group(50)))));
        list.reaped(50);
        assert_eq!(list.jobs().next(), Some((&key("a"), None)));
    }

    #[test]
    fn orders_that_make_no_sense_are_refused() {
        let mut list = armed();
        let again = Order::Arm { key: key("a"), deadline: at(20) };
        assert!(list.obey(again, at(0)).is_err());
        let unknown = Order::Group { key: key("b"), group: group(50) };
        assert!(list.obey(unknown, at(0)).is_err());
        let named = |raw| Order::Group { key: key("a"), group: group(raw) };
        assert_eq!(list.obey(named(50), at(0)), Ok(None));
        assert!(list.obey(named(51), at(0)).is_err());
    }
}
