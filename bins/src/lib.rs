//! The shells of Horarium: everything here waits, spawns, reads and prints; nothing here decides.

pub mod boot_clock;
pub mod catalogue_file;
pub mod cli;
pub mod daemon;
pub mod exit_code;
pub mod guard;
pub mod job;
pub mod local_handler;
pub mod logging;
pub mod nearest;
pub mod open_store;
pub mod option_schema;
pub mod store_location;
pub mod zone_data;
