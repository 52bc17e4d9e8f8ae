//! Attributes of functions that speak of stages and waves: `[shader("compute")]`, `[WaveSize(32)]`.
use super::Sema;
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::attributes::{self, Args};
use crate::hlsl::hir::{Const, WaveSize};
use crate::source::Span;

/// Sizes that a wave may have.
const WAVES: std::ops::RangeInclusive<i64> = 4..=128;

impl<'a> Sema<'a> {
    /// The name of an attribute that only functions have.
    pub(super) fn function_attr(&self, a: &ast::Attribute) -> Option<&'static str> {
        let row = attributes::find_of_function(self.text(a.name.text)).filter(|_| a.scope.is_none());
        row.map(|r| r.0)
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
        let text = self.attr_text(a)?;
        attributes::STAGES.contains(&text).then(|| (text.to_string(), a.span))
    }

    /// Whether `[shader(…)]` names another stage than compute.
    pub(super) fn is_of_other_stage(&self, attrs: &[ast::Attribute]) -> bool {
        let stage = self.find_attr(attrs, "shader").and_then(|a| self.attr_text(a));
        stage.is_some_and(|s| s != "compute")
    }

    /// Checks the arguments of attributes of functions, but for integers, which are looked at where they mean something.
    pub(super) fn check_function_attrs(&mut self, attrs: &'a [ast::Attribute]) {
        let mut stage: Option<(String, Span)> = None;
        for a in attrs.iter().filter(|a| a.scope.is_none()) {
            let Some(&(name, args)) = attributes::find_of_function(self.text(a.name.text)) else { continue };
            let text = self.attr_text(a).map(String::from);
            let wants = match (args, text.as_deref()) {
                (Args::Ints(..) | Args::Any, _) => continue,
                (Args::Nothing, _) if a.args.is_empty() => continue,
                (Args::Nothing, _) => "no arguments".to_string(),
                (Args::Number, None) if a.args.len() == 1 => {
                    let value = self.rvalue(a.args[0]);
                    match self.const_of(value) {
                        Some(Const::Int(_) | Const::Bool(_) | Const::Float(_)) => continue,
                        // The expression itself was reported.
                        None if self.is_error(self.ty(value)) => continue,
                        _ => "a constant number".to_string(),
                    }
                }
                (Args::Number, _) => "one constant number".to_string(),
                (Args::Text, Some(_)) => continue,
                (Args::Text, None) => "one string".to_string(),
                (Args::OneOf(list), Some(given)) if list.contains(&given) => {
                    if name == "shader" {
                        self.one_stage(given, a.span, &mut stage);
                    }
                    continue;
                }
                (Args::OneOf(list), _) if name == "shader" => {
                    self.report(Code::BadAttribute, a.span, "`shader` takes the name of a stage")
                        .label("not a stage")
                        .suggest(text.as_deref().unwrap_or_default(), list.iter().copied())
                        .help(format!("stages are {}", list.join(", ")));
                    continue;
                }
                (Args::OneOf(list), _) => format!("one of \"{}\"", list.join("\", \"")),
            };
            self.report(Code::BadAttribute, a.span, format!("`{name}` takes {wants}"))
                .help("compute kernels have no use for it, but it is checked where the function is declared");
        }
    }

    /// Reports a second stage of a function.
    fn one_stage(&mut self, given: &str, span: Span, stage: &mut Option<(String, Span)>) {
        match stage {
            Some((first, at)) if first != given => {
                self.report(Code::BadAttribute, span, "the function is of another stage already")
                    .label(format!("`{given}`"))
                    .secondary(*at, "the first stage")
                    .help("keep one of them");
            }
            Some(_) => {}
            None => *stage = Some((given.to_string(), span)),
        }
    }

    /// Checks `[WaveSize(…)]`, which SPIR-V for Vulkan has no word for: whoever makes the pipeline has to ask for it.
    pub(super) fn wave_size(&mut self, attrs: &'a [ast::Attribute]) -> Option<WaveSize> {
        let a = self.find_attr(attrs, "wavesize")?;
        let v = self.attr_ints(a, Args::Ints(1, 3), Code::BadAttribute)?;
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
