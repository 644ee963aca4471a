//! Random numbers from a seed (SplitMix64).

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of the numbers, both ends included.
    pub(crate) fn number(&mut self, first: i64, last: i64) -> i64 {
        let count = (last - first + 1).unsigned_abs();
        first + i64::try_from(self.next() % count).expect("a small number")
    }

    /// True so many times out of a hundred.
    pub(crate) fn percent(&mut self, times: i64) -> bool {
        self.number(1, 100) <= times
    }

    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let last = i64::try_from(from.len()).expect("a short list") - 1;
        &from[usize::try_from(self.number(0, last)).expect("a place")]
    }

    /// A list of 1 to `most` of the numbers.
    pub(crate) fn list(&mut self, most: i64, first: i64, last: i64) -> String {
        let count = self.number(1, most);
        let numbers =
            (0..count).map(|_| self.number(first, last)).filter(|n| *n != 0 || first == 0);
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        if numbers.is_empty() { last.to_string() } else { numbers.join(",") }
    }
}
