//! The store of a world: the ledger itself, watched at every step.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use horarium_core::ledger::audit::{self, Audit};
use horarium_core::ledger::{Command, Handled, Ledger, Rows};
use horarium_core::words::{Span, Timestamp, WorkerName};

use crate::breach::{Breach, Law};
use crate::calendar::Releases;
use crate::check::history::{self, Change, Step};
use crate::check::{Conservation, History, Occurrences, thorough};
use crate::clock::Time;
use crate::coverage::{self, Coverage};
use crate::digest::Digest;
use crate::facts::Facts;
use crate::sabotage::Sabotage;
use crate::witness;

/// The fold law costs a copy of the ledger: it is looked at every so many commands.
const FOLD_EVERY: u64 = 61;
/// The rows at rest are looked at every so many commands.
const CHECK_EVERY: u64 = 307;

/// How often a backup is taken, where that matters.
const BACK_UP_EVERY: Span = Span::from_secs(45);

/// A ledger and who watches it.
#[derive(Debug)]
pub struct Store {
    ledger: Ledger,
    audit: Audit,
    /// Breaches of these are passed over.
    weakened: &'static [Law],
    /// Those that were.
    passed_over: BTreeSet<Law>,
    occurrences: Occurrences,
    conservation: Conservation,
    /// Every change, in the store's own order.
    order: Vec<Step>,
    backups: Option<Backups>,
    sabotage: Option<Sabotage>,
    handled: u64,
    digest: Digest,
}

/// The backups of a store.
#[derive(Debug, Default)]
struct Backups {
    taken: Vec<Backup>,
    next: Time,
}

/// What was at one time, and what its watchers knew.
#[derive(Debug)]
struct Backup {
    ledger: Ledger,
    occurrences: Occurrences,
    conservation: Conservation,
}

impl Store {
    /// An empty store, perhaps a broken one, in a world in which some laws may be weakened.
    pub fn new(sabotage: Option<Sabotage>, weakened: &'static [Law], releases: Releases) -> Self {
        let ledger = Ledger::new();
        Self {
            audit: Audit::of(ledger.rows()),
            ledger,
            weakened,
            passed_over: BTreeSet::new(),
            occurrences: Occurrences::by(releases),
            conservation: Conservation::default(),
            order: Vec::new(),
            backups: None,
            sabotage,
            handled: 0,
            digest: Digest::default(),
        }
    }

    /// What it holds.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// How many commands it handled.
    pub const fn handled(&self) -> u64 {
        self.handled
    }

    /// Everything it ever did, in one number.
    pub fn digest(&self) -> u64 {
        self.digest.finish()
    }

    /// The same store, from which a backup is taken now and then.
    #[must_use]
    pub fn with_backups(self) -> Self {
        Self { backups: Some(Backups::default()), ..self }
    }

    /// Its backup is restored, the last but one if there are more.
    pub fn restore(&mut self) {
        let Some(backups) = &self.backups else { return };
        let which = backups.taken.len().saturating_sub(2);
        let Some(backup) = backups.taken.get(which) else { return };
        self.ledger = history::restored(&backup.ledger, &self.ledger);
        self.audit = Audit::of(self.ledger.rows());
        self.occurrences = backup.occurrences.clone();
        self.conservation = backup.conservation.clone();
        self.order.push(Step::Restored(which));
    }

    fn back_up(&mut self, at: Time) {
        let Some(backups) = &mut self.backups else { return };
        if at < backups.next {
            return;
        }
        backups.next = at.plus(BACK_UP_EVERY);
        backups.taken.push(Backup {
            ledger: self.ledger.clone(),
            occurrences: self.occurrences.clone(),
            conservation: self.conservation.clone(),
        });
        self.order.push(Step::BackUp);
    }

