//! Entry points: which functions they are, and what they must look like.
use super::Sema;
use crate::diag::{Code, Diagnostic};
use crate::hlsl::ast;
use crate::hlsl::attributes::Args;
use crate::hlsl::hir::{
    EntryInput, EntryPoint, FunctionId, LocalId, ParamMode, SystemValue, Type, TypeId, Types,
};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Threads that a group may have, in each direction and in all.
const MAX_THREADS: [i64; 3] = [1024, 1024, 64];
const MAX_GROUP: i64 = 1024;

impl<'a> Sema<'a> {
    /// Entry points by the options: one by name, or all functions with `[numthreads]`.
    pub(super) fn entry_points(&mut self) -> Vec<EntryPoint> {
        let candidates: Vec<FunctionId> = (0..self.funcs.len() as u32)
            .map(FunctionId)
            .filter(|id| {
                let f = &self.funcs[id.index()];
                f.class.is_none() && f.body.is_some()
            })
            .collect();
        if self.options.is_library() {
            let list = self.library_entries(&candidates);
            return list.into_iter().filter_map(|id| self.entry_point(id)).collect();
        }
        let list: Vec<FunctionId> = match &self.options.entry {
            Some(name) => {
                let found: Vec<_> =
                    candidates.iter().copied().filter(|id| &self.funcs[id.index()].name == name).collect();
                // What could not be read may have been this function.
                if found.is_empty() && !self.misread {
                    let names: Vec<String> =
                        candidates.iter().map(|id| self.funcs[id.index()].name.clone()).collect();
                    let kernels: Vec<String> = candidates
                        .iter()
                        .filter(|id| self.has_attr(self.funcs[id.index()].attrs, "numthreads"))
                        .map(|id| format!("`{}`", self.funcs[id.index()].name))
                        .collect();
                    let d = self
                        .diags
                        .report_whole(Code::EntryNotFound, format!("entry point `{name}` was not found"));
                    let like = d.suggest(name, names.iter().map(String::as_str));
                    if like.help.is_empty() && !kernels.is_empty() {
                        d.help(format!("functions with `[numthreads]` are: {}", kernels.join(", ")));
                    }
                }
                found
            }
            None => {
                let found: Vec<_> = candidates
                    .iter()
                    .copied()
                    .filter(|id| self.has_attr(self.funcs[id.index()].attrs, "numthreads"))
                    // A file may hold the shaders of several stages.
                    .filter(|id| !self.is_of_other_stage(self.funcs[id.index()].attrs))
                    .collect();
                if found.is_empty() && !self.diags.has_errors() {
                    self.no_entry_point(&candidates);
                }
                found
            }
        };
        self.same_names(&list);
        list.into_iter().filter_map(|id| self.entry_point(id)).collect()
    }

    /// Functions that say that they are compute shaders. Those of other stages, and what is exported for a linker, cannot be
    /// left out in silence.
    fn library_entries(&mut self, candidates: &[FunctionId]) -> Vec<FunctionId> {
        let mut list = Vec::new();
        for &id in candidates {
            let (attrs, span, ret) = {
                let f = &self.funcs[id.index()];
                (f.attrs, f.span, &f.ast.ret)
            };
            if ret.quals.has(ast::Quals::EXPORT) {
                self.report(Code::NotSupported, span, "a function that is exported is not supported yet")
                    .label("nothing in the module would call it")
                    .help("remove `export`; entry points have `[shader(\"compute\")]`");
            }
            // What names no stage is reported where the function is declared.
            let Some((stage, at)) = self.stage_of(attrs) else { continue };
            if stage == "compute" {
                list.push(id);
            } else {
                let text = format!("`{stage}` shaders are not supported: only `compute` is");
                self.report(Code::NotInCompute, at, text)
                    .label("another stage")
                    .help("compile one entry point alone (`-T cs_6_0 -E name`), or leave the function out with `#if`");
            }
        }
        if list.is_empty() && !self.diags.has_errors() {
            self.diags
                .report_whole(Code::NoEntryPoint, "the library has no entry point")
                .help("put `[shader(\"compute\")]` and `[numthreads(64, 1, 1)]` before the functions that are kernels");
        }
        list
    }

    /// Reports that no function is a kernel, where one may be meant: at a mistyped attribute, or at `main`.
    fn no_entry_point(&mut self, candidates: &[FunctionId]) {
        const WORD: &str = "numthreads";
        let what = "the program has no entry point";
        let attrs = candidates.iter().flat_map(|id| self.funcs[id.index()].attrs);
        let mistyped =
            attrs.map(|a| a.name).find(|n| crate::diag::suggest::is_one_edit(self.text(n.text), WORD));
        if let Some(name) = mistyped {
            let text = self.text(name.text).to_string();
            self.report(Code::NoEntryPoint, name.span, what)
                .label(format!("`{text}` is no attribute"))
                .help(format!("did you mean `{WORD}`?"));
            return;
        }
        let main =
            candidates.iter().map(|id| &self.funcs[id.index()]).find(|f| f.name == "main").map(|f| f.span);
        let d = Diagnostic::new(Code::NoEntryPoint, main, what);
        self.diags.push(d).help("put `[numthreads(64, 1, 1)]` before the function that is the kernel");
    }

    /// Reports overloaded entry points: a module names them, so that each needs a name of its own.
    fn same_names(&mut self, list: &[FunctionId]) {
        let mut known: FxHashMap<String, Span> = FxHashMap::default();
        for id in list {
            let (name, span) = (self.funcs[id.index()].name.clone(), self.funcs[id.index()].span);
            if let Some(&first) = known.get(&name) {
                self.report(Code::Redefined, span, format!("two entry points are called `{name}`"))
                    .label("the second one")
                    .secondary(first, "the first one")
                    .help("give it another name");
            } else {
                known.insert(name, span);
            }
        }
    }

