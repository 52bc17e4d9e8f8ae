//! y = a * x + y from two languages on every kind of device: a table of results, which must all be equal.
//!
//! ```text
//! cargo run -p anywhere --features llvm22-1                        # six results
//! cargo run -p anywhere                                            # from HLSL alone; needs no LLVM
//! cargo run -p anywhere -- cpu vulkan:0                            # on these devices
//! ```
//!
//! A device that this machine does not have is a line of the table that says so; the exit status is 1 if results differ.

use spirv_runtime::{Device, Result, include_kernel};
use std::process::ExitCode;

include_kernel!(mod from_hlsl = "kernels/saxpy.hlsl");
#[cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]
include_kernel!(mod from_llvm = "kernels/saxpy.ll");

/// Elements; no multiple of the work-group's 64.
const COUNT: u32 = 1_000_003;
const A: f32 = 2.5;

/// Runs the kernel on a device: (x, y) to the new y.
type Run = fn(&Device, &[f32], &[f32]) -> Result<Vec<f32>>;

/// The languages, and how to run what was written in them.
const SOURCES: &[(&str, Run)] = &[
    ("saxpy.hlsl", |device, x, y| {
        let (queue, n) = (device.queue(), x.len() as u32);
        let (x, mut y) = (device.buffer_from(x)?, device.buffer_from(y)?);
        let params = from_hlsl::Params { n, a: A };
        from_hlsl::load(device)?
            .launch(&queue, from_hlsl::Args { x: &x, y: &mut y, params, threads: [n, 1, 1] })?;
        y.read(&queue)
    }),
    #[cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]
    ("saxpy.ll", |device, x, y| {
        let (queue, n) = (device.queue(), x.len() as u32);
        let (x, mut y) = (device.buffer_from(x)?, device.buffer_from(y)?);
        let params = from_llvm::Params { n, a: A };
        from_llvm::load(device)?
            .launch(&queue, from_llvm::Args { x: &x, y: &mut y, params, threads: [n, 1, 1] })?;
        y.read(&queue)
    }),
];

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let default = ["cpu", "vulkan:0", "level-zero:0"].map(String::from);
    let devices = if named.is_empty() { &default[..] } else { &named[..] };

    // Sums of these are exact, with and without a fused multiply-add: devices may do either.
    let x: Vec<f32> = (0..COUNT).map(|i| (i % 4096) as f32).collect();
    let y: Vec<f32> = (0..COUNT).map(|i| (i % 777) as f32 * 0.5).collect();
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| A * x + y).collect();

    println!("{:12} {:14} {:>14} {:>8}  device", "source", "", "sum", "equal");
    let mut all_equal = true;
    for device in devices {
        let opened = Device::from_name(device);
        for (source, run) in SOURCES {
            let result = opened.as_ref().map_err(ToString::to_string);
            let result = result.and_then(|d| Ok((d, run(d, &x, &y).map_err(|e| e.to_string())?)));
            match result {
                Ok((opened, y)) => {
                    let sum: f64 = y.iter().copied().map(f64::from).sum();
                    let equal = y == expected;
                    all_equal &= equal;
                    let name = opened.name();
                    println!(
                        "{source:12} {device:14} {sum:14.1} {:>8}  {name}",
                        if equal { "yes" } else { "NO" }
                    );
                }
                Err(why) => println!("{source:12} {device:14} {:>14} {:>8}  {why}", "-", "-"),
            }
        }
    }
    if SOURCES.len() == 1 {
        println!("saxpy.ll     needs LLVM: cargo run -p anywhere --features llvm22-1");
    }
    if all_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
