//! `sim sabotage`: how soon each seeded bug is caught, and by which law.

use clap::Args;
use sim::hunt::{Measured, measure};
use sim::named;
use sim::sabotage::Sabotage;

use crate::Verdict;
use sim::regression::sabotage;

/// Tell by which law, and how soon, each seeded bug is caught.
#[derive(Debug, Args)]
pub(crate) struct Catch {
    /// Only these bugs.
    #[arg(value_parser = sabotage)]
    bugs: Vec<Sabotage>,
    /// How many hunts there are for each bug, each from worlds of its own.
    #[arg(long, default_value_t = 20)]
    starts: u64,
    /// The most worlds that are played in one hunt.
    #[arg(long, default_value_t = 2_000)]
    most: u64,
}

impl Catch {
    pub(crate) fn answer(self) -> Verdict {
        let bugs = if self.bugs.is_empty() { Sabotage::ALL } else { &self.bugs };
        println!("| bug | what it does | seen in | caught by | median | p90 |");
        println!("| --- | --- | --- | --- | ---: | ---: |");
        let measured = measure(bugs, self.starts, self.most, |measured| {
            eprintln!("{}: {:?}", named::name(&measured.sabotage), measured.worlds);
        });
        for bug in &measured {
            println!("{}", row(bug));
        }
        let escaped = measured.iter().filter(|bug| !bug.is_caught()).count();
        println!("\n{escaped} of {} seeded bugs escape", measured.len());
        if escaped == 0 { Verdict::Holds } else { Verdict::Broken }
    }
}

/// A row of the table, as the docs keep it.
fn row(measured: &Measured) -> String {
    let bug = measured.sabotage;
    let told = |worlds: Option<u64>| worlds.map_or(String::from("escapes"), |it| it.to_string());
    let laws: Vec<String> = measured.laws.keys().map(|law| format!("`{law}`")).collect();
    format!(
        "| `{}` | {} | {} | {} | {} | {} |",
        named::name(&bug),
        bug.what().trim(),
        bug.seen_in(),
        laws.join(", "),
        told(measured.within(50)),
        told(measured.within(90)),
    )
}
