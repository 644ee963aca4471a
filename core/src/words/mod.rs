//! The words of Horarium as types: parsed once at the border, trusted ever after.

pub mod time;
