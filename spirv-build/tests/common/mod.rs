//! What several tests need; each uses a part of it.
#![allow(dead_code)]

pub mod cases;
pub mod changes;

use std::path::Path;

/// Enumerants that the spirv-val of some distributions does not know yet, as it names them.
const TOO_NEW: &[&str] = &["Invalid capability operand: 6022", "Invalid execution mode operand: 6023"];

/// What spirv-val, with `more` arguments, says about a module: None if there is no spirv-val.
pub fn validate(words: &[u32], target: &str, more: &[&str]) -> Option<Result<(), String>> {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = match std::process::Command::new("spirv-val")
        .args(["--target-env", target, "-"])
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
    {
        Ok(child) => child,
        Err(e) => {
            assert!(std::env::var_os("SPIRV_REQUIRE_COMPONENTS").is_none(), "spirv-val is required: {e}");
            return None;
        }
    };
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let out = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    if TOO_NEW.iter().any(|t| said.contains(t)) {
        eprintln!("skipped: this spirv-val is older than the module: {}", said.lines().next().unwrap_or(""));
        return Some(Ok(()));
    }
    Some(if out.status.success() { Ok(()) } else { Err(said) })
}

/// Compares a text with the file of what is expected, which `UPDATE_EXPECT=1` rewrites instead.
pub fn check_expected(expect: &Path, actual: &str, failures: &mut Vec<String>) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(expect, actual).unwrap();
        return;
    }
    let wanted = std::fs::read_to_string(expect).unwrap_or_default().replace("\r\n", "\n");
    if wanted != actual {
        failures.push(format!("{}:\n--- expected\n{wanted}\n--- actual\n{actual}", expect.display()));
    }
}
