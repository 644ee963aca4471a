//! Random draws: one seed, one stream for each concern, one bounded mapping of our own.
//!
//! Promise: an old seed replays for ever. Nothing here depends on how a library maps random bits
//! to a range, and what is left out of a world does not reshuffle the rest of it.

use horarium_core::words::Span;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// What a stream is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    /// Sizes, timings and which faults there are.
    Profile,
    /// What belongs to nobody.
    World,
    /// What operators want.
    Operators,
    /// How an operator's wish goes on.
    Operations,
    /// Which process starts on a seat.
    Seats,
    /// What happens to a runner.
    Runners,
    /// What happens to a scheduler.
    Schedulers,
    /// What a job is like.
    Jobs,
    /// When a disaster strikes, and how.
    Strikes,
    /// What becomes of a runner's messages.
    RunnerMessages,
    /// What becomes of a scheduler's messages.
    SchedulerMessages,
    /// What becomes of an operator's messages.
    OperatorMessages,
}

/// A source of draws. It costs nothing until something is drawn.
#[derive(Debug, Clone)]
pub struct Draw {
    key: [u8; 32],
    stream: u64,
    source: Option<ChaCha8Rng>,
}

impl Draw {
    /// The stream of `seed` for one concern.
    pub fn new(seed: u64, stream: Stream) -> Self {
        Self::of(seed, stream, 0)
    }

    /// The stream of `seed` for one concern of one of many.
    pub fn of(seed: u64, stream: Stream, which: u128) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..24].copy_from_slice(&which.to_le_bytes());
        let stream = match stream {
            Stream::Profile => 1,
            Stream::World => 2,
            Stream::Operators => 3,
            Stream::Operations => 4,
            Stream::Seats => 5,
            Stream::Runners => 6,
            Stream::Schedulers => 7,
            Stream::Jobs => 8,
            Stream::Strikes => 9,
            Stream::RunnerMessages => 10,
            Stream::SchedulerMessages => 11,
            Stream::OperatorMessages => 12,
        };
        Self { key, stream, source: None }
    }

    /// A stream beside this one, from its beginning.
    #[must_use]
    pub const fn beside(&self, lane: u8) -> Self {
        let mut key = self.key;
        key[31] = lane;
        Self { key, stream: self.stream, source: None }
    }

    /// A stream of its own that takes two draws of this one, however much is drawn from it.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        let mut key = [0; 32];
        key[..16].copy_from_slice(&self.wide_bits().to_le_bytes());
        Self { key, stream: 0, source: None }
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        let source = self.source.get_or_insert_with(|| {
            let mut source = ChaCha8Rng::from_seed(self.key);
            source.set_stream(self.stream);
            source
        });
        source.next_u64()
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
        let mut draw = Draw::new(7, Stream::World);
        let drawn: Vec<u64> = (0..6).map(|_| draw.below(1_000)).collect();
        let mut again = Draw::new(7, Stream::World);
        assert_eq!(drawn, (0..6).map(|_| again.below(1_000)).collect::<Vec<_>>());
        assert_eq!(drawn, PINNED);
    }

    const PINNED: [u64; 6] = [10, 194, 900, 611, 799, 220];

    #[test]
    fn a_draw_stays_within_its_bounds() {
        let mut draw = Draw::new(1, Stream::Jobs);
        for _ in 0..1_000 {
            assert!((3..=5).contains(&draw.between(3, 5)));
        }
        assert_eq!((draw.below(0), draw.below(1)), (0, 0));
    }
}
