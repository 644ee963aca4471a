//! Replies are total: nothing, too much, and the largest numbers there are.

use std::num::{NonZeroU32, NonZeroU64};

use horarium_core::ledger::command::{LARGEST_BATCH, Retention, Tick};
use horarium_core::ledger::{Command, Ledger, Refusal, Reply, Turn, Wish};
use horarium_core::words::{Request, RunId, RunnerId, SchedulerId, Span, Timestamp};

use crate::draft::{by, dawn, definition};

fn ledger() -> Ledger {
    let mut ledger = Ledger::new();
    let definitions = vec![definition(0)];
    ledger.handle(dawn(), &Command::PublishCatalogue { definitions, by: by() });
    ledger
}

fn wish(number: usize) -> Wish {
    Wish {
        run: RunId::from_bits(number as u128 + 1),
        worker: format!("backup:{number}").parse().unwrap(),
        request: Request::default(),
        not_before: None,
        by: by(),
    }
}

#[test]
fn an_enqueue_has_one_to_a_thousand_items() {
    let mut ledger = ledger();
    for size in [0, LARGEST_BATCH + 1] {
        let batch = Command::Enqueue((0..size).map(wish).collect());
        let before = ledger.clone();
        let reply = ledger.handle(dawn(), &batch).reply;
        assert_eq!(reply, Reply::Refused(Refusal::BatchSize(size)));
        assert_eq!(ledger, before);
    }
    let batch = Command::Enqueue((0..LARGEST_BATCH).map(wish).collect());
    let Reply::Enqueued(items) = ledger.handle(dawn(), &batch).reply else {
        panic!("refused");
    };
    assert_eq!(items.iter().filter(|item| item.is_ok()).count(), LARGEST_BATCH);
}

#[test]
fn the_largest_limits_are_limits_like_others() {
    let mut ledger = ledger();
    let batch = Command::Enqueue((0..LARGEST_BATCH).map(wish).collect());
    let limit = NonZeroU32::MAX;
    let scheduler = SchedulerId::from_bits(0);
    let runner = RunnerId::from_bits(1);
    let turn = |number: u64| {
        Command::Turn(Turn {
            runner,
            number: NonZeroU64::new(number).unwrap(),
            reports: Vec::new(),
            holding: Vec::new(),
            capacity: u32::MAX,
        })
    };
    let keep = Span::from_micros(u64::MAX);
    for now in [Timestamp::EPOCH, dawn(), Timestamp::MAX] {
        for command in [
            batch.clone(),
            turn(1),
            turn(u64::MAX),
            Command::Sweep { limit },
            Command::Tick(Tick { scheduler, limit, seed: u64::MAX }),
            Command::Prune(Retention { keep, keep_per_worker: u32::MAX, limit }),
            Command::Prune(Retention { keep: Span::ZERO, keep_per_worker: 0, limit }),
            Command::PublishCatalogue { definitions: Vec::new(), by: by() },
        ] {
            ledger.handle(now, &command);
        }
    }
}

#[test]
fn a_runner_with_the_largest_capacity_is_granted_everything_once() {
    let mut ledger = ledger();
    ledger.handle(dawn(), &Command::Enqueue((0..LARGEST_BATCH).map(wish).collect()));
    let runner = RunnerId::from_bits(1);
    ledger.handle(
        dawn(),
        &Command::Register(horarium_core::ledger::Registration {
            runner,
            name: "runner".parse().unwrap(),
            host: "host".parse().unwrap(),
            version: "0".parse().unwrap(),
            handlers: horarium_core::ledger::command::Handlers::All,
            concurrency: NonZeroU32::MAX,
            heartbeat: Span::from_secs(15),
            lease: Span::from_micros(u64::MAX),
            catalogue: Vec::new(),
        }),
    );
    let turn = Turn {
        runner,
        number: NonZeroU64::MAX,
        reports: Vec::new(),
        holding: Vec::new(),
        capacity: u32::MAX,
    };
    let Reply::Turned(turned) = ledger.handle(dawn(), &Command::Turn(turn)).reply else {
        panic!("not taken");
    };
    assert_eq!(turned.granted.len(), LARGEST_BATCH);
}
