//! Decorations that the source writes by number: `[[vk::ext_decorate(n, literals…)]]`, `ext_decorate_id`, `ext_decorate_string`.
use super::Sema;
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::ExprKind as E;
use crate::hlsl::hir::{Decoration, DecorationOperands, Global, GlobalId, GlobalKind, StructId};
use spirv_spec::Kind;

/// Decorations that say where a member lies or what its structure is: these follow from the rest of the source.
const LAYOUT: [u32; 9] = [2, 3, 4, 5, 6, 7, 11, 34, 35];

/// The attributes.
const NAMES: [&str; 3] = ["ext_decorate", "ext_decorate_id", "ext_decorate_string"];

impl<'a> Sema<'a> {
    fn is_decoration(&self, a: &ast::Attribute) -> bool {
        self.is_vk(a) && NAMES.contains(&self.text(a.name.text))
    }

    /// The decorations among attributes.
    pub(super) fn decorations(&mut self, attrs: &'a [ast::Attribute]) -> Vec<Decoration> {
        let mut list = Vec::new();
        for a in attrs {
            if self.is_decoration(a) {
                list.extend(self.decoration(a));
            }
        }
        list
    }

    fn decoration(&mut self, a: &'a ast::Attribute) -> Option<Decoration> {
        let name = self.text(a.name.text).to_string();
        let Some((&first, rest)) = a.args.split_first() else {
            self.report(Code::BadVkAttribute, a.span, format!("`{name}` takes the number of a decoration"));
            return None;
        };
        let kind = self.const_int(first, "the number of a decoration")?;
        let Ok(kind) = u32::try_from(kind) else {
            self.report(Code::BadVkAttribute, a.span, format!("there is no decoration {kind}"));
            return None;
        };
        if rest.is_empty() && name != NAMES[0] {
            self.report(Code::BadVkAttribute, a.span, format!("`{name}` needs an operand"));
            return None;
        }
        let (mut texts, mut numbers) = (Vec::new(), Vec::new());
        for &e in rest {
            let at = self.ast.expr(e).span;
            match self.ast.expr(e).kind {
                E::Str(text) if name == NAMES[2] => texts.push(self.text(text).trim_matches('"').to_string()),
                _ if name == NAMES[2] => {
                    self.report(Code::BadVkAttribute, at, format!("an operand of `{name}` is a string"));
                    return None;
                }
                _ => {
                    let n = self.const_int(e, &format!("an operand of `{name}`"))?;
                    let Ok(n) = u32::try_from(n).or_else(|_| i32::try_from(n).map(|n| n as u32)) else {
                        self.report(Code::BadVkAttribute, at, "the operand does not fit into a word");
                        return None;
                    };
                    numbers.push(n);
                }
            }
        }
        let operands = match () {
            _ if name == NAMES[2] => DecorationOperands::Texts(texts),
            _ if name == NAMES[1] => DecorationOperands::Numbers(numbers),
            _ => DecorationOperands::Literals(numbers),
        };
        self.fits_decoration(a, kind, &operands).then_some(Decoration { kind, operands })
    }

    /// Whether a decoration that is known takes such operands and so many.
    fn fits_decoration(&mut self, a: &ast::Attribute, kind: u32, given: &DecorationOperands) -> bool {
        let Some(row) = spirv_spec::enumerant(Kind::Decoration, kind) else { return true };
        let (count, of) = match given {
            DecorationOperands::Texts(list) => (list.len(), NAMES[2]),
            DecorationOperands::Numbers(list) => (list.len(), NAMES[1]),
            DecorationOperands::Literals(list) => (list.len(), NAMES[0]),
        };
        let takes = row.parameters();
        let attribute = |kind: &Kind| match *kind {
            Kind::LiteralString => NAMES[2],
            Kind::IdRef | Kind::IdScope | Kind::IdMemorySemantics => NAMES[1],
            _ => NAMES[0],
        };
        let other = takes.iter().map(attribute).find(|n| *n != of);
        if other.is_none() && count == takes.len() {
            return true;
        }
        let n = takes.len();
        let (wrong, label) = match other {
            Some(other) => {
                (format!("decoration {kind} ({}) is one for `vk::{other}`", row.name()), String::new())
            }
            None => {
                let wrong = format!("decoration {kind} ({}) takes {n} operand", row.name());
                (wrong + if n == 1 { "" } else { "s" }, format!("{count} given"))
            }
        };
        self.report(Code::BadVkAttribute, a.span, wrong).label(label);
        false
    }

