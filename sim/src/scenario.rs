//! A scenario: all that a world needs to happen again, step for step.

use serde::{Deserialize, Serialize};

use crate::incident::Kept;
use crate::profile::{Kind, Profile};

/// A world before it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Where the streams of random draws start.
    pub seed: u64,
    /// Its sizes, timings and faults.
    pub profile: Profile,
    /// Which incidents happen: all that are drawn, or only these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
}

impl Scenario {
    /// The world of a kind that a seed stands for.
    pub fn of(kind: Kind, seed: u64) -> Self {
        Self { seed, profile: Profile::of(kind, seed), kept: None }
    }

    /// The ordinary world of a seed.
    pub fn ordinary(seed: u64) -> Self {
        Self::of(Kind::Ordinary, seed)
    }

    /// True when its seed and kind say it all.
    pub fn is_drawn(&self) -> bool {
        *self == Self::of(self.profile.kind, self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_that_was_written_down_is_read_as_the_same() {
        for kind in Kind::ALL {
            for seed in 0..200 {
                let scenario = Scenario::of(*kind, seed);
                let text = serde_json::to_string(&scenario).unwrap();
                assert_eq!(serde_json::from_str::<Scenario>(&text).unwrap(), scenario, "{text}");
            }
        }
    }

    #[test]
    fn a_fault_that_a_file_does_not_name_is_off() {
        let mut text = serde_json::to_value(Scenario::ordinary(1)).unwrap();
        text["profile"]["faults"].as_object_mut().unwrap().remove("runner_crash");
        let scenario: Scenario = serde_json::from_value(text).unwrap();
        assert_eq!(scenario.profile.faults.runner_crash, None);
    }
}
