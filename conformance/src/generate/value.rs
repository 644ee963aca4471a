//! Values that only travel through a store: texts, numbers and bytes of every kind.

use std::num::NonZeroU32;
use std::ops::Range;

use horarium_core::config::{Config, Provenance, Resolved};
use horarium_core::run::{
    Cancellation, Cause, Failure, Interruption, Outcome, Output, Tail, Units,
};
use horarium_core::words::{Name, Note, Options, Request};
use proptest::prelude::{Just, Strategy, any, prop};
use proptest::prop_oneof;
use serde_json::Value;

use crate::cast::{by, name};
use crate::draw::Draw;

/// Any text, control characters and all.
fn text(length: Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::char::any(), length).prop_map(String::from_iter)
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::num::f64::NORMAL.prop_map(Value::from),
        text(0..12).prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(text(0..6), inner, 0..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn options(draw: &mut Draw) -> Options {
    let some = prop::collection::btree_map(text(0..6), json(), 0..3);
    draw.value(&some, Options::new())
}

/// A request, which its handler may or may not serve.
pub(super) fn request(draw: &mut Draw) -> Request {
    if draw.chance(40) {
        return Request::default();
    }
    Request {
        engine: one_name(draw, ["cpu", "gpu", "abacus"]),
        preset: one_name(draw, ["fast", "thorough", "lazy"]),
        batch_size: draw.pick([None, NonZeroU32::new(1), NonZeroU32::new(u32::MAX)]),
        options: options(draw),
        engine_options: if draw.chance(20) { options(draw) } else { Options::new() },
    }
}

/// The first name is always served, the second by some definitions, the third by none.
fn one_name(draw: &mut Draw, names: [&'static str; 3]) -> Option<Name> {
    match draw.weighted(&[70, 15, 12, 3]) {
        0 => None,
        chosen => names.get(chosen - 1).copied().map(name),
    }
}

pub(super) fn config(draw: &mut Draw) -> Config {
    let from = draw.pick([Provenance::Request, Provenance::SettingsPreset, Provenance::Default]);
    let options = options(draw);
    Config {
        engine: draw.pick([None, Some(Resolved { value: name("cpu"), from })]),
        batch_size: None,
        options: options
            .into_iter()
            .map(|(name, value)| (name, Resolved { value, from }))
            .collect(),
        ..Config::default()
    }
}

pub(super) fn units(draw: &mut Draw) -> Option<Units> {
    let number = draw.pick([0, 1, 7, u64::MAX]);
    let units = Units { pending: number, processed: draw.pick([0, 3, u64::MAX - 1]) };
    draw.chance(60).then_some(units)
}

pub(super) fn message(draw: &mut Draw) -> Option<Note> {
    let text = draw.value(&text(1..40), String::from("half way"));
    draw.chance(60).then(|| Note::lossy(&text))
}

pub(super) fn output(draw: &mut Draw) -> Output {
    Output { stdout: tail(draw), stderr: tail(draw) }
}

fn tail(draw: &mut Draw) -> Tail {
    if draw.chance(40) {
        return Tail::default();
    }
    let bytes = draw.value(&prop::collection::vec(any::<u8>(), 0..64), Vec::new());
    Tail { bytes, dropped: draw.pick([0, 1, u64::MAX]) }
}

/// How a job may be said to have ended, failures first: they lead further.
pub(super) fn outcome(draw: &mut Draw) -> Outcome {
    let note = Note::lossy(draw.pick(["no such file", "`level` must be 1 to 9"]));
    let cause = draw.pick([
        Cause::Exit(1),
        Cause::Exit(-7),
        Cause::Signal(9),
        Cause::Timeout,
        Cause::Config(note.clone()),
        Cause::Spawn(note.clone()),
        Cause::Handler(note),
    ]);
    match draw.weighted(&[22, 45, 8, 8, 7, 2, 6, 2]) {
        0 => Outcome::Success,
        1 => Outcome::Failed(Failure { cause, is_final: false }),
        2 => Outcome::Failed(Failure { cause, is_final: true }),
        3 => Outcome::Interrupted(Interruption::Drain),
        4 => Outcome::Interrupted(Interruption::Lease),
        5 => Outcome::Interrupted(Interruption::Released(by(draw))),
        6 => Outcome::Cancelled(Cancellation::Requested),
        _ => Outcome::Cancelled(Cancellation::TooLate),
    }
}