    /// Refuses decorations where they cannot be written.
    pub(super) fn no_decorations(&mut self, attrs: &'a [ast::Attribute], what: &str, help: &str) {
        let Some(a) = attrs.iter().find(|a| self.is_decoration(a)) else { return };
        let name = self.text(a.name.text).to_string();
        self.report(Code::NotSupported, a.span, format!("`vk::{name}` on {what} is not supported"))
            .help(help);
    }

    /// How many loose uniforms there are.
    pub(super) fn loose(&self) -> usize {
        self.globals_block.map_or(0, |(_, s)| self.types.structure(s).fields.len())
    }

    /// Gives the globals from `first` on, which one declaration made, its decorations. There were so many loose uniforms
    /// before it.
    pub(super) fn decorate_globals(&mut self, first: usize, loose: usize, attrs: &'a [ast::Attribute]) {
        if !attrs.iter().any(|a| self.is_decoration(a)) {
            return;
        }
        if let Some((_, s)) = self.globals_block
            && self.loose() > loose
        {
            self.decorate_members(attrs, s, loose);
            return;
        }
        let decorates = |g: &Global| {
            !matches!(g.kind, GlobalKind::Group | GlobalKind::SpecConstant(_)) && g.name != "$Globals"
        };
        if self.globals.len() != first + 1 || !decorates(&self.globals[first]) {
            let help = "decorate a variable of its own: a resource, `static` or `groupshared`";
            self.no_decorations(attrs, "this declaration", help);
            return;
        }
        for d in self.decorations(attrs) {
            self.global_decorations.push((GlobalId(first as u32), d));
        }
    }

    /// Gives the members of a structure from `first` on their decorations.
    pub(super) fn decorate_members(&mut self, attrs: &'a [ast::Attribute], id: StructId, first: usize) {
        if !attrs.iter().any(|a| self.is_decoration(a)) {
            return;
        }
        let fields = &self.types.structure(id).fields[first..];
        if fields.iter().any(|f| self.types.contains_resource(f.ty) || !f.bits.is_empty()) {
            let help = "decorate a variable of its own";
            self.no_decorations(attrs, "resources and bit fields in structures", help);
            return;
        }
        for a in attrs {
            if !self.is_decoration(a) {
                continue;
            }
            let Some(d) = self.decoration(a) else { continue };
            if matches!(d.operands, DecorationOperands::Numbers(_)) {
                let name = self.text(a.name.text).to_string();
                self.report(Code::BadVkAttribute, a.span, format!("`vk::{name}` cannot decorate a member"))
                    .help("SPIR-V decorates members with numbers (`vk::ext_decorate`) and strings (`vk::ext_decorate_string`)");
                continue;
            }
            if LAYOUT.contains(&d.kind) {
                self.report(
                    Code::BadVkAttribute,
                    a.span,
                    format!("decoration {} of a member follows from the layout", d.kind),
                )
                .help("`[[vk::offset(n)]]` places a member; `row_major` and `column_major` turn a matrix");
                continue;
            }
            for f in &mut self.types.structs[id.index()].fields[first..] {
                f.decorations.push(d.clone());
            }
        }
    }

    /// The decorations of a function.
    pub(super) fn function_decorations(&mut self, attrs: &'a [ast::Attribute]) -> Vec<Decoration> {
        let list = self.decorations(attrs);
        for (d, a) in list.iter().zip(attrs.iter().filter(|a| self.is_decoration(a)).collect::<Vec<_>>()) {
            if !matches!(d.operands, DecorationOperands::Literals(_)) {
                let name = self.text(a.name.text).to_string();
                self.report(Code::BadVkAttribute, a.span, format!("`vk::{name}` cannot decorate a function"))
                    .help("`vk::ext_decorate` takes numbers");
                return Vec::new();
            }
        }
        list
    }
}
