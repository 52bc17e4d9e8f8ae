//! Statements.
use super::modifiers::Declares;
use super::scope::Entity;
use super::scope::ScopeKind;
use super::vk_places::At;
use super::{Checked, Refuse, Reported, Sema};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::StmtKind as S;
use crate::hlsl::hir::{
    BinaryOp, Block, ExprId, ExprKind, Local, LocalId, Loop, Stmt, StmtKind, Type, TypeId, Types,
};
use crate::source::Span;

impl<'a> Sema<'a> {
    /// Statements in a scope of their own.
    pub(super) fn block(&mut self, stmts: &'a [ast::Stmt]) -> Block {
        let inner = self.scopes.child(self.scope, ScopeKind::Block);
        self.within(inner, |s| s.block_in_scope(stmts))
    }

    /// Statements in the current scope.
    pub(super) fn block_in_scope(&mut self, stmts: &'a [ast::Stmt]) -> Block {
        let mut block = Block::default();
        for s in stmts {
            self.stmt(s, &mut block.stmts);
        }
        block
    }

    /// A statement as a block, in a scope of its own.
    fn scoped(&mut self, stmt: &'a ast::Stmt) -> Block {
        match &stmt.kind {
            S::Block(list) => self.block(list),
            _ => self.block(std::slice::from_ref(stmt)),
        }
    }

    pub(super) fn stmt(&mut self, s: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        let span = s.span;
        let mut push = |kind| out.push(Stmt { kind, span });
        if !s.attrs.is_empty() {
            self.no_function_attrs(&s.attrs, "a statement");
        }
        match &s.kind {
            S::Empty => {}
            S::Expr(e) => {
                self.check_vk_places(&s.attrs, At::Nothing);
                self.ext_requests(&s.attrs);
                let value = self.rvalue_or_void(*e);
                self.warn_unused(value);
                push(StmtKind::Expr(value));
            }
            S::Item(item) => {
                let first = self.f.locals.len();
                self.local_item(item, out);
                if !s.attrs.is_empty() {
                    self.local_attrs(first, &s.attrs);
                }
            }
            S::Block(list) => {
                let block = self.block(list);
                push(StmtKind::Block(block));
            }
            S::If(cond, then, otherwise) => {
                let cond = self.condition(*cond);
                let then = self.scoped(then);
                let otherwise = otherwise.as_ref().map(|s| self.scoped(s));
                let hint = self.branch_hint(&s.attrs);
                push(StmtKind::If { cond, then, otherwise, hint });
            }
            S::For { init, cond, step, body } => {
                // Up to HLSL 2018 what is declared in a loop's head stays.
                let own = self.options.hlsl_version >= 2021;
                let inner = if own { self.scopes.child(self.scope, ScopeKind::Block) } else { self.scope };
                let outer = std::mem::replace(&mut self.scope, inner);
                let mut list = Vec::new();
                if let Some(init) = init {
                    self.f.in_head = !own;
                    self.stmt(init, &mut list);
                    self.f.in_head = false;
                }
                self.f.heads.extend(own.then_some(inner));
                let cond = cond.map(|c| self.condition(c));
                let step = step.map(|e| self.rvalue_or_void(e));
                let body = self.loop_body(body);
                self.scope = outer;
                if own {
                    self.f.heads.pop();
                    self.f.ended_loops.push(inner);
                }
                let hint = self.loop_hint(&s.attrs);
                let kind = StmtKind::Loop(Loop { test_after: false, cond, step, body, hint });
                if list.is_empty() {
                    push(kind);
                } else {
                    list.push(Stmt { kind, span });
                    push(StmtKind::Block(Block { stmts: list }));
                }
            }
            S::While(cond, body) => {
                let cond = Some(self.condition(*cond));
                let body = self.loop_body(body);
                let hint = self.loop_hint(&s.attrs);
                push(StmtKind::Loop(Loop { test_after: false, cond, step: None, body, hint }));
            }
            S::Do(body, cond) => {
                let body = self.loop_body(body);
                let cond = Some(self.condition(*cond));
                let hint = self.loop_hint(&s.attrs);
                push(StmtKind::Loop(Loop { test_after: true, cond, step: None, body, hint }));
            }
            S::Switch(value, body) => {
                if let Some(kind) = self.switch(*value, body, &s.attrs, span) {
                    push(kind);
                }
            }
            S::Case(_) | S::Default => {
                self.report(Code::BadSwitch, span, "a `case` must stand in a `switch`, or in a block in one");
            }
            S::Break => {
                if self.f.breakables == 0 {
                    self.report(Code::MisplacedBreak, span, "`break` outside a loop or switch");
                }
                push(StmtKind::Break);
            }
            S::Continue => {
                if self.f.loops == 0 {
                    self.report(Code::MisplacedContinue, span, "`continue` outside a loop");
                }
                push(StmtKind::Continue);
            }
            S::Return(value) => {
                let ray = value.and_then(|e| self.return_ray(e, span, out));
                let kind = ray.unwrap_or_else(|| self.return_stmt(*value, span));
                out.push(Stmt { kind, span });
            }
            S::Discard => {
                self.report_if_reached(Code::NotInCompute, span, "`discard` exists only in pixel shaders")
                    .help("use `return` to end the thread");
            }
        }
    }

