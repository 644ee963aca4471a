//! A digest of our own. The hasher of the standard library may change with the compiler; a digest
//! that is written down must not.

use std::hash::Hasher;

/// Odd, with bits everywhere.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Everything that was hashed, in one number: the same in every process and build.
#[derive(Debug, Clone)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(MULTIPLIER)
    }
}

impl Digest {
    fn mix(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word) * u128::from(MULTIPLIER);
        self.0 = (high(wide) ^ low(wide)).rotate_left(23).wrapping_add(word);
    }
}

impl Hasher for Digest {
    fn finish(&self) -> u64 {
        let mut last = self.clone();
        last.mix(0);
        last.mix(1);
        last.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.mix(u64::from_le_bytes(word));
        }
        self.write_usize(bytes.len());
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(u64::from(number));
    }

    fn write_u16(&mut self, number: u16) {
        self.mix(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_u128(&mut self, number: u128) {
        self.mix(low(number));
        self.mix(high(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(u64::try_from(number).unwrap_or(u64::MAX));
    }

    fn write_isize(&mut self, number: isize) {
        self.mix(i64::try_from(number).unwrap_or(i64::MAX).cast_unsigned());
    }
}

fn high(wide: u128) -> u64 {
    u64::try_from(wide >> 64).unwrap_or(u64::MAX)
}

fn low(wide: u128) -> u64 {
    u64::try_from(wide & u128::from(u64::MAX)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::hash::Hash;

    use super::*;

    fn digest(of: impl Hash) -> u64 {
        let mut digest = Digest::default();
        of.hash(&mut digest);
        digest.finish()
    }

    #[test]
    fn a_digest_is_the_same_for_ever() {
        assert_eq!(format!("{:016x}", digest(("horarium", 7_u64, Some(-1_i64)))), PINNED);
    }

    const PINNED: &str = "265b8a70911e0602";

    #[test]
    fn small_differences_show() {
        let mut seen: Vec<u64> = (0..10_000_u64).map(digest).collect();
        seen.extend((0..10_000_u64).map(|it| digest((it, 0_u8))));
        seen.extend(["", "a", "b", "ab", "ba", "aaaaaaaa", "aaaaaaaaa"].map(digest));
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all);
    }
}
