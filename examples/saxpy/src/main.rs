//! Runs y = a * x + y on the best device and shows the first elements.

use spirv_runtime::{Device, include_kernel};

include_kernel!("kernels/saxpy.hlsl");

fn main() -> spirv_runtime::Result<()> {
    let n = 1_000_003u32;
    let values: Vec<f32> = (0..n).map(|i| i as f32).collect();

    let device = Device::best()?;
    let queue = device.queue();
    let x = device.buffer_from(&values)?;
    let mut y = device.buffer_from(&vec![1.0f32; values.len()])?;

    let kernel = saxpy::load(&device)?;
    kernel.launch(
        &queue,
        saxpy::Args { x: &x, y: &mut y, params: saxpy::Params { n, a: 2.0 }, threads: [n, 1, 1] },
    )?;

    let y = y.read(&queue)?;
    println!("{}: y = {:?} ... {}", device.name(), &y[..5], y[y.len() - 1]);
    Ok(())
}
