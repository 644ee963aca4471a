//! Names: what a worker, a handler, an engine and a preset are called.
//!
//! Promise: a name that exists is well formed. Each part is `[a-z0-9][a-z0-9_.-]{0,62}`, so a
//! name is safe in a path, a URL, a log line and a shell word.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest part of a name, in bytes.
pub const LONGEST_PART: usize = 63;

/// A text that is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// A part of the name has no characters.
    #[error("`{text}` has an empty part: a name is `handler` or `handler:instance`")]
    Empty {
        /// What was given.
        text: String,
    },
    /// A part is too long.
    #[error("`{text}` has a part of {length} bytes: each part holds at most {LONGEST_PART}")]
    TooLong {
        /// What was given.
        text: String,
        /// Bytes in the part.
        length: usize,
    },
    /// A character has no place where it stands.
    #[error(
        "`{text}` cannot have {character:?} at column {column}: use a-z, 0-9 and, after the first character, `_`, `.` and `-`"
    )]
    Character {
        /// What was given.
        text: String,
        /// The character.
        character: char,
        /// Where it stands, in characters from 1.
        column: usize,
    },
    /// More than one colon.
    #[error("`{text}` has more than one `:`: a name is `handler` or `handler:instance`")]
    TooManyParts {
        /// What was given.
        text: String,
    },
}

/// Checks one part; `offset` is the number of characters of `whole` that stand before it.
fn check_part(whole: &str, part: &str, offset: usize) -> Result<(), NameError> {
    if part.is_empty() {
        return Err(NameError::Empty { text: whole.to_owned() });
    }
    for (index, character) in part.chars().enumerate() {
        let plain = character.is_ascii_lowercase() || character.is_ascii_digit();
        if !(plain || index > 0 && matches!(character, '_' | '.' | '-')) {
            let column = offset + index + 1;
            return Err(NameError::Character { text: whole.to_owned(), character, column });
        }
    }
    if part.len() > LONGEST_PART {
        return Err(NameError::TooLong { text: whole.to_owned(), length: part.len() });
    }
    Ok(())
}

/// Text in, checked text out; the shape that both name types share.
macro_rules! text_type {
    ($name:ident) => {
        impl $name {
            /// The name as written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }
    };
}

/// A single part: the name of a handler, an engine or a preset.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

text_type!(Name);

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        check_part(text, text, 0)?;
        Ok(Self(text.to_owned()))
    }
}

/// The name of a worker: `handler` or `handler:instance`. It has one slot.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkerName(String);

text_type!(WorkerName);

impl WorkerName {
    /// What is executed.
    pub fn handler(&self) -> Name {
        Name(self.0.split(':').next().unwrap_or_default().to_owned())
    }

    /// Which of the handler's instances, if the name says.
    pub fn instance(&self) -> Option<&str> {
        self.0.split_once(':').map(|(_, instance)| instance)
    }
}

impl FromStr for WorkerName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split(':');
        let handler = parts.next().unwrap_or_default();
        check_part(text, handler, 0)?;
        if let Some(instance) = parts.next() {
            if parts.next().is_some() {
                return Err(NameError::TooManyParts { text: text.to_owned() });
            }
            check_part(text, instance, handler.chars().count() + 1)?;
        }
        Ok(Self(text.to_owned()))
    }
}

impl From<Name> for WorkerName {
    fn from(handler: Name) -> Self {
        Self(handler.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_a_handler_with_or_without_an_instance() {
        let plain: WorkerName = "ocr".parse().unwrap();
        assert_eq!((plain.handler().as_str(), plain.instance()), ("ocr", None));
        let instance: WorkerName = "backup:tenant-42".parse().unwrap();
        assert_eq!(instance.handler().as_str(), "backup");
        assert_eq!(instance.instance(), Some("tenant-42"));
    }

    #[test]
    fn a_malformed_name_is_refused_with_its_column() {
        let column = |text: &str| match text.parse::<WorkerName>() {
            Err(NameError::Character { column, .. }) => Some(column),
            Ok(_) | Err(_) => None,
        };
        assert_eq!(column("Backup"), Some(1));
        assert_eq!(column("back up"), Some(5));
        assert_eq!(column("backup:-x"), Some(8));
        assert_eq!(column("backup:é"), Some(8));
        for text in ["", ":", "a:", ":a", "a:b:c", &"a".repeat(64)] {
            assert!(text.parse::<WorkerName>().is_err(), "{text}");
        }
        assert!("a".repeat(63).parse::<WorkerName>().is_ok());
    }
}
