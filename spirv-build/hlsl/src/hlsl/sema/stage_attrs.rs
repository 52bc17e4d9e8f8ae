//! Attributes of functions that speak of stages and waves: `[shader("compute")]`, `[WaveSize(32)]`.
use super::Sema;
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::ExprKind as E;
use crate::hlsl::hir::{Const, WaveSize};
use crate::source::Span;

/// What `[shader(…)]` may name.
const STAGES: &[&str] = &[
    "compute",
    "vertex",
    "pixel",
    "hull",
    "domain",
    "geometry",
    "raygeneration",
    "intersection",
    "anyhit",
    "closesthit",
    "miss",
    "callable",
    "mesh",
    "amplification",
    "node",
];
/// What an attribute of another stage takes.
enum Takes {
    Nothing,
    Integer,
    Number,
    Text,
    OneOf(&'static [&'static str]),
}

/// Attributes of other stages, which mean nothing here but are checked all the same.
const OTHERS: &[(&str, Takes)] = &[
    ("maxvertexcount", Takes::Integer),
    ("instance", Takes::Integer),
    ("outputcontrolpoints", Takes::Integer),
    ("maxtessfactor", Takes::Number),
    ("earlydepthstencil", Takes::Nothing),
    ("patchconstantfunc", Takes::Text),
    ("domain", Takes::OneOf(&["tri", "quad", "isoline"])),
    ("partitioning", Takes::OneOf(&["integer", "fractional_even", "fractional_odd", "pow2"])),
    ("outputtopology", Takes::OneOf(&["point", "line", "triangle", "triangle_cw", "triangle_ccw"])),
];
/// Sizes that a wave may have.
const WAVES: std::ops::RangeInclusive<i64> = 4..=128;

