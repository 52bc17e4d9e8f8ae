//! The table of results, as users see it.

use std::process::Command;

fn table(devices: &[&str]) -> (bool, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_anywhere")).args(devices).output().unwrap();
    assert!(out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
    (out.status.success(), String::from_utf8(out.stdout).unwrap())
}

/// Languages that this build reads.
fn sources() -> usize {
    1 + usize::from(cfg!(any(feature = "llvm19-1", feature = "llvm22-1")))
}

/// Devices that must be there: those of the variable `ANYWHERE_DEVICES`, in CI.
fn required() -> Vec<String> {
    let named = std::env::var("ANYWHERE_DEVICES").unwrap_or_else(|_| "cpu".into());
    named.split(',').map(String::from).collect()
}

#[test]
fn every_result_is_equal() {
    let devices = required();
    let (good, text) = table(&devices.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(good, "{text}");
    let sums: Vec<&str> =
        text.lines().filter(|l| l.contains(" yes ")).map(|l| l.split_whitespace().nth(2).unwrap()).collect();
    assert_eq!(sums.len(), devices.len() * sources(), "{text}");
    assert!(sums.iter().all(|s| *s == sums[0]), "{text}");
}

#[test]
fn devices_that_are_not_there_are_lines_of_the_table() {
    let (good, text) = table(&["cpu", "vulkan:99"]);
    assert!(good, "{text}");
    assert_eq!(
        text.lines().filter(|l| l.contains("vulkan:99") && l.contains(" - ")).count(),
        sources(),
        "{text}"
    );
}

#[test]
fn without_llvm_the_table_says_how_to_get_it() {
    let (_, text) = table(&["cpu"]);
    assert_eq!(text.contains("--features llvm22-1"), sources() == 1, "{text}");
}
