//! The names by which people and files speak of laws, bugs, facts and kinds of worlds: those of
//! the code, in kebab case.

use std::fmt::{Debug, Write};

/// A name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no {what}: use one of {}", .known.join(", "))]
pub struct UnknownName {
    /// What was looked for.
    pub what: &'static str,
    /// The name that was given.
    pub name: String,
    /// All names that there are.
    pub known: Vec<String>,
}

/// The name of a variant without fields: `ClockSteppedBack` is `clock-stepped-back`.
pub fn name(of: &impl Debug) -> String {
    let mut name = String::new();
    for letter in format!("{of:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        let _ = name.write_char(letter.to_ascii_lowercase());
    }
    name
}

/// Which of `all` has the name.
pub fn find<T: Copy>(
    what: &'static str,
    all: &[T],
    of: impl Fn(T) -> String,
    name: &str,
) -> Result<T, UnknownName> {
    let found = all.iter().copied().find(|it| of(*it) == name);
    found.ok_or_else(|| {
        let known = all.iter().copied().map(of).collect();
        UnknownName { what, name: name.to_owned(), known }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Thing {
        OneSide,
        Other,
    }

    fn found(text: &str) -> Result<Thing, UnknownName> {
        find("thing", &[Thing::OneSide, Thing::Other], |thing| name(&thing), text)
    }

    #[test]
    fn a_name_leads_back_to_what_it_names() {
        assert_eq!(found("one-side"), Ok(Thing::OneSide));
        assert_eq!(found("other"), Ok(Thing::Other));
    }

    #[test]
    fn an_unknown_name_is_told_what_there_is() {
        let error = found("else").unwrap_err().to_string();
        assert_eq!(error, "`else` is no thing: use one of one-side, other");
    }
}
