//! What holds for the series of any recurrence.

use std::time::{Duration, Instant};

use horarium_core::recurrence::{MOST_STEPS, Recurrence, WrittenRecurrence, ZoneData};
use horarium_core::words::time::Timestamp;

/// Generous, for a slow build on a busy machine: the goal is 50 ms in release.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// In seconds since 1970: the epoch, around a change in New York, in the far future.
const QUESTIONS: [i64; 4] = [0, 1_772_953_200, 4_100_000_000, 253_402_200_000];

/// The series is read back, ascends strictly, marks no more than it has, and answers in bounded
/// time, and after a bounded count, from wherever it is asked.
pub(crate) fn assert_series(recurrence: &Recurrence) {
    crate::assert_read_back_by(recurrence, |written: WrittenRecurrence| {
        written.read(&ZoneData::bundled())
    });
    let questions = QUESTIONS.map(|second| Timestamp::from_micros(second * 1_000_000).unwrap());
    for after in questions.into_iter().chain([Timestamp::MAX]) {
        if let Recurrence::Rrule(rule) = recurrence {
            let steps = rule.steps_to(after, None);
            assert!(steps <= MOST_STEPS, "{recurrence:?} until {after}: {steps} steps");
        }
        let started = Instant::now();
        let next = recurrence.checked_next_after(after, None, None).unwrap();
        let elapsed = started.elapsed();
        assert!(elapsed < TIME_LIMIT, "{recurrence:?} after {after}: {elapsed:?}");
        let Some(next) = next else { continue };
        assert!(next.at > after, "{recurrence:?} after {after}: {next:?}");
        // Asked from anywhere before it, it is still the next.
        let just_before = Timestamp::from_micros(next.at.micros() - 1).unwrap();
        let again = recurrence.next_after(just_before, None);
        assert_eq!(again.map(|next| next.at), Some(next.at), "{recurrence:?} after {after}");
    }
    let previews = recurrence.preview(questions[1], 4);
    for pair in previews.windows(2) {
        assert!(pair[0].at < pair[1].at, "{recurrence:?}: {pair:?}");
    }
    let series = recurrence.occasions_after(questions[1]).take(4).map(|next| next.at);
    assert!(previews.iter().map(|preview| preview.at).eq(series), "{recurrence:?}");
}
