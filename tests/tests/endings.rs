//! How launches end that do not end by themselves, on the CPU; and barriers that not all invocations of a group reach.

use kernel_tests::{device, endings};
use spirv_runtime::{Buffer, Device, ErrorKind, Queue, Result};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(120);

/// Elements: two groups.
const N: usize = 128;

#[test]
fn what_never_ends_is_cancelled_in_its_loops() {
    // A GPU would hang.
    let device = Device::cpu();
    let queue = device.queue();
    let mut output = device.buffer::<u32>(N).unwrap();
    let threads = [N as u32, 1, 1];
    macro_rules! endless {
        ($($kernel:ident),*) => {$({
            let kernel = endings::$kernel::load(&device).unwrap();
            let mut launch = |rounds| {
                let params = endings::Params { rounds, limit: 0 };
                kernel.launch(&queue, endings::$kernel::Args { output: &mut output, params, threads }).unwrap();
            };
            launch(u32::MAX);
            let name = stringify!($kernel);
            assert!(!queue.wait_timeout(Duration::from_millis(20)).unwrap(), "{name} ends");
            queue.cancel().unwrap();
            assert!(queue.wait_timeout(LONG).unwrap(), "{name} goes on");
            launch(3);
            queue.wait().unwrap();
        })*};
    }
    endless!(count, part, meet);
    // The last one was `meet`, which turns each group by three.
    let want: Vec<u32> = (0..N as u32).map(|i| i / 64 * 64 + (i + 3) % 64).collect();
    assert_eq!(output.read(&queue).unwrap(), want);
}

struct Case {
    device: Device,
    queue: Queue,
    output: Buffer<u32>,
}

impl Case {
    fn new(device: Device) -> Case {
        let output = device.buffer::<u32>(N).unwrap();
        Case { queue: device.queue(), output, device }
    }

    fn input(&self, f: impl Fn(u32) -> u32) -> Buffer<u32> {
        self.device.buffer_from(&(0..N as u32).map(f).collect::<Vec<_>>()).unwrap()
    }
}

macro_rules! run {
    ($case:ident, $kernel:ident, $input:expr) => {{
        let input = $case.input($input);
        let kernel = endings::$kernel::load(&$case.device).unwrap();
        let params = endings::Params { rounds: 0, limit: 10 };
        let threads = [N as u32, 1, 1];
        let args = run!(@args $kernel, input, $case, params, threads);
        kernel.launch(&$case.queue, args).unwrap();
        $case.output.read(&$case.queue)
    }};
    (@args turns, $input:ident, $case:ident, $params:ident, $threads:ident) => {{
        let _ = $params;
        endings::turns::Args { input: &$input, output: &mut $case.output, threads: $threads }
    }};
    (@args $kernel:ident, $input:ident, $case:ident, $params:ident, $threads:ident) => {
        endings::$kernel::Args { input: &$input, output: &mut $case.output, params: $params, threads: $threads }
    };
}

#[test]
fn groups_that_agree_meet() {
    let mut case = Case::new(device());
    // Each group as a whole, one this way and one that.
    let chosen = run!(case, chosen, |i| if i < 64 { 5 } else { 50 }).unwrap();
    let want: Vec<u32> = (0..N as u32).map(|i| if i < 64 { i } else { i + 1000 }).collect();
    assert_eq!(chosen, want);
    let turns = run!(case, turns, |i| i / 64 * 2).unwrap();
    let want: Vec<u32> = (0..N as u32).map(|i| i / 64 * 64 + (i + i / 64 * 2) % 64).collect();
    assert_eq!(turns, want);
    let early = run!(case, early, |i| if i < 64 { 5 } else { 50 }).unwrap();
    let want: Vec<u32> = (0..N as u32).map(|i| if i < 64 { i ^ 1 } else { 7 }).collect();
    assert_eq!(early, want);
}

#[test]
fn groups_that_do_not_agree_are_an_error_at_the_line() {
    // What a GPU does then is undefined.
    let mut case = Case::new(Device::cpu());
    let source = include_str!("../kernels/endings.hlsl");
    let line = |text: &str| 1 + source.lines().position(|l| l.contains(text)).unwrap();
    fn check(result: Result<Vec<u32>>, kernel: &str, line: usize) {
        let error = result.expect_err(kernel);
        assert_eq!(error.kind(), ErrorKind::Fault, "{error}");
        for part in [format!("endings::{kernel}"), format!("endings.hlsl:{line}:")] {
            assert!(error.to_string().contains(&part), "`{part}` is not in: {error}");
        }
    }
    // One of the first group, the first of a wave, all but one of the second.
    let odd: [fn(u32) -> u32; 3] =
        [|i| u32::from(i == 3) * 50, |i| u32::from(i == 32) * 50, |i| u32::from(i != 127) * 50];
    for input in odd {
        check(run!(case, chosen, input), "chosen", line("if (input[id.x] > limit) {"));
        check(run!(case, turns, input), "turns", line("i < turns"));
        let barrier = source.find("return;\n").map(|at| source[..at].lines().count() + 1).unwrap();
        check(run!(case, early, input), "early", barrier);
        // The queue has the error too, once.
        assert_eq!(case.queue.wait().unwrap_err().kind(), ErrorKind::Fault);
        case.queue.wait().unwrap();
    }
}
