//! How fast the compiler is beside dxc, file by file, both in-process and at their default level.
//!
//! ```text
//! cargo bench -p spirv-build --bench compile_speed -- FOLDER [--dxc COMMAND] [--times N] [--limit N]
//! cargo bench -p spirv-build --bench compile_speed --profile dev -- …      # as build scripts run it
//! ```
//!
//! Takes every `.hlsl` file of the folder. One whose first line is `// spirvc: FLAGS` or `// RUN: … dxc FLAGS … %s` is
//! compiled with those flags, others with `-T cs_6_6 -E main`. The dxc command must compile as often as the environment
//! variable `N` says and print `us/compile NUMBER`; without a command only our own times are shown. The two alternate;
//! figures are medians of five rounds, without what warms each up. Files that either refuses are counted and left out. The
//! first compilation of the process, which a build script with one kernel has no other than, is shown for itself: with the
//! start of its thread, and with everything that later ones find in caches.

use spirv_build::diag::Diagnostics;
use spirv_build::driver::{compile, flags};
use spirv_build::source::SourceMap;
use spirv_build::stack::on_large_stack;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Rounds of each compiler, of which the median counts.
const ROUNDS: usize = 5;

struct Options {
    folder: PathBuf,
    dxc: Option<String>,
    times: u32,
    limit: usize,
}

fn options() -> Result<Options, String> {
    let mut out = Options { folder: PathBuf::new(), dxc: None, times: 10, limit: usize::MAX };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
        match arg.as_str() {
            // Cargo's own.
            "--bench" => {}
            "--dxc" => out.dxc = Some(value()?),
            "--times" => out.times = value()?.parse().map_err(|e| format!("--times: {e}"))?,
            "--limit" => out.limit = value()?.parse().map_err(|e| format!("--limit: {e}"))?,
            folder if !folder.starts_with('-') => out.folder = folder.into(),
            other => return Err(format!("unknown option `{other}`")),
        }
    }
    if out.folder.as_os_str().is_empty() {
        out.folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spirv");
    }
    out.times = out.times.max(1);
    Ok(out)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(e) => {
            eprintln!("compile_speed: {e}");
            return ExitCode::from(2);
        }
    };
    let mut files = Vec::new();
    collect(&options.folder, &mut files);
    files.sort();
    files.truncate(options.limit);
    if files.is_empty() {
        eprintln!("compile_speed: no .hlsl files in {}", options.folder.display());
        return ExitCode::from(2);
    }
    let (mut ratios, mut ours_all, mut refused) = (Vec::new(), Vec::new(), [0, 0]);
    let mut first = None;
    println!("{:>12} {:>12} {:>8}  file", "ours us", "dxc us", "ratio");
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let flags = flags_of(&text);
        let start = Instant::now();
        let Some(mut ours) = measure_ours(file, &text, &flags, 1) else {
            refused[0] += 1;
            continue;
        };
        first.get_or_insert(start.elapsed().as_secs_f64() * 1e6);
        let (mut us, mut them) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours = measure_ours(file, &text, &flags, options.times).unwrap_or(ours);
            us.push(ours);
            if let Some(dxc) = &options.dxc {
                them.extend(measure_dxc(dxc, file, &flags, options.times));
            }
        }
        let ours = median(&mut us);
        if options.dxc.is_some() && them.len() < ROUNDS {
            refused[1] += 1;
            continue;
        }
        ours_all.push(ours);
        let name = file.strip_prefix(&options.folder).unwrap_or(file).display();
        match them.is_empty() {
            true => println!("{ours:12.1} {:>12} {:>8}  {name}", "-", "-"),
            false => {
                let theirs = median(&mut them);
                ratios.push(theirs / ours);
                println!("{ours:12.1} {theirs:12.1} {:8.2}  {name}", theirs / ours);
            }
        }
    }
    println!("\n{} files; {} refused by us, {} by dxc", files.len(), refused[0], refused[1]);
    if let Some(us) = first {
        println!("first compilation: {us:.1} us");
    }
    if !ours_all.is_empty() {
        println!("median time: {:.1} us", median(&mut ours_all));
    }
    if !ratios.is_empty() {
        ratios.sort_by(f64::total_cmp);
        let (low, high) = (ratios[ratios.len() / 10], ratios[ratios.len() * 9 / 10]);
        println!("dxc / ours: median {:.2}, tenth {low:.2}, nine tenths {high:.2}", median(&mut ratios));
    }
    ExitCode::SUCCESS
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|e| e.ok()).map(|e| e.path()) {
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "hlsl") {
            out.push(path);
        }
    }
}

/// Flags that the first line of a file gives.
fn flags_of(text: &str) -> Vec<String> {
    let first = text.lines().next().unwrap_or_default();
    let mut words: Vec<String> = if let Some(flags) = first.strip_prefix("// spirvc: ") {
        flags.split_whitespace().map(String::from).collect()
    } else if let Some((_, run)) = first.split_once("dxc ") {
        let own = run.split('|').next().unwrap_or_default().split_whitespace();
        own.filter(|w| !matches!(*w, "%s" | "-fcgl" | "-spirv" | "2>&1") && !w.starts_with("-verify"))
            .map(String::from)
            .collect()
    } else {
        ["-T", "cs_6_6", "-E", "main"].map(String::from).to_vec()
    };
    // What is printed makes no difference to either.
    if let Some(at) = words.iter().position(|w| w == "--emit") {
        words.drain(at..(at + 2).min(words.len()));
    }
    words
}

/// Microseconds that our compiler takes; None if it refuses the file.
fn measure_ours(file: &Path, text: &str, flags: &[String], times: u32) -> Option<f64> {
    let name = file.to_string_lossy().into_owned();
    let args = flags.iter().cloned().chain(["-Fo".into(), "out.spv".into(), name.clone()]);
    let command = flags::parse(args).ok()?;
    on_large_stack(|| {
        let start = Instant::now();
        for _ in 0..times {
            let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
            let output = compile(&name, text, &command, &mut sources, &mut diagnostics);
            if output.is_none() || diagnostics.has_errors() {
                return None;
            }
        }
        Some(start.elapsed().as_secs_f64() * 1e6 / f64::from(times))
    })
}

/// Compilations of a dxc process that warm it up.
const WARMUP: u32 = 2;

/// Microseconds that dxc takes; None if it refuses the file or does not say. Each run of the command is a process of its own,
/// whose first compilations take longer. Ours are warm, so that what a run of only such takes is left out.
fn measure_dxc(dxc: &str, file: &Path, flags: &[String], times: u32) -> Option<f64> {
    let cold = run_dxc(dxc, file, flags, WARMUP)?;
    let all = run_dxc(dxc, file, flags, WARMUP + times)?;
    Some(((all - cold) / f64::from(times)).max(0.0))
}

/// Microseconds that dxc says so many compilations take together.
fn run_dxc(dxc: &str, file: &Path, flags: &[String], times: u32) -> Option<f64> {
    let mut words = dxc.split_whitespace();
    let out = std::env::temp_dir().join(format!("compile_speed_{}.spv", std::process::id()));
    let done = Command::new(words.next()?)
        .args(words)
        .arg("-spirv")
        .args(flags)
        .arg(file)
        .arg("-Fo")
        .arg(&out)
        .env("N", times.to_string())
        .output()
        .ok()?;
    let _ = std::fs::remove_file(&out);
    let text = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    let after = text.split("us/compile").nth(1).filter(|_| done.status.success())?;
    let each: f64 = after.split_whitespace().next()?.parse().ok()?;
    Some(each * f64::from(times))
}

fn median(list: &mut [f64]) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}
