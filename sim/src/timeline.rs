//! The timeline of a world for people: what happened, a line a step. Written only when somebody
//! will read it; a world goes the same way without.

use std::collections::VecDeque;

use crate::clock::Time;

/// How many lines of the end are kept.
pub const KEPT: usize = 40;

/// The last lines of a world.
#[derive(Debug, Default)]
pub struct Timeline {
    lines: Option<VecDeque<String>>,
    kept: usize,
}

impl Timeline {
    /// One that nobody will read.
    pub fn unread() -> Self {
        Self::default()
    }

    /// One that keeps its last lines.
    pub fn keeping(kept: usize) -> Self {
        Self { lines: Some(VecDeque::new()), kept }
    }

    /// Adds a line.
    pub fn note(&mut self, time: Time, line: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            if lines.len() == self.kept {
                lines.pop_front();
            }
            lines.push_back(format!("{time} {}", line()));
        }
    }

    /// The lines.
    pub fn lines(&self) -> Vec<String> {
        self.lines.iter().flatten().cloned().collect()
    }
}
