//! The turn: one statement, one commit.
//!
//! Promise: it waits for nothing but its runner's row. The statement finds and changes; what that
//! means for each report is the core's to say ([`items`]). Two texts are made of the same steps:
//! an idle runner asks with the short one, which does without the steps for claims.

use std::collections::BTreeMap;

use horarium_core::catalogue::CatalogueHash;
use horarium_core::ledger::items::{self, Found, Item, Last};
use horarium_core::ledger::{Claim, Grant, Reply, Stale, Turn, Turned};
use horarium_core::run::{Outcome, Output, Tail};
use horarium_core::words::{Fence, Note, RunId, RunNumber, Span, Timestamp};
use horarium_sql::{Clock, Fields, rows};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{PgConnection, Row};
use uuid::Uuid;

use crate::clock::instant;
use crate::error::Failure;
use crate::row::run::{runner_uuid, uuid};
use crate::row::{Columned, json, optional_json};

/// For a turn that names claims, or of a runner that holds some.
pub(crate) const WITH_ITEMS: &str = concat!(
    include_str!("../sql/turn_gate.sql"),
    include_str!("../sql/turn_items.sql"),
    include_str!("../sql/turn_claim.sql"),
    include_str!("../sql/turn_answer.sql"),
    include_str!("../sql/turn_answer_items.sql"),
);
/// For a turn that names nothing, of a runner that holds nothing.
pub(crate) const WITHOUT_ITEMS: &str = concat!(
    include_str!("../sql/turn_gate.sql"),
    "kept AS MATERIALIZED (SELECT 0 AS count, '{}'::uuid[] AS given_back),\n",
    include_str!("../sql/turn_claim.sql"),
    include_str!("../sql/turn_answer.sql"),
);

/// Carries out a turn.
pub(crate) async fn turn(
    db: &mut PgConnection,
    clock: &Clock,
    turn: &Turn,
) -> Result<Reply, Failure> {
    if turn.reports.is_empty() && turn.holding.is_empty() {
        let query = gate(WITHOUT_ITEMS, clock, turn, true);
        if let Taken::Yes(reply) = heard(turn, &[], &query.fetch_all(&mut *db).await?)? {
            return Ok(reply);
        }
    }
    let items = items::items(turn);
    let query = say(gate(WITH_ITEMS, clock, turn, false), &items)?;
    match heard(turn, &items, &query.fetch_all(db).await?)? {
        Taken::Yes(reply) => Ok(reply),
        Taken::No => Err(Failure::Raced("the runner's row")),
    }
}

type Asked<'q> = Query<'q, sqlx::Postgres, PgArguments>;

fn gate<'q>(text: &'static str, clock: &Clock, turn: &Turn, only_empty: bool) -> Asked<'q> {
    sqlx::query(text)
        .bind(runner_uuid(turn.runner))
        .bind(turn.number.get().cast_signed())
        .bind(i64::from(turn.capacity))
        .bind(clock.set_by_hand())
        .bind(only_empty)
}

/// Adds the items, column by column.
fn say<'q>(query: Asked<'q>, items: &[Item<'_>]) -> Result<Asked<'q>, Failure> {
    let ending = |item: &Item<'_>| match item.last {
        Last::Ended(ending) => Some(ending.clone()),
        Last::Kept { .. } | Last::GivenBack => None,
    };
    let outputs: Vec<Option<Output>> = items
        .iter()
        .map(|item| ending(item).map(|ending| ending.output))
        .map(|output| output.filter(|output| *output != Output::default()))
        .collect();
    let outcomes: Vec<_> =
        items.iter().map(|item| ending(item).map(|ending| ending.outcome)).collect();
    let whats: Vec<&str> = items.iter().map(|item| what(&item.last)).collect();
    let started: Vec<Option<String>> =
        items.iter().map(|item| optional_json(item.started)).collect::<Result<_, _>>()?;
    let pending: Vec<Option<i64>> =
        items.iter().map(|item| item.units.map(|units| units.pending.cast_signed())).collect();
    let processed: Vec<Option<i64>> =
        items.iter().map(|item| item.units.map(|units| units.processed.cast_signed())).collect();
    let messages: Vec<Option<&str>> =
        items.iter().map(|item| item.message.map(Note::as_str)).collect();
    let statuses: Vec<Option<&str>> = outcomes
        .iter()
        .map(|outcome| outcome.as_ref().map(|outcome| outcome.status().as_str()))
        .collect();
    let written: Vec<Option<String>> = outcomes
        .iter()
        .map(|outcome| outcome.as_ref().map(json).transpose())
        .collect::<Result<_, _>>()?;
    let may_retry: Vec<bool> = outcomes
        .iter()
        .map(|outcome| outcome.as_ref().is_some_and(Outcome::allows_another_attempt))
        .collect();
    let tails = |tail: fn(&Output) -> &Tail| {
        let bytes: Vec<Option<Vec<u8>>> = outputs
            .iter()
            .map(|output| output.as_ref().map(|output| tail(output).bytes.clone()))
            .collect();
        let dropped: Vec<Option<i64>> = outputs
            .iter()
            .map(|output| output.as_ref().map(|output| tail(output).dropped.cast_signed()))
            .collect();
        (bytes, dropped)
    };
    let (stdout, stdout_dropped) = tails(|output| &output.stdout);
    let (stderr, stderr_dropped) = tails(|output| &output.stderr);
    let runs: Vec<Uuid> = items.iter().map(|item| uuid(item.claim.run)).collect();
    let fences: Vec<i64> =
        items.iter().map(|item| item.claim.fence.number().cast_signed()).collect();
    Ok(query
        .bind(runs)
        .bind(fences)
        .bind(whats)
        .bind(started)
        .bind(pending)
        .bind(processed)
        .bind(messages)
        .bind(statuses)
        .bind(written)
        .bind(may_retry)
        .bind(stdout)
        .bind(stdout_dropped)
        .bind(stderr)
        .bind(stderr_dropped))
}

