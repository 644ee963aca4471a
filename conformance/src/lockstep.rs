//! Lockstep: every command goes to the model and to the store, and both must agree.

use horarium_core::ledger::{Command, Ledger, Reply, Rows};
use horarium_core::recurrence::ZoneData;
use horarium_core::store::Store;
use horarium_core::words::Timestamp;

use crate::Specimen;
use crate::coverage::Coverage;
use crate::generate::Generator;
use crate::reading::{Snapshot, compare};

/// A command, when it was given, and the zone data of the process that gave it.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) now: Timestamp,
    pub(crate) zones: ZoneData,
    pub(crate) command: Command,
}

/// How model and store came apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Split {
    /// They answered differently, or the store did not answer.
    Reply {
        expected: Box<Reply>,
        /// What the store said, or its error.
        found: String,
    },
    /// Their rows differ, or the store's cannot be read.
    Rows { differences: Vec<String> },
    /// The store showed people something else: the question and both answers.
    Reading(String),
}

/// Model and store, side by side.
pub(crate) struct Pair<'a, S> {
    model: Ledger,
    store: &'a S,
    now: Timestamp,
}

impl<'a, S: Specimen> Pair<'a, S> {
    pub(crate) fn new(store: &'a S) -> Self {
        Self { model: Ledger::new(), store, now: Timestamp::EPOCH }
    }

    pub(crate) const fn model(&self) -> &Ledger {
        &self.model
    }

    /// Gives both the same command.
    pub(crate) async fn step(
        &mut self,
        Step { now, zones, command }: &Step,
        coverage: &mut Coverage,
    ) -> Result<(), Split> {
        let before = self.model.clone();
        self.model.set_zone_data(zones.clone());
        let handled = self.model.handle(*now, command);
        coverage.count(&before, command, &handled.reply, &handled.events);
        self.now = *now;
        self.store.set_clock(*now);
        let found = self.store.store(zones).submit(command).await;
        if found.as_ref() != Ok(&handled.reply) {
            return Err(Split::Reply {
                expected: Box::new(handled.reply),
                found: found.map_or_else(|error| error.to_string(), |reply| format!("{reply:?}")),
            });
        }
        let found = self.rows().await?;
        if found != *self.model.rows() {
            return Err(Split::Rows { differences: differences(self.model.rows(), &found) });
        }
        Ok(())
    }

    /// Asks both what people ask.
    pub(crate) async fn read(&self) -> Result<(), Split> {
        let snapshot = Snapshot { now: self.now, rows: self.model.rows().clone() };
        compare(&self.store.store(&ZoneData::bundled()), &snapshot).await.map_err(Split::Reading)
    }

    /// Makes the model anew from the store's rows, as deep as they are. Its indexes must come out
    /// as they were.
    pub(crate) async fn start_over(&mut self) -> Result<(), Split> {
        let anew = Ledger::from_rows(self.rows().await?);
        if anew != self.model {
            let differences = vec![String::from("a ledger made from these rows has other indexes")];
            return Err(Split::Rows { differences });
        }
        self.model = anew;
        Ok(())
    }

    async fn rows(&self) -> Result<Rows, Split> {
        let rows = self.store.dump().await;
        rows.map_err(|error| Split::Rows { differences: vec![error.to_string()] })
    }
}

/// Runs one sequence of `length` commands. When model and store come apart, the steps up to and
/// with the one that did it come back with how.
pub(crate) async fn sequence<S: Specimen>(
    store: &S,
    seed: u64,
    length: usize,
    coverage: &mut Coverage,
) -> Result<(), (Vec<Step>, Split)> {
    let mut generator = Generator::from_seed(seed);
    let mut pair = Pair::new(store);
    let mut steps = Vec::with_capacity(length);
    while steps.len() < length {
        let step = generator.next(pair.model());
        let times = if generator.answer_is_lost() { 2 } else { 1 };
        for _ in 0..times {
            steps.push(step.clone());
            if let Err(split) = pair.step(&step, coverage).await {
                return Err((steps, split));
            }
        }
        if generator.starts_over()
            && let Err(split) = pair.start_over().await
        {
            return Err((steps, split));
        }
    }
    match pair.read().await {
        Ok(()) => Ok(()),
        Err(split) => Err((steps, split)),
    }
}

/// Runs given steps on a new store, and says where and how they split, if they do.
pub(crate) async fn replay<S: Specimen>(
    store: &S,
    steps: &[Step],
    coverage: &mut Coverage,
) -> Option<(usize, Split)> {
    let mut pair = Pair::new(store);
    for (index, step) in steps.iter().enumerate() {
        if let Err(split) = pair.step(step, coverage).await {
            return Some((index, split));
        }
    }
    let split = pair.read().await.err()?;
    Some((steps.len().saturating_sub(1), split))
}

/// What is different, row by row.
pub(crate) fn differences(expected: &Rows, found: &Rows) -> Vec<String> {
    let mut lines = Vec::new();
    let mut compare = |what: &str, expected: Vec<String>, found: Vec<String>| {
        let missing = expected.iter().filter(|row| !found.contains(row));
        lines.extend(missing.map(|row| format!("{what} expected: {row}")));
        let extra = found.iter().filter(|row| !expected.contains(row));
        lines.extend(extra.map(|row| format!("{what} found:    {row}")));
    };
    compare("sequences", shown([expected.sequences]), shown([found.sequences]));
    compare("zone data", shown(expected.zone_data), shown(found.zone_data));
    compare("leadership", shown(&expected.leadership), shown(&found.leadership));
    compare("runner", shown(expected.runners.values()), shown(found.runners.values()));
    compare("worker", shown(&expected.workers), shown(&found.workers));
    compare("run", shown(expected.runs.values()), shown(found.runs.values()));
    compare("occurrence", shown(expected.occurrences.values()), shown(found.occurrences.values()));
    compare("catalogue", shown(&expected.catalogue), shown(&found.catalogue));
    lines
}

fn shown<T: std::fmt::Debug>(rows: impl IntoIterator<Item = T>) -> Vec<String> {
    rows.into_iter().map(|row| format!("{row:?}")).collect()
}