    fn warn_unused(&mut self, e: ExprId) {
        let pointless = matches!(
            self.f.exprs[e.index()].kind,
            ExprKind::Binary(..) | ExprKind::Load(_) | ExprKind::Const(_) | ExprKind::Unary(..)
        );
        if pointless && !self.is_error(self.ty(e)) {
            let comparison = matches!(self.f.exprs[e.index()].kind, ExprKind::Binary(BinaryOp::Eq, ..));
            let span = self.span(e);
            let d = self.report(Code::UnusedResult, span, "the value is computed and not used");
            if comparison {
                d.help("`=` assigns, `==` compares");
            }
        }
    }

    fn loop_body(&mut self, body: &'a ast::Stmt) -> Block {
        self.f.loops += 1;
        self.f.breakables += 1;
        let block = self.scoped(body);
        self.f.loops -= 1;
        self.f.breakables -= 1;
        block
    }

    fn return_stmt(&mut self, value: Option<ast::ExprId>, span: Span) -> StmtKind {
        let ret = self.f.ret.unwrap_or(Types::VOID);
        match value {
            None if ret == Types::VOID || self.is_error(ret) => StmtKind::Return(None),
            None => {
                let ty = self.type_name(ret);
                self.report(Code::BadReturn, span, format!("this function must return `{ty}`"));
                StmtKind::Return(None)
            }
            Some(e) if ret == Types::VOID => {
                let value = self.rvalue_or_void(e);
                if self.ty(value) != Types::VOID && !self.is_error(self.ty(value)) {
                    let at = self.span(value);
                    self.report(Code::BadReturn, at, "a `void` function cannot return a value")
                        .help("change the result type of the function, or write `return;`");
                    return StmtKind::Return(None);
                }
                // `return f();` of a void function calls it.
                StmtKind::Return(Some(value))
            }
            Some(e) => {
                let value = self.rvalue_as(e, ret, "the result of this function");
                StmtKind::Return(Some(value))
            }
        }
    }

    fn local_item(&mut self, item: &'a ast::Item, out: &mut Vec<Stmt>) {
        match &item.kind {
            ast::ItemKind::Vars(decl) => self.local_vars(decl, out),
            ast::ItemKind::Typedef(decl) => self.typedef(decl, &item.attrs),
            ast::ItemKind::Empty => {}
            ast::ItemKind::Function(f) => self.local_prototype(f, &item.attrs),
            ast::ItemKind::UsingNamespace(_)
            | ast::ItemKind::UsingName(_)
            | ast::ItemKind::StaticAssert(..) => {
                self.using_or_assert(item);
            }
            ast::ItemKind::Unsupported(what) => self.unsupported(item.span, what),
            _ => {
                self.report(Code::BadDeclaration, item.span, "this cannot be declared in a function");
            }
        }
    }

    /// A prototype in a function declares what the namespace around defines.
    fn local_prototype(&mut self, f: &'a ast::Function, attrs: &'a [ast::Attribute]) {
        let mut around = self.scope;
        while !matches!(self.scopes.kind(around), ScopeKind::Namespace(_))
            && let Some(parent) = self.scopes.parent(around)
        {
            around = parent;
        }
        self.within(around, |s| s.declare_function(f, attrs, None, None));
    }

