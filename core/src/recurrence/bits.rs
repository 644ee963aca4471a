//! A set of small numbers: what a list of hours, minutes, days or months names.
//!
//! Promise: the next number from another on is found without looking at those between.

/// A set of numbers below 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bits(u64);

impl Bits {
    pub(super) const NONE: Self = Self(0);

    /// All numbers below `count`, which is at most 64.
    pub(super) const fn below(count: u32) -> Self {
        match 1_u64.checked_shl(count) {
            Some(next) => Self(next - 1),
            None => Self(u64::MAX),
        }
    }

    /// With `number` in it too; a number that is too large changes nothing.
    #[must_use]
    pub(super) const fn with(self, number: u32) -> Self {
        match 1_u64.checked_shl(number) {
            Some(bit) => Self(self.0 | bit),
            None => self,
        }
    }

    /// What is in either.
    #[must_use]
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both.
    #[must_use]
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is not in the other.
    #[must_use]
    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Those that `keeps` lets through.
    #[must_use]
    pub(super) fn filter(self, keeps: impl Fn(i64) -> bool) -> Self {
        self.iter()
            .filter(|number| !keeps(*number))
            .fold(self, |kept, number| Self(kept.0 & !(1 << number)))
    }

    /// How many numbers it has.
    pub(super) const fn count(self) -> u32 {
        self.0.count_ones()
    }

    pub(super) fn has(self, number: i64) -> bool {
        (0..64).contains(&number) && self.0 >> number & 1 == 1
    }

    /// The first number from `from` on.
    pub(super) fn first_from(self, from: i64) -> Option<i64> {
        if !(0..64).contains(&from) {
            return None;
        }
        let rest = self.0 >> from;
        (rest != 0).then(|| from + i64::from(rest.trailing_zeros()))
    }

    /// Its numbers, in order.
    pub(super) fn iter(self) -> impl Iterator<Item = i64> {
        std::iter::successors(self.first_from(0), move |number| self.first_from(number + 1))
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<T: IntoIterator<Item = u32>>(numbers: T) -> Self {
        numbers.into_iter().fold(Self::NONE, Self::with)
    }
}
