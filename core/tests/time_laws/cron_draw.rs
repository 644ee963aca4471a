//! Random cron rules: each field with its text and, on its own account, the values that it names.

use std::collections::BTreeSet;

use oracle::cron::{Field, Rule};
use proptest::prelude::*;

/// A value or a range, perhaps with a step.
fn span(first: i8, last: i8) -> impl Strategy<Value = Field> {
    let value = (first..=last)
        .prop_map(|value| Field { text: value.to_string(), values: BTreeSet::from([value]) });
    let range = (first..=last, first..=last, 1..=(last - first + 1).unsigned_abs()).prop_map(
        |(a, b, step)| {
            let (from, to) = (a.min(b), a.max(b));
            let step_text = if step == 1 { String::new() } else { format!("/{step}") };
            Field {
                text: format!("{from}-{to}{step_text}"),
                values: (from..=to).step_by(step.into()).collect(),
            }
        },
    );
    prop_oneof![2 => value, 1 => range]
}

/// A star, perhaps with a step.
fn star(first: i8, last: i8) -> impl Strategy<Value = Field> {
    prop_oneof![Just(1), 1..=(last - first + 1).unsigned_abs()].prop_map(move |step| Field {
        text: if step == 1 { "*".to_owned() } else { format!("*/{step}") },
        values: (first..=last).step_by(step.into()).collect(),
    })
}

fn list<S: Strategy<Value = Field>>(item: S) -> impl Strategy<Value = Field> {
    prop::collection::vec(item, 1..=3).prop_map(|items| Field {
        text: items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>().join(","),
        values: items.into_iter().flat_map(|item| item.values).collect(),
    })
}

fn field(first: i8, last: i8) -> impl Strategy<Value = Field> {
    list(prop_oneof![2 => span(first, last), 1 => star(first, last)])
}

/// Mostly rules of the small hours, where clocks change, on most days.
pub(crate) fn rule() -> impl Strategy<Value = Rule> {
    let every =
        |first, last| Just(Field { text: "*".to_owned(), values: (first..=last).collect() });
    (
        prop_oneof![field(0, 59), list(span(0, 59))],
        prop_oneof![field(0, 23), list(span(0, 3))],
        prop_oneof![3 => every(1, 31).boxed(), 1 => field(1, 31).boxed()],
        prop_oneof![6 => every(1, 12).boxed(), 1 => field(1, 12).boxed()],
        prop_oneof![3 => every(0, 7).boxed(), 1 => field(0, 7).boxed()],
    )
        .prop_map(|(minute, hour, day, month, weekday)| Rule {
            fields: [minute, hour, day, month, weekday],
        })
}
