//! The device's clock.

use std::sync::OnceLock;
use std::time::Instant;

/// Bits of a timestamp.
pub const BITS: u32 = 32;

/// A number from the environment.
pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.trim().parse().ok()).unwrap_or(default)
}

/// Nanoseconds of a tick.
pub fn tick() -> u64 {
    static TICK: OnceLock<u64> = OnceLock::new();
    *TICK.get_or_init(|| setting("ZEOCL_TICK_NS", 83).max(1))
}

/// Nanoseconds since the first call.
pub fn nanoseconds() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// The clock, which wraps around soon after it began, so that whoever forgets that sees it.
pub fn ticks() -> u64 {
    let early = (1u64 << BITS) - 1_000_000;
    (early + nanoseconds() / tick()) & ((1 << BITS) - 1)
}
