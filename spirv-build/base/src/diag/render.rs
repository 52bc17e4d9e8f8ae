//! Shows diagnostics: as caret pictures, or as one line each.
use super::{Diagnostic, Diagnostics, Severity};
use crate::source::{SourceMap, Span};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};

/// Width that pictures are cut to.
const WIDTH: usize = 120;
/// Lines between two labels of one picture up to which the picture is not split in two.
const MAX_GAP: usize = 40;
/// Steps of macro expansion or inclusion that are shown.
const MAX_CHAIN: usize = 6;
/// Bytes of a line that are looked at around a label; generated sources have lines of megabytes.
const MAX_LINE: usize = 2000;

/// One line: `file:line:col: error H0301: message`.
pub fn one_line(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let word = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let what = format!("{word} {}: {}", diagnostic.code.id(), clean(&diagnostic.title()));
    match diagnostic.span {
        Some(span) => {
            let p = sources.position(span);
            format!("{}:{}:{}: {what}", p.file, p.line, p.column)
        }
        None => what,
    }
}

/// All diagnostics as caret pictures, sorted, with a line that counts the rest if some were not kept.
pub fn pictures(diagnostics: &Diagnostics, sources: &SourceMap, colour: bool) -> String {
    let mut out = String::new();
    for d in diagnostics.sorted(sources) {
        out += &picture(d, sources, colour);
        out.push('\n');
    }
    out + &not_shown(diagnostics)
}

/// All diagnostics as [`pictures`] has them, each headed by the [`one_line`] that programs read.
pub fn lines_and_pictures(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let mut out = String::new();
    for d in diagnostics.sorted(sources) {
        out += &one_line(d, sources);
        out.push('\n');
        // The title, and the place if there is one, are in the line.
        let picture = picture(d, sources, false);
        let place = |line: &&str| line.trim_start().starts_with("--> ");
        let mut rest = picture.lines().skip(1).peekable();
        rest.next_if(place);
        rest.for_each(|line| {
            out += line;
            out.push('\n');
        });
        out.push('\n');
    }
    out + &not_shown(diagnostics)
}

/// How many errors were not kept.
fn not_shown(diagnostics: &Diagnostics) -> String {
    let kept = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    match diagnostics.error_count() - kept {
        0 => String::new(),
        more => format!("error: {more} more errors are not shown\n"),
    }
}

/// A diagnostic as a caret picture.
pub fn picture(diagnostic: &Diagnostic, sources: &SourceMap, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut labels = Vec::new();
    if let Some(span) = diagnostic.span {
        labels.push(Label { span: sources.locate(span), text: clean(&diagnostic.label), primary: true });
    }
    for (span, text) in &diagnostic.secondary {
        labels.push(Label { span: sources.locate(*span), text: clean(text), primary: false });
    }
    let mut group: Group<'_> = level
        .primary_title(clean(&diagnostic.title()))
        .id(diagnostic.code.id())
        .elements(Vec::<Element>::new());
    for cluster in clusters(labels, sources) {
        group = group.element(snippet(&cluster, sources));
    }
    if let Some(span) = diagnostic.span {
        group = chain(group, span, sources);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(clean(note)));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(clean(help)));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.term_width(WIDTH).render(&[group]);
    text.push('\n');
    text
}

struct Label {
    span: Span,
    text: String,
    primary: bool,
}

/// Labels that are shown in one picture: same file, near each other. The primary label's picture comes first.
fn clusters(labels: Vec<Label>, sources: &SourceMap) -> Vec<Vec<Label>> {
    let mut clusters: Vec<Vec<Label>> = Vec::new();
    for label in labels {
        let near = |c: &&mut Vec<Label>| {
            c.iter().any(|other| {
                let Some(file) = sources.file(label.span.file) else { return false };
                other.span.file == label.span.file
                    && sources.position(other.span).file == sources.position(label.span).file
                    && file.line_index(other.span.lo).abs_diff(file.line_index(label.span.lo)) <= MAX_GAP
            })
        };
        match clusters.iter_mut().find(near) {
            Some(cluster) => cluster.push(label),
            None => clusters.push(vec![label]),
        }
    }
    clusters
}

