//! The harness can fail: every seeded bug is caught, by a law that it breaks.

use sim::Scenario;
use sim::batch::play;
use sim::sabotage::Sabotage;
use sim::timeline::KEPT;

/// Every bug is caught within so many worlds.
const MOST_WORLDS: u64 = 2_000;

#[cfg(test)]
fn is_caught(sabotage: Sabotage) {
    let caught = (0..MOST_WORLDS)
        .find_map(|seed| play(Scenario::ordinary(seed), Some(sabotage), KEPT).err())
        .unwrap_or_else(|| panic!("{sabotage:?} is not caught within {MOST_WORLDS} worlds"));
    println!("{sabotage:?}: world {}, {}", caught.scenario.seed, caught.breach);
    let law = caught.breach.law;
    assert!(sabotage.laws().contains(&law), "{sabotage:?} is caught by {law}:\n{caught}");
}

macro_rules! caught {
    ($($name:ident: $sabotage:ident,)*) => {
        $(
            #[test]
            fn $name() {
                is_caught(Sabotage::$sabotage);
            }
        )*

        #[test]
        fn no_seeded_bug_is_left_out() {
            assert_eq!(Sabotage::ALL, [$(Sabotage::$sabotage),*]);
        }
    };
}

caught! {
    a_store_that_takes_a_finish_without_its_fence_is_caught: FinishWithoutFence,
    a_store_that_takes_old_turns_is_caught: OldTurnsTaken,
    a_store_that_hands_over_unrenewed_leases_is_caught: HandOverUnrenewed,
    a_store_that_sweeps_early_is_caught: EarlySweep,
    a_store_that_says_held_to_who_holds_nothing_is_caught: LostHoldHeld,
    a_store_that_grants_too_soon_is_caught: ClaimTooSoon,
    a_store_that_enqueues_twice_is_caught: DoubleEnqueue,
    a_store_that_retries_what_was_cancelled_is_caught: CancelledRetried,
    a_store_that_drops_a_due_instant_is_caught: DroppedInstant,
    a_store_that_catches_up_one_by_one_is_caught: CatchUpEach,
    a_store_that_queues_instead_of_skipping_is_caught: SkipQueued,
    a_runner_that_counts_from_the_answer_is_caught: DeadlineFromAnswer,
    a_runner_that_takes_any_answer_is_caught: AnyAnswerTaken,
    a_runner_that_reports_a_living_job_is_caught: ReportedAlive,
    a_guard_that_sleeps_is_caught: GuardAsleep,
    a_shell_that_does_not_kill_is_caught: KillIgnored,
    an_operator_who_asks_again_under_a_new_id_is_caught: NewIdForOldWish,
}
