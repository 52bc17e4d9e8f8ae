//! Mistyped keywords, and names that are declared too late: what the checker can only call unknown.
use super::ast::{Ast, ItemKind, TypeKind};
use crate::diag::{Code, Diagnostics, suggest};
use crate::source::{Interner, SourceMap, Span};

/// Words that statements and declarations begin with, or have before their type.
const KEYWORDS: &[&str] = &[
    "break",
    "case",
    "cbuffer",
    "class",
    "const",
    "continue",
    "default",
    "discard",
    "else",
    "enum",
    "extern",
    "false",
    "globallycoherent",
    "groupshared",
    "inline",
    "inout",
    "interface",
    "namespace",
    "precise",
    "return",
    "static",
    "struct",
    "switch",
    "tbuffer",
    "template",
    "true",
    "typedef",
    "uniform",
    "using",
    "void",
    "while",
];

/// Shorter names are a letter from too much.
const LEAST: usize = 4;

/// Adds to errors of unknown names what they may mean, and takes out those that only follow from a mistyped keyword.
pub(super) fn mend(ast: &Ast, names: &Interner, sources: &SourceMap, diags: &mut Diagnostics) {
    let mut mistyped = Vec::new();
    diags.retain(|d| {
        let (Code::Undeclared | Code::UnknownType, Some(span)) = (d.code, d.span) else { return true };
        let name = sources.text(span);
        let keyword = KEYWORDS.iter().find(|k| name.len() >= LEAST && suggest::is_one_edit(name, k));
        if let Some(keyword) = keyword {
            d.help = vec![format!("did you mean `{keyword}`?")];
            mistyped.push((span, *keyword));
        } else if d.help.is_empty()
            && let Some((at, what)) = declared_below(ast, names, name, span)
        {
            d.secondary(at, "declared here").help(match what {
                Below::Function => {
                    format!("move `{name}` up, or write a prototype before this: its head and `;`")
                }
                Below::Type => format!("move the declaration of `{name}` up"),
            });
        }
        true
    });
    for (at, keyword) in mistyped {
        let Some(file) = sources.file(at.file).filter(|_| !at.file.is_expansion()) else { continue };
        let line = |s: Span| file.line_index(s.lo);
        let text = file.line_text(line(at)).to_string();
        let has = |name: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == name);
        diags.retain(|d| {
            let Some(span) = d.span.filter(|s| *s != at && s.file == at.file) else { return true };
            let same_line = line(span) == line(at) && span.lo > at.lo;
            let unknown = matches!(d.code, Code::Undeclared | Code::UnknownType) && has(sources.text(span));
            let no_return = keyword == "return" && d.code == Code::MissingReturn;
            !(same_line || no_return || unknown && span.lo > at.lo)
        });
    }
}

enum Below {
    Function,
    Type,
}

/// Where a function or structure of this name is declared behind its use.
fn declared_below(ast: &Ast, names: &Interner, name: &str, used: Span) -> Option<(Span, Below)> {
    ast.items.iter().find_map(|item| {
        let (declared, what) = match &item.kind {
            ItemKind::Function(f) => (f.name.last(), Below::Function),
            ItemKind::Vars(v) => match &v.ty.kind {
                TypeKind::Struct(s) => (s.name?, Below::Type),
                TypeKind::Enum(e) => (e.name?, Below::Type),
                _ => return None,
            },
            ItemKind::Typedef(v) => (v.declarators.first()?.name, Below::Type),
            _ => return None,
        };
        let behind = declared.span.file == used.file && declared.span.lo > used.lo;
        (behind && names.name(declared.text) == name).then_some((declared.span, what))
    })
}
