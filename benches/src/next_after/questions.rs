//! Which rules, and when they are asked.

/// A rule and the instants at which it is asked.
pub(crate) struct Question {
    /// Cron without seconds, or an RRULE.
    pub(crate) rule: &'static str,
    /// The same for the crate cron: seconds first, weekdays by name.
    pub(crate) with_seconds: Option<&'static str>,
    /// For an RRULE, from when: local time.
    pub(crate) dtstart: Option<&'static str>,
    pub(crate) zone: &'static str,
    /// In words.
    pub(crate) when: &'static str,
    /// In seconds since 1970.
    from: i64,
    step: i64,
}

impl Question {
    /// Sixteen instants.
    pub(crate) fn instants(&self) -> Vec<i64> {
        (0..16).map(|n| self.from + n * self.step).collect()
    }
}

const NEW_YORK: &str = "America/New_York";
/// 2026-01-05T12:34:17Z and sixteen times 8 days and some: one of them near each change.
const THROUGH_2026: (i64, i64) = (1_767_616_457, 1_954_321);
/// 2026-03-08T05:50:00Z, every ten minutes: around the gap of New York.
const GAP: (i64, i64) = (1_772_949_000, 600);
/// 2026-11-01T04:20:00Z, every ten minutes: around the repeated hour of New York.
const OVERLAP: (i64, i64) = (1_793_506_800, 600);

const fn cron(
    rule: &'static str,
    with_seconds: &'static str,
    zone: &'static str,
    when: &'static str,
    (from, step): (i64, i64),
) -> Question {
    Question { rule, with_seconds: Some(with_seconds), dtstart: None, zone, when, from, step }
}

const fn rrule(
    rule: &'static str,
    dtstart: &'static str,
    zone: &'static str,
    when: &'static str,
    (from, step): (i64, i64),
) -> Question {
    Question { rule, with_seconds: None, dtstart: Some(dtstart), zone, when, from, step }
}

const YEAR: &str = "through 2026";
const LATELY: &str = "20251215T093000";
const LONG_AGO: &str = "20060115T093000";

pub(crate) const QUESTIONS: [Question; 27] = [
    cron("30 2 * * *", "0 30 2 * * *", "UTC", YEAR, THROUGH_2026),
    cron("30 2 * * *", "0 30 2 * * *", NEW_YORK, YEAR, THROUGH_2026),
    cron("30 2 * * *", "0 30 2 * * *", NEW_YORK, "around a gap", GAP),
    cron("30 1 * * *", "0 30 1 * * *", NEW_YORK, "around an overlap", OVERLAP),
    cron("*/5 * * * *", "0 */5 * * * *", NEW_YORK, YEAR, THROUGH_2026),
    cron("*/5 * * * *", "0 */5 * * * *", NEW_YORK, "around a gap", GAP),
    cron("*/5 * * * *", "0 */5 * * * *", NEW_YORK, "around an overlap", OVERLAP),
    cron("0 9 * * MON-FRI", "0 0 9 * * MON-FRI", "Europe/Berlin", YEAR, THROUGH_2026),
    cron("0,30 8-17 * * *", "0 0,30 8-17 * * *", NEW_YORK, YEAR, THROUGH_2026),
    cron("0 0 1 * *", "0 0 0 1 * *", NEW_YORK, YEAR, THROUGH_2026),
    cron("0 12 1 1 *", "0 0 12 1 1 *", NEW_YORK, YEAR, THROUGH_2026),
    cron("0 0 29 2 *", "0 0 0 29 2 *", NEW_YORK, YEAR, THROUGH_2026),
    cron("0 0 31 */2 *", "0 0 0 31 1,3,5,7,9,11 *", "UTC", YEAR, THROUGH_2026),
    rrule("FREQ=DAILY", LATELY, NEW_YORK, YEAR, THROUGH_2026),
    rrule("FREQ=DAILY", LONG_AGO, NEW_YORK, YEAR, THROUGH_2026),
    rrule("FREQ=DAILY;INTERVAL=3;BYHOUR=6,18", LATELY, NEW_YORK, YEAR, THROUGH_2026),
    rrule("FREQ=WEEKLY;BYDAY=MO,WE,FR", LATELY, NEW_YORK, YEAR, THROUGH_2026),
    rrule("FREQ=WEEKLY;BYDAY=MO,WE,FR", LONG_AGO, NEW_YORK, YEAR, THROUGH_2026),
    rrule("FREQ=MONTHLY;BYDAY=-1SU", LATELY, NEW_YORK, YEAR, THROUGH_2026),
    rrule("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", LATELY, NEW_YORK, YEAR, THROUGH_2026),
    rrule("FREQ=MONTHLY;BYMONTHDAY=31", LATELY, "UTC", YEAR, THROUGH_2026),
    rrule("FREQ=YEARLY", LATELY, NEW_YORK, YEAR, THROUGH_2026),
    rrule("FREQ=YEARLY;BYMONTH=3;BYDAY=2SU", LATELY, NEW_YORK, YEAR, THROUGH_2026),
    rrule("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", LATELY, NEW_YORK, YEAR, THROUGH_2026),
    rrule("FREQ=HOURLY;INTERVAL=6", LATELY, "UTC", YEAR, THROUGH_2026),
    rrule("FREQ=HOURLY;BYHOUR=9,10,11;BYMINUTE=0,30", LATELY, "UTC", YEAR, THROUGH_2026),
    rrule("FREQ=MINUTELY;INTERVAL=15", LATELY, "UTC", YEAR, THROUGH_2026),
];