    /// Attributes of a declaration that made the locals from `first` on.
    fn local_attrs(&mut self, first: usize, attrs: &'a [ast::Attribute]) {
        self.check_vk_places(attrs, At::Local);
        self.ext_requests(attrs);
        for d in self.decorations(attrs) {
            for local in first..self.f.locals.len() {
                self.f.decorations.push((Some(LocalId(local as u32)), d.clone()));
            }
        }
    }

    /// Makes a variable known from here on.
    fn declare_local(&mut self, name: ast::Name, local: LocalId) {
        let known = self.scopes.get(self.scope, name.text);
        if let (true, Some((_, first))) = (self.f.in_head, known) {
            let text = self.text(name.text).to_string();
            self.report(
                Code::LoopVariable,
                name.span,
                format!("`{text}` takes the place of another variable"),
            )
            .label("is meant from here on, also behind the loop")
            .secondary(first, "until here this one was")
            .help("give it another name, or compile with `-HV 2021`");
            self.scopes.declare(self.scope, name.text, Entity::Local(local), name.span);
            return;
        }
        // A loop's variable cannot be declared again in its body, though in a block there.
        let head = self.f.heads.last().copied().filter(|h| self.scopes.parent(self.scope) == Some(*h));
        if let Some((_, first)) = head.and_then(|h| self.scopes.get(h, name.text)) {
            self.redeclared(name, first);
        }
        self.declare(name, Entity::Local(local));
    }

    fn local_vars(&mut self, decl: &'a ast::VarDecl, out: &mut Vec<Stmt>) {
        let q = decl.ty.quals;
        let auto = matches!(decl.ty.kind, ast::TypeKind::Auto) && !q.has(ast::Quals::STATIC);
        let base = if auto { Types::ERROR } else { self.resolve(&decl.ty) };
        if !decl.declarators.is_empty() {
            self.check_modifiers(&decl.ty, Declares::LOCAL, base);
        }
        for d in &decl.declarators {
            self.no_semantic(d, Declares::LOCAL);
            let ty = self.array_of(base, &d.dims);
            self.note_one_vector(&decl.ty, d.name.span);
            if q.has(ast::Quals::STATIC) {
                self.static_var(decl, d, ty, Some(out));
                continue;
            }
            self.warn_comma(d.init);
            if self.ray_local(d, ty, out) {
                continue;
            }
            let mut ty = self.check_var_type(ty, d.name.span);
            // The variable is visible in its initialiser.
            let local = LocalId(self.f.locals.len() as u32);
            let is_const = q.has(ast::Quals::CONST);
            let name = self.shared_text(d.name.text);
            self.f.locals.push(Local {
                is_const,
                precise: q.has(ast::Quals::PRECISE),
                named: false,
                ..Local::new(name, ty, None, d.name.span)
            });
            self.declare_local(d.name, local);
            let outer = self.f.initialised.replace(local);
            let init = match d.init {
                Some(e) if auto && d.dims.is_empty() => {
                    let value = self.rvalue(e);
                    let value = self.settle(value);
                    ty = self.check_var_type(self.ty(value), d.name.span);
                    Some(value)
                }
                None if auto => {
                    self.report(Code::MissingInitializer, d.name.span, "`auto` needs an initialiser");
                    None
                }
                _ if auto => {
                    self.report(Code::BadVariableType, d.name.span, "`auto` is no type of elements");
                    None
                }
                Some(e) if self.makes_ray_query(e, ty) => None,
                init => init.map(|e| self.rvalue_as(e, ty, "the variable")),
            };
            if let Some(e) = init {
                if let Type::UnsizedArray(_) = self.types.get(ty) {
                    ty = self.ty(e);
                }
            } else if let Type::UnsizedArray(_) = self.types.get(ty) {
                self.report(Code::UnboundedArray, d.name.span, "an array without initialiser needs a size");
                ty = Types::ERROR;
            }
            self.f.initialised = outer;
            if let (Type::BufferPointer { .. }, None) = (self.types.get(ty), init) {
                let name = self.type_name(ty);
                self.report(Code::MissingInitializer, d.name.span, format!("a `{name}` needs an address"))
                    .label("points nowhere")
                    .help(format!("write `{name}(address)`"));
            }
            if is_const && init.is_none() && self.has_data(ty) {
                let name = self.text(d.name.text).to_string();
                self.report(Code::ConstWithoutValue, d.name.span, format!("constant `{name}` has no value"))
                    .label("nothing gives it one")
                    .help("add an initialiser");
            }
            let value = match init {
                Some(e) if is_const => self.const_of(e).cloned(),
                _ => None,
            };
            let known = &mut self.f.locals[local.index()];
            (known.ty, known.value) = (ty, value);
            let span = d.name.span;
            out.push(Stmt { kind: StmtKind::Local { local, init }, span });
        }
    }

