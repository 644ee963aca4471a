//! Recurrence: when a schedule comes due.
//!
//! Promises: a [`Recurrence`] is valid once it exists and carries its own time zone; the question
//! "when next?" is total, bounded and strictly later than asked; what a clock change does follows
//! one law (`clock_change`), and [`Recurrence::preview`] marks where it did.
//!
//! The kinds of rules are `once`, `cron` and, by RFC 5545, `rrule`. `zone_data` holds the rules of
//! all zones, of one `zone_release`; `zone` is one of them, `zone_name` how it is written, `wall`
//! what its clock shows, `bits` a list of small numbers; `wording` is a rule in English, `advice`
//! what may surprise in it.

mod advice;
mod bits;
mod clock_change;
mod cron;
mod once;
mod piece;
mod preview;
mod rrule;
mod text;
mod wall;
mod wording;
mod zone;
mod zone_data;
mod zone_name;
mod zone_release;

pub use advice::Advice;
pub use clock_change::Pace;
pub use cron::{Cron, CronError, CronField, CronProblem, CronRule, NeverFires, UnevenStep};
pub use once::Once;
pub use preview::{Mark, Preview};
pub use rrule::{
    Dates, Frequency, IcsError, IcsProblem, LocalTime, LocalTimeError, MOST_STEPS, Rrule,
    RruleError, RruleKey, RruleNeverFires, RruleProblem, RruleRule, RruleTooCostly, TooManyDates,
};
pub use text::{RecurrenceKind, WrittenRecurrence};
pub use wall::{Wall, WallParseError};
pub use zone::{UtcOffset, Zone};
pub use zone_data::{ZoneData, ZoneDataError};
pub use zone_name::ZoneError;
pub use zone_release::{ZoneRelease, ZoneReleaseError};

use std::borrow::Cow;

use serde::Serialize;

use crate::words::time::Timestamp;

/// When a schedule comes due. Equal, ordered and hashed by kind, text and zone name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "WrittenRecurrence")]
pub enum Recurrence {
    /// At one instant.
    Once(Once),
    /// By the five fields of crontab(5).
    Cron(CronRule),
    /// By an RRULE of RFC 5545.
    Rrule(RruleRule),
}

/// A due instant and the wall-clock time that named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Occasion {
    /// When it is due.
    pub at: Timestamp,
    /// The named time. It differs from what the clock shows at `at` when a gap moved it; of
    /// several merged into one run it is the latest.
    pub wall: Wall,
    /// For a rule with COUNT, how many of the rule's instants lie at or before it. A later search
    /// that is given this occasion counts on from here, instead of from the rule's start.
    pub ordinal: Option<u32>,
}

