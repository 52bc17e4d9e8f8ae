//! Source text: files, spans and positions.
//!
//! This module knows nothing about any language, so that every later stage (the IR included) can keep a [`Span`] on
//! what it makes and have it shown to the user at the end.
//!
//! Invariants:
//! 1. A [`Span`] is twelve bytes and `Copy`. Its `file` is either a file that was read or a *macro expansion*
//!    ([`FileId::is_expansion`]); `lo..hi` are byte offsets into the text where the token was **spelled**.
//! 2. [`SourceMap::locate`] always answers with a position in a real file: where the user would put the cursor.
//! 3. A file's text never changes after it was added and is shorter than [`MAX_FILE_BYTES`].
pub use crate::interner::{Interner, Symbol};
use std::sync::OnceLock;

/// The largest source file that is accepted; offsets are kept in 32 bits and expansions need headroom.
pub const MAX_FILE_BYTES: usize = 256 << 20;

const EXPANSION_BIT: u32 = 1 << 31;

/// A file of a [`SourceMap`], or the expansion of a macro.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub struct FileId(u32);

impl FileId {
    /// Whether this names a macro expansion instead of a file.
    pub fn is_expansion(self) -> bool {
        self.0 & EXPANSION_BIT != 0
    }

    fn index(self) -> usize {
        (self.0 & !EXPANSION_BIT) as usize
    }
}

/// A stretch of source text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub struct Span {
    /// The file, or the macro expansion, that the text belongs to.
    pub file: FileId,
    /// Offset of the first byte.
    pub lo: u32,
    /// Offset one past the last byte.
    pub hi: u32,
}

impl Span {
    /// The stretch `lo..hi` of `file`.
    pub fn new(file: FileId, lo: u32, hi: u32) -> Self {
        Self { file, lo, hi }
    }

    /// The smallest span that covers both. Spans of different files cannot be joined: the one that lies in a real file
    /// wins, else `self`.
    pub fn to(self, other: Self) -> Self {
        if self.file == other.file {
            Self { file: self.file, lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
        } else if self.file.is_expansion() && !other.file.is_expansion() {
            other
        } else {
            self
        }
    }

    /// The empty span just behind this one; where something missing should have been.
    pub fn after(self) -> Self {
        Self { lo: self.hi, ..self }
    }
}

/// A file that was read.
#[derive(Debug)]
pub struct SourceFile {
    /// The name as it should be shown to the user.
    pub name: String,
    /// The text.
    pub text: String,
    /// The `#include` that brought it in.
    pub included_from: Option<Span>,
    /// Whether the text exists on disk (not `-D` definitions, not predefined macros).
    pub on_disk: bool,
    /// Where lines start, found when first asked for.
    line_starts: OnceLock<Vec<u32>>,
    /// `#line` directives: (offset from which it holds, line number of the line at that offset, file name).
    renumbered: Vec<(u32, u32, Option<String>)>,
}

impl SourceFile {
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
            std::iter::once(0).chain(ends.map(|(i, _)| i as u32 + 1)).collect()
        })
    }

    /// Index of the line (from 0) in which the byte at `offset` lies.
    pub fn line_index(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// Offset of the first byte of a line (from 0).
    pub fn line_start(&self, line: usize) -> u32 {
        self.line_starts().get(line).copied().unwrap_or(self.text.len() as u32)
    }

    /// The text of a line (from 0) without its line end.
    pub fn line_text(&self, line: usize) -> &str {
        let start = self.line_start(line) as usize;
        let end = (self.line_start(line + 1) as usize).max(start);
        self.text.get(start..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }
}

/// One use of a macro: the tokens of its body are spelled in one place and appear in another.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The macro's name in its definition.
    pub name: Span,
    /// The use of the macro; may itself lie in an expansion.
    pub call_site: Span,
}

/// A position that can be shown: file name, line and column, both counted from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Name of the file, after `#line`.
    pub file: String,
    /// Line, after `#line`.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
}

