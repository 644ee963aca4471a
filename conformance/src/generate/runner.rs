//! What runners say.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use horarium_core::catalogue::Definition;
use horarium_core::ledger::command::{Ending, Handlers};
use horarium_core::ledger::{
    Claim, Command, Holding, Ledger, Registration, Report, ReportEvent, Turn,
};
use horarium_core::run::{Run, Trigger};
use horarium_core::words::{Fence, RunId, RunnerId, Span};

use super::value;
use crate::cast;
use crate::draw::Draw;

/// How many runners are up at a time, more or less.
const COMPANY: usize = 4;

pub(super) fn register(draw: &mut Draw, model: &Ledger) -> Command {
    let runner = match draw.one(&known(model)) {
        Some(known) if draw.chance(25) => *known,
        Some(_) | None => RunnerId::from_bits(draw.wide_bits()),
    };
    let handlers = if draw.chance(75) {
        Handlers::All
    } else {
        let names: BTreeSet<_> =
            (0..draw.below(3)).map(|_| cast::name(draw.pick(cast::HANDLERS))).collect();
        Handlers::Only(names)
    };
    let lease = draw.pick([Span::from_secs(20), Span::from_secs(60), Span::ZERO]);
    Command::Register(Registration {
        handlers,
        lease: if draw.chance(90) { lease.max(Span::from_secs(20)) } else { lease },
        catalogue: (0..draw.below(4)).map(|_| some_definition(draw, model)).collect(),
        ..cast::registration(runner)
    })
}

/// A new definition, or one that is known already.
fn some_definition(draw: &mut Draw, model: &Ledger) -> Definition {
    let known: Vec<_> = model.rows().catalogue.values().flat_map(BTreeMap::values).collect();
    match draw.one(&known) {
        Some(known) if draw.chance(30) => known.definition.clone(),
        Some(_) | None => cast::definition(draw),
    }
}

pub(super) fn retire(draw: &mut Draw, model: &Ledger) -> Command {
    Command::Retire { runner: some_runner(draw, model) }
}

/// A turn: the claims that the runner holds reported, held, or left out; and a few that it does
/// not hold.
pub(super) fn turn(draw: &mut Draw, model: &Ledger) -> Command {
    let is_up = model.rows().runners.values().any(|known| known.stopped_at.is_none());
    if !is_up && draw.chance(80) {
        return register(draw, model);
    }
    let runner = some_runner(draw, model);
    let taken = model.rows().runners.get(&runner).map_or(0, |known| known.turn);
    let number = match draw.weighted(&[90, 4, 6]) {
        0 => taken.saturating_add(1),
        1 => taken.saturating_add(draw.between(2, 9)),
        _ => draw.between(1, taken.max(1)),
    };
    let mut reports = Vec::new();
    let mut holding = Vec::new();
    for run in model.held_by(runner) {
        let weights = match run.trigger {
            _ if run.cancel.is_some() => &CANCELLED,
            Trigger::Cli => &FOREGROUND,
            Trigger::Manual | Trigger::Schedule(_) => &UNDER_WAY,
        };
        if let Some(claim) = claim_of(run) {
            say(draw, claim, weights, &mut reports, &mut holding);
        }
    }
    while draw.chance(12) {
        let claim = wrong_claim(draw, model, runner);
        say(draw, claim, &UNDER_WAY, &mut reports, &mut holding);
    }
    Command::Turn(Turn {
        runner,
        number: NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN),
        reports,
        holding,
        capacity: draw.pick([0, 1, 2, 3, 5, 50, 50]),
    })
}

/// How often a claim is said to have ended, started, progressed or been given back, is held, and
/// is left out.
type Sayings = [u64; 6];
const UNDER_WAY: Sayings = [40, 12, 14, 7, 20, 7];
const FOREGROUND: Sayings = [25, 12, 14, 25, 20, 4];
const CANCELLED: Sayings = [20, 5, 5, 25, 20, 25];

fn say(
    draw: &mut Draw,
    claim: Claim,
    weights: &Sayings,
    reports: &mut Vec<Report>,
    holding: &mut Vec<Holding>,
) {
    let event = match draw.weighted(weights) {
        0 => Some(ReportEvent::Ended(Ending {
            outcome: value::outcome(draw),
            units: value::units(draw),
            output: value::output(draw),
        })),
        1 => Some(ReportEvent::Started { config: value::config(draw) }),
        2 => Some(ReportEvent::Progressed {
            units: value::units(draw),
            message: value::message(draw),
        }),
        3 => Some(ReportEvent::GivenBack),
        4 => None,
        // Forgotten: its hand-over was lost.
        _ => return,
    };
    match event {
        Some(event @ (ReportEvent::Ended(_) | ReportEvent::GivenBack)) => {
            reports.push(Report { claim, event });
        }
        Some(event @ (ReportEvent::Started { .. } | ReportEvent::Progressed { .. })) => {
            reports.push(Report { claim, event });
            holding.push(Holding { claim, renew: draw.chance(50) });
        }
        None => holding.push(Holding { claim, renew: draw.chance(50) }),
    }
}

/// A claim that the runner has no longer, or never had.
fn wrong_claim(draw: &mut Draw, model: &Ledger, runner: RunnerId) -> Claim {
    let runs: Vec<&Run> = model.rows().runs.values().collect();
    let own: Vec<&Run> = runs.iter().copied().filter(|run| was_of(run, runner)).collect();
    let choices = if draw.chance(60) && !own.is_empty() { own } else { runs };
    let Some(run) = draw.one(&choices) else {
        return Claim { run: RunId::from_bits(draw.wide_bits()), fence: Fence::FIRST };
    };
    let fence = last_fence(run).unwrap_or(Fence::FIRST);
    let fence = match draw.weighted(&[6, 1, 1]) {
        0 => fence,
        1 => fence.next(),
        _ => Fence::from_number(fence.number().saturating_sub(1)),
    };
    Claim { run: run.id, fence }
}

fn was_of(run: &Run, runner: RunnerId) -> bool {
    run.end().and_then(|end| end.hold.as_ref()).is_some_and(|hold| hold.runner == runner)
}

fn last_fence(run: &Run) -> Option<Fence> {
    let ended = run.end().and_then(|end| end.hold.as_ref());
    run.hold().or(ended).map(|hold| hold.fence)
}

fn claim_of(run: &Run) -> Option<Claim> {
    run.hold().map(|hold| Claim { run: run.id, fence: hold.fence })
}

fn known(model: &Ledger) -> Vec<RunnerId> {
    model.rows().runners.keys().copied().collect()
}

/// Mostly a runner that is up.
pub(super) fn some_runner(draw: &mut Draw, model: &Ledger) -> RunnerId {
    let mut up: Vec<_> =
        model.rows().runners.values().filter(|known| known.stopped_at.is_none()).collect();
    up.sort_by_key(|known| std::cmp::Reverse(known.registered_at));
    up.truncate(COMPANY);
    let nobody = RunnerId::from_bits(draw.wide_bits());
    match draw.weighted(&[90, 7, 3]) {
        0 => draw.one(&up).map_or(nobody, |known| known.registration.runner),
        1 => draw.one(&known(model)).copied().unwrap_or(nobody),
        _ => nobody,
    }
}
