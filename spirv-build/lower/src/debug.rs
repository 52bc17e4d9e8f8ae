//! What a debugger is told of an HLSL program: [`crate::ir::debug`] from the HIR.

use crate::hlsl::hir::{self, Block, Function, Scalar, StmtKind, Type, TypeId};
use crate::ir::debug::{DebugType, Encoding, Local, Program, Scope, Signature, Variable};
use crate::source::{SourceMap, Span};
use rustc_hash::FxHashMap;

/// Describes a program.
pub fn describe(hir: &hir::Module, sources: &SourceMap) -> Program {
    let mut d = Describe { hir, sources, types: FxHashMap::default(), out: Program::default() };
    for g in hir.globals.iter().filter(|g| g.span != Span::default()) {
        let variable = d.variable(&g.name, g.ty, g.span);
        d.out.globals.insert(g.span, variable);
    }
    for f in hir.functions.iter().filter(|f| f.span != Span::default()) {
        d.function(f);
    }
    d.out.index();
    for f in hir.functions.iter().filter(|f| f.span != Span::default()) {
        d.locals(f);
    }
    d.out
}

struct Describe<'h> {
    hir: &'h hir::Module,
    sources: &'h SourceMap,
    types: FxHashMap<TypeId, usize>,
    out: Program,
}

impl Describe<'_> {
    fn function(&mut self, f: &Function) {
        let start = self.sources.locate(f.span);
        let mut types = vec![self.ty(f.ret)];
        for p in f.locals.iter().take(f.params as usize) {
            types.push(self.ty(p.ty));
        }
        let range = self.cover(start, &f.body);
        let function = Some(Signature { name: f.name.clone(), span: f.span, types });
        self.out.scopes.push(Scope { range, parent: None, function });
        let mut todo = vec![(self.out.scopes.len() - 1, &f.body)];
        while let Some((around, block)) = todo.pop() {
            for s in &block.stmts {
                let inner: Vec<&Block> = match &s.kind {
                    StmtKind::Block(b) => vec![b],
                    StmtKind::If { then, otherwise, .. } => {
                        [Some(then), otherwise.as_ref()].into_iter().flatten().collect()
                    }
                    StmtKind::Loop(l) => vec![&l.body],
                    StmtKind::Switch(s) => s.cases.iter().map(|c| &c.body).collect(),
                    _ => continue,
                };
                for b in inner {
                    let Some(first) = b.stmts.first() else { continue };
                    let range = self.cover(self.sources.locate(first.span), b);
                    self.out.scopes.push(Scope { range, parent: Some(around), function: None });
                    todo.push((self.out.scopes.len() - 1, b));
                }
            }
        }
    }

    /// From a place to the end of a block's statements.
    fn cover(&self, start: Span, block: &Block) -> Span {
        let mut range = start;
        let mut todo = vec![block];
        while let Some(b) = todo.pop() {
            for s in &b.stmts {
                let at = self.sources.locate(s.span);
                if at.file == range.file {
                    range.lo = range.lo.min(at.lo);
                    range.hi = range.hi.max(at.hi);
                }
                match &s.kind {
                    StmtKind::Block(b) => todo.push(b),
                    StmtKind::If { then, otherwise, .. } => {
                        todo.push(then);
                        todo.extend(otherwise);
                    }
                    StmtKind::Loop(l) => todo.push(&l.body),
                    StmtKind::Switch(s) => todo.extend(s.cases.iter().map(|c| &c.body)),
                    _ => {}
                }
            }
        }
        range
    }

    fn locals(&mut self, f: &Function) {
        let start = self.sources.locate(f.span);
        let Some(function) = self.out.scope_at(start) else { return };
        for (i, l) in (0..).zip(&f.locals).filter(|(_, l)| !l.name.starts_with('$')) {
            let parameter = (i < f.params).then_some(i + 1);
            let scope = match parameter {
                // Parameters are declared behind the name, in front of the first statement.
                Some(_) => Some(function),
                None => self.out.scope_at(self.sources.locate(l.span)),
            };
            let variable = self.variable(&l.name, l.ty, l.span);
            let scope = scope.unwrap_or(function);
            self.out.locals.insert(l.span, Local { variable, scope, parameter });
        }
    }

    fn variable(&mut self, name: &str, ty: TypeId, span: Span) -> Variable {
        Variable { name: name.into(), ty: self.ty(ty), span }
    }

    fn basic(&mut self, s: Scalar) -> usize {
        let encoding = match s {
            Scalar::Bool => Encoding::Boolean,
            s if s.is_float() => Encoding::Float,
            s if s.is_signed_int() => Encoding::Signed,
            _ => Encoding::Unsigned,
        };
        // `bool` has no size; in memory it is a word.
        let bits = if s == Scalar::Bool { 32 } else { s.bits() };
        self.push(DebugType::Basic { name: s.name().into(), bits, encoding })
    }

    /// A part of another type, which may be there already.
    fn push(&mut self, ty: DebugType) -> usize {
        match self.out.types.iter().position(|t| *t == ty) {
            Some(i) => i,
            None => {
                self.out.types.push(ty);
                self.out.types.len() - 1
            }
        }
    }

    fn ty(&mut self, ty: TypeId) -> usize {
        if let Some(i) = self.types.get(&ty) {
            return *i;
        }
        let types = &self.hir.types;
        let made = match types.get(ty) {
            Type::Void => DebugType::Void,
            Type::Scalar(s) => {
                let i = self.basic(s);
                self.types.insert(ty, i);
                return i;
            }
            Type::Vector(s, n) => DebugType::Vector(self.basic(s), u32::from(n)),
            Type::Matrix(s, r, c) => {
                let row = self.basic(s);
                let row = self.push(DebugType::Vector(row, u32::from(c)));
                DebugType::Matrix(row, u32::from(r))
            }
            Type::Array(elem, n) => DebugType::Array(self.ty(elem), n),
            Type::Struct(s) => {
                let s = types.structure(s);
                let members = s.fields.iter().map(|f| self.variable(&f.name, f.ty, f.span)).collect();
                DebugType::Struct { name: s.name.clone(), span: s.span, members }
            }
            Type::Resource(hir::Resource::Constant { elem }) if types.name(elem) != types.name(ty) => {
                let i = self.ty(elem);
                self.types.insert(ty, i);
                return i;
            }
            _ => DebugType::Opaque(types.name(ty)),
        };
        let i = self.push(made);
        self.types.insert(ty, i);
        i
    }
}