/// All source text of one compilation.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; `None` when it is larger than [`MAX_FILE_BYTES`].
    pub fn add(
        &mut self,
        name: &str,
        text: String,
        included_from: Option<Span>,
        on_disk: bool,
    ) -> Option<FileId> {
        if text.len() > MAX_FILE_BYTES {
            return None;
        }
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile {
            name: name.to_string(),
            text: lines(text),
            included_from,
            on_disk,
            line_starts: OnceLock::new(),
            renumbered: Vec::new(),
        });
        Some(id)
    }

    /// Records the use of a macro and answers the id that the tokens of its body carry. `name` is where it is defined, with its
    /// body in the same file.
    pub fn add_expansion(&mut self, name: Span, call_site: Span) -> FileId {
        let id = FileId(self.expansions.len() as u32 | EXPANSION_BIT);
        self.expansions.push(Expansion { name, call_site });
        id
    }

    /// Records a `#line` directive: the line that starts at `offset` is line `line`, of `name` if given.
    pub fn renumber(&mut self, file: FileId, offset: u32, line: u32, name: Option<String>) {
        if let Some(f) = self.files.get_mut(file.index()) {
            f.renumbered.push((offset, line, name));
        }
    }

    /// The file in which `file`'s text is spelled (itself, unless it is an expansion).
    pub fn spelling_file(&self, file: FileId) -> FileId {
        let mut file = file;
        while file.is_expansion() {
            match self.expansions.get(file.index()) {
                Some(e) => file = e.name.file,
                None => return FileId(0),
            }
        }
        file
    }

    /// The file with this id; for an expansion, the one in which the macro is spelled.
    pub fn file(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(self.spelling_file(file).index())
    }

    /// The expansion with this id, if it is one.
    pub fn expansion(&self, file: FileId) -> Option<&Expansion> {
        if file.is_expansion() { self.expansions.get(file.index()) } else { None }
    }

    /// All files in the order in which they were first read.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// Names of all files that came from disk, without duplicates, in the order of reading.
    pub fn files_read(&self) -> Vec<String> {
        let mut seen = rustc_hash::FxHashSet::default();
        self.files.iter().filter(|f| f.on_disk && seen.insert(&f.name)).map(|f| f.name.clone()).collect()
    }

    /// The text a span covers, as spelled.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).and_then(|f| f.text.get(span.lo as usize..span.hi as usize)).unwrap_or("")
    }

    /// The span in a real file at which the user sees this: macro expansions are followed to the outermost use.
    pub fn locate(&self, span: Span) -> Span {
        let mut span = span;
        while let Some(e) = self.expansion(span.file) {
            span = e.call_site;
        }
        span
    }

    /// File name, line and column of a span's first byte, after macro expansion and `#line`.
    pub fn position(&self, span: Span) -> Position {
        let span = self.locate(span);
        let Some(file) = self.files.get(span.file.index()) else {
            return Position { file: String::from("<unknown>"), line: 1, column: 1 };
        };
        let index = file.line_index(span.lo);
        let start = file.line_start(index) as usize;
        let column = file.text.get(start..span.lo as usize).map_or(0, |t| t.chars().count()) as u32 + 1;
        let mut position = Position { file: file.name.clone(), line: index as u32 + 1, column };
        if let Some((from, line, name)) = file.renumbered.iter().rev().find(|(from, ..)| *from <= span.lo) {
            position.line = (index - file.line_index(*from)) as u32 + line;
            if let Some(name) = name {
                position.file = name.clone();
            }
        }
        position
    }
}

/// A text whose lines all end with a line feed: a carriage return alone is the line end of old systems.
fn lines(text: String) -> String {
    let alone = |(i, _): (usize, &str)| !text[i + 1..].starts_with('\n');
    if !text.contains('\r') || !text.match_indices('\r').any(alone) {
        return text;
    }
    let mut next = text.chars().skip(1).map(Some).chain([None]);
    text.chars().map(|c| if next.next() != Some(Some('\n')) && c == '\r' { '\n' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_follow_line_directives() {
        let mut map = SourceMap::new();
        let f = map.add("a.hlsl", "äb\ncd\nef\n".into(), None, true).unwrap();
        assert_eq!(map.position(Span::new(f, 2, 3)), Position { file: "a.hlsl".into(), line: 1, column: 2 });
        map.renumber(f, 4, 100, Some("b.hlsl".into()));
        assert_eq!(
            map.position(Span::new(f, 8, 9)),
            Position { file: "b.hlsl".into(), line: 101, column: 2 }
        );
    }

    #[test]
    fn carriage_returns_alone_end_lines() {
        let mut map = SourceMap::new();
        let f = map.add("a.hlsl", "a\rb\r\rc\r\nd\r".into(), None, true).unwrap();
        assert_eq!(map.file(f).unwrap().text, "a\nb\n\nc\r\nd\n");
        assert_eq!(map.position(Span::new(f, 5, 6)).line, 4);
    }

    #[test]
    fn a_span_inside_a_macro_is_located_at_the_outermost_use() {
        let mut map = SourceMap::new();
        let f = map.add("a.hlsl", "#define M 1+\nM\n".into(), None, true).unwrap();
        let use_site = Span::new(f, 13, 14);
        let name = Span::new(f, 8, 9);
        let e = map.add_expansion(name, use_site);
        let inner = map.add_expansion(name, Span::new(e, 10, 11));
        assert_eq!(map.locate(Span::new(inner, 10, 12)), use_site);
        assert_eq!(map.text(Span::new(inner, 10, 12)), "1+");
    }
}
