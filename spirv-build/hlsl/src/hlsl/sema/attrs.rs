//! Attributes, registers and pack offsets.
use super::Sema;
use crate::diag::Code;
use crate::diag::suggest::closest;
use crate::hlsl::ast;
use crate::hlsl::ast::ExprKind as E;
use crate::hlsl::hir::{Binding, BranchHint, Const, LoopHint, Register};
use crate::source::Span;

/// Namespaces of attributes for SPIR-V. Each is a name for the same: `Vulkan` is what it was called at first, `spv` what
/// other compilers call it.
const SCOPES: &[&str] = &["vk", "Vulkan", "spv"];

/// Attributes of these namespaces. `aliased_pointer` says what holds for all pointers here: others may point there too.
const VK_NAMES: &[&str] = &[
    "binding",
    "set",
    "counter_binding",
    "image_format",
    "push_constant",
    "constant_id",
    "offset",
    "location",
    "index",
    "combinedImageSampler",
    "shader_record_nv",
    "shader_record_ext",
    "ext_instruction",
    "ext_capability",
    "ext_extension",
    "ext_reference",
    "ext_literal",
    "ext_type_def",
    "ext_builtin_input",
    "ext_builtin_output",
    "ext_decorate",
    "ext_decorate_id",
    "ext_decorate_string",
    "ext_storage_class",
    "spvexecutionmode",
    "input_attachment_index",
    "aliased_pointer",
];

/// Stages of shaders, as profiles begin.
const STAGES: &[&str] = &["ps", "vs", "gs", "hs", "ds", "cs", "ms", "as", "lib"];

