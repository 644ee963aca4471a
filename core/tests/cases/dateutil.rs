//! The answers of python-dateutil 2.9.0 to random rules in UTC, as a second opinion.
//!
//! `dateutil.tsv` has four columns: the rule, DTSTART, the question and the next five times
//! after it, `exhausted` when there are fewer.

use horarium_core::recurrence::{Recurrence, Zone};
use horarium_core::words::time::Timestamp;

const TABLE: &str = include_str!("dateutil.tsv");

/// Where it answers differently: it takes BYWEEKNO's years from January to December, we take them
/// from week 1 on (docs/adr/0004-rrule.md), which shows with INTERVAL and BYSETPOS.
const YEARS_OF_WEEKS: [&str; 2] = [
    "FREQ=YEARLY;INTERVAL=3;BYWEEKNO=-28,1,3;BYDAY=WE,SU,SA;BYSETPOS=1;COUNT=60",
    "FREQ=YEARLY;INTERVAL=4;BYWEEKNO=-26,17,53;BYDAY=TH,SA,MO;BYHOUR=1,2;WKST=TU",
];

fn answer(rule: &str, dtstart: &str, after: &str) -> String {
    let Ok(recurrence) = Recurrence::rrule(rule, dtstart.parse().unwrap(), Zone::utc()) else {
        return "exhausted".to_owned();
    };
    let after: jiff::civil::DateTime = after.parse().unwrap();
    let after: Timestamp = format!("{after}Z").parse().unwrap();
    let plain = |at: Timestamp| at.to_string().replace(['-', ':', 'Z'], "");
    let mut times: Vec<String> =
        recurrence.occasions_after(after).take(5).map(|next| plain(next.at)).collect();
    if times.len() < 5 {
        times.push("exhausted".to_owned());
    }
    times.join(",")
}

#[test]
fn every_answer_is_the_same_or_the_difference_is_explained() {
    let mut count = 0;
    for row in TABLE.lines().skip(1) {
        let [rule, dtstart, after, expected] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("malformed row: {row}");
        };
        let is_same = answer(rule, dtstart, after) == expected;
        assert_eq!(is_same, !YEARS_OF_WEEKS.contains(&rule), "{rule} from {dtstart} after {after}");
        count += 1;
    }
    assert_eq!(count, 400);
}
