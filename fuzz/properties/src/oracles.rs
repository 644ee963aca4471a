//! Rules against the oracle, which walks through every minute and every date.

use horarium_core::recurrence::{Cron, CronRule, LocalTime, Recurrence, RruleRule, Zone, ZoneData};
use horarium_core::words::time::Timestamp;
use jiff::civil::DateTime;
use oracle::rrule::Freq;
use oracle::zone::{instant, offsets};
use oracle::{DAY, MINUTE, Named};

/// In seconds since 1970: 1973, before which some clocks were off by seconds, to 2199.
const ASKED: std::ops::Range<i64> = 94_694_400..7_226_000_000;

/// As the rule's own answers are written.
type Shown = (Timestamp, String);

/// A zone, an instant and a cron expression, each on a line: for four days the answers are what the
/// oracle sees.
pub fn cron_oracle(input: &[u8]) {
    let Some([zone, after, expression]) = lines(input) else { return };
    let (Ok(zone), Some(after), Ok(cron)) =
        (zone.parse::<Zone>(), asked(after), expression.parse::<Cron>())
    else {
        return;
    };
    let end = after + 4 * DAY;
    let seen = oracle::cron::Rule::read(expression).watch(zone.name(), after, end);
    let rule = CronRule::new(cron, zone.clone()).ok().map(Recurrence::Cron);
    assert_same(rule.as_ref(), &seen, after, end, expression, &zone);
}

/// An instant on the first line, then the iCalendar lines of a rule: for a few of its periods the
/// answers are what the oracle sees.
pub fn rrule_oracle(input: &[u8]) {
    let Some([after, ics]) = lines(input) else { return };
    let (Some(after), Ok(rule)) = (asked(after), RruleRule::from_ics(ics, &ZoneData::bundled()))
    else {
        return;
    };
    let text = rule.rrule().text();
    let walls = |dates: &[LocalTime]| dates.iter().copied().map(wall).collect::<Vec<_>>();
    let known = oracle::rrule::Rule {
        rdate: walls(&rule.dates().rdate),
        exdate: walls(&rule.dates().exdate),
        ..oracle::rrule::Rule::read(text, rule.zone().name(), wall(rule.dtstart()))
    };
    let (walk, window) = match known.freq {
        Freq::Minutely => (20 * DAY, DAY),
        Freq::Hourly => (40 * DAY, 4 * DAY),
        Freq::Daily => (400 * DAY, 15 * DAY),
        Freq::Weekly => (1_000 * DAY, 60 * DAY),
        Freq::Monthly => (2_000 * DAY, 250 * DAY),
        Freq::Yearly => (4_000 * DAY, 1_200 * DAY),
    };
    // The oracle walks from the start, and writes out what a period names.
    let start = instant(&offsets(&known.zone), known.start);
    let times_a_day = known.hours.len().max(1) * known.minutes.len().max(1);
    if !ASKED.contains(&start) || !(-walk..walk).contains(&(after - start)) || times_a_day > 24 {
        return;
    }
    let end = after + window;
    let mut seen = oracle::rrule::series(&known, end);
    seen.retain(|(at, _)| *at > after);
    let zone = rule.zone().clone();
    let rule = Recurrence::Rrule(rule.clone());
    assert_same(Some(&rule), &seen, after, end, text, &zone);
}

/// `rule` is `None` when it is refused for never firing: then nothing may be seen.
fn assert_same(
    rule: Option<&Recurrence>,
    seen: &[Named],
    after: i64,
    end: i64,
    text: &str,
    zone: &Zone,
) {
    let end = at(end);
    let seen: Vec<Shown> = seen.iter().map(shown).collect();
    let answers: Vec<Shown> = rule.map_or_else(Vec::new, |rule| {
        rule.occasions_after(at(after))
            .take_while(|next| next.at <= end)
            .map(|next| (next.at, next.wall.to_string()))
            .collect()
    });
    assert_eq!(answers, seen, "answers beside what is seen: {text} in {zone} after {}", at(after));
}

/// The input cut at its first `N - 1` line breaks.
fn lines<const N: usize>(input: &[u8]) -> Option<[&str; N]> {
    let text = std::str::from_utf8(input).ok()?;
    text.splitn(N, '\n').collect::<Vec<_>>().try_into().ok()
}

fn asked(text: &str) -> Option<i64> {
    let second = text.parse::<Timestamp>().ok()?.micros().div_euclid(1_000_000);
    Some(second).filter(|second| ASKED.contains(second))
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

fn wall(time: LocalTime) -> DateTime {
    time.to_string().parse().unwrap()
}

fn shown((second, wall): &Named) -> Shown {
    let seconds = if wall.second() == 0 { "" } else { ":%S" };
    (at(*second), wall.strftime(&format!("%Y-%m-%dT%H:%M{seconds}")).to_string())
}

// A start before the epoch of the oracle's minutes would not be on a whole minute.
const _: () = assert!(ASKED.start % MINUTE == 0);