const fn what(last: &Last<'_>) -> &'static str {
    match last {
        Last::Kept { renew: false } => "HOLD",
        Last::Kept { renew: true } => "RENEW",
        Last::Ended(_) => "END",
        Last::GivenBack => "GIVE_BACK",
    }
}

/// Whether a turn was taken or stale, or has to be said again at once.
enum Taken {
    Yes(Reply),
    No,
}

/// What the rows of an answer mean.
fn heard(turn: &Turn, items: &[Item<'_>], rows: &[PgRow]) -> Result<Taken, Failure> {
    let mut gate = None;
    for row in rows {
        if kind(row)? == "TURN" {
            gate = Some(row);
        }
    }
    let Some(gate) = gate else {
        return Ok(Taken::Yes(Reply::Stale(Stale::Unknown)));
    };
    let gate = Columned(gate);
    let fields = Fields::of(&gate, "turn", "id");
    if !fields.flag("taken")? {
        let taken = fields.unsigned("fence")?;
        return Ok(if fields.flag("cancel")? {
            Taken::Yes(Reply::Stale(Stale::Stopped))
        } else if turn.number.get() <= taken {
            Taken::Yes(Reply::Stale(Stale::Number { taken }))
        } else {
            Taken::No
        });
    }
    let now = instant(fields.integer("lease_expires_at")?)?;
    let lease = Span::from_micros(fields.unsigned("number")?);
    let mut found = BTreeMap::new();
    let mut held = BTreeMap::new();
    let (mut again, mut claimed) = (Vec::new(), Vec::new());
    for row in rows {
        let columns = Columned(row);
        let fields = Fields::of(&columns, "run", "id");
        match kind(row)? {
            "HELD" => drop(held.insert(claim(&fields)?, standing(&fields, now, lease)?)),
            "KEPT" => drop(found.insert(claim(&fields)?, standing(&fields, now, lease)?)),
            "GONE" => drop(found.insert(claim(&fields)?, Found::Gone)),
            "ENDED" => drop(found.insert(claim(&fields)?, Found::EndedBefore)),
            "AGAIN" => again.push(grant(&fields, now, lease)?),
            "GRANT" => claimed.push(grant(&fields, now, lease)?),
            _ => {}
        }
    }
    // What was held and was to be changed, but is not among what was changed, is locked by
    // another transaction.
    for item in items {
        if let Some(standing) = held.get(&item.claim) {
            found.entry(item.claim).or_insert(if item.asks() { Found::Busy } else { *standing });
        }
    }
    let (reports, holding) = items::answers(turn, &found);
    again.sort_by_key(|grant: &Grant| grant.claim);
    claimed.sort_by_key(|grant: &Grant| grant.claim.fence);
    again.append(&mut claimed);
    Ok(Taken::Yes(Reply::Turned(Turned { reports, holding, granted: again })))
}

/// What a row of the answer is.
fn kind(row: &PgRow) -> Result<&str, Failure> {
    Ok(row.try_get("kind")?)
}

fn claim(fields: &Fields<'_, Columned<'_>>) -> Result<Claim, Failure> {
    Ok(Claim {
        run: RunId::from_bytes(fields.id("id")?),
        fence: Fence::from_number(fields.unsigned("fence")?),
    })
}

/// What is left of a lease, never more than the lease: the clock may have stepped back.
fn remaining(
    fields: &Fields<'_, Columned<'_>>,
    now: Timestamp,
    lease: Span,
) -> Result<Span, Failure> {
    Ok(fields.time("lease_expires_at")?.since(now).min(lease))
}

fn standing(
    fields: &Fields<'_, Columned<'_>>,
    now: Timestamp,
    lease: Span,
) -> Result<Found, Failure> {
    Ok(Found::Held { remaining: remaining(fields, now, lease)?, cancel: fields.flag("cancel")? })
}

fn grant(fields: &Fields<'_, Columned<'_>>, now: Timestamp, lease: Span) -> Result<Grant, Failure> {
    Ok(Grant {
        claim: claim(fields)?,
        number: RunNumber(fields.unsigned("number")?),
        worker: fields.parse("worker")?,
        trigger: rows::run::read_trigger(fields)?,
        request: fields.json("request")?,
        settings: fields.json_optional("settings")?,
        catalogue: CatalogueHash(fields.text("catalogue")?.to_owned()),
        timeout: fields.parse("timeout")?,
        remaining: remaining(fields, now, lease)?,
    })
}