    /// Warns of `= (1, 2, 3)`, which is 3.
    pub(super) fn warn_comma(&mut self, init: Option<ast::ExprId>) {
        let Some(init) = init else { return };
        if let ast::ExprKind::Paren(inner) = self.ast.expr(init).kind
            && let ast::ExprKind::Comma(..) = self.ast.expr(inner).kind
        {
            let at = self.ast.expr(init).span;
            self.report(Code::CommaInInit, at, "only the last of these values is used")
                .label("not a vector")
                .help("write the type before the parenthesis: `float3(1, 2, 3)`");
        }
    }

    /// Reports types that no function can return.
    pub(super) fn check_var_type_unless_void(&mut self, ty: TypeId, span: Span) {
        if ty != Types::VOID {
            self.check_var_type(ty, span);
        }
    }

    /// Whether an initialiser is `RayQuery<…>()` of the variable's own type: the variable is one without it.
    pub(super) fn makes_ray_query(&mut self, init: ast::ExprId, ty: TypeId) -> bool {
        let ast = self.ast;
        let ast::ExprKind::Call(f, args) = &ast.expr(init).kind else { return false };
        let ast::ExprKind::Path(path) = &ast.expr(*f).kind else { return false };
        matches!(self.types.get(ty), Type::RayQuery(_))
            && args.len == 0
            && !matches!(self.lookup_path(ast.path(*path)), Some(Entity::Functions(_)))
            && self.resolve_path(ast.path(*path)) == ty
    }

    /// Whether values of a type can differ: a structure may have methods only.
    pub(super) fn has_data(&self, ty: TypeId) -> bool {
        // Each structure once: they may consist of each other many times over.
        let (mut seen, mut open) = (Vec::new(), vec![ty]);
        while let Some(ty) = open.pop() {
            match self.types.get(self.types.innermost(ty)) {
                Type::Struct(s) if seen.contains(&s) => {}
                Type::Struct(s) => {
                    seen.push(s);
                    open.extend(self.types.structure(s).fields.iter().map(|f| f.ty));
                }
                _ => return true,
            }
        }
        false
    }

    /// Whether a type is an interface, or an array of one.
    pub(super) fn is_interface(&self, ty: TypeId) -> bool {
        matches!(self.types.get(self.types.innermost(ty)), Type::Struct(s) if self.structs[s.index()].interface)
    }

    /// Reports types that nothing that is declared can have.
    pub(super) fn can_be_declared(&mut self, ty: TypeId, span: Span, what: &str) -> Checked<()> {
        if matches!(self.types.get(ty), Type::Void | Type::String) {
            let text = format!("{what} cannot be `{}`", self.type_name(ty));
            return self.report(Code::BadVariableType, span, text).refuse();
        }
        if self.is_interface(ty) {
            let text = format!("{what} of interface `{}`", self.type_name(ty));
            self.unsupported(span, &text);
            return Err(Reported);
        }
        Ok(())
    }

    /// Reports types that no variable can have.
    pub(super) fn check_var_type(&mut self, ty: TypeId, span: Span) -> TypeId {
        if self.can_be_declared(ty, span, "a variable").is_err() {
            return Types::ERROR;
        }
        if let Type::Struct(s) = self.types.get(self.types.innermost(ty))
            && !self.structs[s.index()].complete
        {
            let name = self.type_name(ty);
            self.report(Code::BadVariableType, span, format!("structure `{name}` is not defined yet"))
                .label("its members are not known here")
                .help("define the structure before this");
            return Types::ERROR;
        }
        ty
    }
}
