//! Two releases of the zone data: the one that is compiled in, and in some worlds a newer one by
//! which the clock of one zone is further ahead.
//!
//! Promise: which rules a zone follows by a release is known here without asking core.

use horarium_core::recurrence::{ZoneData, ZoneRelease};
use horarium_core::words::Span;
use serde::{Deserialize, Serialize};

use crate::draw::Draw;

/// The release of the newer data.
const NEWER: &str = "2099a";

/// Newer zone data that come up while a world goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneNews {
    /// When the first processes have them.
    pub after: Span,
    /// The zone whose clock they set.
    pub zone: String,
    /// Whose rules it follows from then on: a zone further east, so that no time on the wall
    /// comes again.
    pub like: String,
    /// How many of a thousand processes that start later still have the older data.
    pub older: u64,
}

impl ZoneNews {
    /// News for a world most of whose schedules are in `zone`.
    pub fn draw(draw: &mut Draw, zone: &str, chaos: Span) -> Self {
        let zone = if zone == "UTC" { "Europe/Berlin" } else { zone };
        let is_west = ["Europe/", "America/", "Africa/"].iter().any(|part| zone.starts_with(part));
        let east = draw.pick(["Asia/Kathmandu", "Pacific/Kiritimati"]);
        Self {
            after: draw.span(Span::ZERO, chaos.scaled(2, 3)),
            zone: zone.to_owned(),
            like: if is_west { east } else { "Pacific/Kiritimati" }.to_owned(),
            older: draw.pick([0, 300, 700]),
        }
    }
}

/// The zone data of the processes of a world.
#[derive(Debug, Clone, Default)]
pub struct Releases {
    older: ZoneData,
    newer: Option<(ZoneData, ZoneNews)>,
}

impl Releases {
    /// Those of a world with this news.
    pub fn of(news: Option<&ZoneNews>) -> Self {
        let older = ZoneData::bundled();
        let newer = news.and_then(|news| {
            let data = older.rewritten(NEWER.parse().ok()?, &[(&news.zone, &news.like)]);
            Some((data, news.clone()))
        });
        Self { older, newer }
    }

    /// The compiled-in ones.
    pub const fn older(&self) -> &ZoneData {
        &self.older
    }

    /// The newest.
    pub fn newest(&self) -> &ZoneData {
        self.newer.as_ref().map_or(&self.older, |(data, _)| data)
    }

    /// The zone among the compiled-in ones whose rules `zone` follows by a release.
    pub fn rules_of<'a>(&'a self, zone: &'a str, release: ZoneRelease) -> &'a str {
        match &self.newer {
            Some((data, news)) if data.release() == release && news.zone == zone => &news.like,
            Some(_) | None => zone,
        }
    }
}
