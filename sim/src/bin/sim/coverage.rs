//! `sim coverage`: which facts a batch of worlds meets, and which cells of the matrices it hits.

use std::fmt::Write;

use clap::Args;
use sim::batch::{Batch, play_all};
use sim::coverage::{Moment, told};
use sim::facts::Fact;
use sim::incident::Incident;
use sim::named;
use sim::seeds::{self, Seeds};
use sim::timeline::KEPT;

use crate::{Answer, Verdict};

/// Tell which facts the worlds meet, and which state × command × outcome and fault × moment.
#[derive(Debug, Args)]
pub(crate) struct Coverage {
    /// Which seeds, such as `0..500` (the whole batch, if none are named).
    seeds: Option<String>,
}

impl Coverage {
    pub(crate) fn answer(self) -> Answer {
        let seeds = match self.seeds.as_deref() {
            None => Seeds::whole_batch(None),
            Some(text) => Seeds::range(None, seeds::range(text)?),
        };
        let batch = match play_all(&seeds.worlds, KEPT) {
            Ok(batch) => batch,
            Err(failure) => {
                println!("{failure}");
                return Ok(Verdict::Broken);
            }
        };
        Ok(tell(&batch))
    }
}

fn tell(batch: &Batch) -> Verdict {
    println!("what was asked, of what, and what came of it:");
    for (cell, count) in batch.coverage.cells() {
        println!("{count:>9} {}", told(*cell));
    }
    println!("\nhow often a fault struck amid what:");
    println!("{}", faults(batch));
    println!("facts:");
    for fact in Fact::ALL {
        println!("{:>9} {}", batch.facts.count(*fact), named::name(fact));
    }
    println!("\n{batch}");
    let (missing, gaps) = (batch.facts.missing(), batch.coverage.gaps());
    for fact in &missing {
        println!("never happened: {}", named::name(fact));
    }
    print!("{gaps}");
    if missing.is_empty() && gaps.is_empty() {
        println!("every fact happened, and every cell is as it is declared");
        Verdict::Holds
    } else {
        Verdict::Broken
    }
}

/// The matrix of faults and moments, as a table.
fn faults(batch: &Batch) -> String {
    let names: Vec<String> = Moment::ALL.iter().map(named::name).collect();
    let mut text =
        format!("| fault | {} |\n|{}\n", names.join(" | "), " --- |".repeat(names.len() + 1));
    for incident in Incident::ALL.iter().filter(|incident| incident.is_fault()) {
        let counts: Vec<String> = Moment::ALL
            .iter()
            .map(|moment| batch.coverage.strikes(*incident, *moment).to_string())
            .collect();
        let _ = writeln!(text, "| {} | {} |", named::name(incident), counts.join(" | "));
    }
    text
}
