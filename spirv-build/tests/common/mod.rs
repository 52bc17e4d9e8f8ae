//! What several tests need.

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
    Some(if out.status.success() { Ok(()) } else { Err(said) })
}
