//! The command line.

use std::path::PathBuf;

/// Texels that a blur may reach. Larger ones take long and look the same as a smaller image scaled up.
pub const MAX_RADIUS: u32 = 256;

const USAGE: &str = "usage: blur [IN OUT.png] [--radius R] [--device cpu|vulkan:0]";

/// What the user asked for.
pub struct Options {
    /// Input file; None: the bundled picture.
    pub input: Option<PathBuf>,
    /// Output file.
    pub output: PathBuf,
    /// Texels that the blur reaches in each direction.
    pub radius: u32,
    /// Device by name; None: the best one.
    pub device: Option<String>,
}

impl Options {
    /// Reads the arguments behind the program's name.
    pub fn parse(args: impl Iterator<Item = String>) -> Result<Options, String> {
        let (mut files, mut radius, mut device) = (Vec::new(), 8, None);
        let mut args = args;
        while let Some(arg) = args.next() {
            let mut value = |name: &str| args.next().ok_or_else(|| format!("{name} needs a value\n{USAGE}"));
            match arg.as_str() {
                "--radius" => radius = parse_radius(&value("--radius")?)?,
                "--device" => device = Some(value("--device")?),
                "--help" | "-h" => return Err(USAGE.into()),
                flag if flag.starts_with("--") => return Err(format!("unknown option `{flag}`\n{USAGE}")),
                _ => files.push(PathBuf::from(arg)),
            }
        }
        let mut files = files.into_iter();
        let (input, output, more) = (files.next(), files.next(), files.next());
        if more.is_some() || input.is_some() && output.is_none() {
            return Err(format!("give an input and an output, or neither\n{USAGE}"));
        }
        Ok(Options { input, output: output.unwrap_or_else(|| "blurred.png".into()), radius, device })
    }
}

fn parse_radius(text: &str) -> Result<u32, String> {
    // Through f64, so that 1e9 is refused for its size and not for its spelling.
    match text.parse::<f64>() {
        Ok(r) if r.fract() == 0.0 && (0.0..=f64::from(MAX_RADIUS)).contains(&r) => Ok(r as u32),
        Ok(_) => Err(format!("--radius {text}: the radius is a whole number from 0 to {MAX_RADIUS}")),
        Err(_) => Err(format!("--radius {text}: this is not a number")),
    }
}
