//! What one `next_after` costs over many random rules, hostile ones among them: the goal is 1 ms in
//! the median and 50 ms at worst.
//!
//! `bounds [RULES] [SEED]` prints the spread of the costs and the rules that cost most.

mod random;
mod rules;

use std::hint::black_box;
use std::time::{Duration, Instant};

use horarium_core::recurrence::Recurrence;
use horarium_core::words::time::Timestamp;

use random::Random;

/// In seconds since 1970: the epoch, a change of the clock in New York, the years 2100, 2199, 5000
/// and 9999.
const ASKED: [i64; 6] =
    [0, 1_772_949_000, 4_102_444_800, 7_258_118_399, 95_617_584_000, 253_402_200_000];

/// The costliest that are shown.
const WORST: usize = 12;

struct Cost {
    time: Duration,
    /// Whether the question lies before the year 2200.
    is_soon: bool,
    /// A rule, and what it was asked.
    of: String,
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let rules = arguments.next().map_or(20_000, |number| number.expect("a number of rules"));
    let seed = arguments.next().map_or(2026, |number| number.expect("a seed"));
    let mut random = Random::new(seed);
    let (mut saving, mut asking, mut going_on) = (Vec::new(), Vec::new(), Vec::new());
    let mut refused = 0_u64;
    for _ in 0..rules {
        let rule = rules::rule(&mut random);
        let (time, recurrence) = timed(|| rule.recurrence());
        saving.push(Cost { time, is_soon: true, of: rule.to_string() });
        let Some(recurrence) = recurrence else {
            refused += 1;
            continue;
        };
        for second in ASKED {
            ask(&recurrence, second, &rule, &mut asking, &mut going_on);
        }
    }
    println!("{rules} rules, of which {refused} are refused; seed {seed}");
    report("reading and judging a rule, as it is saved", saving);
    let (soon, late) = asking.into_iter().partition(|cost: &Cost| cost.is_soon);
    report("next_after, with nothing known of the rule's past, asked until 2200", soon);
    report("the same, asked in 5000 and 9999", late);
    report("next_after, from the occasion before, as at a tick", going_on);
}

/// Asks after `second`, and again after the answer.
fn ask(
    recurrence: &Recurrence,
    second: i64,
    rule: &rules::Rule,
    asking: &mut Vec<Cost>,
    going_on: &mut Vec<Cost>,
) {
    let after = Timestamp::from_micros(second * 1_000_000).expect("an instant");
    let is_soon = second < 7_258_118_400;
    let (time, next) = timed(|| recurrence.checked_next_after(after, None, None));
    asking.push(Cost { time, is_soon, of: format!("{rule} after {after}") });
    let Ok(Some(next)) = next else { return };
    let (time, _) = timed(|| recurrence.checked_next_after(next.at, None, Some(next)));
    going_on.push(Cost { time, is_soon, of: format!("{rule} after {}", next.at) });
}

fn timed<T>(work: impl Fn() -> T) -> (Duration, T) {
    let once = || {
        let started = Instant::now();
        let result = black_box(work());
        (started.elapsed(), result)
    };
    let first = once();
    // What is slow by chance, because the machine does something else, is fast at the next try.
    if first.0 < Duration::from_micros(500) { first } else { once().min_by_time(first) }
}

trait MinByTime {
    fn min_by_time(self, other: Self) -> Self;
}

impl<T> MinByTime for (Duration, T) {
    fn min_by_time(self, other: Self) -> Self {
        if other.0 < self.0 { other } else { self }
    }
}

fn report(what: &str, mut costs: Vec<Cost>) {
    costs.sort_by_key(|cost| cost.time);
    let at = |share: f64| costs[((costs.len() - 1) as f64 * share) as usize].time;
    println!("\n{what}: {} times", costs.len());
    println!(
        "  median {:.1?}, 99 % {:.1?}, 99.9 % {:.1?}, at most {:.1?}",
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0)
    );
    for cost in costs.iter().rev().take(WORST) {
        println!("  {:>10.1?}  {}", cost.time, cost.of);
    }
}
