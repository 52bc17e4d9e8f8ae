//! What every device must do with its buffers, shown by a kernel that adds `a * x` to `y`.
//!
//! The module above has the devices (`each`), the kernel (`axpy`) and its launch.

use super::{axpy, each, launch};
use spirv_runtime::__private::Loaded;

#[test]
fn buffers_of_all_sizes_go_there_and_back() {
    each(|device, queue, kernel| {
        for n in [0usize, 1, 63, 64, 65, 1_000_003] {
            let data: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let x = device.buffer_from(&data).unwrap();
            let mut y = device.buffer::<f32>(n).unwrap();
            assert!(y.read(queue).unwrap().iter().all(|v| *v == 0.0), "{n}");
            launch(kernel, queue, 2.0, &x, &mut y);
            let want: Vec<f32> = data.iter().map(|v| v * 2.0).collect();
            assert!(y.read(queue).unwrap() == want, "{n}");
        }
        let odd = device.buffer_from(&[1u8, 2, 3]).unwrap();
        assert_eq!(odd.read(queue).unwrap(), [1, 2, 3]);
    });
}

#[test]
fn launches_that_depend_on_each_other_run_in_order() {
    each(|device, queue, kernel| {
        let mut a = device.buffer_from(&[1.0f32; 1000]).unwrap();
        let mut b = device.buffer_from(&[1.0f32; 1000]).unwrap();
        // Fibonacci numbers, modulo what a float holds exactly; more launches than fit one submission.
        let (mut fa, mut fb) = (1.0f32, 1.0f32);
        for i in 0..300 {
            let sign = if fa > 1e5 { -1.0 } else { 1.0 };
            launch(kernel, queue, sign, &b, &mut a);
            fa += sign * fb;
            if i % 2 == 0 {
                launch(kernel, queue, -0.5, &a, &mut b);
                fb -= 0.5 * fa;
            }
        }
        assert_eq!(a.read(queue).unwrap(), [fa; 1000]);
        assert_eq!(b.read(queue).unwrap(), [fb; 1000]);
    });
}

#[test]
fn host_writes_wait_their_turn() {
    each(|device, queue, kernel| {
        let mut x = device.buffer_from(&[1.0f32; 64]).unwrap();
        let mut y = device.buffer::<f32>(64).unwrap();
        launch(kernel, queue, 1.0, &x, &mut y);
        x.write(queue, &[10.0; 64]).unwrap();
        launch(kernel, queue, 1.0, &x, &mut y);
        queue.flush().unwrap();
        x.write(queue, &[100.0; 64]).unwrap();
        launch(kernel, queue, 1.0, &x, &mut y);
        assert_eq!(y.read(queue).unwrap(), [111.0; 64]);
        assert_eq!(x.read(queue).unwrap(), [100.0; 64]);
    });
}

#[test]
fn what_is_in_flight_may_be_dropped() {
    each(|device, queue, _| {
        let entry = axpy().unwrap();
        let mut y = device.buffer::<f32>(100_000).unwrap();
        {
            let kernel = Loaded::new(device, entry).unwrap();
            for i in 0..100 {
                // Its address is that of an earlier one: the argument must be set again all the same.
                let x = device.buffer_from(&vec![i as f32; 100_000]).unwrap();
                launch(&kernel, queue, 1.0, &x, &mut y);
            }
        }
        assert!(y.read(queue).unwrap() == vec![4950.0; 100_000]);
        // And all of it, with the last launch not even submitted.
        let kernel = Loaded::new(device, entry).unwrap();
        let x = device.buffer::<f32>(64).unwrap();
        let mut y = device.buffer::<f32>(64).unwrap();
        launch(&kernel, queue, 1.0, &x, &mut y);
    });
}

#[test]
fn threads_share_a_device() {
    each(|device, _, kernel| {
        let shared = device.buffer_from(&[1.0f32; 4096]).unwrap();
        std::thread::scope(|scope| {
            for t in 0..4 {
                let shared = &shared;
                scope.spawn(move || {
                    let queue = device.queue();
                    let mut y = device.buffer::<f32>(4096).unwrap();
                    for _ in 0..50 {
                        launch(kernel, &queue, t as f32, shared, &mut y);
                        if t == 0 {
                            queue.wait().unwrap();
                        }
                    }
                    assert_eq!(y.read(&queue).unwrap(), [50.0 * t as f32; 4096]);
                });
            }
        });
    });
}
