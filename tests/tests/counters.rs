//! Buffers that count, which are two buffers for the host: the elements and the number of them.

use counters::Item;
use kernel_tests::{SIZES, counters, device, mix};

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort();
    list
}

#[test]
fn items_go_from_queue_to_queue() {
    let device = device();
    let queue = device.queue();
    let kernel = counters::sort::load(&device).unwrap();
    for (width, height) in SIZES {
        let n = width * height;
        let place = |i: u32| (mix(i) % 100) as f32;
        let items: Vec<Item> = (0..n).map(|i| Item { index: i, place: [place(i), i as f32, 0.5] }).collect();
        let mut waiting = device.buffer_from(&items).unwrap();
        let mut waiting_counter = device.buffer_from(&[n]).unwrap();
        let mut near = device.buffer::<Item>(n as usize + 2).unwrap();
        // Two are there already.
        let mut near_counter = device.buffer_from(&[2u32]).unwrap();
        let mut far = device.buffer::<u32>(n as usize).unwrap();
        let mut far_counter = device.buffer_from(&[0u32]).unwrap();
        let args = counters::sort::Args {
            waiting: &mut waiting,
            near: &mut near,
            far: &mut far,
            waiting_counter: &mut waiting_counter,
            near_counter: &mut near_counter,
            far_counter: &mut far_counter,
            params: counters::Params { count: n, limit: 40.0 },
            threads: [n, 1, 1],
        };
        kernel.launch(&queue, args).unwrap();
        let want: Vec<u32> = (0..n).filter(|i| place(*i) < 40.0).collect();
        assert_eq!(waiting_counter.read(&queue).unwrap(), [0]);
        assert_eq!(near_counter.read(&queue).unwrap(), [want.len() as u32 + 2]);
        assert_eq!(far_counter.read(&queue).unwrap(), [n - want.len() as u32]);
        let near = near.read(&queue).unwrap();
        let got = near[2..2 + want.len()].iter();
        assert_eq!(sorted(got.clone().map(|i| i.index).collect()), want);
        for item in got {
            assert_eq!(item.place, [place(item.index), item.index as f32 + 1.0, 0.5]);
        }
        let got = far.read(&queue).unwrap()[..n as usize - want.len()].to_vec();
        assert_eq!(sorted(got), (0..n).filter(|i| place(*i) >= 40.0).collect::<Vec<_>>());
    }
}

#[test]
fn counters_count_up_and_down() {
    let device = device();
    let queue = device.queue();
    let kernel = counters::number::load(&device).unwrap();
    let n = 1000;
    let mut slots = device.buffer::<u32>(1000).unwrap();
    let mut slots_counter = device.buffer_from(&[0u32]).unwrap();
    let mut stack = device.buffer::<i32>(500).unwrap();
    let mut stack_counter = device.buffer_from(&[400u32]).unwrap();
    let args = counters::number::Args {
        slots: &mut slots,
        stack: &mut stack,
        slots_counter: &mut slots_counter,
        stack_counter: &mut stack_counter,
        params: counters::Params { count: n, limit: 0.0 },
        threads: [n, 1, 1],
    };
    kernel.launch(&queue, args).unwrap();
    assert_eq!(slots_counter.read(&queue).unwrap(), [n]);
    assert_eq!(sorted(slots.read(&queue).unwrap()), (0..n).collect::<Vec<_>>());
    // 334 numbers, below 400.
    assert_eq!(stack_counter.read(&queue).unwrap(), [400 - 334]);
    let stack = stack.read(&queue).unwrap();
    assert!(stack[..66].iter().chain(&stack[400..]).all(|v| *v == 0));
    let want: Vec<i32> = (0..n as i32).filter(|i| i % 3 == 0).map(|i| -i).rev().collect();
    assert_eq!(sorted(stack[66..400].to_vec()), want);
}
