//! Where and when worlds begin: shortly before a clock is set, a leap day or a year's end, or on no
//! special day.

use horarium_core::words::{Span, Timestamp};

use crate::draw::Draw;

/// A zone, and an instant at which something becomes of its clock or its calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The zone.
    pub zone: &'static str,
    /// The instant, in seconds since 1970.
    pub at: i64,
}

const fn at(zone: &'static str, at: i64) -> Place {
    Place { zone, at }
}

const PLACES: [Place; 22] = [
    at("Europe/Berlin", 1_774_746_000), // 2026-03-29, 02:00 to 03:00
    at("Europe/Berlin", 1_792_890_000), // 2026-10-25, 03:00 to 02:00
    at("America/New_York", 1_772_953_200), // 2026-03-08, 02:00 to 03:00
    at("America/New_York", 1_793_512_800), // 2026-11-01, 02:00 to 01:00
    at("Australia/Lord_Howe", 1_775_314_800), // 2026-04-05, half an hour back
    at("Australia/Lord_Howe", 1_791_041_400), // 2026-10-04, half an hour forward
    at("Antarctica/Troll", 1_774_746_000), // 2026-03-29, two hours forward
    at("Antarctica/Troll", 1_792_890_000), // 2026-10-25, two hours back
    at("America/Havana", 1_772_946_000), // 2026-03-08, midnight is left out for ever
    at("America/Havana", 1_762_059_600), // 2025-11-02, midnight comes twice
    at("Africa/Cairo", 1_776_981_600),  // 2026-04-24, midnight is left out
    at("Africa/Casablanca", 1_771_120_800), // 2026-02-15, back for Ramadan
    at("Africa/Casablanca", 1_774_144_800), // 2026-03-22, forward after it
    at("Pacific/Chatham", 1_775_311_200), // 2026-04-05, 03:45 to 02:45
    at("Pacific/Apia", 1_325_239_200),  // 2011-12-30 is left out
    at("America/Nuuk", 1_698_541_200),  // 2023-10-29, its name for winter, no more
    at("Asia/Pyongyang", 1_525_446_000), // 2018-05-05, half an hour forward for ever
    at("America/Caracas", 1_462_086_000), // 2016-05-01, half an hour forward for ever
    at("UTC", 1_796_032_800),           // 2026-11-30, no special day
    at("Asia/Kathmandu", 1_798_740_900), // 2027-01-01, a year begins at +05:45
    at("UTC", 1_835_395_200),           // 2028-02-29 begins
    at("Europe/Berlin", 1_835_478_000), // 2028-03-01 begins after a leap day
];

/// A place, and an instant at most two hours before what happens there; mostly minutes.
pub fn place(draw: &mut Draw) -> (Place, Timestamp) {
    let place = draw.pick(PLACES);
    let longest = draw.pick([Span::from_minutes(5), Span::from_minutes(10), Span::from_hours(2)]);
    let before = draw.span(Span::ZERO, longest);
    let at = Timestamp::from_micros(place.at * 1_000_000).unwrap_or(Timestamp::EPOCH);
    (place, at.minus(before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::WallClock;

    #[test]
    fn the_clock_is_set_at_every_place_but_those_for_the_calendar_alone() {
        for place in PLACES {
            let clock = WallClock::around(place.zone, place.at).unwrap();
            let is_set = clock.stretch(place.at - 1).0 != clock.stretch(place.at).0;
            let is_calm =
                matches!(place.at, 1_698_541_200 | 1_796_032_800 | 1_798_740_900 | 1_835_395_200..);
            assert!(is_set != is_calm, "{place:?}");
        }
    }
}
