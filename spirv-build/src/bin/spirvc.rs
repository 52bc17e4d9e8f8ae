//! `spirvc`, the command line of `spirv-build`.

fn main() -> std::process::ExitCode {
    // An argument that is no text is no flag either; it will not be found as a file.
    let args = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned());
    std::process::ExitCode::from(spirv_build::driver::run(args))
}
