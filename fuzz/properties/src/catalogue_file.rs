//! The text of a catalogue file.

use std::path::Path;

use horarium::catalogue_file::CatalogueFile;
use horarium_core::recurrence::{WrittenRecurrence, ZoneData};
use horarium_core::schedule::Plan;

use crate::{assert_read_back, assert_read_back_by};

/// Every fault stands inside the file; what passes can be published and saved.
pub fn catalogue_file(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match CatalogueFile::parse("catalogue.toml", Path::new("/"), text, None) {
        Ok(file) => {
            file.definitions().iter().for_each(assert_read_back);
            for schedule in file.schedules.values() {
                assert_read_back_by(&schedule.plan, |written: Plan<WrittenRecurrence>| {
                    written.read(&ZoneData::bundled())
                });
            }
        }
        Err(faults) => {
            assert!(!faults.is_empty(), "{text:?} is refused without a reason");
            let lines: Vec<&str> = text.split('\n').collect();
            for fault in faults {
                let line = lines.get(fault.line - 1).copied();
                let Some(line) = line else { panic!("{text:?} has no such line: {fault}") };
                let columns = 1..=line.chars().count() + 1;
                assert!(columns.contains(&fault.column), "{text:?} has no such column: {fault}");
            }
        }
    }
}
