//! The answers of cronsim 2.8 to random cron rules, mostly shortly before a clock change, as a
//! second opinion: it follows the cron of Debian.
//!
//! `ask_cronsim.py` writes `cronsim.tsv`, which has four columns: the expression, the zone, the
//! question and the next five instants after it.

use horarium_core::recurrence::Recurrence;

use crate::table::next_five;

const TABLE: &str = include_str!("cronsim.tsv");

/// Where it answers differently, and the law by which we do: expression, zone, question, law.
const DIFFERENCES: [(&str, &str, &str, &str); 1] = [(
    "* 0,2 */12 * *",
    "Asia/Beirut",
    "2018-03-23T08:47:00Z",
    "a real-time rule runs when the clock shows a time that it names: midnight is missing on that \
     day, and at 01:00, where cronsim has a run, neither hour is shown",
)];

#[test]
fn every_answer_is_the_same_or_the_difference_is_explained() {
    let mut count = 0;
    for row in TABLE.lines().skip(1) {
        let [expression, zone, after, expected] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("malformed row: {row}");
        };
        let rule = Recurrence::cron(expression, zone.parse().unwrap());
        let answer = next_five(rule, after.parse().unwrap());
        let difference =
            DIFFERENCES.iter().find(|(e, z, a, _)| (*e, *z, *a) == (expression, zone, after));
        let is_same = answer == expected;
        assert_eq!(is_same, difference.is_none(), "{expression} in {zone} after {after}: {answer}");
        count += 1;
    }
    assert_eq!(count, 400);
}
