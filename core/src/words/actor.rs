//! Who did it, and why.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest name of an actor and the longest reason, in bytes.
pub const LONGEST_NOTE: usize = 500;

/// What kind of actor gave a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A person at a terminal or a panel.
    Person,
    /// A program that holds an API token.
    Token,
    /// An artificial agent.
    Agent,
    /// A part of Horarium itself, such as the scheduler.
    System,
}

/// Who gave a command.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Actor {
    /// What kind of actor it is.
    pub kind: ActorKind,
    /// Its name: a login, a token's label, an agent's name.
    pub name: Note,
}

/// A text that is no [`Actor`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActorParseError {
    /// Another shape.
    #[error("`{text}` is not an actor: write kind:name, the kind being person, token or agent")]
    Shape {
        /// What was given.
        text: String,
    },
    /// A name that is none.
    #[error("the actor's name: {0}")]
    Name(#[from] NoteError),
}

/// `person:ada`, `token:deploy`, `agent:planner`. Nobody outside can be the system itself.
impl FromStr for Actor {
    type Err = ActorParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shape = || ActorParseError::Shape { text: text.to_owned() };
        let (kind, name) = text.split_once(':').ok_or_else(shape)?;
        let kind = match kind {
            "person" => ActorKind::Person,
            "token" => ActorKind::Token,
            "agent" => ActorKind::Agent,
            _ => return Err(shape()),
        };
        Ok(Self { kind, name: name.parse()? })
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ActorKind::Person => "person",
            ActorKind::Token => "token",
            ActorKind::Agent => "agent",
            ActorKind::System => "system",
        };
        write!(f, "{kind} {}", self.name)
    }
}

impl fmt::Debug for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Who gave a command and, if said, why. Kept with the change.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct By {
    /// Who.
    pub actor: Actor,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Note>,
}

impl By {
    /// The scheduler, acting on a schedule that somebody saved.
    pub fn scheduler() -> Self {
        let name = Note(String::from("scheduler"));
        Self { actor: Actor { kind: ActorKind::System, name }, reason: None }
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Some(reason) => write!(f, "{} ({reason})", self.actor),
            None => write!(f, "{}", self.actor),
        }
    }
}

impl fmt::Debug for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A short line of text that people read: not empty, no control characters, at most
/// [`LONGEST_NOTE`] bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Note(String);

/// A text that is no [`Note`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// Nothing but blanks.
    #[error("the text is empty: leave it out or say something")]
    Empty,
    /// Too long.
    #[error("the text has {0} bytes: at most {LONGEST_NOTE} are kept")]
    TooLong(usize),
    /// A control character.
    #[error("the text has a control character at column {column}: write one plain line")]
    Control {
        /// Where it stands, in characters from 1.
        column: usize,
    },
}

impl Note {
    /// `text` with control characters as blanks, cut to the longest note; for words that come
    /// from a machine and must not be refused.
    pub fn lossy(text: &str) -> Self {
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut end = plain.len().min(LONGEST_NOTE);
        while !plain.is_char_boundary(end) {
            end -= 1;
        }
        let cut = plain[..end].trim();
        Self(if cut.is_empty() { String::from("-") } else { cut.to_owned() })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Note {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(index) = text.chars().position(char::is_control) {
            return Err(NoteError::Control { column: index + 1 });
        }
        if text.trim().is_empty() {
            return Err(NoteError::Empty);
        }
        if text.len() > LONGEST_NOTE {
            return Err(NoteError::TooLong(text.len()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for Note {
    type Error = NoteError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Note> for String {
    fn from(note: Note) -> Self {
        note.0
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