impl<'a> Sema<'a> {
    /// The name of an attribute that only functions have.
    pub(super) fn function_attr(&self, a: &ast::Attribute) -> Option<&'static str> {
        let text = self.text(a.name.text);
        let known = ["numthreads", "shader", "wavesize"].into_iter().chain(OTHERS.iter().map(|o| o.0));
        known.into_iter().find(|k| a.scope.is_none() && k.eq_ignore_ascii_case(text))
    }

    /// Reports an attribute of functions that stands at something else.
    pub(super) fn no_function_attrs(&mut self, attrs: &'a [ast::Attribute], what: &str) {
        for a in attrs {
            let Some(name) = self.function_attr(a) else { continue };
            self.report(Code::BadAttribute, a.span, format!("`{name}` does not fit {what}"))
                .label("is for functions")
                .help("remove it, or write it before a function");
        }
    }

    /// The stage that `[shader(…)]` names, where that is right.
    pub(super) fn stage_of(&self, attrs: &'a [ast::Attribute]) -> Option<(String, Span)> {
        let a = self.find_attr(attrs, "shader")?;
        let [e] = a.args.as_slice() else { return None };
        let E::Str(s) = self.ast.expr(*e).kind else { return None };
        let text = self.text(s).trim_matches('"');
        STAGES.contains(&text).then(|| (text.to_string(), a.span))
    }

    /// Checks `[shader(…)]`.
    pub(super) fn check_stages(&mut self, attrs: &'a [ast::Attribute]) {
        let mut stage: Option<(String, Span)> = None;
        for a in attrs {
            if a.scope.is_some() || !self.text(a.name.text).eq_ignore_ascii_case("shader") {
                continue;
            }
            let text = match a.args.as_slice() {
                [e] => match &self.ast.expr(*e).kind {
                    E::Str(s) => Some(self.text(*s).trim_matches('"').to_string()),
                    _ => None,
                },
                _ => None,
            };
            let Some(text) = text else {
                self.report(Code::BadAttribute, a.span, "`shader` takes the name of a stage")
                    .label("not one string")
                    .help("write `[shader(\"compute\")]`");
                continue;
            };
            if !STAGES.contains(&text.as_str()) {
                let like = crate::diag::suggest::closest(&text, STAGES.iter().copied());
                let d = self.report(Code::BadAttribute, a.span, format!("there is no shader stage `{text}`"));
                d.label("not a stage");
                match like {
                    Some(like) => d.help(format!("did you mean `{like}`?")),
                    None => d.help(format!("stages are {}", STAGES.join(", "))),
                };
                continue;
            }
            match &stage {
                Some((first, at)) if *first != text => {
                    let at = *at;
                    self.report(Code::BadAttribute, a.span, "the function is of another stage already")
                        .label(format!("`{text}`"))
                        .secondary(at, "the first stage")
                        .help("keep one of them");
                }
                Some(_) => {}
                None => stage = Some((text, a.span)),
            }
        }
    }

    /// Checks the arguments of attributes of other stages.
    pub(super) fn check_other_stages(&mut self, attrs: &'a [ast::Attribute]) {
        for a in attrs.iter().filter(|a| a.scope.is_none()) {
            let name = self.text(a.name.text);
            let Some(&(name, ref takes)) = OTHERS.iter().find(|o| o.0.eq_ignore_ascii_case(name)) else {
                continue;
            };
            let text = match a.args.as_slice() {
                [e] => match &self.ast.expr(*e).kind {
                    E::Str(s) => Some(self.text(*s).trim_matches('"')),
                    _ => None,
                },
                _ => None,
            };
            let wants = match (takes, a.args.as_slice()) {
                (Takes::Nothing, []) => continue,
                (Takes::Nothing, _) => "no arguments".to_string(),
                (Takes::Integer | Takes::Number, &[e]) if text.is_none() => {
                    let value = self.rvalue(e);
                    match self.const_of(value) {
                        Some(Const::Int(_) | Const::Bool(_) | Const::Float(_)) => continue,
                        // The expression itself was reported.
                        None if self.is_error(self.ty(value)) => continue,
                        _ => "a constant number".to_string(),
                    }
                }
                (Takes::Integer | Takes::Number, _) => "one constant number".to_string(),
                (Takes::Text, _) if text.is_some() => continue,
                (Takes::Text, _) => "one string".to_string(),
                (Takes::OneOf(list), _) if text.is_some_and(|t| list.contains(&t)) => continue,
                (Takes::OneOf(list), _) => format!("one of \"{}\"", list.join("\", \"")),
            };
            self.report(Code::BadAttribute, a.span, format!("`{name}` takes {wants}"))
                .help("compute kernels have no use for it, but it is checked where the function is declared");
        }
    }

    /// Whether `[shader(…)]` names another stage than compute.
    pub(super) fn is_of_other_stage(&self, attrs: &[ast::Attribute]) -> bool {
        let Some(a) = self.find_attr(attrs, "shader") else { return false };
        matches!(a.args.as_slice(), [e] if matches!(&self.ast.expr(*e).kind,
            E::Str(s) if self.text(*s).trim_matches('"') != "compute"))
    }

    /// Checks `[WaveSize(…)]`, which SPIR-V for Vulkan has no word for: whoever makes the pipeline has to ask for it.
    pub(super) fn wave_size(&mut self, attrs: &'a [ast::Attribute]) -> Option<WaveSize> {
        let a = self.find_attr(attrs, "wavesize")?;
        let v = self.attr_ints(a, 1..=3, Code::BadAttribute)?;
        let least = if v.len() > 1 { 8 } else { 6 };
        if self.options.shader_model().is_none_or(|m| m < (6, least)) {
            let what = if v.len() > 1 { "a range of wave sizes" } else { "`WaveSize`" };
            self.report(Code::BadAttribute, a.span, format!("{what} needs shader model 6.{least}"))
                .label("too new for the profile")
                .help(format!("compile with `-T cs_6_{least}`"));
            return None;
        }
        let power = |n: i64| WAVES.contains(&n) && n & (n - 1) == 0;
        let wrong = match v.as_slice() {
            v if !v.iter().all(|&n| power(n)) => Some("a wave size is a power of two from 4 to 128"),
            &[least, most, ..] if least >= most => Some("the first size must be less than the second"),
            &[least, most, wanted] if !(least..=most).contains(&wanted) => {
                Some("the third size must lie between the others")
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            self.report(Code::BadAttribute, a.span, wrong)
                .label("not a size, or range of sizes")
                .help("write `[WaveSize(32)]`, or `[WaveSize(least, most, wanted)]`");
            return None;
        }
        if !self.options.hosted {
            self.report(Code::UnknownAttribute, a.span, "SPIR-V cannot ask for a wave size: ignored")
                .help("choose it when the pipeline is made (`VK_EXT_subgroup_size_control`)");
        }
        let size = |n: &i64| *n as u32;
        let (least, most) = (v.first().map(size)?, v.get(1).or(v.first()).map(size)?);
        Some(WaveSize { least, most, wanted: v.get(2).map(size) })
    }
}
