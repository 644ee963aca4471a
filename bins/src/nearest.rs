//! What a person probably meant by a word that is unknown here.
//!
//! Promise: a word is only suggested when few letters separate it from what was written.

/// The candidate that is nearest to `word`, if one is near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= reach(candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// One slip in a short word, one in every three letters of a long one.
fn reach(candidate: &str) -> usize {
    (candidate.chars().count() / 3).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_finds_its_word_and_another_word_does_not() {
        let keys = ["command", "timeout", "stop_grace", "cron"];
        assert_eq!(nearest("timout", keys), Some("timeout"));
        assert_eq!(nearest("stop-grace", keys), Some("stop_grace"));
        assert_eq!(nearest("comand", keys), Some("command"));
        assert_eq!(nearest("shell", keys), None);
    }
}
