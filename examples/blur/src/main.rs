//! Blurs a PNG or JPEG image: `blur [IN OUT.png] [--radius R] [--device cpu|vulkan:0]`.
//!
//! Without files it blurs the bundled picture to `blurred.png`.

mod image_file;
mod options;

use image_file::Picture;
use options::Options;
use spirv_runtime::{Device, Image, Rgba8Unorm};
use std::process::ExitCode;
use std::time::Duration;

spirv_runtime::include_kernel!("kernels/blur.hlsl");

/// What is blurred when no file is named.
const BUNDLED: &[u8] = include_bytes!("../images/evening.png");

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("blur: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> Result<(), String> {
    let picture = match &options.input {
        Some(path) => image_file::read(path)?,
        None => image_file::decode(BUNDLED).map_err(|e| format!("the bundled picture: {e}"))?,
    };
    // An output that cannot be written is found before the work, not after.
    let output = image_file::Output::create(&options.output)?;
    let device = match &options.device {
        Some(name) => Device::from_name(name),
        None => Device::best(),
    }
    .map_err(|e| e.to_string())?;
    let (blurred, time) = blur_picture(&device, &picture, options.radius).map_err(|e| e.to_string())?;
    output.write(&blurred)?;
    println!("device  {} ({})", device.name(), device.id());
    println!("kernel  {:.3} ms, {} x {}, radius {}", ms(time), picture.width, picture.height, options.radius);
    println!("wrote   {}", options.output.display());
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Blurs along the rows, then along the columns. Gives the picture and the time of both kernels.
fn blur_picture(
    device: &Device,
    picture: &Picture,
    radius: u32,
) -> spirv_runtime::Result<(Picture, Duration)> {
    let (width, height) = (picture.width, picture.height);
    let queue = device.queue();
    queue.set_profiling(true);
    let mut first: Image<Rgba8Unorm> = device.image_from(width, height, &picture.texels)?;
    let mut second: Image<Rgba8Unorm> = device.image(width, height)?;
    let params = blur::Params { width, height, radius };
    let threads = [width, height, 1];

    let rows = blur::horizontal::load(device)?;
    let args = blur::horizontal::Args { source: &first, target: &mut second, params, threads };
    rows.launch(&queue, args)?;
    let mut time = queue.last_kernel_time().unwrap_or_default();

    let columns = blur::vertical::load(device)?;
    let args = blur::vertical::Args { source: &second, target: &mut first, params, threads };
    columns.launch(&queue, args)?;
    time += queue.last_kernel_time().unwrap_or_default();

    Ok((Picture { width, height, texels: first.read(&queue)? }, time))
}
