//! Shortening: fewer commands that still split model and store.

use crate::Specimen;
use crate::coverage::Coverage;
use crate::lockstep::{Split, Step, replay};

/// The most replays that are spent on it.
const PATIENCE: usize = 400;

/// Leaves out as many steps as it can while the last one that is left still splits. What split it
/// before may turn into another split on the way; any will do.
pub(crate) async fn shorten<S: Specimen, F: AsyncFn() -> S>(
    make_store: &F,
    mut steps: Vec<Step>,
    mut split: Split,
) -> (Vec<Step>, Split) {
    let mut replays = 0;
    let mut chunk = steps.len().div_ceil(2);
    while chunk > 0 {
        let mut start = 0;
        let mut shorter = false;
        while start < steps.len().saturating_sub(1) && replays < PATIENCE {
            let end = (start + chunk).min(steps.len() - 1);
            let mut fewer = steps.clone();
            fewer.drain(start..end);
            replays += 1;
            match replay(&make_store().await, &fewer, &mut Coverage::default()).await {
                Some((index, other)) => {
                    fewer.truncate(index + 1);
                    steps = fewer;
                    split = other;
                    shorter = true;
                }
                None => start = end,
            }
        }
        if !(shorter && chunk == 1) {
            chunk /= 2;
        }
    }
    (steps, split)
}
