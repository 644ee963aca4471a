//! The text of a file, and what is wrong with it.
//!
//! Promises: every fault is shown with the file, line and column at which it stands, the line
//! itself and a mark under the part at fault; all faults of a file are shown at once, from the
//! top down.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

/// A file's text while it is read, and the faults that were found so far.
#[derive(Debug)]
pub(super) struct Page<'t> {
    name: &'t str,
    text: &'t str,
    faults: RefCell<Vec<(Range<usize>, String)>>,
}

/// One fault of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// What is wrong and what to do.
    pub message: String,
    excerpt: String,
    mark: usize,
}

impl<'t> Page<'t> {
    pub(super) fn new(name: &'t str, text: &'t str) -> Self {
        Self { name, text, faults: RefCell::default() }
    }

    /// The text at `span`, as written.
    pub(super) fn written(&self, span: &Range<usize>) -> &'t str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// Note that what stands at `span` cannot be.
    pub(super) fn refuse(&self, span: Range<usize>, message: impl Into<String>) {
        self.faults.borrow_mut().push((span, message.into()));
    }

    /// How many faults were found so far.
    pub(super) fn faults_found(&self) -> usize {
        self.faults.borrow().len()
    }

    /// Every fault, from the top down.
    pub(super) fn into_faults(self) -> Vec<Fault> {
        let mut faults = self.faults.into_inner();
        faults.sort_by_key(|(span, _)| (span.start, span.end));
        faults
            .into_iter()
            .map(|(span, message)| locate(self.name, self.text, &span, message))
            .collect()
    }
}

fn locate(name: &str, text: &str, span: &Range<usize>, message: String) -> Fault {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let before = &text[..start];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = text[line_start..].lines().next().unwrap_or_default();
    let column = text[line_start..start].chars().count() + 1;
    let marked = text.get(start..span.end).and_then(|part| part.lines().next()).unwrap_or_default();
    Fault {
        file: name.to_owned(),
        line: before.matches('\n').count() + 1,
        column,
        message,
        excerpt: line.to_owned(),
        mark: marked.chars().count().max(1),
    }
}

/// `catalogue.toml:3:1: what is wrong`, the line and a mark under the part at fault.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, excerpt, mark } = self;
        writeln!(f, "{file}:{line}:{column}: {message}")?;
        let gutter = line.to_string();
        writeln!(f, "  {gutter} | {}", excerpt.replace('\t', " "))?;
        let blank = " ".repeat(gutter.len());
        write!(f, "  {blank} | {}{}", " ".repeat(column - 1), "^".repeat(*mark))
    }
}
