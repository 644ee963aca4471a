//! Every row of the case table, and the inputs that other matchers choke on.
#![allow(clippy::unwrap_used, clippy::panic)] // the helpers of a test may fail as the test does
#![allow(clippy::disallowed_types, clippy::disallowed_methods)] // the test looks at the clock

use std::time::{Duration, Instant};

use horarium_core::recurrence::{Recurrence, Zone};
use horarium_core::words::time::Timestamp;

const TABLE: &str = include_str!("cases/cron.tsv");

/// Generous, for a busy machine; what it rules out takes seconds.
const TIME_LIMIT: Duration = Duration::from_millis(500);

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

fn answer(expression: &str, zone: &str, after: &str) -> String {
    let recurrence = zone
        .parse::<Zone>()
        .map_err(|error| error.to_string())
        .and_then(|zone| Recurrence::cron(expression, zone).map_err(|error| error.to_string()));
    let Ok(recurrence) = recurrence else {
        return "error".to_owned();
    };
    // One row asks an hour before the epoch, where no stored instant lies.
    let after = after.parse::<Timestamp>().unwrap_or_else(|_| {
        assert_eq!(after, "1969-12-31T23:00:00Z");
        Timestamp::EPOCH
    });
    let mut instants: Vec<String> =
        recurrence.preview(after, 5).iter().map(|next| next.at.to_string()).collect();
    if instants.len() < 5 {
        instants.push("exhausted".to_owned());
    }
    instants.join(",")
}

#[test]
fn every_row_of_the_case_table_holds() {
    let mut rows = TABLE.lines();
    let columns = rows.next().unwrap();
    assert_eq!(columns, "id\tkind\texpression\ttimezone\tdtstart\tafter\texpected\twhy");
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in rows {
        let [id, "cron", expression, zone, "-", after, expected, why] =
            row.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("malformed row: {row}");
        };
        let started = Instant::now();
        let answer = answer(&unescape(expression), zone, after);
        let elapsed = started.elapsed();
        // Refusing a rule that never fires is as right as an empty series.
        let right = answer == expected || (expected == "exhausted" && answer == "error");
        if !right || elapsed > TIME_LIMIT {
            wrong.push(format!(
                "{id}: {expression} in {zone} after {after} ({why})\n  expected {expected}\n  got      {answer} in {elapsed:?}"
            ));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{} of {count} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 460);
}

#[test]
fn heavy_expressions_are_answered_or_refused_at_once() {
    let million_zeros = format!("{}0 * * * *", "0,".repeat(1_000_000));
    let longest_list = format!("{}0 0 29 2 */7", "0,".repeat(121));
    for expression in [
        ", * * * *",
        "0 , * * *",
        "0 0 31 2,4,6,9,11 *",
        million_zeros.as_str(),
        longest_list.as_str(),
        "59 23 29 2 */7",
        "*/5 2 8-14 3 */7",
        "0-59 0-23 29 2 0-7",
    ] {
        for (zone, after) in [
            ("UTC", "1970-01-01T00:00:00Z"),
            ("America/New_York", "2026-03-08T06:30:00Z"),
            ("Africa/Casablanca", "2096-03-01T00:00:00Z"),
            ("Pacific/Apia", "2011-12-30T09:59:59Z"),
            ("Antarctica/Troll", "9999-12-30T21:59:59Z"),
        ] {
            let started = Instant::now();
            answer(expression, zone, after);
            assert!(started.elapsed() < TIME_LIMIT, "{expression:.40} in {zone}");
        }
    }
}