/// Why a text is no [`Recurrence`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecurrenceError {
    /// The cron expression is malformed, or names no date of any year.
    #[error("cron expression, {0}")]
    Cron(#[from] CronError),
    /// The cron rule names times, but none that exists in its zone.
    #[error(transparent)]
    NeverFires(#[from] NeverFires),
    /// The text of the RRULE is malformed.
    #[error("RRULE, {0}")]
    Rrule(#[from] RruleError),
    /// DTSTART, an RDATE or an EXDATE is none.
    #[error(transparent)]
    LocalTime(#[from] LocalTimeError),
    /// The RRULE has no instant.
    #[error(transparent)]
    RruleNeverFires(#[from] RruleNeverFires),
    /// The RRULE has a COUNT that costs too much to keep.
    #[error("RRULE, {0}")]
    RruleTooCostly(#[from] RruleTooCostly),
    /// More RDATEs and EXDATEs than a rule may have.
    #[error(transparent)]
    TooManyDates(#[from] TooManyDates),
    /// The iCalendar lines are none of a rule.
    #[error(transparent)]
    Ics(#[from] IcsError),
    /// The zone is none.
    #[error(transparent)]
    Zone(#[from] ZoneError),
    /// The instant is none.
    #[error(transparent)]
    Instant(#[from] crate::words::time::TimestampParseError),
}

impl RecurrenceError {
    /// The column at fault in the rule's own text, from 1, where one is.
    pub fn column(&self) -> Option<usize> {
        match self {
            Self::Cron(error) => Some(error.column),
            Self::Rrule(error) => Some(error.column),
            Self::RruleTooCostly(error) => Some(error.column),
            Self::NeverFires(_)
            | Self::LocalTime(_)
            | Self::RruleNeverFires(_)
            | Self::TooManyDates(_)
            | Self::Ics(_)
            | Self::Zone(_)
            | Self::Instant(_) => None,
        }
    }
}

/// A computed occasion that does not lie after the question: a fault of this program, never of
/// the schedule's author. The schedule is to be disabled with it, never asked again in a loop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the occasion after {after} was computed as {at}, which is not later: please report this")]
pub struct NotLater {
    /// The question.
    pub after: Timestamp,
    /// The answer.
    pub at: Timestamp,
}

impl Recurrence {
    /// The rule of a cron expression in `zone`. A rule that can never fire is refused.
    pub fn cron(expression: &str, zone: Zone) -> Result<Self, RecurrenceError> {
        Ok(Self::Cron(CronRule::new(expression.parse()?, zone)?))
    }

    /// The RRULE `rule` from `dtstart` on, in `zone`. A rule that has no instant is refused, and one
    /// whose COUNT costs too much ([`MOST_STEPS`]). With RDATE and EXDATE it is a [`RruleRule::new`].
    pub fn rrule(rule: &str, dtstart: LocalTime, zone: Zone) -> Result<Self, RecurrenceError> {
        Ok(Self::Rrule(RruleRule::new(rule.parse()?, dtstart, zone, Dates::default())?))
    }

    /// The rule of the iCalendar lines DTSTART, RRULE, RDATE and EXDATE.
    pub fn ics(lines: &str, zones: &ZoneData) -> Result<Self, RecurrenceError> {
        Ok(Self::Rrule(RruleRule::from_ics(lines, zones)?))
    }

    /// One instant, shown in `zone`.
    pub fn once(at: Timestamp, zone: Zone) -> Self {
        Self::Once(Once::new(at, zone))
    }

    /// The same rule, its zone by these data.
    pub fn in_data(&self, zones: &ZoneData) -> Result<Self, RecurrenceError> {
        if self.zone().is_of(zones) {
            return Ok(self.clone());
        }
        let zone = zones.zone(self.zone().name())?;
        match self {
            Self::Once(once) => Ok(Self::once(once.at(), zone)),
            Self::Cron(rule) => Ok(Self::Cron(CronRule::new(rule.cron().clone(), zone)?)),
            Self::Rrule(rule) => {
                let (rrule, dates) = (rule.rrule().clone(), rule.dates().clone());
                Ok(Self::Rrule(RruleRule::saved(rrule, rule.dtstart(), zone, dates)?))
            }
        }
    }

    /// The first occasion strictly later than `after`; `None` when there is none within a hundred
    /// years.
    ///
    /// A fixed-time rule gives none whose wall-clock time is `last_wall` or earlier, so that new
    /// zone data cannot make it repeat one; other rules ignore `last_wall`.
    pub fn next_after(&self, after: Timestamp, last_wall: Option<Wall>) -> Option<Occasion> {
        self.checked_next_after(after, last_wall, None).ok().flatten()
    }

    /// [`next_after`](Self::next_after), telling a fault of the computation from an end of the
    /// series. A rule with COUNT counts on from `known`, an earlier occasion of its own; without
    /// one it counts from its start.
    pub fn checked_next_after(
        &self,
        after: Timestamp,
        last_wall: Option<Wall>,
        known: Option<Occasion>,
    ) -> Result<Option<Occasion>, NotLater> {
        let next = match self {
            Self::Once(once) => once.next_after(after),
            Self::Cron(rule) => rule.next_after(after, last_wall),
            Self::Rrule(rule) => rule.next_after(after, last_wall, known),
        };
        match next {
            Some(occasion) if occasion.at <= after => Err(NotLater { after, at: occasion.at }),
            Some(_) | None => Ok(next),
        }
    }

    /// The occasions after `after`, one after the other.
    pub fn occasions_after(&self, after: Timestamp) -> impl Iterator<Item = Occasion> {
        let next = |after, known| self.checked_next_after(after, None, known).ok().flatten();
        std::iter::successors(next(after, None), move |known| next(known.at, Some(*known)))
    }

    /// The next `count` occasions after `after`, with what clock changes did to them.
    pub fn preview(&self, after: Timestamp, count: usize) -> Vec<Preview> {
        preview::previews(self, after).take(count).collect()
    }

    /// The zone in which the rule is read.
    pub fn zone(&self) -> &Zone {
        match self {
            Self::Once(once) => once.zone(),
            Self::Cron(rule) => rule.zone(),
            Self::Rrule(rule) => rule.zone(),
        }
    }

    /// The rule without its zone: the cron expression or the RRULE as typed, or the instant in
    /// RFC 3339.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Once(once) => Cow::Owned(once.at().to_string()),
            Self::Cron(rule) => Cow::Borrowed(rule.cron().text()),
            Self::Rrule(rule) => Cow::Borrowed(rule.rrule().text()),
        }
    }

    /// What the rule says, in English: `at 02:30 on Monday to Friday, Europe/Berlin time`.
    pub fn in_words(&self) -> String {
        wording::in_words(self)
    }

    /// Which language the rule is written in.
    pub fn kind(&self) -> RecurrenceKind {
        match self {
            Self::Once(_) => RecurrenceKind::Once,
            Self::Cron(_) => RecurrenceKind::Cron,
            Self::Rrule(_) => RecurrenceKind::Rrule,
        }
    }
}
