//! The timeline of a world for people, in two depths: its story, an event a line, and all steps.
//! Written only when somebody will read it; a world goes the same way without.

use std::collections::VecDeque;

use crate::clock::Time;

/// How many lines of the end are kept.
pub const KEPT: usize = 40;

/// The last lines of a world.
#[derive(Debug, Default)]
pub struct Timeline {
    pages: Option<Pages>,
    kept: usize,
}

#[derive(Debug, Default)]
struct Pages {
    steps: VecDeque<String>,
    story: VecDeque<String>,
}

impl Timeline {
    /// One that nobody will read.
    pub fn unread() -> Self {
        Self::default()
    }

    /// One that keeps its last lines.
    pub fn keeping(kept: usize) -> Self {
        Self { pages: Some(Pages::default()), kept }
    }

    /// True when somebody will read it.
    pub const fn is_read(&self) -> bool {
        self.pages.is_some()
    }

    /// Adds a step.
    pub fn note(&mut self, time: Time, line: impl FnOnce() -> String) {
        if let Some(pages) = &mut self.pages {
            add(&mut pages.steps, self.kept, format!("{time} {}", line()));
        }
    }

    /// Adds an event to the story.
    pub fn narrate(&mut self, time: Time, line: impl FnOnce() -> String) {
        if let Some(pages) = &mut self.pages {
            add(&mut pages.story, self.kept, format!("{time:.3} {}", line()));
        }
    }

    /// The last steps.
    pub fn lines(&self) -> Vec<String> {
        self.pages.iter().flat_map(|pages| &pages.steps).cloned().collect()
    }

    /// The end of the story.
    pub fn story(&self) -> Vec<String> {
        self.pages.iter().flat_map(|pages| &pages.story).cloned().collect()
    }
}

fn add(page: &mut VecDeque<String>, kept: usize, line: String) {
    if page.len() >= kept {
        page.pop_front();
    }
    if kept > 0 {
        page.push_back(line);
    }
}
