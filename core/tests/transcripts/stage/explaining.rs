//! Somebody asks why a worker runs or does not.

use horarium_core::explain::{Scene, Standing, explain, explain_at};
use horarium_core::run::Run;
use horarium_core::schedule::Occurrence;
use horarium_core::words::Timestamp;

use super::{Stage, worker};

impl Stage {
    /// Why does the worker not run now?
    pub(crate) fn why(&mut self, name: &str) {
        self.line(&format!("ada asks why {name} does not run"));
        for finding in self.with_scene(name, explain) {
            let sign = match finding.standing() {
                Standing::Holds => "ok",
                Standing::Waits => "wait",
                Standing::Fails => "FAILS",
            };
            self.under(sign, &finding.to_string());
            if let Some(remedy) = finding.remedy() {
                self.under("", &format!("remedy: {remedy}"));
            }
        }
    }

    /// What became of an instant, written like `03-02 10:00:00`?
    pub(crate) fn why_at(&mut self, name: &str, instant: &str) {
        let (day, time) = instant.split_once(' ').unwrap();
        let at: Timestamp = format!("2026-{day}T{time}Z").parse().unwrap();
        let answer = self.with_scene(name, |scene| explain_at(scene, at));
        self.line(&format!("ada asks about {name} at {at}: {answer}"));
    }

    fn with_scene<T>(&self, name: &str, ask: impl Fn(&Scene<'_>) -> T) -> T {
        let rows = self.ledger.rows();
        let worker = worker(name);
        let runners: Vec<_> = rows.runners.values().cloned().collect();
        let held: Vec<Run> = self.ledger.running().cloned().collect();
        let of_worker = rows.occurrences.values().filter(|row| row.worker == worker);
        let occurrences: Vec<Occurrence> = of_worker.rev().cloned().collect();
        ask(&Scene {
            now: self.now,
            worker: &worker,
            row: rows.workers.get(&worker),
            slot: self.ledger.slot(&worker),
            occurrences: &occurrences,
            runners: &runners,
            held: &held,
            leadership: rows.leadership.as_ref(),
        })
    }
}
