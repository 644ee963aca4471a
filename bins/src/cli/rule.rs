//! A cron expression as it was typed.

use horarium_core::recurrence::{Recurrence, RecurrenceError, Zone};

use super::failure::Failure;

/// The rule, or what is wrong with it and where.
pub(super) fn cron(expression: &str, zone: &Zone) -> Result<Recurrence, Failure> {
    Recurrence::cron(expression, zone.clone())
        .map_err(|error| Failure::Usage(format!("{error}{}", pointed(expression, &error))))
}

/// The expression with a mark below the column at fault.
fn pointed(expression: &str, error: &RecurrenceError) -> String {
    let RecurrenceError::Cron(error) = error else { return String::new() };
    let before = expression.get(..error.column - 1);
    match before {
        Some(before) if expression.len() <= 256 && !expression.contains(char::is_control) => {
            let width = unicode_width::UnicodeWidthStr::width(before);
            format!("\n  {expression}\n  {}^", " ".repeat(width))
        }
        Some(_) | None => String::new(),
    }
}
