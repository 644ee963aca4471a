//! TOML values as JSON, and JSON pointers back into the file.
//!
//! Promise: what JSON cannot hold is refused where it stands, never rounded or renamed.

use std::ops::Range;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::DeValue;

use super::page::Page;

/// `value` as JSON.
pub(super) fn json(page: &Page<'_>, value: &Spanned<DeValue<'_>>) -> Option<Value> {
    let refuse = |message: &str| {
        page.refuse(value.span(), message);
        None
    };
    match value.get_ref() {
        DeValue::String(text) => Some(Value::String(text.to_string())),
        DeValue::Boolean(boolean) => Some(Value::Bool(*boolean)),
        DeValue::Integer(integer) => {
            let number = i64::from_str_radix(integer.as_str(), integer.radix());
            match number {
                Ok(number) => Some(Value::Number(number.into())),
                Err(_) => refuse("this number is too large: write it as a string"),
            }
        }
        DeValue::Float(float) => {
            let number = float.as_str().parse().ok().and_then(Number::from_f64);
            match number {
                Some(number) => Some(Value::Number(number)),
                None => refuse("JSON has no such number: write it as a string"),
            }
        }
        DeValue::Datetime(_) => refuse("JSON has no dates: write it as a string, in quotes"),
        DeValue::Array(items) => items.iter().map(|item| json(page, item)).collect(),
        DeValue::Table(table) => table
            .iter()
            .map(|(key, value)| Some((key.get_ref().to_string(), json(page, value)?)))
            .collect::<Option<Map<_, _>>>()
            .map(Value::Object),
    }
}

/// Where in the file the value stands that `pointer` names below `value`; as near as there is one.
pub(super) fn span_at(value: &Spanned<DeValue<'_>>, pointer: &str) -> Range<usize> {
    let mut at = value;
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        let below = match at.get_ref() {
            DeValue::Table(table) => table.get(part.as_str()),
            DeValue::Array(items) => part.parse::<usize>().ok().and_then(|index| items.get(index)),
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => None,
        };
        let Some(below) = below else { break };
        at = below;
    }
    at.span()
}