    fn entry_point(&mut self, id: FunctionId) -> Option<EntryPoint> {
        let f = &self.funcs[id.index()];
        let (attrs, span, name, ret, ret_span) = (f.attrs, f.span, f.name.clone(), f.ret, f.ast.ret.span);
        let params = f.params.clone();
        let numthreads = self.numthreads(attrs, &name, span);
        let wave_size = self.wave_size(attrs);
        if let Some((stage, at)) = self.stage_of(attrs)
            && stage != "compute"
        {
            self.report(Code::NotInCompute, at, format!("entry point `{name}` is for stage `{stage}`"))
                .label("not `compute`")
                .help("only compute shaders are compiled: name another entry point, or change the stage");
        }
        for a in attrs {
            let text = self.text(a.name.text).to_ascii_lowercase();
            let known = ["numthreads", "wavesize", "shader", "noinline", "rootsignature"];
            if a.scope.is_none() && !known.contains(&text.as_str()) {
                self.report(Code::UnknownAttribute, a.span, format!("attribute `{text}` is ignored here"));
            }
        }
        if ret != Types::VOID && !self.is_error(ret) {
            let shown = self.type_name(ret);
            self.report(Code::BadEntrySignature, ret_span, format!("entry point `{name}` returns `{shown}`"))
                .label("must be `void`")
                .help("write results to a writable resource");
        }
        self.ext_requests(attrs);
        let mut inputs = Vec::new();
        for (i, p) in params.iter().enumerate() {
            if p.mode != ParamMode::In {
                self.report(Code::BadEntrySignature, p.span, "parameters of an entry point are only read")
                    .label("remove `out`");
                continue;
            }
            self.input(LocalId(i as u32), Vec::new(), p.ty, p.semantic.clone(), p.span, &mut inputs);
        }
        Some(EntryPoint {
            name,
            function: id,
            numthreads: numthreads?,
            wave_size,
            modes: Vec::new(),
            inputs,
            span,
        })
    }

    fn numthreads(&mut self, attrs: &'a [ast::Attribute], name: &str, span: Span) -> Option<[u32; 3]> {
        let Some(a) = self.find_attr(attrs, "numthreads") else {
            self.report(Code::MissingNumthreads, span, format!("entry point `{name}` has no `[numthreads]`"))
                .label("needs the size of its groups")
                .help("put `[numthreads(64, 1, 1)]` before it");
            return None;
        };
        let v = self.attr_ints(a, Args::Ints(3, 3), Code::BadNumthreads)?;
        for (i, (&n, max)) in v.iter().zip(MAX_THREADS).enumerate() {
            if n < 1 || n > max {
                let at = self.ast.expr(a.args[i]).span;
                let axis = ["x", "y", "z"][i];
                self.report(Code::BadNumthreads, at, format!("{n} threads in {axis}: must be 1 to {max}"));
                return None;
            }
        }
        let all: i64 = v.iter().product();
        if all > MAX_GROUP {
            self.report(Code::BadNumthreads, a.span, format!("a group of {all} threads is too large"))
                .label(format!("at most {MAX_GROUP} threads in all"));
            return None;
        }
        Some([v[0] as u32, v[1] as u32, v[2] as u32])
    }

    fn input(
        &mut self,
        param: LocalId,
        path: Vec<u32>,
        ty: TypeId,
        semantic: Option<(String, Span)>,
        span: Span,
        inputs: &mut Vec<EntryInput>,
    ) {
        if self.is_error(ty) {
            return;
        }
        if let Type::Struct(s) = self.types.get(ty) {
            let fields: Vec<(TypeId, Option<String>, Span)> =
                self.types.structure(s).fields.iter().map(|f| (f.ty, f.semantic.clone(), f.span)).collect();
            for (i, (ty, semantic, at)) in fields.into_iter().enumerate() {
                let mut inner = path.clone();
                inner.push(i as u32);
                self.input(param, inner, ty, semantic.map(|s| (s, at)), at, inputs);
            }
            return;
        }
        let all = [
            SystemValue::DispatchThreadId,
            SystemValue::GroupId,
            SystemValue::GroupThreadId,
            SystemValue::GroupIndex,
        ];
        let help = "one of SV_DispatchThreadID, SV_GroupID, SV_GroupThreadID and SV_GroupIndex";
        let Some((text, at)) = semantic else {
            self.report(Code::BadEntrySemantic, span, "this parameter has no semantic")
                .label("where should its value come from?")
                .help(format!("write `: ` and {help}"));
            return;
        };
        let Some(value) = all.into_iter().find(|v| v.name().eq_ignore_ascii_case(&text)) else {
            let wrong = format!("`{text}` is not a system value of compute kernels");
            let d = self.report(Code::BadEntrySemantic, at, wrong);
            if d.suggest(&text, all.iter().map(|v| v.name())).help.is_empty() {
                d.help(format!("use {help}"));
            }
            return;
        };
        let fits = matches!(self.types.get(ty), Type::Scalar(s) | Type::Vector(s, _) if s.is_int() && s.bits() <= 32)
            && self.types.component_count(ty).is_some_and(|n| n <= u32::from(value.components()));
        if !fits {
            let shown = self.type_name(ty);
            let want = if value.components() == 1 { "uint" } else { "uint3" };
            self.report(Code::BadEntrySemantic, span, format!("`{text}` cannot be `{shown}`"))
                .help(format!("declare it as `{want}`"));
            return;
        }
        inputs.push(EntryInput { param, path, value, ty, span });
    }
}
