//! Recurrence.
