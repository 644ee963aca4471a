//! How instants are shown to people: in one zone, with its offset.

use horarium_core::recurrence::Zone;
use horarium_core::words::{Span, Timestamp};

use crate::zone_data;

/// The zone in which instants are shown.
#[derive(Debug, Clone)]
pub(super) struct WallClock {
    zone: Zone,
}

impl WallClock {
    /// The given zone; else this machine's, and UTC when that is not known.
    pub(super) fn new(zone: Option<&Zone>) -> Self {
        Self { zone: zone.cloned().or_else(local_zone).unwrap_or_else(Zone::utc) }
    }

    /// `STARTED (Europe/Berlin)`: the zone belongs to the heading, the offset to the cells.
    pub(super) fn heading(&self, name: &str) -> String {
        format!("{name} ({})", self.zone)
    }

    /// `2026-03-08 03:00:00 -04:00`.
    pub(super) fn cell(&self, at: Timestamp) -> String {
        let offset = self.zone.offset_at(at);
        format!("{} {offset}", shown(&self.zone, at).replace('T', " "))
    }

    /// The same with the zone's name.
    pub(super) fn full(&self, at: Timestamp) -> String {
        format!("{} {}", self.cell(at), self.zone)
    }

    /// `in 3m10s`, `5s ago`.
    pub(super) fn distance(now: Timestamp, at: Timestamp) -> String {
        if at > now {
            format!("in {}", rough(at.since(now)))
        } else {
            format!("{} ago", rough(now.since(at)))
        }
    }
}

/// `2026-03-08T03:00:00-04:00`.
pub(super) fn local_rfc3339(zone: &Zone, at: Timestamp) -> String {
    format!("{}{}", shown(zone, at), zone.offset_at(at))
}

/// What the zone's clock shows, to the second.
fn shown(zone: &Zone, at: Timestamp) -> String {
    let shifted = at.micros() + i64::from(zone.offset_at(at).seconds()) * 1_000_000;
    // Only the calendar's very last day can lie outside; UTC is as good there.
    let shifted = jiff::Timestamp::from_microsecond(shifted).unwrap_or(jiff::Timestamp::MAX);
    format!("{shifted:.0}").trim_end_matches('Z').to_owned()
}

/// A span in its two largest units.
pub(super) fn rough(span: Span) -> String {
    const SECOND: u64 = 1_000_000;
    const MINUTE: u64 = 60 * SECOND;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    const MONTH: u64 = 30 * DAY;
    let micros = span.micros();
    let unit = match micros {
        MONTH.. => DAY,
        DAY..MONTH => HOUR,
        HOUR..DAY => MINUTE,
        SECOND..HOUR => SECOND,
        0..SECOND => 1_000,
    };
    Span::from_micros(micros / unit * unit).to_string()
}

/// This machine's zone, from `TZ` or the system's link to its zone file.
fn local_zone() -> Option<Zone> {
    if let Ok(name) = std::env::var("TZ") {
        return zone_data::zone(name.trim_start_matches(':')).ok();
    }
    let target = std::fs::read_link("/etc/localtime").ok()?;
    let (_, name) = target.to_str()?.split_once("/zoneinfo/")?;
    zone_data::zone(name).ok()
}
