//! Draws: all randomness of a sequence, from its one seed.

use std::fmt;

use proptest::prelude::Rng;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A source of draws. The same seed gives the same draws.
pub(crate) struct Draw(TestRunner);

impl Draw {
    pub(crate) fn from_seed(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        Self(TestRunner::new_with_rng(Config::default(), rng))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.rng().next_u64()
    }

    pub(crate) fn wide_bits(&mut self) -> u128 {
        u128::from(self.bits()) << 64 | u128::from(self.bits())
    }

    /// A number below `bound`, zero when that is zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.bits() % bound).unwrap_or_default()
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.bits() % (high - low + 1)
    }

    /// True so many times in a hundred.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.bits() % 100 < percent
    }

    /// One of `choices`, if there are any.
    pub(crate) fn one<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        let index = self.below(choices.len());
        choices.get(index)
    }

    /// One of `choices`.
    #[allow(clippy::needless_pass_by_value)] // a list written where it is drawn from
    pub(crate) fn pick<T: Clone, const N: usize>(&mut self, choices: [T; N]) -> T {
        const { assert!(N > 0) };
        choices[self.below(N)].clone()
    }

    /// The index of one of `weights`, as often as its share.
    pub(crate) fn weighted(&mut self, weights: &[u64]) -> usize {
        let mut left = self.bits() % weights.iter().sum::<u64>().max(1);
        for (index, weight) in weights.iter().enumerate() {
            if left < *weight {
                return index;
            }
            left -= weight;
        }
        0
    }

    /// A value of a strategy; `fallback` should the strategy refuse to give one.
    pub(crate) fn value<T: fmt::Debug>(
        &mut self,
        strategy: &impl Strategy<Value = T>,
        fallback: T,
    ) -> T {
        strategy.new_tree(&mut self.0).map_or(fallback, |tree| tree.current())
    }
}
