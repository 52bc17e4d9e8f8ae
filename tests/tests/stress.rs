//! A short form of the program `stress`.

use kernel_tests::{device, stress};
use std::sync::atomic::Ordering;
use std::time::Duration;

#[test]
fn threads_and_queues_do_not_mix() {
    let counts = stress::run(&device(), Duration::from_secs(3)).unwrap();
    assert!(counts.launches.load(Ordering::Relaxed) > 100, "{counts:?}");
    assert!(counts.reads.load(Ordering::Relaxed) > 50, "{counts:?}");
}
