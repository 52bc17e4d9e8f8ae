//! What a run writes.

use super::Output;
use super::flags::Command;
use crate::spv;
use std::fmt::Write as _;

/// Writes the output where the command line says. The result is the exit code.
pub(super) fn deliver(command: &Command, output: &Output) -> u8 {
    let bytes: Vec<u8> = match output {
        Output::Text(text) => text.clone().into_bytes(),
        Output::Words(words) => words.iter().flat_map(|w| w.to_le_bytes()).collect(),
    };
    let mut whole = true;
    if let Output::Words(words) = output {
        if let Some(path) = &command.listing {
            // A module of ours can be read back.
            whole &= write(path, spv::disassemble(words).unwrap_or_else(|e| e).as_bytes());
        }
        if let Some(path) = &command.header {
            whole &= write(path, array(command, &bytes).as_bytes());
        }
    }
    match (&command.output, output) {
        (Some(path), _) => whole &= write(path, &bytes),
        (None, Output::Text(text)) => whole &= super::print(text) == 0,
        // As dxc has it: without a file to write to, the assembly is shown.
        (None, Output::Words(words)) if command.listing.is_none() && command.header.is_none() => {
            whole &= super::print(&spv::disassemble(words).unwrap_or_else(|e| e)) == 0;
        }
        (None, Output::Words(_)) => {}
    }
    if whole { 0 } else { 2 }
}

/// The module as an array of C, called as dxc calls it unless `-Vn` says otherwise.
fn array(command: &Command, bytes: &[u8]) -> String {
    let entry = command.hlsl.entry.as_deref().unwrap_or("main");
    let name = command.header_name.clone().unwrap_or_else(|| format!("g_{entry}"));
    let mut out = format!("const unsigned char {name}[] = {{");
    for (i, b) in bytes.iter().enumerate() {
        out += match i {
            0 => "\n  ",
            _ if i % 12 == 0 => ",\n  ",
            _ => ", ",
        };
        let _ = write!(out, "0x{b:02x}");
    }
    out + "\n};\n"
}

/// Writes a file, or standard output if it is called `-`; tells whether that worked.
pub(super) fn write(path: &str, bytes: &[u8]) -> bool {
    if path == "-" {
        return super::print_bytes(bytes) == 0;
    }
    // A rename is whole or not at all; devices and pipes cannot be renamed to.
    let target = std::path::Path::new(path);
    let special = target.exists() && !target.is_file();
    let partial = format!("{path}.partial");
    let written = if special {
        std::fs::write(path, bytes)
    } else {
        std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path))
    };
    if let Err(e) = &written {
        let _ = std::fs::remove_file(&partial);
        super::fail(&format!("cannot write `{path}`: {e}"));
    }
    written.is_ok()
}
