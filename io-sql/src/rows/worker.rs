//! Workers: the row itself, its schedule and its settings.

use horarium_core::ledger::{Settings, Worker};
use horarium_core::recurrence::{Occasion, WrittenRecurrence, ZoneData, ZoneRelease};
use horarium_core::schedule::{Plan, Revision, Schedule};
use horarium_core::words::WorkerName;

use crate::columns::{Columns, Corrupt, Fields};

/// Reads a row; its rule in these zone data.
pub fn read(row: &impl Columns, zones: &ZoneData) -> Result<(WorkerName, Worker), Corrupt> {
    let fields = Fields::of(row, "worker", "name");
    let revision = Revision(fields.unsigned("revision")?);
    let worker = Worker {
        accounted_until: fields.time("accounted_until")?,
        revision,
        schedule: read_schedule(&fields, revision, zones)?,
        settings: read_settings(&fields)?,
    };
    Ok((fields.parse("name")?, worker))
}

fn read_schedule(
    fields: &Fields<'_, impl Columns>,
    revision: Revision,
    zones: &ZoneData,
) -> Result<Option<Schedule>, Corrupt> {
    let Some(plan) = fields.json_optional::<Plan<WrittenRecurrence>>("plan")? else {
        return Ok(None);
    };
    let saved_with: ZoneRelease = fields.parse("zone_data")?;
    let plan = plan.read(zones).map_err(|error| {
        let own = zones.release();
        let why = if saved_with > own {
            format!(
                "{error} (it was computed with zone data {saved_with}, and those of this program \
                 are {own}: give it newer ones)"
            )
        } else {
            error.to_string()
        };
        fields.corrupt("plan", &why)
    })?;
    let next = match fields.time_optional("next_at")? {
        Some(at) => Some(Occasion {
            at,
            wall: fields.parse("next_wall")?,
            ordinal: fields.narrow_optional("next_ordinal")?,
        }),
        None => None,
    };
    Ok(Some(Schedule {
        plan,
        enablement: fields.json("enablement")?,
        next,
        last_wall: fields.parse_optional("last_wall")?,
        runs_created: fields.narrow("runs_created")?,
        zone_data: saved_with,
        revision,
        changed_at: fields.time("changed_at")?,
        changed_by: fields.json("changed_by")?,
    }))
}

fn read_settings(fields: &Fields<'_, impl Columns>) -> Result<Option<Settings>, Corrupt> {
    let Some(request) = fields.json_optional("settings")? else {
        return Ok(None);
    };
    Ok(Some(Settings {
        request,
        revision: Revision(fields.unsigned("settings_revision")?),
        changed_at: fields.time("settings_changed_at")?,
        changed_by: fields.json("settings_changed_by")?,
    }))
}
