//! Random draws: one seed, one stream for each concern, one bounded mapping of our own.
//!
//! Promise: an old seed replays for ever. Nothing here depends on how a library maps random bits
//! to a range, and switching a fault off does not reshuffle the workload.

use horarium_core::words::Span;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// What a stream is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Sizes, timings and which faults there are.
    Profile,
    /// What operators want and what jobs do.
    Workload,
    /// When faults strike.
    Faults,
    /// How long messages take.
    Latency,
}

/// A source of draws.
#[derive(Debug, Clone)]
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// The stream of `seed` for one concern.
    pub fn new(seed: u64, stream: Stream) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(match stream {
            Stream::Profile => 1,
            Stream::Workload => 2,
            Stream::Faults => 3,
            Stream::Latency => 4,
        });
        Self(rng)
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// 128 bits.
    pub fn wide_bits(&mut self) -> u128 {
        u128::from(self.bits()) << 64 | u128::from(self.bits())
    }

    /// A number from 0 to `count` - 1; 0 when `count` is 0.
    pub fn below(&mut self, count: u64) -> u64 {
        let product = u128::from(self.bits()) * u128::from(count);
        u64::try_from(product >> 64).unwrap_or(0)
    }

    /// An index into something with `length` items.
    pub fn index(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        usize::try_from(self.below(length)).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// True `permille` times in a thousand.
    pub fn chance(&mut self, permille: u64) -> bool {
        self.below(1_000) < permille
    }

    /// One of the items.
    pub fn pick<T: Copy, const N: usize>(&mut self, items: [T; N]) -> T {
        items[self.index(N)]
    }

    /// One of the items of a list, if it has any.
    pub fn pick_of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.index(items.len()))
    }

    /// A duration from `low` to `high`.
    pub fn span(&mut self, low: Span, high: Span) -> Span {
        Span::from_micros(self.between(low.micros(), high.micros()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_seed_draws_the_same_for_ever() {
        let mut draw = Draw::new(7, Stream::Workload);
        let drawn: Vec<u64> = (0..6).map(|_| draw.below(1_000)).collect();
        let mut again = Draw::new(7, Stream::Workload);
        assert_eq!(drawn, (0..6).map(|_| again.below(1_000)).collect::<Vec<_>>());
        assert_eq!(drawn, PINNED);
    }

    const PINNED: [u64; 6] = [10, 194, 900, 611, 799, 220];

    #[test]
    fn a_draw_stays_within_its_bounds() {
        let mut draw = Draw::new(1, Stream::Latency);
        for _ in 0..1_000 {
            assert!((3..=5).contains(&draw.between(3, 5)));
        }
        assert_eq!((draw.below(0), draw.below(1)), (0, 0));
    }
}