    /// Handles a command and looks whether it was right.
    pub fn handle(
        &mut self,
        change: Change,
        command: &Command,
        facts: &mut Facts,
        coverage: &mut Coverage,
    ) -> Result<Handled, Breach> {
        self.handled += 1;
        let before = self.handled.is_multiple_of(FOLD_EVERY).then(|| self.ledger.clone());
        self.back_up(change.at);
        let (now, locked) = (change.now, &change.locked);
        self.ledger.set_zone_data(change.zones.clone());
        let looking = witness::Before::of(&self.ledger, command, locked, now);
        let asked = coverage::Before::of(&self.ledger, command, now);
        let handled = match self.sabotage {
            Some(sabotage) => sabotage.handle(&mut self.ledger, now, command, locked),
            None => self.ledger.handle_amid(now, command, locked),
        };
        (now, command, &handled.reply, &handled.events).hash(&mut self.digest);
        if let Err(violation) = self.audit.observe(now, command, &handled) {
            self.unless_weakened(violation)?;
            // It stopped looking in the middle of the step: its memory starts anew from the rows.
            self.audit = Audit::of(self.ledger.rows());
        }
        thorough::look(&self.ledger, now, command, locked, &handled)
            .or_else(|breach| self.unless_weakened(breach))?;
        let conserved = self.conservation.observe(command, &handled);
        conserved.or_else(|breach| self.unless_weakened(breach))?;
        let expected = self.occurrences.observe(&change, command, &handled, facts);
        expected.or_else(|breach| self.unless_weakened(breach))?;
        asked.hit(locked, &handled, |cell| coverage.hit(cell));
        self.order.push(Step::Change(change));
        if let Some(before) = before {
            self.fold(before, &handled)?;
        }
        if self.handled.is_multiple_of(CHECK_EVERY) {
            self.check()?;
        }
        looking.tell(&self.ledger, command, &handled, facts);
        Ok(handled)
    }

    /// Holds its order of changes against what everybody sent and heard.
    ///
    /// A pristine ledger sees every lie of a broken store. Whether the other laws see it is what a
    /// seeded bug is there to measure, so only those that no other law can see are held to it.
    pub fn judge(&self, history: &History) -> Result<(), Breach> {
        if self.sabotage.is_some_and(|bug| !bug.laws().contains(&Law::History)) {
            return Ok(());
        }
        history.judge(&self.order, self.ledger.rows())
    }

    /// A worker whose schedule has been due for longer than `slack`, by its rule.
    pub fn overdue(&self, now: Timestamp, slack: Span) -> Option<(&WorkerName, Timestamp)> {
        self.occurrences.overdue(now, slack)
    }

    /// Looks at the rows as they are.
    pub fn check(&mut self) -> Result<(), Breach> {
        if Ledger::from_rows(self.ledger.rows().clone()) != self.ledger {
            return Err(Breach::new(Law::Fold, "the indexes do not follow from the rows"));
        }
        let conserved = self.conservation.check(self.ledger.rows());
        conserved.or_else(|breach| self.unless_weakened(breach))?;
        audit::check(self.ledger.rows())
            .into_iter()
            .try_for_each(|violation| self.unless_weakened(violation))
    }

    /// The laws that were broken and passed over.
    pub const fn passed_over(&self) -> &BTreeSet<Law> {
        &self.passed_over
    }

    fn unless_weakened(&mut self, breach: impl Into<Breach>) -> Result<(), Breach> {
        let breach = breach.into();
        if !self.weakened.contains(&breach.law) {
            return Err(breach);
        }
        self.passed_over.insert(breach.law);
        Ok(())
    }

    fn fold(&self, mut before: Ledger, handled: &Handled) -> Result<(), Breach> {
        for event in &handled.events {
            before.evolve(event);
        }
        if before == self.ledger {
            return Ok(());
        }
        let part = different_part(before.rows(), self.ledger.rows());
        Err(Breach::new(Law::Fold, format!("the fold of the events differs in {part}")))
    }
}

fn different_part(left: &Rows, right: &Rows) -> &'static str {
    if left.runs != right.runs {
        "the runs"
    } else if left.occurrences != right.occurrences {
        "the occurrences"
    } else if left.workers != right.workers {
        "the workers"
    } else if left.runners != right.runners {
        "the registry"
    } else if left.sequences != right.sequences {
        "the sequences"
    } else if left.zone_data != right.zone_data {
        "the zone data"
    } else if left == right {
        "the indexes"
    } else {
        "the catalogue or the leadership"
    }
}
