//! See `kernel_tests::stress`: seconds as the argument.

use std::time::Duration;

fn main() -> Result<(), String> {
    let seconds = match std::env::args().nth(1) {
        None => 60,
        Some(text) => text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?,
    };
    let device = kernel_tests::device();
    let counts = kernel_tests::stress::run(&device, Duration::from_secs(seconds))?;
    println!("{}: {counts:?}", device.name());
    let messages = spirv_runtime::__private::validation_messages();
    if messages.is_empty() { Ok(()) } else { Err(messages.join("\n")) }
}
