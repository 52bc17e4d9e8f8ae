//! Where instructions stand: in the source that debug information names, otherwise in the text of the IR.

use super::raw::Val;
use crate::input::IncludeHandler;
use crate::source::{FileId, SourceMap, Span};
use rustc_hash::FxHashMap;

/// Files with sources and what is known of them.
pub(super) struct Places<'s> {
    sources: &'s mut SourceMap,
    includes: &'s dyn IncludeHandler,
    /// The IR, if it is text.
    ir: Option<FileId>,
    /// By function: where its header and each of its instructions begin in that text.
    functions: FxHashMap<String, (u32, Vec<u32>)>,
    /// Files that debug information names.
    files: FxHashMap<String, Option<FileId>>,
}

impl<'s> Places<'s> {
    pub fn new(
        name: &str,
        bytes: &[u8],
        sources: &'s mut SourceMap,
        includes: &'s dyn IncludeHandler,
    ) -> Places<'s> {
        let text = std::str::from_utf8(bytes).ok().filter(|t| !t.starts_with("BC"));
        let ir = text.and_then(|t| sources.add(name, t.to_string(), None, false));
        let functions = text.filter(|_| ir.is_some()).map(functions).unwrap_or_default();
        Places { sources, includes, ir, functions, files: FxHashMap::default() }
    }

    /// The place of a line and column, from 1, in the text of the IR.
    pub fn in_ir(&self, line: u32, column: u32) -> Option<Span> {
        self.at(self.ir?, line, column)
    }

    /// The line of the IR that begins with these words.
    pub fn line_with(&self, words: &str) -> Option<Span> {
        let id = self.ir?;
        let text = &self.sources.file(id)?.text;
        let at = if text.starts_with(words) { 0 } else { text.find(&format!("\n{words}"))? + 1 };
        Some(self.line_from(id, at as u32))
    }

    fn at(&self, id: FileId, line: u32, column: u32) -> Option<Span> {
        let file = self.sources.file(id)?;
        let index = (line as usize).checked_sub(1)?;
        let (start, text) = (file.line_start(index), file.line_text(index));
        // Columns count bytes; a place behind the line is its end.
        let lo = start + column.saturating_sub(1).min(text.len() as u32);
        let rest = text.get((lo - start) as usize..).unwrap_or("");
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()).max(1);
        (file.line_index(lo) == index)
            .then(|| Span::new(id, lo, (lo + end as u32).min(start + text.len() as u32)))
    }

    /// The place of instruction `index` of a function of so many.
    pub fn inst(&mut self, function: &str, count: usize, index: usize, v: Val<'_>) -> Span {
        if let Some((file, line, column)) = v.place()
            && let Some(id) = self.file(&file)
            && let Some(span) = self.at(id, line, column.max(1))
        {
            return span;
        }
        let known = self.functions.get(function).filter(|(_, list)| list.len() == count);
        match (self.ir, known.and_then(|(_, list)| list.get(index))) {
            (Some(id), Some(lo)) => self.line_from(id, *lo),
            _ => self.function(function),
        }
    }

    /// The place of a function's header.
    pub fn function(&self, name: &str) -> Span {
        match (self.ir, self.functions.get(name)) {
            (Some(id), Some((lo, _))) => self.line_from(id, *lo),
            _ => Span::default(),
        }
    }

    fn line_from(&self, id: FileId, lo: u32) -> Span {
        let Some(file) = self.sources.file(id) else { return Span::default() };
        let index = file.line_index(lo);
        let end = file.line_start(index) + file.line_text(index).trim_end().len() as u32;
        Span::new(id, lo, end.max(lo))
    }

    fn file(&mut self, name: &str) -> Option<FileId> {
        if let Some(known) = self.files.get(name) {
            return *known;
        }
        let text = self.includes.read(name).ok();
        let id = text.and_then(|t| self.sources.add(name, t, None, true));
        self.files.insert(name.to_string(), id);
        id
    }

    /// The place of an instruction whose source cannot be read: a line that has its text, numbered as in that source.
    pub fn unread(&mut self, v: Val<'_>, shown: &str) -> Option<Span> {
        let (name, line, column) = v.place()?;
        if self.file(&name).is_some() {
            return None;
        }
        let pad = column.clamp(1, 200) as usize - 1;
        let text = " ".repeat(pad) + shown;
        let (lo, hi) = (pad as u32, text.len() as u32);
        let id = self.sources.add(&name, text, None, false)?;
        self.sources.renumber(id, 0, line, Some(name));
        Some(Span::new(id, lo, hi))
    }
}

/// Where functions and their instructions begin in the text of a module.
fn functions(text: &str) -> FxHashMap<String, (u32, Vec<u32>)> {
    let mut out = FxHashMap::default();
    let mut open: Option<(String, u32, Vec<u32>)> = None;
    let (mut at, mut in_switch) = (0u32, false);
    for line in text.split_inclusive('\n') {
        let begin = at + (line.len() - line.trim_start().len()) as u32;
        at += line.len() as u32;
        let code = line.trim();
        match &mut open {
            None => {
                if code.starts_with("define")
                    && let Some(name) = function_name(code)
                {
                    open = Some((name, begin, Vec::new()));
                }
            }
            Some(_) if code == "}" => {
                if let Some((name, header, list)) = open.take() {
                    out.insert(name, (header, list));
                }
            }
            Some(_) if in_switch => in_switch = !code.starts_with(']'),
            // Labels, comments and debug records are no instructions.
            Some((_, _, list)) => {
                let label = code.split(';').next().is_some_and(|c| c.trim_end().ends_with(':'));
                if !(code.is_empty() || code.starts_with(';') || code.starts_with("#dbg_") || label) {
                    list.push(begin);
                    in_switch = code.starts_with("switch ") && code.ends_with('[');
                }
            }
        }
    }
    out
}

/// The name in the header of a function.
fn function_name(code: &str) -> Option<String> {
    let rest = &code[code.find('@')? + 1..];
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').map(|p| p.0.to_string()),
        None => rest.split_once('(').map(|p| p.0.to_string()),
    }
}
