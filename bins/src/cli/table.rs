//! Rows in columns.
//!
//! Promise: plain text with two blanks between columns, so that people and `awk` both can read
//! it; a control character in a cell never reaches the terminal.

use std::fmt::Write;

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::terminal::HEADING;

/// One cell.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(super) fn styled(text: impl Into<String>, style: Style) -> Self {
        let text: String = text.into();
        let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self { text: plain, style }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::styled(text, Style::new())
    }
}

/// Rows under headings.
pub(super) struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(super) fn new<const N: usize>(headings: [&str; N]) -> Self {
        Self { headings: headings.map(String::from).to_vec(), rows: Vec::new() }
    }

    pub(super) fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.into());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows as text. Empty cells are shown as `-`.
    pub(super) fn render(&self) -> String {
        let width = |text: &str| UnicodeWidthStr::width(text).max(1);
        let mut widths: Vec<usize> = self.headings.iter().map(|text| width(text)).collect();
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = (*widest).max(width(&cell.text));
            }
        }
        let headings: Vec<Cell> =
            self.headings.iter().map(|text| Cell::styled(text.clone(), HEADING)).collect();
        let mut out = String::new();
        for row in std::iter::once(&headings).chain(&self.rows) {
            let last = row.len().saturating_sub(1);
            for (index, (cell, widest)) in row.iter().zip(&widths).enumerate() {
                let Cell { text, style } = cell;
                let text = if text.is_empty() { "-" } else { text };
                // Writing into a String cannot fail.
                let _: std::fmt::Result = write!(out, "{style}{text}{style:#}");
                if index < last {
                    out.push_str(&" ".repeat(widest - width(text) + 2));
                }
            }
            out.push('\n');
        }
        out
    }
}

/// Names and values, one a line; values that are empty are left out.
pub(super) struct Facts(Vec<(String, Cell)>);

impl Facts {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn add(&mut self, name: &str, value: impl Into<Cell>) {
        let value = value.into();
        if !value.text.is_empty() {
            self.0.push((name.to_owned(), value));
        }
    }

    pub(super) fn render(&self) -> String {
        let widest = self.0.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        self.0.iter().fold(String::new(), |mut out, (name, Cell { text, style })| {
            let _: std::fmt::Result =
                writeln!(out, "{HEADING}{name:widest$}{HEADING:#}  {style}{text}{style:#}");
            out
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_empty_cells_are_shown() {
        let mut table = Table::new(["NAME", "N"]);
        table.row(["größer:1".into(), "12".into()]);
        table.row([String::new().into(), "a\x1b[2Jb".into()]);
        let plain = anstream::adapter::strip_str(&table.render()).to_string();
        assert_eq!(plain, "NAME      N\ngrößer:1  12\n-         a [2Jb\n");
    }
}
