//! What a compilation reads, as rules for make: `-M`, `-MD`, `-MF`.

use super::flags::Command;
use std::path::Path;

/// Whether a compilation is to leave a file of rules beside what else it writes.
pub(super) fn wants_file(command: &Command) -> bool {
    command.write_dependencies || command.dependencies_file.is_some()
}

/// Writes the rule where the command line says: a file, or standard output. The result is the exit code.
pub(super) fn deliver(command: &Command, files: &[String]) -> u8 {
    let rule = rule(command.output.as_deref().unwrap_or(&command.input), files);
    let path = match &command.dependencies_file {
        Some(path) => path.clone(),
        None if command.write_dependencies => beside(command.output.as_deref().unwrap_or(&command.input)),
        None => return super::print(&rule),
    };
    if super::files::write(&path, rule.as_bytes()) { 0 } else { 2 }
}

/// The file of the same name that ends in `.d`.
fn beside(path: &str) -> String {
    Path::new(path).with_extension("d").to_string_lossy().into_owned()
}

/// `target: file file`, a line each.
fn rule(target: &str, files: &[String]) -> String {
    let files: Vec<String> = files.iter().map(|f| escaped(f)).collect();
    format!("{}: {}\n", escaped(target), files.join(" \\\n "))
}

/// A name as make reads it.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            ' ' | '#' => out.push('\\'),
            '$' => out.push('$'),
            _ => {}
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_by_make() {
        let files = ["a b.hlsl".to_string(), "inc/$x#.h".to_string()];
        assert_eq!(rule("out.spv", &files), "out.spv: a\\ b.hlsl \\\n inc/$$x\\#.h\n");
        assert_eq!(beside("out/a.spv"), "out/a.d");
    }
}
