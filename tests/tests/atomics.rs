//! Atomic operations on floats and on words of 64 bits.

use kernel_tests::{atomics, device};
use spirv_runtime::{ErrorKind, Result};

/// What was loaded; none, and a word about it, if the device lacks what the kernel needs. Those that CI installs lack nothing.
fn available<T>(loaded: Result<T>) -> Option<T> {
    match loaded {
        Ok(kernel) => Some(kernel),
        Err(e)
            if e.kind() == ErrorKind::Unsupported
                && std::env::var_os("SPIRV_REQUIRE_COMPONENTS").is_none() =>
        {
            eprintln!("skipped: {e}");
            None
        }
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn exchanged_floats_are_found_once() {
    let device = device();
    let queue = device.queue();
    let Some(kernel) = available(atomics::exchange::load(&device)) else { return };
    for count in [1u32, 64, 1000] {
        let groups = count.div_ceil(64) as usize;
        let mut latest = device.buffer_from(&vec![-2f32; 1 + groups]).unwrap();
        let mut before = device.buffer::<f32>(count as usize).unwrap();
        let args = atomics::exchange::Args {
            latest: &mut latest,
            before: &mut before,
            params: atomics::Params { count },
            threads: [count, 1, 1],
        };
        kernel.launch(&queue, args).unwrap();
        let latest = latest.read(&queue).unwrap();
        let before = before.read(&queue).unwrap();
        // In each group all numbers but one were found, and what stood there first.
        let mut lasts = vec![-2f32];
        for (group, found) in before.chunks(64).enumerate() {
            let mut all: Vec<f32> =
                (0..found.len()).map(|i| (group * 64 + i) as f32 + 0.5).chain([-1.0]).collect();
            for value in found {
                let at = all.iter().position(|v| v == value).unwrap_or_else(|| panic!("{value} of {all:?}"));
                all.swap_remove(at);
            }
            lasts.extend(all);
        }
        let mut latest = latest;
        latest.sort_by(f32::total_cmp);
        lasts.sort_by(f32::total_cmp);
        assert_eq!(latest, lasts);
    }
}

#[test]
fn wide_words_lie_beside_narrow_ones() {
    let device = device();
    let queue = device.queue();
    let Some(kernel) = available(atomics::wide::load(&device)) else { return };
    for count in [1u32, 64, 1000] {
        let words = 6 + count.div_ceil(64) as usize * 2;
        let mut bytes = device.buffer_from(&vec![0u32; words + 1]).unwrap();
        let args = atomics::wide::Args {
            words: &mut bytes,
            params: atomics::Params { count },
            threads: [count, 1, 1],
        };
        kernel.launch(&queue, args).unwrap();
        let bytes = bytes.read(&queue).unwrap();
        let wide: Vec<u64> = bytes.chunks_exact(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect();
        let value = |id: u32| 0x1_0000_0001u64 * u64::from(id);
        assert_eq!(wide[0], (0..count).map(value).sum::<u64>());
        assert_eq!(wide[1], value(count - 1));
        assert_eq!(wide[2], value(count - 1).wrapping_neg());
        for (group, bits) in wide[3..].iter().enumerate() {
            let left = count as usize - group * 64;
            assert_eq!(*bits, if left >= 64 { u64::MAX } else { (1 << left) - 1 });
        }
        assert_eq!(bytes[words], count);
    }
}
