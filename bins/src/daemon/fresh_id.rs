//! Fresh random identifiers: the one place where this program draws randomness.

use std::time::{SystemTime, UNIX_EPOCH};

use horarium_core::words::{RunId, RunnerId, SchedulerId};
use rustix::rand::{GetRandomFlags, getrandom};

/// Sixteen random bytes of the kernel; if it has none to give, of the clock and the process, which
/// still never repeat on one machine.
fn random_bits() -> u128 {
    let mut bytes = [0_u8; 16];
    match getrandom(&mut bytes, GetRandomFlags::empty()) {
        Ok(count) if count == bytes.len() => u128::from_be_bytes(bytes),
        Ok(_) | Err(_) => {
            let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
            nanos << 32 | u128::from(std::process::id())
        }
    }
}

fn unix_millis() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// An id for a new run.
pub fn fresh_run_id() -> RunId {
    RunId::v7(unix_millis(), random_bits())
}

/// An id for a new registration of a runner.
pub fn fresh_runner_id() -> RunnerId {
    RunnerId::v7(unix_millis(), random_bits())
}

/// An id for a scheduler process.
pub fn fresh_scheduler_id() -> SchedulerId {
    SchedulerId::v7(unix_millis(), random_bits())
}

/// A seed for a machine's jitter.
pub fn fresh_seed() -> u64 {
    let half = random_bits() & u128::from(u64::MAX);
    u64::try_from(half).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_ids_differ() {
        assert_ne!(fresh_run_id(), fresh_run_id());
        assert_ne!(fresh_seed(), fresh_seed());
    }
}
