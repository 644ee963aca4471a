//! A table of the file, read key by key.
//!
//! Promises: a key that was never asked for is refused, with the nearest one that was; a value of
//! the wrong kind is refused with an example of the right one; nothing is guessed or converted.

use std::cell::RefCell;
use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;

use horarium_core::recurrence::Zone;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::page::Page;
use crate::nearest::nearest;
use crate::zone_data;

/// A table of the file.
#[derive(Debug)]
pub(super) struct Section<'t> {
    pub(super) page: &'t Page<'t>,
    table: &'t DeTable<'t>,
    span: Range<usize>,
    asked: RefCell<Vec<&'static str>>,
}

/// A value and where it stands.
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

impl<'t> Section<'t> {
    pub(super) fn new(page: &'t Page<'t>, table: &'t DeTable<'t>, span: Range<usize>) -> Self {
        Self { page, table, span, asked: RefCell::default() }
    }

    /// The table that `value` is, or a fault that says how to write one.
    pub(super) fn of(
        page: &'t Page<'t>,
        key: &str,
        value: &'t Spanned<DeValue<'t>>,
        example: &str,
    ) -> Option<Self> {
        if let DeValue::Table(table) = value.get_ref() {
            Some(Self::new(page, table, value.span()))
        } else {
            wrong_kind(page, key, value, "a table", example);
            None
        }
    }

    /// Where the section begins.
    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Note that what stands at `span` cannot be.
    pub(super) fn refuse(&self, span: Range<usize>, message: impl Into<String>) {
        self.page.refuse(span, message);
    }

    /// The value of `key`, of whatever kind.
    pub(super) fn value(&self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.asked.borrow_mut().push(key);
        self.table.get(key)
    }

    /// Every entry, for a table whose keys are names that the file's author chose.
    pub(super) fn entries(
        &self,
    ) -> impl Iterator<Item = (&'t Spanned<DeString<'t>>, &'t Spanned<DeValue<'t>>)> {
        self.table.iter()
    }

    /// A table whose keys the author chose, under `key`.
    pub(super) fn section(&self, key: &'static str, example: &str) -> Option<Self> {
        Self::of(self.page, key, self.value(key)?, example)
    }

    pub(super) fn text(&self, key: &'static str, example: &str) -> Option<Placed<&'t str>> {
        let value = self.value(key)?;
        if let DeValue::String(text) = value.get_ref() {
            Some(Placed { value: text, span: value.span() })
        } else {
            wrong_kind(self.page, key, value, "a string", example);
            None
        }
    }

    /// A string that stands for a `T`.
    pub(super) fn parsed<T>(&self, key: &'static str, example: &str) -> Option<T>
    where
        T: FromStr,
        T::Err: Display,
    {
        let text = self.text(key, example)?;
        self.parse(text.value, text.span)
    }

    /// The name of a zone.
    pub(super) fn zone(&self, key: &'static str) -> Option<Zone> {
        let text = self.text(key, "\"Europe/Berlin\"")?;
        let zone = zone_data::zone(text.value);
        zone.map_err(|error| self.refuse(text.span, error.to_string())).ok()
    }

    /// The `T` that `text`, which stands at `span`, is.
    pub(super) fn parse<T>(&self, text: &str, span: Range<usize>) -> Option<T>
    where
        T: FromStr,
        T::Err: Display,
    {
        text.parse().map_err(|error: T::Err| self.refuse(span, error.to_string())).ok()
    }

    pub(super) fn boolean(&self, key: &'static str) -> Option<bool> {
        let value = self.value(key)?;
        if let DeValue::Boolean(boolean) = value.get_ref() {
            Some(*boolean)
        } else {
            wrong_kind(self.page, key, value, "a boolean", "true");
            None
        }
    }

    /// A whole number from `least` to `most`.
    pub(super) fn integer(&self, key: &'static str, least: u32, most: u32) -> Option<u32> {
        let value = self.value(key)?;
        let DeValue::Integer(integer) = value.get_ref() else {
            wrong_kind(self.page, key, value, "a whole number", &least.max(1).to_string());
            return None;
        };
        let number = u32::from_str_radix(integer.as_str(), integer.radix()).ok();
        let within = number.filter(|number| (least..=most).contains(number));
        if within.is_none() {
            let written = self.page.written(&value.span());
            self.refuse(
                value.span(),
                format!("`{key}` cannot be {written}: write a whole number from {least} to {most}"),
            );
        }
        within
    }

    /// Refuses every key that was not asked for.
    pub(super) fn finish(self) {
        let asked = self.asked.take();
        for key in self.table.keys() {
            let written: &str = key.get_ref();
            if asked.contains(&written) {
                continue;
            }
            let remedy = nearest(written, asked.iter().copied()).map_or_else(
                || format!("here can stand {}", asked.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            self.page.refuse(key.span(), format!("unknown key `{written}`: {remedy}"));
        }
    }
}

/// Refuses a value of another kind than its key needs.
pub(super) fn wrong_kind(
    page: &Page<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    needed: &str,
    example: &str,
) {
    let kind = match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    page.refuse(value.span(), format!("`{key}` is {kind}, not {needed}: write it like {example}"));
}
