//! What runner and guard say to each other: one line of words each.
//!
//! Promises: every line that one side prints the other side reads as the same value; anything else
//! is refused, since a side that talks nonsense can no longer be trusted to keep jobs apart.

use std::fmt;
use std::str::FromStr;

use horarium_core::words::time::Moment;

use super::key::JobKey;
use super::process_group::ProcessGroup;

/// No line is longer: a verb, a key, a number, two blanks.
const LONGEST_LINE: usize = JobKey::LONGEST + 40;

/// Runner to guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Order {
    /// A job is about to be started and must be dead at `deadline`. Answered.
    Arm { key: JobKey, deadline: Moment },
    /// The job was started and leads this group.
    Group { key: JobKey, group: ProcessGroup },
    /// The job has another deadline.
    Renew { key: JobKey, deadline: Moment },
    /// The job's leader has ended and is about to be reaped: let no signal go to its group any
    /// more, and leave nothing of the job alive. Answered.
    Forget { key: JobKey },
}

/// Guard to runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// The deadline is watched: start the job.
    Armed(JobKey),
    /// The deadline has passed already: do not start the job. Nothing is watched.
    Late(JobKey),
    /// Forgotten, and nothing of the job is alive.
    Gone(JobKey),
    /// Forgotten, and killed, but something of the job has not died yet (it hangs in the kernel,
    /// or took another user's rights).
    Lingering(JobKey),
}

impl Answer {
    /// The job that was asked about.
    pub(super) fn key(&self) -> &JobKey {
        match self {
            Self::Armed(key) | Self::Late(key) | Self::Gone(key) | Self::Lingering(key) => key,
        }
    }
}

/// A line, or a sequence of lines, that the other side cannot have meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ProtocolError {
    #[error("`{line}` is not a line of the guard's protocol")]
    Malformed { line: String },
    #[error("a line is longer than {LONGEST_LINE} bytes")]
    TooLong,
    #[error("`{key}` is armed already")]
    ArmedTwice { key: JobKey },
    #[error("a group is named for `{key}`, which is not armed or has one")]
    StrayGroup { key: JobKey },
    #[error("`{key}` was answered but not asked about")]
    StrayAnswer { key: JobKey },
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arm { key, deadline } => write!(f, "arm {key} {}", deadline.micros()),
            Self::Group { key, group } => write!(f, "group {key} {group}"),
            Self::Renew { key, deadline } => write!(f, "renew {key} {}", deadline.micros()),
            Self::Forget { key } => write!(f, "forget {key}"),
        }
    }
}

impl FromStr for Order {
    type Err = ProtocolError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let words: Vec<&str> = line.split(' ').collect();
        let order = match words.as_slice() {
            ["arm", key, deadline] => (|| {
                let deadline = Moment::from_micros(number(deadline)?);
                Some(Self::Arm { key: JobKey::new(key).ok()?, deadline })
            })(),
            ["group", key, group] => (|| {
                let group = ProcessGroup::from_raw(number(group)?)?;
                Some(Self::Group { key: JobKey::new(key).ok()?, group })
            })(),
            ["renew", key, deadline] => (|| {
                let deadline = Moment::from_micros(number(deadline)?);
                Some(Self::Renew { key: JobKey::new(key).ok()?, deadline })
            })(),
            ["forget", key] => JobKey::new(key).ok().map(|key| Self::Forget { key }),
            _ => None,
        };
        order.ok_or_else(|| ProtocolError::Malformed { line: line.to_owned() })
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Armed(key) => write!(f, "armed {key}"),
            Self::Late(key) => write!(f, "late {key}"),
            Self::Gone(key) => write!(f, "gone {key}"),
            Self::Lingering(key) => write!(f, "lingering {key}"),
        }
    }
}

impl FromStr for Answer {
    type Err = ProtocolError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let malformed = || ProtocolError::Malformed { line: line.to_owned() };
        let (verb, key) = line.split_once(' ').ok_or_else(malformed)?;
        let key = JobKey::new(key).map_err(|_| malformed())?;
        match verb {
            "armed" => Ok(Self::Armed(key)),
            "late" => Ok(Self::Late(key)),
            "gone" => Ok(Self::Gone(key)),
            "lingering" => Ok(Self::Lingering(key)),
            _ => Err(malformed()),
        }
    }
}

