//! Reading the files that users name, which may be anything: a folder, a device without end, text of another encoding.

mod includes;

use crate::source::MAX_FILE_BYTES;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

pub use includes::{FileIncludes, IncludeHandler, MemoryIncludes, alike_on_disk};

/// Why there is no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// There is no such file: another place may have it.
    Absent,
    /// There is something that is no source text, for this reason.
    Because(String),
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unreadable::Absent => f.write_str("there is no such file"),
            Unreadable::Because(why) => f.write_str(why),
        }
    }
}

impl Unreadable {
    fn because(error: &io::Error) -> Unreadable {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidInput => Unreadable::Absent,
            _ => Unreadable::Because(error.to_string()),
        }
    }
}

/// The bytes of a file that was found by its name. A folder of that name is no file.
///
/// # Errors
/// There is none, or it is a device or a pipe (which may have no end), too large, or unreadable.
pub fn file(path: &Path) -> Result<Vec<u8>, Unreadable> {
    let kind = std::fs::metadata(path).map_err(|e| Unreadable::because(&e))?;
    if kind.is_dir() {
        return Err(Unreadable::Absent);
    }
    if !kind.is_file() {
        return Err(Unreadable::Because("it is a device or a pipe, not a file".into()));
    }
    let file = File::open(path).map_err(|e| Unreadable::because(&e))?;
    stream(file).map_err(|e| Unreadable::Because(e.to_string()))
}

/// The bytes of a stream, unless there are more than a source may have.
///
/// # Errors
/// There are more, or they cannot be read.
pub fn stream(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_FILE_BYTES {
        let most = MAX_FILE_BYTES >> 20;
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {most} MiB")));
    }
    Ok(bytes)
}

/// Bytes in which text without a byte order mark is told from text of UTF-16.
const LOOKED_AT: usize = 64;

/// What files that are no text begin with. A row each: the first bytes, what the file is, what to do.
const BINARIES: &[(&[u8], &str)] = &[
    (&[0x03, 0x02, 0x23, 0x07], "it is a SPIR-V module, which is compiled already"),
    (&[0x07, 0x23, 0x02, 0x03], "it is a SPIR-V module, which is compiled already"),
    (b"BC\xc0\xde", "it is LLVM bitcode: let its name end in `.bc`"),
    (&[0xde, 0xc0, 0x17, 0x0b], "it is LLVM bitcode: let its name end in `.bc`"),
    (b"DXBC", "it is a compiled Direct3D shader; compile its source"),
    (b"\x7fELF", "it is a program or an object file; name the source it was made of"),
    (b"MZ", "it is a program or a library; name the source it was made of"),
    (b"!<arch>\n", "it is an archive of object files; name the source they were made of"),
    (b"\x89PNG", "it is a picture"),
    (b"PK\x03\x04", "it is a zip archive"),
    (&[0x1f, 0x8b], "it is compressed; unpack it first"),
    (&[0xff, 0xfe, 0, 0], "it is UTF-32; save it as UTF-8"),
    (&[0, 0, 0xfe, 0xff], "it is UTF-32; save it as UTF-8"),
];

/// Bytes in which a zero tells that a file is no text.
const LOOKED_AT_FOR_ZEROS: usize = 1024;

/// The text of a source. UTF-16 is known by its byte order mark; bytes that are no UTF-8 stand in comments, mostly.
///
/// # Errors
/// Why it is no text.
pub fn text(bytes: Vec<u8>) -> Result<String, String> {
    let wide = |order: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks(2).map(|c| order([c[0], c.get(1).copied().unwrap_or(0)]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    // `MZ` may begin a text: a program has zeros soon.
    let zeros = bytes.iter().take(LOOKED_AT_FOR_ZEROS).any(|b| *b == 0);
    if let Some((_, what)) =
        BINARIES.iter().find(|(start, _)| bytes.starts_with(start) && (zeros || *start != b"MZ"))
    {
        return Err((*what).into());
    }
    match bytes.as_slice() {
        [0xff, 0xfe, ..] => return Ok(wide(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => return Ok(wide(u16::from_be_bytes)),
        _ => {}
    }
    let start = &bytes[..bytes.len().min(LOOKED_AT) & !1];
    let zero = |first: usize| start.iter().skip(first).step_by(2).all(|b| *b == 0);
    if start.len() >= 4 && zero(0) != zero(1) {
        return Err("it is UTF-16 without a byte order mark; save it as UTF-8".into());
    }
    if zeros && start.len() >= LOOKED_AT {
        return Err("it is a binary file, not a text".into());
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_utf_16_is_known_by_its_mark() {
        let little: Vec<u8> = "\u{feff}void é();".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "\u{feff}void é();".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [little, big] {
            assert_eq!(text(bytes.clone()).unwrap(), "void é();");
            assert!(text(bytes[2..].to_vec()).unwrap_err().contains("UTF-16"));
            assert!(text(bytes[..bytes.len() - 1].to_vec()).is_ok());
        }
        assert_eq!(text(b"// \xe9\n".to_vec()).unwrap(), "// \u{fffd}\n");
        for short in [&b""[..], b"\0", b"a\0", b"\0\0\0\0", b"int a;"] {
            assert!(text(short.to_vec()).is_ok(), "{short:?}");
        }
    }

    #[test]
    fn binary_files_are_called_what_they_are() {
        let padded = |start: &[u8]| start.iter().copied().chain([1, 0, 0, 0].repeat(32)).collect::<Vec<u8>>();
        for (start, what) in [
            (&0x0723_0203u32.to_le_bytes()[..], "SPIR-V module"),
            (&0x0723_0203u32.to_be_bytes()[..], "SPIR-V module"),
            (b"DXBC", "compiled Direct3D shader"),
            (b"\x7fELF", "object file"),
            (b"BC\xc0\xde", "LLVM bitcode"),
            (b"MZ", "a program"),
            (b"stuff", "binary file"),
        ] {
            let why = text(padded(start)).unwrap_err();
            assert!(why.contains(what), "{why}");
        }
        assert!(text(b"MZ x;".to_vec()).is_ok());
    }

    #[test]
    fn what_is_no_file_is_not_read() {
        assert_eq!(file(Path::new("/no/such/file")), Err(Unreadable::Absent));
        assert_eq!(file(Path::new(env!("CARGO_MANIFEST_DIR"))), Err(Unreadable::Absent));
        assert!(file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).is_ok());
        #[cfg(unix)]
        assert!(matches!(file(Path::new("/dev/zero")), Err(Unreadable::Because(w)) if w.contains("device")));
        let endless = stream(io::repeat(b' ')).unwrap_err();
        assert!(endless.to_string().contains("256 MiB"), "{endless}");
    }
}