fn snippet<'a>(labels: &[Label], sources: &'a SourceMap) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let Some((first, file)) = labels.first().and_then(|l| Some((l, sources.file(l.span.file)?))) else {
        return Snippet::source("");
    };
    let position = sources.position(first.span);
    let at_line = file.line_index(first.span.lo);
    let from = labels.iter().map(|l| file.line_index(l.span.lo)).min().unwrap_or(0);
    let to = labels.iter().map(|l| file.line_index(l.span.lo)).max().unwrap_or(0);
    let mut start = file.line_start(from) as usize;
    let mut end = file.line_start(to) as usize + file.line_text(to).len();
    if end - start > MAX_LINE * (to - from + 1) {
        // Only the surroundings of the first label: the line is no longer shown from its beginning.
        start = start.max((first.span.lo as usize).saturating_sub(MAX_LINE / 2));
        end = end.min(first.span.lo as usize + MAX_LINE / 2);
        while !file.text.is_char_boundary(start) {
            start -= 1;
        }
        while !file.text.is_char_boundary(end) {
            end += 1;
        }
    }
    let line_start = (position.line as usize).saturating_sub(at_line - from).max(1);
    let text = file.text.get(start..end).unwrap_or("");
    let mut snippet = Snippet::source(text).line_start(line_start).path(position.file);
    for label in labels {
        let line = file.line_index(label.span.lo);
        let line_end = file.line_start(line) as usize + file.line_text(line).len();
        let lo = (label.span.lo as usize).clamp(start, end);
        let hi = (label.span.hi as usize).min(line_end.max(lo)).clamp(lo, end);
        if !(file.text.is_char_boundary(lo) && file.text.is_char_boundary(hi)) {
            continue;
        }
        let kind = if label.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let annotation = kind.span(lo - start..hi - start);
        snippet = snippet.annotation(if label.text.is_empty() {
            annotation
        } else {
            annotation.label(label.text.clone())
        });
    }
    snippet
}

/// Where the text really stands, when a macro or an include is between it and the user.
fn chain<'a>(mut group: Group<'a>, span: Span, sources: &'a SourceMap) -> Group<'a> {
    let mut at = span;
    for _ in 0..MAX_CHAIN {
        let Some(e) = sources.expansion(at.file) else { break };
        group = group
            .element(Level::NOTE.message(format!("in the body of macro `{}`:", clean(sources.text(e.name)))));
        let spelled = Span { file: sources.spelling_file(at.file), ..at };
        let label = Label { span: spelled, text: String::new(), primary: false };
        group = group.element(snippet(&[label], sources));
        at = e.call_site;
    }
    let mut file = sources.file(sources.locate(span).file);
    for _ in 0..MAX_CHAIN {
        let Some(from) = file.and_then(|f| f.included_from) else { break };
        let p = sources.position(from);
        group = group.element(Level::NOTE.message(format!("included from {}:{}", p.file, p.line)));
        file = sources.file(sources.locate(from).file);
    }
    group
}

/// Text without control characters, which could otherwise rewrite the user's terminal.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;

    #[test]
    fn a_picture_shows_line_caret_label_and_help() {
        let mut map = SourceMap::new();
        let f = map.add("k.hlsl", "void f()\n{ foo = 1; }\n".into(), None, true).unwrap();
        let mut d = Diagnostic::new(Code::Undeclared, Some(Span::new(f, 11, 14)), "`foo` is not declared");
        d.label("not found").help("declare it");
        let text = picture(&d, &map, false);
        assert!(text.contains("error[H0301]: `foo` is not declared"), "{text}");
        assert!(text.contains("k.hlsl:2:3") && text.contains("^^^ not found"), "{text}");
        assert_eq!(one_line(&d, &map), "k.hlsl:2:3: error H0301: `foo` is not declared");
    }
}
