//! The name of a time zone.

use horarium_core::recurrence::{Zone, ZoneError};

use crate::assert_inside;

/// A refusal has its place; what passes is the name itself, in the database's case.
pub fn zone(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match text.parse::<Zone>() {
        Ok(zone) => {
            assert!(zone.name().eq_ignore_ascii_case(text), "{text:?} became {zone}");
            assert_eq!(zone.name().parse(), Ok(zone));
        }
        Err(error) => {
            let message = error.to_string();
            if let ZoneError::BadCharacter { column, character } = error {
                assert_inside(column, text, &message);
                assert!(text[column - 1..].starts_with(character), "{text:?}: {message}");
            }
        }
    }
}
