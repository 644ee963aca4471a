//! What `docs/evidence.md` notes, measured. These take minutes and want a quiet machine, so they
//! run only when asked for:
//!
//! ```sh
//! cargo test --release -p horarium --test evidence -- --ignored --nocapture --test-threads=1
//! ```

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may

mod daemons;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use horarium::catalogue_file::CatalogueFile;
use horarium_core::ledger::Rows;
use horarium_core::ledger::audit::check;
use horarium_core::run::RunStatus;
use horarium_core::schedule::Plan;
use horarium_core::words::{Timestamp, WorkerName};
use horarium_sqlite::{OpenOptions, SqliteStore};
use rustix::process::Signal;

use daemons::{Daemon, comes_true, text_of};

/// How long the crontab is served.
const SERVED: Duration = Duration::from_secs(290);
/// How long an idle daemon is watched.
const WATCHED: Duration = Duration::from_mins(2);
/// Linux counts a process's time in hundredths of a second.
const TICKS_PER_SECOND: u64 = 100;

/// `horarium up` on a catalogue file and a ledger in `directory`.
fn up(directory: &Path, catalogue: &str) -> Daemon {
    let file = directory.join("catalogue.toml");
    std::fs::write(&file, catalogue).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_horarium"));
    command.arg("up").arg(file).arg("--store").arg(directory.join("ledger.db"));
    let mut up = Daemon::start(command, directory.join("up.log"));
    up.hear("scheduler leads");
    up
}

fn stop(mut up: Daemon) {
    up.signal(Signal::TERM);
    assert!(up.end().success(), "{}", up.said());
}

fn rows(directory: &Path) -> Rows {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = OpenOptions::new(directory.join("ledger.db"));
        SqliteStore::open(&options).await.unwrap().dump().await.unwrap()
    })
}

/// Thirty schedules: most every minute, the others every second, third and fifth, in four zones.
fn crontab() -> String {
    const ZONES: [&str; 4] = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"];
    let mut text = String::from(
        "[handler.quick]\ncommand = [\"true\"]\n[handler.slow]\ncommand = [\"sleep\", \"5\"]\n",
    );
    for n in 0..30 {
        let handler = if n % 5 == 0 { "slow" } else { "quick" };
        let cron = match n {
            0..20 => "* * * * *",
            20..25 => "*/2 * * * *",
            25..28 => "*/3 * * * *",
            _ => "*/5 * * * *",
        };
        let zone = ZONES[n % ZONES.len()];
        write!(text, "[schedule.\"{handler}:{n}\"]\ncron = \"{cron}\"\ntimezone = \"{zone}\"\n")
            .unwrap();
    }
    text
}

/// The instants of a plan after `from`, up to `until`.
fn instants(plan: &Plan, from: Timestamp, until: Timestamp) -> Vec<Timestamp> {
    let mut found = Vec::new();
    let mut at = from;
    while let Some(next) = plan.recurrence.next_after(at, None).filter(|next| next.at <= until) {
        at = next.at;
        found.push(at);
    }
    found
}

/// Least, median, 99th percentile and most, in milliseconds.
fn spread(mut micros: Vec<u64>) -> String {
    micros.sort_unstable();
    let at = |permille: usize| micros[(micros.len() - 1) * permille / 1_000] / 1_000;
    format!("least {} ms, median {} ms, 99 % {} ms, most {} ms", at(0), at(500), at(990), at(1_000))
}

#[test]
#[ignore = "takes five minutes"]
fn each_due_instant_of_a_crontab_has_one_occurrence() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let text = crontab();
    let file = CatalogueFile::parse("crontab", directory, &text, None).unwrap();
    let daemon = up(directory, &text);
    std::thread::sleep(SERVED);
    stop(daemon);

    let rows = rows(directory);
    assert_eq!(check(&rows), []);
    let until = rows.leadership.as_ref().unwrap().last_tick;
    let (mut due, mut recorded, mut started) = (0, Vec::new(), Vec::new());
    for (worker, schedule) in &file.schedules {
        let from = rows.workers[worker].schedule.as_ref().unwrap().changed_at;
        let instants = instants(&schedule.plan, from, until);
        let found: Vec<Timestamp> = occurrences_of(&rows, worker);
        assert_eq!(found, instants, "{worker}");
        due += instants.len();
    }
    for occurrence in rows.occurrences.values() {
        recorded.push(occurrence.recorded_at.since(occurrence.scheduled_for).micros());
        let run = occurrence.chain.as_ref().and_then(|chain| rows.runs.get(&chain.last_run));
        if let Some(RunStatus::Ended(end)) = run.map(|run| &run.status)
            && let Some(start) = end.hold.as_ref().and_then(|hold| hold.started.as_ref())
        {
            started.push(start.at.since(occurrence.scheduled_for).micros());
        }
    }
    let mut fates: BTreeMap<String, u32> = BTreeMap::new();
    for occurrence in rows.occurrences.values() {
        *fates.entry(occurrence.fate.to_string()).or_default() += 1;
    }
    println!("{due} due instants, {} occurrences", rows.occurrences.len());
    println!("fates: {fates:?}");
    println!("from due to recorded: {}", spread(recorded));
    println!("from due to started:  {}", spread(started));
    assert_eq!(due, rows.occurrences.len());
}

fn occurrences_of(rows: &Rows, worker: &WorkerName) -> Vec<Timestamp> {
    let mine = rows.occurrences.keys().filter(|(owner, _)| owner == worker);
    mine.map(|(_, at)| *at).collect()
}

/// Processor time in ticks, and resident memory in kilobytes.
fn cost(pid: i32) -> (u64, u64) {
    let stat = text_of(format!("/proc/{pid}/stat").as_ref());
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().collect();
    let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    let status = text_of(format!("/proc/{pid}/status").as_ref());
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kilobytes = resident.trim().trim_end_matches(" kB").parse().unwrap();
    (ticks, kilobytes)
}

#[test]
#[ignore = "takes two minutes"]
fn a_hundred_schedules_with_nothing_due_cost_next_to_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mut text = String::from("[handler.quick]\ncommand = [\"true\"]\n");
    for n in 0..100 {
        // A day on which hardly anybody measures.
        let cron = format!("{} {} 29 2 *", n % 60, n % 24);
        write!(text, "[schedule.\"quick:{n}\"]\ncron = \"{cron}\"\ntimezone = \"UTC\"\n").unwrap();
    }
    let daemon = up(directory.path(), &text);
    assert!(comes_true(|| daemon.runner().is_some()));
    let processes = [daemon.process().unwrap(), daemon.runner().unwrap()];
    // What a start costs is another matter.
    std::thread::sleep(Duration::from_secs(15));
    let before = processes.map(|process| cost(process.pid));
    std::thread::sleep(WATCHED);
    let after = processes.map(|process| cost(process.pid));
    let ticks: u64 = after.iter().zip(&before).map(|(after, before)| after.0 - before.0).sum();
    let kilobytes: u64 = after.iter().map(|(_, kilobytes)| kilobytes).sum();
    let [guard, runner] = after.map(|(_, kilobytes)| kilobytes);
    let permille = ticks * 1_000 / (WATCHED.as_secs() * TICKS_PER_SECOND);
    println!("{ticks} ticks in {WATCHED:?}: {permille} ‰ of a core");
    println!("resident: guard {guard} kB, runner {runner} kB");
    stop(daemon);
    assert!(rows(directory.path()).runs.is_empty(), "something was due");
    assert!(permille < 10, "more than 1 % of a core");
    assert!(kilobytes < 50 * 1_024, "more than 50 MB");
}
