//! Debug information: the files of the source, and lines of instructions.

use super::{DebugInfo, Writer, inst, string};
use crate::ir::Op;
use crate::source::Span;
use rustc_hash::FxHashMap;
use spirv_spec::SourceLanguage;

/// Longest text of one instruction, in bytes; the rest goes into `OpSourceContinued`.
const MAX_TEXT: usize = super::limits::MAX_STRING;

/// Lines of the source, and what was said last.
pub(super) struct Lines {
    /// File, line and column of what instructions come from.
    places: FxHashMap<Span, (String, u32, u32)>,
    /// Ids of the names of files.
    files: FxHashMap<String, u32>,
    last: Option<(u32, u32, u32)>,
}

impl Lines {
    pub(super) fn new(_: &DebugInfo<'_>) -> Lines {
        Lines { places: FxHashMap::default(), files: FxHashMap::default(), last: None }
    }
}

/// A text in pieces that fit into instructions.
pub(super) fn pieces(text: &str, most: usize) -> Vec<&str> {
    let mut rest = text;
    let mut out = Vec::new();
    while rest.len() > most {
        let at = (0..=most).rev().find(|i| rest.is_char_boundary(*i)).unwrap_or(0);
        out.push(&rest[..at]);
        rest = &rest[at..];
    }
    out.push(rest);
    out
}

impl Writer<'_> {
    /// `OpSource` of every file that was read from disk, and the places of all instructions.
    pub(super) fn source_files(&mut self, d: &DebugInfo<'_>) {
        for (at, (_, file)) in d.sources.files().filter(|(_, f)| f.on_disk).enumerate() {
            let id = self.file_id(&file.name);
            let mut words = vec![SourceLanguage::HLSL.0, d.version, id];
            // Only the first is the module's own; the others are there for their text.
            // With types and scopes, `DebugSource` has the texts that fit into one instruction.
            let here = d.source && (d.program.is_none() || file.text.len() > MAX_TEXT);
            if at != 0 && !here {
                continue;
            }
            let texts = if here { pieces(&file.text, MAX_TEXT) } else { Vec::new() };
            words.extend(texts.first().into_iter().flat_map(|t| string(t)));
            inst(&mut self.sources, Op::Source, &words);
            for t in texts.iter().skip(1) {
                inst(&mut self.sources, Op::SourceContinued, &string(t).collect::<Vec<_>>());
            }
        }
        if !d.lines {
            return;
        }
        let mut places = FxHashMap::default();
        for (_, f) in self.module.functions.iter() {
            for (_, data) in f.insts.iter().filter(|(_, data)| data.span != Span::default()) {
                places.entry(data.span).or_insert_with(|| {
                    let p = d.sources.position(data.span);
                    (p.file, p.line, p.column)
                });
            }
        }
        if let Some(lines) = &mut self.debug {
            lines.places = places;
        }
    }

    /// `OpString` of a file's name, if there is one.
    pub(super) fn known_file(&self, name: &str) -> Option<u32> {
        self.debug.as_ref()?.files.get(name).copied()
    }

    fn file_id(&mut self, name: &str) -> u32 {
        if let Some(id) = self.known_file(name) {
            return id;
        }
        let id = self.id();
        let mut words = vec![id];
        words.extend(string(pieces(name, MAX_TEXT)[0]));
        inst(&mut self.texts, Op::String, &words);
        if let Some(lines) = &mut self.debug {
            lines.files.insert(name.into(), id);
        }
        id
    }

    /// Says where the next instruction of the function comes from, unless the last one came from there, too.
    pub(super) fn line(&mut self, span: Span) {
        let Some((file, line, column)) = self.debug.as_ref().and_then(|l| l.places.get(&span)).cloned()
        else {
            return;
        };
        let place = (self.file_id(&file), line, column);
        if self.debug.as_ref().is_some_and(|l| l.last == Some(place)) {
            return;
        }
        inst(&mut self.code, Op::Line, &[place.0, place.1, place.2]);
        if let Some(lines) = &mut self.debug {
            lines.last = Some(place);
        }
    }

    /// A new block: what was said of lines is over.
    pub(super) fn no_line(&mut self) {
        if let Some(lines) = &mut self.debug {
            lines.last = None;
        }
    }
}