/// What `register(…)` says.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    /// A register.
    To(Register),
    /// Only a space: any number that is free there.
    In(u32),
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
        attr.scope.is_some_and(|s| SCOPES.contains(&self.text(s.text)))
    }

    /// Integer arguments of an attribute, checked for number and range.
    pub(super) fn attr_ints(
        &mut self,
        attr: &ast::Attribute,
        count: std::ops::RangeInclusive<usize>,
        code: Code,
    ) -> Option<Vec<i64>> {
        let name = self.text(attr.name.text).to_string();
        if !count.contains(&attr.args.len()) {
            let n = attr.args.len();
            let want = match (count.start(), count.end()) {
                (a, b) if a == b => format!("{a}"),
                (a, b) => format!("{a} to {b}"),
            };
            let d = self.report(code, attr.span, format!("`{name}` takes {want} arguments, not {n}"));
            if code == Code::BadNumthreads {
                d.help("write how many threads a group has in x, y and z: `[numthreads(8, 8, 1)]`");
            }
            return None;
        }
        let what = format!("an argument of `{name}`");
        let mut all = Vec::with_capacity(attr.args.len());
        for e in &attr.args {
            let value = self.rvalue(*e);
            all.push(self.int_value(value, &what)?);
        }
        Some(all)
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
        let like = closest(&name, crate::hlsl::parse::ATTRIBUTES.iter().copied());
        let d = self.report(Code::UnknownAttribute, a.span, format!("attribute `{name}` is ignored here"));
        if let Some(like) = like {
            d.help(format!("did you mean `{like}`?"));
        }
    }

    /// Where a resource is bound.
    pub(super) fn binding(
        &mut self,
        annotations: &[ast::Annotation],
        attrs: &'a [ast::Attribute],
        coherent: bool,
    ) -> Binding {
        let mut binding = Binding { coherent, ..Binding::default() };
        self.register_conflicts(annotations);
        for a in annotations {
            match a {
                // One for each shader profile may be given. All mean compute here: the first counts.
                ast::Annotation::Register(words, _) => match self.register(words) {
                    Some(Bound::To(register)) => binding.register = binding.register.or(Some(register)),
                    Some(Bound::In(space)) => binding.space = binding.space.or(Some(space)),
                    None => {}
                },
                ast::Annotation::PackOffset(_, _, span) => {
                    self.report(Code::BadPackoffset, *span, "only members of a cbuffer have a packoffset");
                }
                ast::Annotation::Semantic(_) => {}
            }
        }
        if let Some(a) = self.find_vk(attrs, "binding")
            && let Some(v) = self.attr_ints(a, 1..=2, Code::BadVkAttribute)
        {
            let set = self.find_vk(attrs, "set");
            let number = match (set, v.get(1)) {
                (Some(s), Some(_)) => {
                    self.report(Code::BadVkAttribute, s.span, "the set is given twice")
                        .secondary(a.span, "the second number is a set, too");
                    None
                }
                (Some(s), None) => self.attr_ints(s, 1..=1, Code::BadVkAttribute).map(|v| v[0]),
                (None, n) => Some(n.copied().unwrap_or(0)),
            };
            if [Some(v[0]), number].iter().flatten().any(|n| !(0..=MAX_NUMBER).contains(n)) {
                self.report(Code::BadVkAttribute, a.span, "binding and set must not be negative or huge");
            } else if let Some(set) = number {
                binding.vk = Some((v[0] as u32, set as u32));
            }
        } else if let Some(s) = self.find_vk(attrs, "set") {
            self.report(Code::BadVkAttribute, s.span, "a set without a binding")
                .help("write both: `[[using vk: set(1), binding(0)]]`");
        }
        if let Some(a) = self.find_vk(attrs, "counter_binding")
            && let Some(v) = self.attr_ints(a, 1..=1, Code::BadVkAttribute)
        {
            binding.counter = u32::try_from(v[0]).ok();
        }
        if let Some(a) = self.find_vk(attrs, "image_format") {
            let text = match a.args.as_slice() {
                [e] => match &self.ast.expr(*e).kind {
                    E::Str(s) => Some(self.text(*s).to_string()),
                    _ => None,
                },
                _ => None,
            };
            match text {
                Some(t) => binding.image_format = Some(t),
                None => {
                    self.report(
                        Code::BadVkAttribute,
                        a.span,
                        "`image_format` takes a string such as `\"rgba8\"`",
                    );
                }
            }
        }
        binding
    }

    pub(super) fn check_vk_attrs(&mut self, attrs: &'a [ast::Attribute]) {
        for a in attrs {
            let Some(scope) = a.scope else { continue };
            let (scope, name) = (self.text(scope.text).to_string(), self.text(a.name.text).to_string());
            if SCOPES.contains(&scope.as_str()) && VK_NAMES.contains(&name.as_str()) {
                continue;
            }
            let like_scope = closest(&scope, SCOPES.iter().copied());
            let right_scope = like_scope.unwrap_or(&scope).to_string();
            let like = closest(&name, VK_NAMES.iter().copied());
            let (like, known) = match VK_NAMES.contains(&name.as_str()) {
                true => (name.clone(), like_scope.is_some()),
                false => (like.unwrap_or_default().to_string(), like.is_some()),
            };
            let d = self.report(
                Code::UnknownAttribute,
                a.span,
                format!("attribute `{scope}::{name}` is ignored"),
            );
            if known {
                d.help(format!("did you mean `{right_scope}::{like}`?"));
            }
        }
    }

    pub(super) fn vk_flag(&self, attrs: &[ast::Attribute], name: &str) -> bool {
        self.find_vk(attrs, name).is_some()
    }

    pub(super) fn constant_id(&mut self, attrs: &'a [ast::Attribute]) -> Option<u32> {
        let a = self.find_vk(attrs, "constant_id")?;
        let v = self.attr_ints(a, 1..=1, Code::BadVkAttribute)?;
        u32::try_from(v[0]).ok()
    }

    /// Reports registers of one class and one profile that differ.
    pub(super) fn register_conflicts(&mut self, annotations: &[ast::Annotation]) {
        let mut known: Vec<(Option<String>, String, Span)> = Vec::new();
        for a in annotations {
            let ast::Annotation::Register(words, span) = a else { continue };
            let texts: Vec<String> = words.iter().map(|w| self.text(w.text).to_ascii_lowercase()).collect();
            let is_register = |t: &String| {
                t.len() > 1 && "btusci".contains(&t[..1]) && t[1..].bytes().all(|b| b.is_ascii_digit())
            };
            let Some(at) = texts.iter().position(is_register) else { continue };
            let profile = (at > 0).then(|| texts[0].clone());
            let clash = known
                .iter()
                .find(|(p, r, _)| *p == profile && r[..1] == texts[at][..1] && *r != texts[at])
                .map(|k| k.2);
            if let Some(first) = clash {
                self.report(Code::BadRegister, *span, "a second register of the same class")
                    .label("not the one before")
                    .secondary(first, "the first one")
                    .help("keep one of them");
            }
            known.push((profile, texts[at].clone(), *span));
        }
    }

    /// Reports registers of a buffer that are for one shader profile only.
    pub(super) fn no_profiles(&mut self, annotations: &[ast::Annotation]) {
        for a in annotations {
            let ast::Annotation::Register(words, span) = a else { continue };
            let text = words.first().map_or("", |w| self.text(w.text)).to_ascii_lowercase();
            let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let profile = words.len() > 1 && !digits.bytes().all(|b| b.is_ascii_digit())
                || STAGES.contains(&text.as_str());
            if profile {
                self.report(
                    Code::BadRegister,
                    *span,
                    "the register of a buffer holds for all shader profiles",
                )
                .label(format!("for `{text}` only"))
                .help("name the register alone: `register(b0)`");
            }
        }
    }

    /// `register(t3, space1)`; a shader profile may come first.
    pub(super) fn register(&mut self, words: &[ast::Name]) -> Option<Bound> {
        let texts: Vec<String> = words.iter().map(|w| self.text(w.text).to_string()).collect();
        let mut register = None;
        let mut space = None;
        for (i, (text, w)) in texts.iter().zip(words).enumerate() {
            let number = |digits: &str| digits.parse::<u32>().ok().filter(|&n| i64::from(n) <= MAX_NUMBER);
            // A space may be any number, also one that no device has.
            if let Some(n) = text.strip_prefix("space").and_then(|n| n.parse::<u32>().ok()) {
                space = Some(n);
            } else if let Some(class) = text.chars().next().map(|c| c.to_ascii_lowercase())
                && "btusci".contains(class)
                && let Some(n) = if text.len() == 1 { Some(0) } else { number(&text[1..]) }
            {
                register = Some((class, n));
            } else if i > 0 || texts.len() == 1 {
                self.report(Code::BadRegister, w.span, format!("`{text}` is not a register"))
                    .help("write `register(t0)` or `register(t0, space1)`");
                return None;
            }
        }
        match (register, space) {
            (Some((class, number)), space) => {
                Some(Bound::To(Register { class, number, space: space.unwrap_or(0) }))
            }
            (None, Some(space)) => Some(Bound::In(space)),
            (None, None) => None,
        }
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
