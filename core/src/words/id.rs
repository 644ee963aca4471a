//! Identifiers: 128 bits, written as UUIDs. They come in from outside; only the id of a
//! scheduled run is made here, from what it stands for, so that whoever enqueues it makes the
//! same one.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::name::WorkerName;
use super::retry::Attempt;
use super::time::Timestamp;

/// A text that is no identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an identifier: write a UUID, like 0193a1b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b")]
pub struct IdParseError {
    /// What was given.
    pub text: String,
}

fn parse_uuid(text: &str) -> Option<u128> {
    let bytes = text.as_bytes();
    if bytes.len() != 36 {
        return None;
    }
    let mut value: u128 = 0;
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 8 | 13 | 18 | 23) {
            if *byte != b'-' {
                return None;
            }
        } else {
            let digit = char::from(*byte).to_digit(16)?;
            value = value << 4 | u128::from(digit);
        }
    }
    Some(value)
}

/// The 128 bits of a UUID that sorts by time.
const fn time_ordered(version: u128, millis: u64, random: u128) -> u128 {
    let time = ((millis as u128) & 0xffff_ffff_ffff) << 80;
    let random_a = (random >> 62 & 0xfff) << 64;
    let random_b = random & 0x3fff_ffff_ffff_ffff;
    time | version << 76 | random_a | 2 << 62 | random_b
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(u128);

        impl $name {
            /// The identifier with these 128 bits.
            pub const fn from_bits(bits: u128) -> Self {
                Self(bits)
            }

            /// Its 16 bytes, most significant first.
            pub const fn to_bytes(self) -> [u8; 16] {
                self.0.to_be_bytes()
            }

            /// The identifier with these 16 bytes, most significant first.
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(u128::from_be_bytes(bytes))
            }

            /// A UUID of version 7 (RFC 9562, section 5.7): milliseconds since the epoch, then
            /// 74 of the given random bits.
            pub const fn v7(millis: u64, random: u128) -> Self {
                Self(time_ordered(7, millis, random))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let text = format!("{:032x}", self.0);
                write!(
                    f,
                    "{}-{}-{}-{}-{}",
                    &text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]
                )
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = IdParseError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                parse_uuid(text).map(Self).ok_or_else(|| IdParseError { text: text.to_owned() })
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdParseError;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    };
}

id_type! {
    /// One run: one row of the ledger, one attempt.
    RunId
}

id_type! {
    /// One registration of a runner. Fresh and random each time; never a host name.
    RunnerId
}

id_type! {
    /// One scheduler process.
    SchedulerId
}

impl RunId {
    /// The id of the run that stands for this occurrence and attempt: a UUID of version 8 (RFC
    /// 9562, section 5.8) whose time is the occurrence and whose other bits are drawn from all
    /// three. Callers make version 7, so nobody can take an occurrence's id by chance or intent.
    pub fn of_occurrence(worker: &WorkerName, scheduled_for: Timestamp, attempt: Attempt) -> Self {
        let mut hash = Sha256::new();
        hash.update(worker.as_str().as_bytes());
        hash.update([0]);
        hash.update(scheduled_for.micros().to_be_bytes());
        hash.update([attempt.get()]);
        let random =
            hash.finalize().iter().take(16).fold(0, |bits, byte| bits << 8 | u128::from(*byte));
        Self(time_ordered(8, scheduled_for.millis(), random))
    }

    /// True for an id that only an occurrence's run may have.
    pub const fn is_reserved(self) -> bool {
        self.0 >> 76 & 0xf == 8
    }
}

/// The short number of a run, for people: `#42`. Drawn once, at enqueue; gaps are fine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunNumber(pub u64);

impl fmt::Display for RunNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl fmt::Debug for RunNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_as_it_prints() {
        let text = "0193a1b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b";
        assert_eq!(text.parse::<RunId>().unwrap().to_string(), text);
        for bad in [
            "",
            "0193a1b2",
            "0193a1b2+7c4d-7e5f-8a9b-0c1d2e3f4a5b",
            "0193a1b2-7c4d-7e5f-8a9b-0c1d2e3f4a5g",
        ] {
            assert!(bad.parse::<RunId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn an_occurrence_and_attempt_have_one_id() {
        let worker: WorkerName = "backup".parse().unwrap();
        let at = Timestamp::from_micros(1_800_000_000_000_000).unwrap();
        let id = RunId::of_occurrence(&worker, at, Attempt::FIRST);
        assert_eq!(id, RunId::of_occurrence(&worker, at, Attempt::FIRST));
        assert_ne!(id, RunId::of_occurrence(&worker, at, Attempt::FIRST.next().unwrap()));
        assert!(id.is_reserved());
        assert!(!RunId::v7(at.millis(), u128::MAX).is_reserved());
    }
}