/// A decimal number without sign or leading zeros, which `parse` alone would let pass.
fn number<N: FromStr>(text: &str) -> Option<N> {
    let canonical = text == "0" || !text.starts_with(['0', '+', '-']);
    if canonical { text.parse().ok() } else { None }
}

/// Bytes as they arrive, cut into lines.
#[derive(Debug, Default)]
pub(super) struct Lines(Vec<u8>);

impl Lines {
    /// Take `bytes` in and give every line that they complete.
    pub(super) fn take<L>(&mut self, bytes: &[u8]) -> Result<Vec<L>, ProtocolError>
    where
        L: FromStr<Err = ProtocolError>,
    {
        self.0.extend_from_slice(bytes);
        let mut lines = Vec::new();
        while let Some(end) = self.0.iter().position(|byte| *byte == b'\n') {
            let rest = self.0.split_off(end + 1);
            let line = String::from_utf8_lossy(&self.0[..end]).into_owned();
            self.0 = rest;
            lines.push(line.parse()?);
        }
        if self.0.len() > LONGEST_LINE { Err(ProtocolError::TooLong) } else { Ok(lines) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key() -> impl Strategy<Value = JobKey> {
        "[!-~]{1,120}".prop_map(|text| JobKey::new(&text).unwrap())
    }

    fn order() -> impl Strategy<Value = Order> {
        let moment = || any::<u64>().prop_map(Moment::from_micros);
        prop_oneof![
            (key(), moment()).prop_map(|(key, deadline)| Order::Arm { key, deadline }),
            (key(), moment()).prop_map(|(key, deadline)| Order::Renew { key, deadline }),
            (key(), 2..=i32::MAX).prop_map(|(key, raw)| Order::Group {
                key,
                group: ProcessGroup::from_raw(raw).unwrap()
            }),
            key().prop_map(|key| Order::Forget { key }),
        ]
    }

    fn answer() -> impl Strategy<Value = Answer> {
        prop_oneof![
            key().prop_map(Answer::Armed),
            key().prop_map(Answer::Late),
            key().prop_map(Answer::Gone),
            key().prop_map(Answer::Lingering),
        ]
    }

    proptest! {
        #[test]
        fn what_one_side_prints_the_other_reads(order in order(), answer in answer()) {
            prop_assert_eq!(order.to_string().parse(), Ok(order));
            prop_assert_eq!(answer.to_string().parse(), Ok(answer));
        }

        #[test]
        fn lines_are_the_same_however_they_are_cut(
            orders in prop::collection::vec(order(), 0..8),
            size in 1_usize..50,
        ) {
            let text: Vec<u8> =
                orders.iter().flat_map(|order| format!("{order}\n").into_bytes()).collect();
            let mut lines = Lines::default();
            let mut read: Vec<Order> = Vec::new();
            for bytes in text.chunks(size) {
                read.extend(lines.take::<Order>(bytes).unwrap());
            }
            prop_assert_eq!(read, orders);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = Lines::default().take::<Order>(&bytes);
            let _ = Lines::default().take::<Answer>(&bytes);
        }
    }

    #[test]
    fn a_line_that_is_only_nearly_right_is_refused() {
        for line in [
            "",
            "arm",
            "arm k",
            "arm k 1 2",
            "arm  k 1",
            "arm k 1 ",
            "arm k +1",
            "arm k 01",
            "arm k -1",
            "arm k 99999999999999999999",
            "ARM k 1",
            "group k 1",
            "group k 0",
            "group k -7",
            "forget",
            "forget k 1",
            "kill k",
        ] {
            assert!(line.parse::<Order>().is_err(), "{line:?}");
        }
        for line in ["", "armed", "armed a b", "yes k", "armed \u{e9}"] {
            assert!(line.parse::<Answer>().is_err(), "{line:?}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_refused_before_it_fills_the_memory() {
        let endless = vec![b'x'; LONGEST_LINE + 1];
        assert_eq!(Lines::default().take::<Order>(&endless), Err(ProtocolError::TooLong));
    }
}
