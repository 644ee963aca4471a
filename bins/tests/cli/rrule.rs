//! RRULEs on the command line: `next` and `schedule set`.

use serde_json::{Value, json};

use crate::program::{Program, assert_said};

const CASES: &str = include_str!("../../../core/tests/cases/rrule.tsv");

const LINES: &str = "DTSTART;TZID=Europe/Berlin:20260330T090000\r\n\
                     RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,\r\n TH,FR;BYSETPOS=-1\r\n\
                     EXDATE;TZID=Europe/Berlin:20260430T090000\r\n";

#[test]
fn a_preview_marks_what_clock_changes_do() {
    let program = Program::without_store();
    let next = |rule, dtstart, after| {
        program.run(&[
            "next",
            "--rrule",
            rule,
            "--dtstart",
            dtstart,
            "--tz",
            "Europe/Berlin",
            "--after",
            after,
            "--count",
            "3",
        ])
    };
    let nightly = "2026-01-01T02:30";
    insta::assert_snapshot!(next("FREQ=DAILY", nightly, "2026-03-28T00:00:00Z"));
    insta::assert_snapshot!(next("FREQ=HOURLY", "20260101T003000", "2026-10-25T00:00:00Z"));
    let ended = next("FREQ=MONTHLY;BYDAY=-1SU;COUNT=3", nightly, "2026-03-01T00:00:00Z");
    assert!(ended.stdout.ends_with("the series ends here\n"), "{ended}");
}

#[test]
fn a_rule_may_be_the_lines_of_a_calendar() {
    let program = Program::without_store();
    program.write("rule.ics", LINES);
    let question = ["--after", "2026-03-30T00:00:00Z", "--count", "2", "-o", "json"];
    let from_file = program.run(&[&["next", "--ics", "rule.ics"], &question[..]].concat());
    let view: Value = serde_json::from_str(&from_file.stdout).unwrap();
    assert_eq!(
        view["recurrence"],
        json!({
            "kind": "rrule", "rrule": "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            "dtstart": "2026-03-30T09:00", "timezone": "Europe/Berlin",
            "exdate": ["2026-04-30T09:00"],
        })
    );
    assert_eq!(view["next"][0]["local"], "2026-03-31T09:00:00+02:00");
    assert_eq!(view["next"][1]["local"], "2026-05-29T09:00:00+02:00");
    let question = [&["next", "--ics", "-"], &question[..]].concat();
    assert_eq!(program.run_on(LINES.as_bytes(), &question).stdout, from_file.stdout);
}

#[test]
fn what_is_no_rule_is_shown_with_its_place() {
    let program = Program::without_store();
    program.write("faulty.ics", "DTSTART:20260101T090000Z\nRRULE:FREQ=DAILY;BYHOUR=25\n");
    let rrule = |rule| ["next", "--rrule", rule, "--dtstart", "2026-01-01T09:00", "--tz", "UTC"];
    let said: Vec<String> = [
        &rrule("FREQ=DAILY;BYHOUR=9,24")[..],
        &rrule("FREQ=SECONDLY"),
        &rrule("RRULE:FREQ=DAILY"),
        &rrule("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30"),
        &["next", "--rrule", "FREQ=DAILY", "--tz", "UTC"],
        &["next", "--rrule", "FREQ=DAILY", "--dtstart", "2026-01-01T09:00"],
        &["next", "--rrule", "FREQ=DAILY", "--dtstart", "2026-01-01", "--tz", "UTC"],
        &["next", "--cron", "@daily", "--dtstart", "2026-01-01T09:00", "--tz", "UTC"],
        &["next", "--cron", "@daily", "--ics", "faulty.ics", "--tz", "UTC"],
        &["next", "--ics", "faulty.ics"],
        &["next", "--ics", "nowhere.ics"],
        &["next"],
    ]
    .into_iter()
    .map(|arguments| format!("$ horarium {}\n{}", arguments.join(" "), program.run(arguments)))
    .collect();
    assert_said!(said.join("\n"));
}

#[test]
fn a_schedule_may_recur_by_an_rrule() {
    let program = Program::with_catalogue();
    program.write("rule.ics", &LINES.replace("2026", "2098"));
    let said = program.run(&[
        "schedule",
        "set",
        "greeting",
        "--rrule",
        "FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
        "--dtstart",
        "2098-01-01T02:30",
        "--tz",
        "Europe/Berlin",
    ]);
    assert_said!(said);
    let view = program.json(&["schedule", "show", "greeting"]);
    assert_eq!(
        view["recurrence"],
        json!({
            "kind": "rrule", "rrule": "FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
            "dtstart": "2098-01-01T02:30", "timezone": "Europe/Berlin",
        })
    );
    assert_eq!(view["next_run_at"], "2098-03-30T01:00:00Z");
    assert_eq!(program.run(&["schedule", "set", "failing", "--ics", "rule.ics"]).status, 0);
    assert_said!(program.run(&["schedule", "list", "--tz", "UTC"]));
}

/// The table's escapes are those of JSON.
fn unescape(text: &str) -> String {
    serde_json::from_str(&format!("\"{}\"", text.replace('"', "\\\""))).unwrap()
}

/// An answer as the table's column `expected` has it.
fn as_in_the_table(answer: &Value) -> String {
    if answer.get("error").is_some() {
        return String::from("error");
    }
    let next = answer["next"].as_array().unwrap();
    let mut instants: Vec<&str> = next.iter().map(|at| at.as_str().unwrap()).collect();
    if answer.get("exhausted").is_some() {
        instants.push("exhausted");
    }
    instants.join(",")
}

#[test]
fn the_batch_answers_every_row_of_the_case_table() {
    let rows: Vec<Vec<&str>> = CASES.lines().skip(1).map(|row| row.split('\t').collect()).collect();
    let mut questions = String::new();
    for row in &rows {
        let question = json!({
            "id": row[0], "kind": row[1], "expression": unescape(row[2]), "timezone": row[3],
            "dtstart": row[4], "after": row[5], "count": 5,
        });
        questions += &question.to_string();
        questions.push('\n');
    }
    let said = Program::without_store().run_on(questions.as_bytes(), &["next", "--batch", "-"]);
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    let answers: Vec<Value> =
        said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), rows.len());
    for (row, answer) in rows.iter().zip(&answers) {
        let (id, expected) = (row[0], row[6]);
        assert_eq!(answer["id"], id);
        let got = as_in_the_table(answer);
        // Refusing a rule that never fires is as right as an empty series.
        let right = got == expected || expected == "exhausted" && got == "error";
        assert!(right, "{id}: expected {expected}, got {answer}");
    }
}

#[test]
fn the_batch_takes_a_start_in_either_form_and_needs_one() {
    let ask = |dtstart: Value| {
        let question = json!({
            "id": 1, "kind": "rrule", "expression": "FREQ=DAILY", "timezone": "UTC",
            "dtstart": dtstart, "after": "2026-01-01T00:00:00Z", "count": 1,
        });
        let line = question.to_string();
        let said = Program::without_store().run_on(line.as_bytes(), &["next", "--batch", "-"]);
        serde_json::from_str::<Value>(&said.stdout).unwrap()
    };
    for dtstart in ["20260101T090000", "2026-01-01T09:00", "2026-01-01T09:00:00"] {
        assert_eq!(ask(json!(dtstart))["next"][0], "2026-01-01T09:00:00Z");
    }
    for dtstart in [Value::Null, json!("20260101"), json!("20260101T090000Z")] {
        let answer = ask(dtstart);
        assert!(answer["error"].as_str().unwrap().starts_with("dtstart: "), "{answer}");
    }
}
