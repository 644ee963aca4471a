//! The cast: who and what the sequences are about. Few of each, so that they meet often.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::LazyLock;

use horarium_core::catalogue::{Definition, Engine, Execution, Timeout};
use horarium_core::ledger::Registration;
use horarium_core::ledger::command::Handlers;
use horarium_core::recurrence::{Recurrence, Zone, ZoneData};
use horarium_core::words::{
    Actor, ActorKind, Attempt, Backoff, By, Name, Note, Request, RetryPolicy, RunnerId, Span,
    Timestamp, WorkerName,
};

use crate::draw::Draw;

/// The handlers that get definitions.
pub(crate) const HANDLERS: [&str; 4] = ["backup", "mail", "ocr", "report"];
/// A handler that never gets a definition.
pub(crate) const UNKNOWN_HANDLER: &str = "ghost";
/// Workers of these handlers.
pub(crate) const WORKERS: [&str; 9] = [
    "backup",
    "backup:north",
    "backup:south",
    "mail",
    "mail:daily",
    "ocr",
    "ocr:a.b-c_d",
    "report",
    "report:0",
];

/// 2026-03-29T00:58:30Z: shortly before the clocks of Europe go forward.
pub(crate) const START: i64 = 1_774_745_910_000_000;

pub(crate) fn start() -> Timestamp {
    Timestamp::from_micros(START).unwrap_or(Timestamp::EPOCH)
}

/// What a text that is written in this package means.
#[allow(clippy::panic)] // the suite fails as the test that runs it does
pub(crate) fn written<T: FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is malformed: the suite itself is at fault"))
}

pub(crate) fn name(text: &str) -> Name {
    written(text)
}

pub(crate) fn worker_name(text: &str) -> WorkerName {
    written(text)
}

/// The rule of a cron expression that is written in this package.
#[allow(clippy::panic)] // the suite fails as the test that runs it does
pub(crate) fn cron(expression: &str, zone: Zone) -> Recurrence {
    Recurrence::cron(expression, zone)
        .unwrap_or_else(|error| panic!("`{expression}`: {error}: the suite itself is at fault"))
}

/// A rule of RFC 5545 that is written in this package.
#[allow(clippy::panic)] // the suite fails as the test that runs it does
pub(crate) fn rrule(rule: &str, dtstart: &str, zone: Zone) -> Recurrence {
    Recurrence::rrule(rule, written(dtstart), zone)
        .unwrap_or_else(|error| panic!("`{rule}`: {error}: the suite itself is at fault"))
}

/// Three releases of the zone data, each newer than the one before. Europe/Berlin gives up its
/// summer time with the second and sets its clock back with the third, which moves Asia/Kolkata too.
pub(crate) fn zone_data() -> &'static [ZoneData; 3] {
    static ALL: LazyLock<[ZoneData; 3]> = LazyLock::new(|| {
        let bundled = ZoneData::bundled();
        let rewritten = |release, changes| bundled.rewritten(written(release), changes);
        [
            bundled.clone(),
            rewritten("2099a", &[("Europe/Berlin", "Africa/Algiers")]),
            rewritten(
                "2099b",
                &[("Europe/Berlin", "Africa/Abidjan"), ("Asia/Kolkata", "Asia/Kathmandu")],
            ),
        ]
    });
    &ALL
}

pub(crate) fn worker(draw: &mut Draw) -> WorkerName {
    worker_name(draw.pick(WORKERS))
}

pub(crate) fn by(draw: &mut Draw) -> By {
    let kind =
        draw.pick([ActorKind::Person, ActorKind::Token, ActorKind::Agent, ActorKind::System]);
    let who = draw.pick(["ada", "深夜のバックアップ", "o'brien \"the\" -- x"]);
    let why = draw.pick([None, None, Some("disk swap; back at 17:00"), Some("%_\\")]);
    By { actor: Actor { kind, name: Note::lossy(who) }, reason: why.map(Note::lossy) }
}

/// A runner that serves every handler and brings no definition.
pub(crate) fn registration(runner: RunnerId) -> Registration {
    Registration {
        runner,
        name: Note::lossy("zweiter läufer"),
        host: Note::lossy("host-1"),
        version: Note::lossy("0.1.0"),
        handlers: Handlers::All,
        concurrency: NonZeroU32::MIN,
        heartbeat: Span::from_secs(5),
        lease: Span::from_secs(60),
        catalogue: Vec::new(),
    }
}

/// A retry policy whose delays are short enough to come due within a sequence.
pub(crate) fn retry(draw: &mut Draw) -> RetryPolicy {
    RetryPolicy {
        max_attempts: draw.pick([Attempt::FIRST, Attempt::LAST, Attempt::LAST]),
        backoff: draw.pick([Backoff::Exponential, Backoff::Quadratic]),
        base: draw.pick([Span::ZERO, Span::from_secs(1), Span::from_secs(20)]),
    }
}

/// A first definition of each handler.
pub(crate) fn first_definitions(draw: &mut Draw) -> Vec<Definition> {
    HANDLERS.iter().map(|handler| definition_of(draw, name(handler))).collect()
}

/// One of a handler's definitions. Later versions lose a preset and an engine, so that what was
/// valid once no longer is.
pub(crate) fn definition(draw: &mut Draw) -> Definition {
    let handler = name(draw.pick(HANDLERS));
    definition_of(draw, handler)
}

fn definition_of(draw: &mut Draw, handler: Name) -> Definition {
    let version = draw.pick([0, 1, 1, 2]);
    let mut presets = BTreeMap::from([(name("fast"), options_request("level", 1))]);
    let mut engines = BTreeMap::from([(name("cpu"), Engine::default())]);
    if version < 2 {
        presets.insert(
            name("thorough"),
            Request { engine: Some(name("gpu")), ..options_request("level", 9) },
        );
        engines.insert(name("gpu"), Engine::default());
    }
    Definition {
        version,
        description: String::from(draw.pick(["", "Copies what must not be lost."])),
        presets,
        engines,
        defaults: options_request("width", 5),
        timeout: draw.pick([Timeout::default(), Timeout::None]),
        stop_grace: draw.pick([Span::from_secs(10), Span::from_secs(1)]),
        retry: retry(draw),
        ..Definition::plain(
            handler,
            draw.pick([
                Execution::Rust,
                Execution::Command { argv: vec![String::from("true")], directory: None },
            ]),
        )
    }
}

fn options_request(option: &str, value: i64) -> Request {
    Request {
        options: BTreeMap::from([(option.to_owned(), serde_json::Value::from(value))]),
        ..Request::default()
    }
}
