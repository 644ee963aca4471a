//! `horarium next`, which needs no store.

use serde_json::{Value, json};

use crate::program::Program;

const CASES: &str = include_str!("../../../core/tests/cases/cron.tsv");

#[test]
fn clock_changes_are_marked() {
    let program = Program::without_store();
    let next = |arguments: &[&str]| program.run(&[&["next"], arguments].concat());
    insta::assert_snapshot!(next(&[
        "--cron",
        "30 2 * * *",
        "--tz",
        "Europe/Berlin",
        "--after",
        "2026-03-28T00:00:00Z",
        "--count",
        "3",
    ]));
    insta::assert_snapshot!(next(&[
        "--cron",
        "*/20 * * * *",
        "--tz",
        "America/New_York",
        "--after",
        "2026-11-01T05:30:00Z",
        "--count",
        "6",
    ]));
    let json = next(&[
        "--cron",
        "0 2 29 2 *",
        "--tz",
        "UTC",
        "--after",
        "9990-01-01T00:00:00Z",
        "-o",
        "json",
    ]);
    let view: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(view["exhausted"], true);
    assert_eq!(view["next"][0]["local"], "9992-02-29T02:00:00+00:00");
}

#[test]
fn the_zone_may_come_from_the_environment() {
    let program = Program::without_store();
    let arguments = ["next", "--cron", "@daily", "--after", "2026-07-01T00:00:00Z", "-o", "json"];
    let said = program.run_with(&[("HORARIUM_TIMEZONE", "Asia/Tokyo")], &arguments);
    let view: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(view["next"][0]["at"], "2026-07-01T15:00:00Z");
}

/// The table's escapes: `\t`, `\n`, `\r`, `\uXXXX`, and `{{text*N}}` for a repeated text.
fn unescape(text: &str) -> String {
    if let Some((before, rest)) = text.split_once("{{") {
        let (repeated, after) = rest.split_once("}}").unwrap();
        let (body, count) = repeated.rsplit_once('*').unwrap();
        let body = unescape(body).repeat(count.parse().unwrap());
        return unescape(before) + &body + &unescape(after);
    }
    // The other escapes are those of JSON.
    let quoted = format!("\"{}\"", text.replace('"', "\\\""));
    serde_json::from_str(&quoted).unwrap()
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
            "dtstart": null, "after": row[5], "count": 5,
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
fn the_batch_answers_every_line_whatever_it_holds() {
    let mut questions = Vec::new();
    for line in [
        r#"{"id":1,"kind":"cron","expression":"@daily","timezone":"UTC","dtstart":null,"after":"2026-01-01T00:00:00Z","count":2}"#,
        "no json",
        "",
        "[]",
        r#"{"id":"two"}"#,
        r#"{"id":3,"kind":"rrule","expression":"FREQ=DAILY","timezone":"UTC","dtstart":"20260101T000000","after":"2026-01-01T00:00:00Z","count":2}"#,
        r#"{"id":4,"kind":"cron","expression":"61 * * * *","timezone":"UTC","dtstart":null,"after":"2026-01-01T00:00:00Z","count":2}"#,
        r#"{"id":5,"kind":"cron","expression":"@daily","timezone":"Mars/Base","dtstart":null,"after":"2026-01-01T00:00:00Z","count":2}"#,
        r#"{"id":6,"kind":"cron","expression":"@daily","timezone":"UTC","dtstart":null,"after":"soon","count":2}"#,
        r#"{"id":7,"kind":"cron","expression":"@daily","timezone":"UTC","dtstart":null,"after":"2026-01-01T00:00:00Z","count":0}"#,
        r#"{"id":8,"kind":"cron","expression":"@daily","timezone":"UTC","dtstart":null,"after":"2026-01-01T00:00:00Z","count":-1}"#,
    ] {
        questions.extend_from_slice(line.as_bytes());
        questions.push(b'\n');
    }
    questions.extend_from_slice(b"{\"id\":\"\xff\"}\n");
    questions.extend(std::iter::repeat_n(b'x', 5 * 1024 * 1024));
    questions.extend_from_slice(b"\n{\"id\":\"last, without a line's end\"}");
    let said = Program::without_store().run_on(&questions, &["next", "--batch", "-"]);
    insta::assert_snapshot!(said);
}

#[test]
fn the_batch_may_be_a_file() {
    let program = Program::without_store();
    program.write("questions", "{\"id\":1}\n");
    let said = program.run(&["next", "--batch", "questions"]);
    assert_eq!((said.status, said.stdout.lines().count()), (0, 1));
    assert_eq!(program.run(&["next", "--batch", "nowhere"]).status, 2);
}
