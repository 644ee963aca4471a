//! The shrinker: from a world in which something happens to the smallest that it can find in which
//! the same happens.
//!
//! What can be left out: seats, schedulers and other parts of the profile; whole kinds of
//! incidents; single incidents (faults, wishes of operators, quirks of jobs), first in halves, then
//! one by one; and time. Nothing is left out of a source of draws, so what remains is what was.
//! What happens may be a breach of a law, or a fact: then the result is the smallest world that
//! shows it.

mod plainer;

use std::collections::BTreeSet;

use crate::breach::Law;
use crate::facts::Fact;
use crate::incident::{Incident, Kept};
use crate::sabotage::Sabotage;
use crate::scenario::Scenario;
use crate::timeline::Timeline;
use crate::world::World;

/// What must still happen in a smaller world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A breach of the law, before any other.
    Breaks(Law),
    /// The fact, while every law holds.
    Shows(Fact),
}

/// A world in which the target happens.
#[derive(Debug, Clone)]
pub struct Found {
    /// The world.
    pub scenario: Scenario,
    /// After so many steps.
    pub steps: u64,
    /// With so many incidents.
    pub incidents: usize,
}

/// What the shrinker did.
#[derive(Debug, Clone)]
pub struct Shrunk {
    /// What it began with.
    pub before: Found,
    /// What is left.
    pub after: Found,
    /// How many worlds it tried.
    pub tries: u64,
}

/// Makes worlds smaller.
pub struct Shrinker<'a> {
    target: Target,
    sabotage: Option<Sabotage>,
    tries: u64,
    most_tries: u64,
    best: Found,
    tell: &'a mut dyn FnMut(&str),
}

/// Makes a world as small as can be found within so many tries; none if the target does not happen
/// in it at all. Tells how it goes.
pub fn shrink(
    scenario: &Scenario,
    sabotage: Option<Sabotage>,
    target: Target,
    most_tries: u64,
    tell: &mut dyn FnMut(&str),
) -> Option<Shrunk> {
    let before = attempt(scenario.clone(), sabotage, target)?;
    let best = before.clone();
    let mut shrinker = Shrinker { target, sabotage, tries: 1, most_tries, best, tell };
    shrinker.say("begins");
    loop {
        let size = shrinker.size();
        shrinker.make_plainer();
        shrinker.leave_out_kinds();
        shrinker.leave_out_incidents();
        if shrinker.size() == size || shrinker.is_tired() {
            break;
        }
    }
    shrinker.say("ends");
    Some(Shrunk { before, after: shrinker.best, tries: shrinker.tries })
}

/// Plays a world until the target happens. What happened until then is all that the world needs.
fn attempt(scenario: Scenario, sabotage: Option<Sabotage>, target: Target) -> Option<Found> {
    let mut world = World::new(scenario.clone(), sabotage, Timeline::unread());
    let is_met = match target {
        Target::Breaks(law) => world.run().is_err_and(|breach| breach.law == law),
        Target::Shows(fact) => world.run_until(fact),
    };
    is_met.then(|| {
        let kept = world.happened();
        Found {
            steps: world.steps(),
            incidents: count(&kept),
            scenario: Scenario { kept: Some(kept), ..scenario },
        }
    })
}

fn count(kept: &Kept) -> usize {
    kept.values().map(BTreeSet::len).sum()
}

impl Shrinker<'_> {
    /// Takes `smaller` if the target happens in it too.
    fn takes(&mut self, smaller: Scenario) -> bool {
        if self.is_tired() || smaller == self.best.scenario {
            return false;
        }
        self.tries += 1;
        let Some(found) = attempt(smaller, self.sabotage, self.target) else {
            return false;
        };
        // Fewer incidents are worth a few steps.
        let is_smaller = found.incidents <= self.best.incidents
            && found.steps <= self.best.steps.saturating_mul(5) / 4;
        if is_smaller {
            self.best = found;
        }
        is_smaller
    }

    const fn is_tired(&self) -> bool {
        self.tries >= self.most_tries
    }

    fn size(&self) -> (usize, u64) {
        (self.best.incidents, self.best.steps)
    }

    fn say(&mut self, what: &str) {
        let Found { steps, incidents, .. } = self.best;
        let tries = self.tries;
        (self.tell)(&format!("{what}: {steps} steps, {incidents} incidents, {tries} tries"));
    }

    fn make_plainer(&mut self) {
        // A world that only has to show a fact ends there.
        if matches!(self.target, Target::Breaks(_)) {
            self.makes(plainer::sooner_healed);
        }
        for way in plainer::ALL {
            self.makes(*way);
        }
        self.say("plainer");
    }

    /// Again and again while it helps: one seat after another, a quarter of the time again.
    fn makes(&mut self, way: plainer::Way) {
        while let Some(profile) = way(&self.best.scenario.profile) {
            let smaller = Scenario { profile, ..self.best.scenario.clone() };
            if !self.takes(smaller) {
                break;
            }
        }
    }

    fn leave_out_kinds(&mut self) {
        for incident in Incident::ALL {
            let mut kept = self.kept();
            if kept.remove(incident).is_some() {
                self.takes_kept(kept);
            }
        }
        self.say("fewer kinds of incidents");
    }

    fn leave_out_incidents(&mut self) {
        let mut size = self.best.incidents.div_ceil(2);
        while size > 0 {
            let mut end = self.best.incidents;
            while end > 0 && !self.is_tired() {
                let start = end.saturating_sub(size);
                self.takes_kept(without(&self.kept(), start, end));
                end = start.min(self.best.incidents);
            }
            size /= 2;
        }
        self.say("fewer incidents");
    }

    fn kept(&self) -> Kept {
        self.best.scenario.kept.clone().unwrap_or_default()
    }

    fn takes_kept(&mut self, kept: Kept) -> bool {
        self.takes(Scenario { kept: Some(kept), ..self.best.scenario.clone() })
    }
}

/// All incidents but those from `start` to `end`, in the order of kinds and places.
fn without(kept: &Kept, start: usize, end: usize) -> Kept {
    let all =
        kept.iter().flat_map(|(incident, places)| places.iter().map(|place| (*incident, *place)));
    let mut fewer = Kept::new();
    for (index, (incident, place)) in all.enumerate() {
        if index < start || index >= end {
            fewer.entry(incident).or_default().insert(place);
        }
    }
    fewer
}
