//! `spirvc` as a process, with files and streams that are not what they should be: each gets a message and an exit code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const KERNEL: &str = "RWStructuredBuffer<uint> o;\n[numthreads(1, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n{\n    o[id.x] = 1;\n}\n";

/// A folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("input_output_{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn spirvc(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spirvc"));
    command.current_dir(dir).args(["-T", "cs_6_0", "-E", "main"]).args(args).stdin(Stdio::null());
    command
}

/// The exit code and all that was said.
fn said(out: &Output) -> (i32, String) {
    (out.status.code().unwrap_or(-1), String::from_utf8_lossy(&out.stderr).into_owned())
}

fn compile(dir: &Path, source: &[u8]) -> (i32, String) {
    fs::write(dir.join("k.hlsl"), source).unwrap();
    said(&spirvc(dir, &["k.hlsl", "-Fo", "k.spv"]).output().unwrap())
}

fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(order).collect()
}

#[test]
fn sources_may_be_utf_16_and_have_any_line_ends() {
    let dir = folder("encodings");
    let marked = format!("\u{feff}{KERNEL}");
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        assert_eq!(compile(&dir, &utf16(&marked, order)), (0, String::new()));
        let (code, text) = compile(&dir, &utf16(KERNEL, order));
        assert!(code == 1 && text.contains("H0008") && text.contains("UTF-16"), "{text}");
    }
    // With nothing but carriage returns the directive and the comment end where their lines do.
    let old = format!("#define ONE 1\n// A comment.\n{}", KERNEL.replace("= 1", "= ONE + missing"));
    for ends in ["\n", "\r\n", "\r"] {
        let (code, text) = compile(&dir, old.replace('\n', ends).as_bytes());
        assert!(code == 1 && text.contains("k.hlsl:7:21: error H0301"), "{ends:?}: {text}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_included() {
    let dir = folder("devices");
    fs::create_dir(dir.join("sub")).unwrap();
    assert!(Command::new("mkfifo").arg(dir.join("pipe")).status().unwrap().success());
    for (name, words) in [
        ("/dev/zero", "H0008"),
        ("pipe", "it is a device or a pipe"),
        ("sub", "was not found"),
        ("/dev/null", "it is a device or a pipe"),
    ] {
        let (code, text) = compile(&dir, format!("#include \"{name}\"\n{KERNEL}").as_bytes());
        assert!(code == 1 && text.contains("k.hlsl:1:10: error") && text.contains(words), "{name}: {text}");
    }
    // A file that is too large is said to be so, whether it takes any room or not.
    fs::File::create(dir.join("huge")).unwrap().set_len(300 << 20).unwrap();
    let (code, text) = compile(&dir, format!("#include \"huge\"\n{KERNEL}").as_bytes());
    assert!(code == 1 && text.contains("more than 256 MiB"), "{text}");
    for (input, words) in [("/dev/zero", "more than 256 MiB"), ("sub", "cannot read `sub`")] {
        let (code, text) = said(&spirvc(&dir, &[input]).output().unwrap());
        assert!(code == 2 && text.contains(words), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_an_error() {
    let dir = folder("full");
    fs::write(dir.join("k.hlsl"), KERNEL).unwrap();
    let full = || Stdio::from(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for args in [&["k.hlsl", "--emit", "ir"][..], &["--help"], &["--version"], &["--explain", "H0001"]] {
        let (code, text) = said(&spirvc(&dir, args).stdout(full()).output().unwrap());
        assert!(code == 2 && text.contains("cannot write to standard output"), "{args:?}: {code} {text}");
    }
    let (code, text) = said(&spirvc(&dir, &["k.hlsl", "-Fo", "/dev/full"]).output().unwrap());
    assert!(code == 2 && text.contains("cannot write `/dev/full`"), "{text}");
    // Without a place for messages the exit code remains.
    assert_eq!(spirvc(&dir, &["missing.hlsl"]).stderr(full()).status().unwrap().code(), Some(2));
    fs::write(dir.join("bad.hlsl"), "void main() { missing(); }").unwrap();
    assert_eq!(spirvc(&dir, &["bad.hlsl"]).stderr(full()).status().unwrap().code(), Some(1));
}

#[test]
fn long_tokens_are_not_quoted_whole() {
    let dir = folder("tokens");
    let long = "x".repeat(2_000_000);
    for source in [
        format!("void main() {{ {long} = 1; }}"),
        format!("void main() {{ int y = {}; }}", long.replace('x', "9")),
        format!("void main() {{ \"{long}"),
        format!("#{long}\n"),
        format!("#error {long}\n"),
        format!("#include \"{long}\"\n"),
        format!("#line 1 \"{long}\"\nvoid main() {{ y = 1; }}"),
        format!("struct {long} {{ int a; }}; void main() {{ {long} y; y = 1; }}"),
        format!("[{long}(1)] void main(uint a : {long}) {{}}"),
        format!("Buffer<int> b : register({long});"),
    ] {
        let (code, text) = compile(&dir, source.as_bytes());
        assert!(code == 1 && text.contains("error") && text.len() < 10_000, "{}: {text:.200}", text.len());
    }
}

/// The thread with a large stack needs more than this: a message, no panic.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_said_so() {
    let dir = folder("memory");
    fs::write(dir.join("k.hlsl"), KERNEL).unwrap();
    let limited = format!("ulimit -v 200000; exec {} -T cs_6_0 -E main k.hlsl", env!("CARGO_BIN_EXE_spirvc"));
    let out = Command::new("sh").current_dir(&dir).args(["-c", &limited]).output().unwrap();
    let (code, text) = said(&out);
    assert!(code == 2 && text.contains("256 MiB of stack") && !text.contains("panicked"), "{code} {text}");
}
