//! How long the question "when next?" takes, beside croner over chrono-tz, the crate cron and the
//! crate rrule, on the same rules and the same instants.
//!
//! All contenders take turns in short rounds, so that whatever else the machine does slows all
//! alike; what counts is the ratio. A contender that gives other answers than the law is named, and
//! no speed of its counts.

mod contenders;
mod questions;

use std::hint::black_box;
use std::time::{Duration, Instant};

use contenders::Contender;
use questions::{QUESTIONS, Question};

const ROUNDS: usize = 41;
/// Of one contender, at least.
const ROUND: Duration = Duration::from_millis(4);

fn main() {
    println!(
        "| rule | in | asked | Horarium | {} | of the fastest right |",
        "croner | cron | rrule"
    );
    println!("| --- | --- | --- | --: | --: | --: | --: | --: |");
    for question in &QUESTIONS {
        println!("{}", row(question));
    }
}

fn row(question: &Question) -> String {
    let contenders = Contender::all(question);
    let asked = question.instants();
    let right: Vec<Option<i64>> = asked.iter().map(|at| contenders[0].next(*at)).collect();
    let is_right = |contender: &Contender| {
        asked.iter().zip(&right).all(|(at, right)| contender.next(*at) == *right)
    };
    let medians = medians(&contenders, &asked);
    let mut cells = Vec::new();
    let mut fastest_right = f64::INFINITY;
    for name in ["croner", "cron", "rrule"] {
        let found = contenders.iter().position(|contender| contender.name == name);
        cells.push(match found {
            None => "".to_owned(),
            Some(place) if is_right(&contenders[place]) => {
                fastest_right = fastest_right.min(medians[place]);
                shown(medians[place])
            }
            Some(place) => format!("{} wrong", shown(medians[place])),
        });
    }
    let ratio = if fastest_right.is_finite() {
        format!("{:.2}", medians[0] / fastest_right)
    } else {
        "alone".to_owned()
    };
    format!(
        "| `{}` | {} | {} | {} | {} | {ratio} |",
        question.rule,
        question.zone,
        question.when,
        shown(medians[0]),
        cells.join(" | ")
    )
}

/// Of each contender, the median of its rounds, in nanoseconds for a question.
fn medians(contenders: &[Contender], asked: &[i64]) -> Vec<f64> {
    let prepared: Vec<_> = contenders.iter().map(|contender| contender.prepare(asked)).collect();
    let mut rounds = vec![Vec::new(); contenders.len()];
    for _ in 0..ROUNDS {
        for (ask, rounds) in prepared.iter().zip(&mut rounds) {
            let (started, mut asks) = (Instant::now(), 0_u32);
            while started.elapsed() < ROUND {
                black_box(ask());
                asks += 1;
            }
            let questions = f64::from(asks) * asked.len() as f64;
            rounds.push(started.elapsed().as_secs_f64() * 1e9 / questions);
        }
    }
    rounds
        .into_iter()
        .map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
        .collect()
}

fn shown(nanoseconds: f64) -> String {
    match nanoseconds {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 1e6 => format!("{:.1} us", n / 1e3),
        n => format!("{:.1} ms", n / 1e6),
    }
}
