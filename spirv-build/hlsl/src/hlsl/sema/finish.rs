//! The last steps: recursion, call order, what is written, and the module.
use super::Sema;
use crate::diag::{Code, Diagnostic};
use crate::hlsl::hir;
use crate::hlsl::hir::{Block, EntryPoint, ExprKind, FunctionId, GlobalKind, Module, Types};
use crate::source::Span;
use smallvec::{SmallVec, smallvec};

impl Sema<'_> {
    pub(super) fn finish(mut self) -> Option<Module> {
        if let Some((id, s)) = self.globals_block {
            let span = self.globals[id.index()].span;
            let layout = self.block_layout(s, span);
            if let GlobalKind::Resource(b) = &mut self.globals[id.index()].kind {
                b.block = layout;
            }
        }
        self.undefined_calls();
        self.mistakes_of_instances();
        let order = self.call_order();
        let mut entries = self.entry_points();
        for e in &mut entries {
            e.modes = self.modes_of(e.function);
        }
        self.reached_mistakes(&entries);
        if self.diags.has_errors() {
            return None;
        }
        self.propagate_written(&order);
        let mut new_id: SmallVec<[_; 64]> = smallvec![FunctionId(u32::MAX); self.funcs.len()];
        let mut functions = Vec::with_capacity(order.len());
        let init_calls = std::mem::take(&mut self.f.calls);
        for &old in &order {
            if let Some(body) = self.funcs[old.index()].body.take() {
                new_id[old.index()] = FunctionId(functions.len() as u32);
                functions.push(body);
            }
        }
        let mut initializer = None;
        if !self.init_stmts.is_empty() {
            let cx = std::mem::take(&mut self.f);
            initializer = Some(FunctionId(functions.len() as u32));
            debug_assert!(init_calls.iter().all(|(f, _)| new_id[f.index()].0 != u32::MAX));
            functions.push(hir::Function {
                name: "$init".into(),
                params: 0,
                ret: Types::VOID,
                locals: cx.locals,
                exprs: cx.exprs,
                places: cx.places,
                body: Block { stmts: std::mem::take(&mut self.init_stmts) },
                noinline: false,
                precise: false,
                decorations: Vec::new(),
                span: Span::default(),
            });
        }
        for f in &mut functions {
            for e in &mut f.exprs {
                if let ExprKind::Call(id, _) = &mut e.kind {
                    *id = new_id[id.index()];
                }
            }
        }
        let entry_points =
            entries.into_iter().map(|e| EntryPoint { function: new_id[e.function.index()], ..e }).collect();
        if self.options.vulkan_memory_model {
            self.want_capability(spirv_spec::Capability::VulkanMemoryModel.0);
        }
        Some(Module {
            types: self.types,
            globals: self.globals,
            functions,
            entry_points,
            initializer,
            layout: self.options.layout,
            decorations: self.global_decorations,
            extensions: self.extensions,
            capabilities: self.capabilities,
            in_main: Default::default(),
            ieee_strict: self.options.ieee_strict,
        })
    }

    /// Calls of functions that have only a prototype.
    fn undefined_calls(&mut self) {
        for (g, span) in std::mem::take(&mut self.static_uses) {
            let Some(&at) = self.undefined_statics.get(&g) else { continue };
            let name = self.globals[g.index()].name.clone();
            self.report(Code::NotDefined, span, format!("`{name}` is declared but not defined"))
                .label("has no value")
                .secondary(at, "declared here")
                .help("give it a value there, or define it behind the structure");
        }
        for caller in 0..self.funcs.len() {
            for i in 0..self.funcs[caller].calls.len() {
                let (id, span) = self.funcs[caller].calls[i];
                if !self.funcs[id.index()].defined {
                    let d = self.not_defined(id, span);
                    self.funcs[caller].deferred.push(d);
                }
            }
        }
        let undefined: Vec<_> =
            self.f.calls.iter().copied().filter(|(id, _)| !self.funcs[id.index()].defined).collect();
        for (id, span) in undefined {
            let d = self.not_defined(id, span);
            self.diags.push(d);
        }
    }

    fn not_defined(&self, id: FunctionId, span: Span) -> Diagnostic {
        let f = &self.funcs[id.index()];
        let text = format!("`{}` is declared but not defined", f.name);
        let mut d = Diagnostic::new(Code::NotDefined, Some(span), text);
        d.secondary(f.span, "declared here");
        d
    }

    /// The execution modes that a function and those it reaches ask for, each once.
    fn modes_of(&self, entry: FunctionId) -> Vec<(u32, Vec<u32>)> {
        if self.funcs.iter().all(|f| f.modes.is_empty()) {
            return Vec::new();
        }
        let (mut modes, mut reached) = (Vec::new(), vec![false; self.funcs.len()]);
        let mut stack = vec![entry];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut reached[id.index()], true) {
                continue;
            }
            let f = &self.funcs[id.index()];
            for mode in &f.modes {
                if !modes.contains(mode) {
                    modes.push(mode.clone());
                }
            }
            stack.extend(f.calls.iter().map(|c| c.0));
        }
        modes
    }

    /// Reports what is wrong with instances of templates that any other function uses. If others have mistakes, they are left out.
    fn mistakes_of_instances(&mut self) {
        if self.funcs.iter().all(|f| f.of_instance.as_ref().is_none_or(Vec::is_empty)) {
            return;
        }
        let others = self.funcs.iter().enumerate().filter(|(_, f)| f.of_instance.is_none());
        let roots = others.map(|(i, _)| FunctionId(i as u32)).chain(self.f.calls.iter().map(|c| c.0));
        let used = self.reached_from(roots.collect());
        for (f, used) in self.funcs.iter_mut().zip(used) {
            let found = std::mem::take(f.of_instance.get_or_insert_default());
            if used {
                found.into_iter().for_each(|d| {
                    self.diags.push(d);
                });
            } else {
                // It may call what is wrong.
                f.body = None;
                f.calls.clear();
            }
        }
    }

    /// Which functions these reach through calls.
    fn reached_from(&self, mut stack: Vec<FunctionId>) -> Vec<bool> {
        let mut reached = vec![false; self.funcs.len()];
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut reached[id.index()], true) {
                stack.extend(self.funcs[id.index()].calls.iter().map(|c| c.0));
            }
        }
        reached
    }

    /// Reports what is wrong with functions that entry points reach. If others have mistakes of that kind, they are left out.
    fn reached_mistakes(&mut self, entries: &[EntryPoint]) {
        for d in std::mem::take(&mut self.f.deferred) {
            self.diags.push(d);
        }
        if self.funcs.iter().all(|f| f.deferred.is_empty()) && !self.types.has_foreign() {
            return;
        }
        let roots = entries.iter().map(|e| e.function).chain(self.f.calls.iter().map(|c| c.0));
        let reached = self.reached_from(roots.collect());
        self.foreign_in_reached(&reached);
        for (f, reached) in self.funcs.iter_mut().zip(reached) {
            if reached {
                std::mem::take(&mut f.deferred).into_iter().for_each(|d| {
                    self.diags.push(d);
                });
            } else {
                f.body = None;
                f.calls.clear();
            }
        }
    }

    /// Functions with callees before callers. Reports recursion. Does not recurse itself: call chains may be long.
    fn call_order(&mut self) -> Vec<FunctionId> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks: SmallVec<[Mark; 64]> = smallvec![Mark::New; self.funcs.len()];
        let mut order = Vec::with_capacity(self.funcs.len());
        let mut cycles = Vec::new();
        for root in 0..self.funcs.len() {
            if marks[root] != Mark::New {
                continue;
            }
            marks[root] = Mark::Open;
            let mut stack: SmallVec<[_; 16]> = smallvec![(root, 0usize)];
            while let Some((at, next)) = stack.last_mut() {
                let at = *at;
                match self.funcs[at].calls.get(*next) {
                    Some(&(callee, span)) => {
                        *next += 1;
                        match marks[callee.index()] {
                            Mark::New => {
                                marks[callee.index()] = Mark::Open;
                                stack.push((callee.index(), 0));
                            }
                            Mark::Open => cycles.push((at, callee.index(), span)),
                            Mark::Done => {}
                        }
                    }
                    None => {
                        marks[at] = Mark::Done;
                        order.push(FunctionId(at as u32));
                        stack.pop();
                    }
                }
            }
        }
        for (caller, callee, span) in cycles {
            let name = self.funcs[callee].name.clone();
            let at = self.funcs[callee].span;
            let message = if caller == callee {
                format!("`{name}` calls itself")
            } else {
                format!("`{name}` calls itself through `{}`", self.funcs[caller].name)
            };
            let mut d = Diagnostic::new(Code::Recursion, Some(span), message);
            d.label("recursive call")
                .secondary(at, "function declared here")
                .help("HLSL has no recursion: use a loop");
            self.funcs[caller].deferred.push(d);
        }
        order
    }

    /// A variable passed to a method that writes its object is written. Callees come first, so once is enough.
    fn propagate_written(&mut self, order: &[FunctionId]) {
        for &id in order {
            for (local, callee, param) in std::mem::take(&mut self.funcs[id.index()].passed) {
                let written = self.funcs[callee.index()]
                    .body
                    .as_ref()
                    .is_some_and(|b| b.locals.get(param as usize).is_some_and(|l| l.written));
                if written && let Some(body) = &mut self.funcs[id.index()].body {
                    body.locals[local.index()].written = true;
                }
            }
        }
    }
}
