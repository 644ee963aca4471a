//! The last bytes of a stream.

use std::collections::VecDeque;

/// The last bytes of what a job wrote to one stream, and how many came before them. Bytes, not
/// text: a job may write anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tail {
    /// The last bytes, at most the command's `output_limit`.
    pub bytes: Vec<u8>,
    /// How many earlier bytes were dropped.
    pub dropped: u64,
}

/// A [`Tail`] that is still growing; it never holds more than its limit.
#[derive(Debug)]
pub(super) struct GrowingTail {
    bytes: VecDeque<u8>,
    limit: usize,
    dropped: u64,
}

impl GrowingTail {
    /// An empty tail that keeps `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), limit, dropped: 0 }
    }

    /// Append `bytes` and drop what is too much at the front.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let skipped = bytes.len().saturating_sub(self.limit);
        let kept = &bytes[skipped..];
        let overflow = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.bytes.drain(..overflow);
        self.bytes.extend(kept);
        let dropped = u64::try_from(skipped + overflow).unwrap_or(u64::MAX);
        self.dropped = self.dropped.saturating_add(dropped);
    }

    /// The tail as it is.
    pub(super) fn finish(self) -> Tail {
        Tail { bytes: self.bytes.into(), dropped: self.dropped }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_tail_is_the_end_of_all_that_was_pushed(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..12),
            limit in 0_usize..60,
        ) {
            let mut growing = GrowingTail::new(limit);
            for chunk in &chunks {
                growing.push(chunk);
                prop_assert!(growing.bytes.len() <= limit);
            }
            let all = chunks.concat();
            let start = all.len().saturating_sub(limit);
            let expected = Tail { bytes: all[start..].to_vec(), dropped: start as u64 };
            prop_assert_eq!(growing.finish(), expected);
        }
    }
}
