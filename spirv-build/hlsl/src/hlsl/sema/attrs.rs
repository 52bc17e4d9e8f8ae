//! Attributes, registers and pack offsets.
use super::Sema;
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::ExprKind as E;
use crate::hlsl::attributes::{self, Args};
use crate::hlsl::hir::{Binding, BranchHint, Const, LoopHint, Register};
use crate::source::Span;

/// What `register(…)` says.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    /// A register.
    To(Register),
    /// Only a space: any number that is free there.
    In(u32),
}

/// A register that is written.
pub(super) struct Placed {
    /// The shader profile that it is for.
    profile: Option<String>,
    pub(super) bound: Bound,
    pub(super) span: Span,
}

/// Largest set, binding and register.
const MAX_NUMBER: i64 = 1 << 20;

impl<'a> Sema<'a> {
    pub(super) fn has_attr(&self, attrs: &[ast::Attribute], name: &str) -> bool {
        self.find_attr(attrs, name).is_some()
    }

    /// The attribute of this name (case does not matter, as in dxc).
    pub(super) fn find_attr<'b>(
        &self,
        attrs: &'b [ast::Attribute],
        name: &str,
    ) -> Option<&'b ast::Attribute> {
        attrs.iter().find(|a| a.scope.is_none() && self.text(a.name.text).eq_ignore_ascii_case(name))
    }

    pub(super) fn find_vk<'b>(&self, attrs: &'b [ast::Attribute], name: &str) -> Option<&'b ast::Attribute> {
        attrs.iter().find(|a| self.is_vk(a) && self.text(a.name.text) == name)
    }

    /// Whether an attribute is of a namespace for SPIR-V.
    pub(super) fn is_vk(&self, attr: &ast::Attribute) -> bool {
        attr.scope.is_some_and(|s| attributes::SCOPES.contains(&self.text(s.text)))
    }

    /// An attribute of `vk` and its integers: as many as its row says.
    pub(super) fn vk_ints<'b>(
        &mut self,
        attrs: &'b [ast::Attribute],
        name: &str,
    ) -> Option<(&'b ast::Attribute, Vec<i64>)> {
        let a = self.find_vk(attrs, name)?;
        let &(_, _, args) = attributes::find(name)?;
        Some((a, self.attr_ints(a, args, Code::BadVkAttribute)?))
    }

    /// Integer arguments of an attribute.
    pub(super) fn attr_ints(&mut self, attr: &ast::Attribute, args: Args, code: Code) -> Option<Vec<i64>> {
        let Args::Ints(least, most) = args else { return None };
        let (name, n) = (self.text(attr.name.text).to_string(), attr.args.len());
        if !(least..=most).contains(&n) {
            let want = if least == most { format!("{least}") } else { format!("{least} to {most}") };
            let d = self.report(code, attr.span, format!("`{name}` takes {want} arguments, not {n}"));
            if code == Code::BadNumthreads {
                d.help("write how many threads a group has in x, y and z: `[numthreads(8, 8, 1)]`");
            }
            return None;
        }
        let what = format!("an argument of `{name}`");
        let mut all = Vec::with_capacity(n);
        for e in &attr.args {
            let value = self.rvalue(*e);
            all.push(self.int_value(value, &what)?);
        }
        Some(all)
    }

    /// The only argument of an attribute, where it is a string.
    pub(super) fn attr_text(&self, attr: &ast::Attribute) -> Option<&str> {
        match attr.args.as_slice() {
            [e] => match self.ast.expr(*e).kind {
                E::Str(s) => Some(self.text(s).trim_matches('"')),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn loop_hint(&mut self, attrs: &[ast::Attribute]) -> Option<LoopHint> {
        let mut hint = None;
        let mut first: Option<&ast::Attribute> = None;
        for a in attrs {
            let name = self.text(a.name.text).to_ascii_lowercase();
            let new = match name.as_str() {
                "unroll" if a.args.is_empty() => LoopHint::Unroll(None),
                "unroll" => match self.unroll_count(a) {
                    Some(n) => LoopHint::Unroll(n),
                    None => continue,
                },
                "loop" | "fastopt" => LoopHint::Loop,
                "allow_uav_condition" => continue,
                _ => {
                    self.ignored(a);
                    continue;
                }
            };
            if let (Some(old), Some(before)) = (hint, first)
                && matches!(old, LoopHint::Loop) != matches!(new, LoopHint::Loop)
            {
                let before = before.span;
                self.report(Code::BadAttribute, a.span, "a loop is unrolled or it is not")
                    .label("the opposite")
                    .secondary(before, "of this")
                    .help("keep one of them");
            }
            (hint, first) = (Some(new), Some(a));
        }
        hint
    }

    /// How often `[unroll(n)]` repeats the body. What is no such number is reported and ignored.
    fn unroll_count(&mut self, a: &ast::Attribute) -> Option<Option<u32>> {
        let value = match a.args.as_slice() {
            &[e] => self.rvalue(e),
            _ => {
                self.report(Code::BadAttribute, a.span, "`unroll` takes one number")
                    .label("more than one argument")
                    .help("write `[unroll]` or `[unroll(4)]`");
                return None;
            }
        };
        match self.const_of(value) {
            // As often as it runs.
            Some(Const::Int(0)) => Some(None),
            Some(Const::Int(n)) if (1..=i64::from(u32::MAX)).contains(n) => Some(Some(*n as u32)),
            Some(Const::Int(_) | Const::Float(_)) => {
                self.report(
                    Code::UnknownAttribute,
                    a.span,
                    "`unroll` takes an integer of at least 1: ignored",
                )
                .label("another number")
                .help("write `[unroll]` or `[unroll(4)]`");
                None
            }
            _ => {
                self.int_value(value, "the argument of `unroll`");
                None
            }
        }
    }

    pub(super) fn branch_hint(&mut self, attrs: &[ast::Attribute]) -> Option<BranchHint> {
        let mut hint = None;
        for a in attrs {
            match self.text(a.name.text).to_ascii_lowercase().as_str() {
                "branch" | "forcecase" | "call" => hint = Some(BranchHint::Branch),
                "flatten" => hint = Some(BranchHint::Flatten),
                _ => self.ignored(a),
            }
        }
        hint
    }

    /// Reports an attribute that means nothing where it stands.
    fn ignored(&mut self, a: &ast::Attribute) {
        if self.function_attr(a).is_some() {
            // That is an error already.
            return;
        }
        let name = self.text(a.name.text).to_string();
        self.report(Code::UnknownAttribute, a.span, format!("attribute `{name}` is ignored here"))
            .suggest(&name, crate::hlsl::parse::ATTRIBUTES.iter().copied());
    }

    /// Where a resource is bound.
    pub(super) fn binding(
        &mut self,
        registers: &[Placed],
        annotations: &[ast::Annotation],
        attrs: &'a [ast::Attribute],
    ) -> Binding {
        let mut binding = Binding::default();
        // One for each shader profile may be given. All mean compute here: the first counts.
        for r in registers {
            match r.bound {
                Bound::To(register) => binding.register = binding.register.or(Some(register)),
                Bound::In(space) => binding.space = binding.space.or(Some(space)),
            }
        }
        for a in annotations {
            if let ast::Annotation::PackOffset(_, _, span) = a {
                self.report(Code::BadPackoffset, *span, "only members of a cbuffer have a packoffset");
            }
        }
        let set = self.find_vk(attrs, "set").map(|a| a.span);
        if let Some((a, v)) = self.vk_ints(attrs, "binding") {
            let number = match (set, v.get(1)) {
                (Some(span), Some(_)) => {
                    self.report(Code::BadVkAttribute, span, "the set is given twice")
                        .secondary(a.span, "the second number is a set, too");
                    None
                }
                (Some(_), None) => self.vk_ints(attrs, "set").map(|s| s.1[0]),
                (None, n) => Some(n.copied().unwrap_or(0)),
            };
            if [Some(v[0]), number].iter().flatten().any(|n| !(0..=MAX_NUMBER).contains(n)) {
                self.report(Code::BadVkAttribute, a.span, "binding and set must not be negative or huge");
            } else if let Some(set) = number {
                binding.vk = Some((v[0] as u32, set as u32));
            }
        } else if let (Some(span), None) = (set, self.find_vk(attrs, "binding")) {
            self.report(Code::BadVkAttribute, span, "a set without a binding")
                .help("write both: `[[using vk: set(1), binding(0)]]`");
        }
        if let Some((_, v)) = self.vk_ints(attrs, "counter_binding") {
            binding.counter = u32::try_from(v[0]).ok();
        }
        if let Some(a) = self.find_vk(attrs, "image_format") {
            binding.image_format = self.attr_text(a).map(String::from);
            if binding.image_format.is_none() {
                let text = "`image_format` takes a string such as `\"rgba8\"`";
                self.report(Code::BadVkAttribute, a.span, text);
            }
        }
        binding
    }

    pub(super) fn vk_flag(&self, attrs: &[ast::Attribute], name: &str) -> bool {
        self.find_vk(attrs, name).is_some()
    }

    /// Reports registers of a buffer that are for one shader profile only.
    pub(super) fn no_profiles(&mut self, registers: &[Placed]) {
        for r in registers {
            let Some(profile) = &r.profile else { continue };
            let text = "the register of a buffer holds for all shader profiles";
            self.report(Code::BadRegister, r.span, text)
                .label(format!("for `{profile}` only"))
                .help("name the register alone: `register(b0)`");
        }
    }

    /// What annotations say of registers; reports those of one class and one profile that differ.
    pub(super) fn registers(&mut self, annotations: &[ast::Annotation]) -> Vec<Placed> {
        let mut list: Vec<Placed> = Vec::new();
        for a in annotations {
            let ast::Annotation::Register(words, span) = a else { continue };
            let Some(new) = self.register(words, *span) else { continue };
            let differs = |old: &&Placed| match (old.bound, new.bound) {
                (Bound::To(a), Bound::To(b)) => {
                    old.profile == new.profile && a.class == b.class && a.number != b.number
                }
                _ => false,
            };
            if let Some(first) = list.iter().find(differs).map(|old| old.span) {
                self.report(Code::BadRegister, *span, "a second register of the same class")
                    .label("not the one before")
                    .secondary(first, "the first one")
                    .help("keep one of them");
            }
            list.push(new);
        }
        list
    }

    /// `register(t3, space1)`; a shader profile may come first.
    fn register(&mut self, words: &[ast::Name], span: Span) -> Option<Placed> {
        let (mut register, mut space, mut profile) = (None, None, None);
        for (i, w) in words.iter().enumerate() {
            let text = self.text(w.text).to_string();
            let number = |digits: &str| digits.parse::<u32>().ok().filter(|&n| i64::from(n) <= MAX_NUMBER);
            // A space may be any number, also one that no device has.
            if let Some(n) = text.strip_prefix("space").and_then(|n| n.parse::<u32>().ok()) {
                space = Some(n);
            } else if let Some(class) = text.chars().next().map(|c| c.to_ascii_lowercase())
                && "btusci".contains(class)
                && let Some(n) = if text.len() == 1 { Some(0) } else { number(&text[1..]) }
            {
                register = Some((class, n));
            } else if i > 0 || words.len() == 1 {
                self.report(Code::BadRegister, w.span, format!("`{text}` is not a register"))
                    .help("write `register(t0)` or `register(t0, space1)`");
                return None;
            } else {
                profile = Some(text.to_ascii_lowercase());
            }
        }
        let bound = match (register, space) {
            (Some((class, number)), space) => {
                Bound::To(Register { class, number, space: space.unwrap_or(0) })
            }
            (None, space) => Bound::In(space?),
        };
        Some(Placed { profile, bound, span })
    }

    /// Bytes that `packoffset(c2.y)` means.
    pub(super) fn packoffset(
        &mut self,
        at: ast::Name,
        component: Option<ast::Name>,
        span: Span,
    ) -> Option<u32> {
        let row = self
            .text(at.text)
            .strip_prefix(['c', 'C'])
            .and_then(|n| n.parse::<u32>().ok())
            .filter(|&r| r < 4096);
        let column = match component {
            None => Some(0),
            Some(c) => match self.text(c.text) {
                "x" | "r" => Some(0),
                "y" | "g" => Some(1),
                "z" | "b" => Some(2),
                "w" | "a" => Some(3),
                _ => None,
            },
        };
        match (row, column) {
            (Some(r), Some(c)) => Some(r * 16 + c * 4),
            _ => {
                self.report(Code::BadPackoffset, span, "malformed packoffset")
                    .help("write `packoffset(c2.y)`");
                None
            }
        }
    }
}
