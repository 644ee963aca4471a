//! Zones, and instants near the changes of their clocks, from 1970 to 2200.

use horarium_core::recurrence::Zone;
use oracle::zone::{every_name, offsets};
use oracle::{DAY, MINUTE};
use proptest::prelude::*;

/// Zones whose clocks change in every way there is: by 30 minutes, by an hour, by two, by a day,
/// at midnight, over midnight, with negative saving, several times a year, and never.
pub(crate) const ZONES: [&str; 20] = [
    "Africa/Casablanca",
    "Africa/Cairo",
    "America/Havana",
    "America/New_York",
    "America/Nuuk",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/Scoresbysund",
    "America/St_Johns",
    "America/Vancouver",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Atlantic/Azores",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Europe/Dublin",
    "Pacific/Apia",
    "Pacific/Chatham",
    "UTC",
];

/// Its clock was off by 44 minutes and 30 seconds until 1972; the oracle looks at whole minutes.
const HALF_A_MINUTE_OFF: &str = "Africa/Monrovia";

/// A zone, one of the changes of its clock, if it has any, and an instant within two days of it.
pub(crate) fn question() -> impl Strategy<Value = (&'static str, i64, i64)> {
    let every_zone: Vec<&str> = every_name()
        .filter(|name| *name != HALF_A_MINUTE_OFF && name.parse::<Zone>().is_ok())
        .collect();
    let zone =
        prop_oneof![3 => prop::sample::select(&ZONES[..]), 1 => prop::sample::select(every_zone)];
    let anywhere = 5 * DAY..224 * 365 * DAY;
    let near_now = 20 * 365 * DAY..60 * 365 * DAY;
    let start = prop_oneof![2 => near_now, 1 => anywhere];
    let shift = prop_oneof![2 => -DAY / 6..DAY / 6, 1 => -2 * DAY..2 * DAY];
    (zone, start, shift, any::<bool>()).prop_map(|(name, start, shift, on_the_minute)| {
        let from = jiff::Timestamp::from_second(start).unwrap();
        let next = offsets(name).following(from).next().map(|c| c.timestamp().as_second());
        // A change that comes once in a century is not near.
        let change = next.filter(|change| change - start < 2_000 * DAY).unwrap_or(start);
        let asked = change + shift;
        (name, change, if on_the_minute { asked - asked.rem_euclid(MINUTE) } else { asked })
    })
}
