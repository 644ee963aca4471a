//! The case tables: `cron.tsv`, `rrule.tsv` and others of their form.

use std::time::{Duration, Instant};

use horarium_core::recurrence::{Recurrence, RecurrenceError};
use horarium_core::words::time::Timestamp;

/// Generous, for a busy machine; what it rules out takes seconds.
pub(crate) const TIME_LIMIT: Duration = Duration::from_millis(500);

const COLUMNS: &str = "id\tkind\texpression\ttimezone\tdtstart\tafter\texpected\twhy";

/// One row, without its escapes.
pub(crate) struct Case<'a> {
    pub(crate) kind: &'a str,
    pub(crate) expression: String,
    pub(crate) zone: &'a str,
    pub(crate) dtstart: &'a str,
}

/// Asks every row, and answers how many there are.
pub(crate) fn every_row_holds(
    table: &str,
    rule: impl Fn(&Case<'_>) -> Result<Recurrence, RecurrenceError>,
) -> usize {
    let (columns, rows) = table.split_once('\n').unwrap();
    assert_eq!(columns, COLUMNS);
    let mut wrong = Vec::new();
    for row in rows.lines() {
        let [id, kind, expression, zone, dtstart, after, expected, why] =
            row.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("malformed row: {row}");
        };
        let case = Case { kind, expression: unescape(expression), zone, dtstart };
        let started = Instant::now();
        let answer = next_five(rule(&case), instant(after));
        let elapsed = started.elapsed();
        // Refusing a rule that never fires is as right as an empty series.
        let right = answer == expected || (expected == "exhausted" && answer == "error");
        if !right || elapsed > TIME_LIMIT {
            wrong.push(format!(
                "{id}: {expression} from {dtstart} in {zone} after {after} ({why})\n  expected {expected}\n  got      {answer} in {elapsed:?}"
            ));
        }
    }
    let count = rows.lines().count();
    assert!(wrong.is_empty(), "{} of {count} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
    count
}

/// The next five instants as a table has them.
pub(crate) fn next_five(rule: Result<Recurrence, RecurrenceError>, after: Timestamp) -> String {
    let Ok(rule) = rule else {
        return "error".to_owned();
    };
    let mut instants: Vec<String> =
        rule.preview(after, 5).iter().map(|next| next.at.to_string()).collect();
    if instants.len() < 5 {
        instants.push("exhausted".to_owned());
    }
    instants.join(",")
}

fn instant(text: &str) -> Timestamp {
    // One row asks an hour before the epoch, where no stored instant lies.
    text.parse().unwrap_or_else(|_| {
        assert_eq!(text, "1969-12-31T23:00:00Z");
        Timestamp::EPOCH
    })
}

/// The table's escapes: `\t`, `\n`, `\r`, `\uXXXX`, and `{{text*N}}` for a repeated text.
fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((body, tail)) = rest.strip_prefix("{{").and_then(|r| r.split_once("}}")) {
            let (repeated, count) = body.rsplit_once('*').unwrap();
            plain.push_str(&unescape(repeated).repeat(count.parse().unwrap()));
            rest = tail;
        } else if let Some(escape) = rest.strip_prefix('\\') {
            let (c, length) = match &escape[..1] {
                "t" => ('\t', 1),
                "n" => ('\n', 1),
                "r" => ('\r', 1),
                "u" => {
                    (char::from_u32(u32::from_str_radix(&escape[1..5], 16).unwrap()).unwrap(), 5)
                }
                other => panic!("unknown escape {other}"),
            };
            plain.push(c);
            rest = &escape[length..];
        } else {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    plain
}
