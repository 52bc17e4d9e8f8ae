//! Command lines: the first line of an input, `// spirvc: FLAGS`.

use super::Numbers;
use spirv_build::driver::flags::{self, Command};

/// What such a line begins with.
pub const HEAD: &str = "// spirvc: ";

const PROFILES: &[&str] = &["cs_6_0", "cs_6_2", "cs_6_6", "cs_6_8", "lib_6_3", "lib_6_8", "cs_5_0", "ps_6_0"];

/// Values of flags, by their name or by what `--help` calls them; the first that fits is taken.
const VALUES: &[(&str, &[&str])] = &[
    (
        "NAME",
        &["main", "x", "SPV_KHR_shader_clock", "KHR", "conversion", "no-conversion", "error=conversion"],
    ),
    ("NAME", &["main", "x"]),
    ("NAME[=BODY]", &["A", "A=1", "main=f", "float=int", "B=(A+A)"]),
    ("VERSION", &["2016", "2017", "2018", "2021", "202x"]),
    ("ENV", &["vulkan1.0", "vulkan1.1", "vulkan1.1spirv1.4", "vulkan1.2", "vulkan1.3", "universal1.5"]),
    ("N", &["0", "1", "7", "100", "2147483648", "4294967295"]),
    ("N SPACE", &["0 0", "1 all", "10 1", "2147483648 0", "4294967295 all", "2147483647 0"]),
    ("BINDING SET", &["0 0", "1 2", "4294967295 0", "7 4294967295"]),
    ("REGISTER SPACE BINDING SET", &["t0 0 1 1", "u0 0 0 0", "b0 1 4294967295 7", "s0 0 2 0"]),
    ("MODE", &["any", "preserve", "ftz"]),
];

/// Flags that read or write files, or print something else than a module, and those that are refused.
const LEFT_OUT: &[&str] = &[
    "-I",
    "-Fo",
    "-Fc",
    "-Fe",
    "-Fh",
    "-Fi",
    "-Vn",
    "--help",
    "-help",
    "--version",
    "--explain",
    "-E",
    "-T",
    "-fvk-invert-y",
    "-fspv-use-descriptor-heap",
];

/// All flags, as `--help` lists them: name, with how the value follows it, and its values.
fn table() -> Vec<(String, &'static [&'static str])> {
    let help = flags::help();
    let lines = help.lines().skip_while(|l| !l.starts_with("  -")).take_while(|l| !l.is_empty());
    let mut out = Vec::new();
    for line in lines.map(str::trim_start) {
        let end = line.find([' ', '=']).unwrap_or(line.len());
        let (name, rest) = line.split_at(end);
        // What follows at once is a value; `-W` has its own behind the name.
        let (name, mark) =
            if name.starts_with("-WNAME") { ("-W", "") } else { (name, rest.get(..1).unwrap_or("")) };
        if LEFT_OUT.contains(&name) {
            continue;
        }
        let mut fits: Vec<_> =
            VALUES.iter().filter(|v| v.0 == name || rest[mark.len()..].starts_with(v.0)).collect();
        fits.sort_by_key(|v| if v.0 == name { 0 } else { 99 - v.0.len() });
        match fits.first() {
            Some(values) => out.push((format!("{name}{mark}"), values.1)),
            None => out.push((name.to_string(), &[""][..])),
        }
    }
    out
}

/// A flag with its value.
fn flag(numbers: &mut Numbers) -> String {
    let table = table();
    let (name, values) = &table[numbers.below(table.len())];
    format!("{name}{}", numbers.of(values))
}

/// A first line.
pub fn line(numbers: &mut Numbers) -> String {
    let profile = if numbers.once_in(12) { numbers.of(PROFILES) } else { "cs_6_6" };
    let mut out = format!("{HEAD}-T {profile}");
    if numbers.below(3) > 0 {
        out += " -E main";
    }
    if !numbers.once_in(8) {
        out += " -enable-16bit-types";
    }
    for _ in 0..numbers.below(5) {
        out += &format!(" {}", flag(numbers));
    }
    out + "\n"
}

/// A text with one flag more, or one less.
pub fn change(text: &str, numbers: &mut Numbers) -> String {
    let Some(rest) = text.strip_prefix(HEAD) else { return line(numbers) + text };
    let (line, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let mut words: Vec<String> = line.split(' ').map(String::from).collect();
    let at = numbers.below(words.len());
    if numbers.once_in(3) {
        words.remove(at);
    } else {
        words.push(flag(numbers));
    }
    format!("{HEAD}{}\n{rest}", words.join(" "))
}

/// The command line of a text. Wrong ones are one line of error; then the text is compiled without them.
pub fn command(text: &str) -> Command {
    let line = text.lines().next().and_then(|l| l.strip_prefix(HEAD)).unwrap_or_default();
    let reads_folders = |w: &&str| !w.starts_with("-I") && !w.ends_with(".hlsl");
    let words = line.split_whitespace().filter(reads_folders).chain(["k.hlsl"]).map(String::from);
    match flags::parse(words) {
        Ok(command) if command.action == flags::Action::Compile => command,
        Ok(_) => default_command(),
        Err(message) => {
            assert!(!message.is_empty() && !message.contains('\n'), "{message}");
            default_command()
        }
    }
}

fn default_command() -> Command {
    let words = ["-T", "cs_6_6", "-fspv-target-env=vulkan1.3", "k.hlsl"];
    flags::parse(words.map(String::from)).expect("this command line is right")
}
