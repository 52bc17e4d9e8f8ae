//! Variables outside functions.
use super::attrs::Bound;
use super::scope::Entity;
use super::{Sema, scope};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::attributes::Declares;
use crate::hlsl::hir::{
    Block, Const, Decoration, DecorationOperands, ExprId, ExprKind, Field, Global, GlobalId, GlobalKind,
    MatrixOrder, Register, Resource, Scalar, Stmt, StmtKind, Type, TypeId, Types, UnaryOp,
};
use crate::hlsl::layout::GLOBALS_NAME;
use crate::source::Span;
use spirv_spec::StorageClass;

impl<'a> Sema<'a> {
    /// Reports attributes before a type that declares no variable: there is nothing that has them.
    pub(super) fn no_declarator(&mut self, decl: &'a ast::VarDecl, attrs: &'a [ast::Attribute]) {
        if let ([], Some(a)) = (decl.declarators.as_slice(), attrs.iter().find(|a| a.scope.is_some())) {
            let name = self.text(a.name.text).to_string();
            self.report(Code::BadAttribute, a.span, format!("`{name}` stands before a type, not a variable"))
                .label("nothing is declared that has it")
                .help("write it before the variables of the type, or its members");
        }
    }

    pub(super) fn global_vars(&mut self, decl: &'a ast::VarDecl, attrs: &'a [ast::Attribute]) {
        let base = self.resolve(&decl.ty);
        let in_class = matches!(self.scopes.kind(self.scope), scope::ScopeKind::Struct(_));
        let what = if in_class { Declares::MEMBER } else { Declares::GLOBAL };
        if !decl.declarators.is_empty() {
            self.check_modifiers(&decl.ty, what, base);
        }
        self.no_declarator(decl, attrs);
        let at = if decl.declarators.is_empty() { Declares::NOTHING } else { what };
        self.check_vk_places(attrs, at, base);
        self.ext_requests(attrs);
        let class = self.storage_class(attrs, what);
        for d in &decl.declarators {
            if let Some(owner) = &d.owner {
                self.out_of_class_static(decl, d, owner);
                continue;
            }
            self.no_bits(d, if in_class { "a static member" } else { "a variable" });
            let (first, loose) = (self.globals.len(), self.loose());
            let ty = self.array_of(base, &d.dims);
            self.note_one_vector(&decl.ty, d.name.span);
            let q = decl.ty.quals;
            let query = q.has(ast::Quals::STATIC)
                && matches!(self.types.get(self.types.innermost(ty)), Type::RayQuery(_));
            if query || self.types.contains_foreign(ty) {
                self.declare(d.name, Entity::Foreign(ty));
            } else if self.types.get(ty) == Type::String {
                self.string_var(d);
            } else if self.find_vk(attrs, "ext_builtin_input").is_some() {
                self.builtin_input(decl, d, ty, attrs);
            } else if class == Some(StorageClass::Input) {
                self.decorated_input(d, ty, attrs);
                continue;
            } else if q.has(ast::Quals::GROUPSHARED) && q.has(ast::Quals::CONST) && d.init.is_some() {
                // Nothing can write it: it is what its initialiser says.
                self.static_var(decl, d, ty, None);
            } else if q.has(ast::Quals::GROUPSHARED) || class == Some(StorageClass::Workgroup) {
                self.groupshared(decl, d, ty);
            } else if q.has(ast::Quals::STATIC)
                && let Some(a) = self.find_vk(attrs, "constant_id")
            {
                let at = a.span;
                self.report(Code::BadVkAttribute, at, "a specialisation constant cannot be `static`")
                    .label("what is static is not seen outside")
                    .secondary(d.name.span, "static")
                    .help("write `const` alone");
            } else if q.has(ast::Quals::STATIC) || class == Some(StorageClass::Private) {
                self.static_var(decl, d, ty, None);
            } else if self.vk_flag(attrs, "push_constant") {
                self.push_constant(decl, d, ty);
            } else if self.types.resource(ty).is_some() {
                self.resource_var(decl, d, ty, attrs);
            } else if matches!(self.types.get(self.types.innermost(ty)), Type::Spirv(_))
                && self.types.is_opaque(ty)
            {
                let registers = self.registers(&d.annotations);
                let binding = self.binding(&registers, &d.annotations, attrs);
                self.add_global(d, GlobalKind::Opaque(Box::new(binding)), ty);
            } else if let Some((_, v)) = self.vk_ints(attrs, "constant_id")
                && let Ok(id) = u32::try_from(v[0])
            {
                self.spec_constant(d, ty, id);
            } else {
                self.uniform(decl, d, ty, attrs);
            }
            self.decorate_globals(first, loose, attrs);
        }
    }

    /// `int S::x = 3;`
    fn out_of_class_static(&mut self, decl: &'a ast::VarDecl, d: &'a ast::Declarator, owner: &'a ast::Path) {
        let ty = self.resolve_path(owner);
        let Type::Struct(s) = self.types.get(ty) else {
            if !self.is_error(ty) {
                let name = self.type_name(ty);
                self.report(Code::NotAType, owner.span, format!("`{name}` is not a structure"));
            }
            return;
        };
        let scope = self.structs[s.index()].scope;
        self.within(scope, |s| s.define_static(decl, d));
    }

    fn add_global(&mut self, d: &ast::Declarator, kind: GlobalKind, ty: TypeId) -> GlobalId {
        let id = self.new_global(Global::new(self.qualified(d.name.text), kind, ty, d.name.span));
        self.declare(d.name, Entity::Global(id));
        id
    }

    /// `string s = "…";`: only a format of `printf` uses it.
    fn string_var(&mut self, d: &'a ast::Declarator) {
        match d.init.and_then(|e| self.string_value(e)) {
            Some(text) => self.declare(d.name, Entity::Text(text)),
            None => {
                self.report(Code::MissingInitializer, d.name.span, "a string needs a literal as its value");
            }
        }
    }

    /// `[[vk::ext_builtin_input(n)]] static const uint3 x;`
    fn builtin_input(
        &mut self,
        decl: &'a ast::VarDecl,
        d: &'a ast::Declarator,
        ty: TypeId,
        attrs: &'a [ast::Attribute],
    ) {
        if !(decl.ty.quals.has(ast::Quals::STATIC) && decl.ty.quals.has(ast::Quals::CONST)) {
            self.report(Code::BadVkAttribute, d.name.span, "a system value is `static const`")
                .label("would be a variable of the program")
                .help("write `static const` before its type");
        }
        let Some((a, v)) = self.vk_ints(attrs, "ext_builtin_input") else { return };
        let Ok(n) = u32::try_from(v[0]) else {
            self.report(Code::BadVkAttribute, a.span, format!("there is no system value {}", v[0]));
            return;
        };
        self.system_value(d, ty, n);
    }

    /// `[[vk::ext_storage_class(1)]] [[vk::ext_decorate(11, n)]] uint3 x;`: the same by SPIR-V's numbers.
    fn decorated_input(&mut self, d: &'a ast::Declarator, ty: TypeId, attrs: &'a [ast::Attribute]) {
        let mut list = self.decorations(attrs);
        let builtin = |d: &Decoration| match &d.operands {
            DecorationOperands::Literals(words) if d.kind == spirv_spec::Decoration::BuiltIn.0 => {
                words.first().copied()
            }
            _ => None,
        };
        let Some(n) = list.iter().find_map(builtin) else {
            let message = "an input of a compute kernel is a system value";
            self.report(Code::BadVkAttribute, d.name.span, message)
                .label("has no BuiltIn")
                .help("write `[[vk::ext_decorate(11, n)]]` before it, `n` being the number of a BuiltIn");
            return;
        };
        list.retain(|d| builtin(d).is_none());
        if let Some(id) = self.system_value(d, ty, n) {
            self.global_decorations.extend(list.into_iter().map(|d| (id, d)));
        }
    }

    fn system_value(&mut self, d: &'a ast::Declarator, ty: TypeId, n: u32) -> Option<GlobalId> {
        if !matches!(self.types.get(ty), Type::Scalar(_) | Type::Vector(..) | Type::Array(..) | Type::Error) {
            let name = self.type_name(ty);
            self.report(Code::BadVkAttribute, d.name.span, format!("a system value cannot be `{name}`"));
            return None;
        }
        let id = self.add_global(d, GlobalKind::Input(n), ty);
        self.globals[id.index()].is_const = true;
        Some(id)
    }

    fn groupshared(&mut self, decl: &'a ast::VarDecl, d: &'a ast::Declarator, ty: TypeId) {
        let span = d.name.span;
        let mut ty = self.check_var_type(ty, span);
        if self.types.contains_resource(ty) {
            self.report(Code::BadGroupshared, span, "groupshared memory cannot hold resources");
            ty = Types::ERROR;
        }
        if let Type::UnsizedArray(_) = self.types.get(ty) {
            self.report(Code::UnboundedArray, span, "a groupshared array needs a size");
            ty = Types::ERROR;
        }
        if let Some(init) = d.init {
            let at = self.ast.expr(init).span;
            self.rvalue_as(init, ty, "the variable");
            self.report(Code::UnusedResult, at, "the initialiser of a groupshared variable is ignored").help(
                "let the threads of the group write it, then wait with `GroupMemoryBarrierWithGroupSync()`",
            );
        }
        let order = self.matrix_order(decl);
        let id = self.add_global(d, GlobalKind::GroupShared, ty);
        let g = &mut self.globals[id.index()];
        g.order = order;
        g.is_const = decl.ty.quals.has(ast::Quals::CONST);
        g.precise = decl.ty.quals.has(ast::Quals::PRECISE);
    }

    /// `static`, at the top level, in a structure or in a function, whose statements are `body`.
    pub(super) fn static_var(
        &mut self,
        decl: &'a ast::VarDecl,
        d: &'a ast::Declarator,
        ty: TypeId,
        body: Option<&mut Vec<Stmt>>,
    ) {
        let span = d.name.span;
        let mut ty = self.check_var_type(ty, span);
        let is_const = decl.ty.quals.has(ast::Quals::CONST);
        self.warn_comma(d.init);
        let init = d.init.map(|e| self.rvalue_as(e, ty, "the variable"));
        match (self.types.get(ty), init) {
            (Type::UnsizedArray(_), Some(e)) => ty = self.ty(e),
            (Type::UnsizedArray(_), None) => {
                self.report(Code::UnboundedArray, span, "an array without initialiser needs a size");
                ty = Types::ERROR;
            }
            _ => {}
        }
        if let Type::RayQuery(_) = self.types.get(self.types.innermost(ty)) {
            // Of a function: those outside are known as what nothing may use.
            self.unsupported(span, "a static ray query");
            ty = Types::ERROR;
        }
        let in_class = matches!(self.scopes.kind(self.scope), scope::ScopeKind::Struct(_));
        if is_const && init.is_none() && !in_class && self.has_data(ty) {
            let name = self.text(d.name.text).to_string();
            self.report(Code::ConstWithoutValue, span, format!("constant `{name}` has no value"))
                .label("is zero")
                .help("add an initialiser");
        }
        let order = self.matrix_order(decl);
        let id = self.add_global(d, GlobalKind::Static, ty);
        let g = &mut self.globals[id.index()];
        g.is_const = is_const;
        g.precise = decl.ty.quals.has(ast::Quals::PRECISE);
        g.order = order;
        match init {
            Some(e) => self.set_static(id, e, span, body),
            None if in_class => {
                self.undefined_statics.insert(id, span);
            }
            None => {}
        }
    }

    /// Gives a static variable its first value: before everything else, or where control first reaches it in a function.
    pub(super) fn set_static(&mut self, id: GlobalId, e: ExprId, span: Span, body: Option<&mut Vec<Stmt>>) {
        let ty = self.globals[id.index()].ty;
        if let Some(value) = self.const_of(e).cloned() {
            self.globals[id.index()].value = Some(value);
            return;
        }
        if self.is_error(self.ty(e)) {
            return;
        }
        let Some(body) = body else {
            if self.in_function {
                self.unsupported(span, "a static variable whose initialiser is not constant here");
                return;
            }
            let set = self.set_global(id, e, ty, span);
            self.init_stmts.push(set);
            return;
        };
        let bool = self.scalar_ty(Scalar::Bool);
        let reached = self.new_global(Global {
            value: Some(Const::Bool(false)),
            ..Global::new(
                format!("{}.reached", self.globals[id.index()].name),
                GlobalKind::Static,
                bool,
                span,
            )
        });
        let known = self.global_place(reached, span);
        let known = self.node(ExprKind::Load(known), bool, span);
        let cond = self.node(ExprKind::Unary(UnaryOp::Not, known), bool, span);
        let yes = self.constant(Const::Bool(true), bool, span);
        let stmts = vec![self.set_global(reached, yes, bool, span), self.set_global(id, e, ty, span)];
        let then = Block { stmts };
        body.push(Stmt { kind: StmtKind::If { cond, then, otherwise: None, hint: None }, span });
    }

    fn set_global(&mut self, id: GlobalId, value: ExprId, ty: TypeId, span: Span) -> Stmt {
        let place = self.global_place(id, span);
        let assign = self.node(ExprKind::Assign { place, value }, ty, span);
        Stmt { kind: StmtKind::Expr(assign), span }
    }

    fn push_constant(&mut self, decl: &'a ast::VarDecl, d: &'a ast::Declarator, ty: TypeId) {
        let span = d.name.span;
        let ty = match self.types.get(ty) {
            Type::Struct(_) => ty,
            Type::Resource(Resource::Constant { elem }) => elem,
            Type::Error => ty,
            _ => {
                let text = format!("push constants are a structure, not `{}`", self.type_name(ty));
                self.report(Code::BadVkAttribute, span, text).help("put the values into a `struct`");
                Types::ERROR
            }
        };
        if let Some(init) = d.init {
            let at = self.ast.expr(init).span;
            self.report(Code::BadVkAttribute, at, "push constants cannot have an initialiser");
        }
        if let Some(first) = self.globals.iter().find(|g| matches!(g.kind, GlobalKind::PushConstant)) {
            let first = first.span;
            self.report(Code::BadVkAttribute, span, "a second block of push constants")
                .secondary(first, "the first one")
                .help("a kernel has one block of push constants: join the structures");
        }
        let order = self.matrix_order(decl);
        let id = self.add_global(d, GlobalKind::PushConstant, ty);
        self.globals[id.index()].order = order;
    }

    fn spec_constant(&mut self, d: &'a ast::Declarator, ty: TypeId, id: u32) {
        let span = d.name.span;
        let scalar = matches!(self.types.get(ty), Type::Scalar(_) | Type::Error);
        if !scalar {
            let text = format!("a specialisation constant is a scalar, not `{}`", self.type_name(ty));
            self.report(Code::BadVkAttribute, span, text);
        }
        let mut folded = None;
        if let Some(e) = d.init {
            let value = self.rvalue_as(e, ty, "the constant");
            folded = self.const_of(value).cloned();
            if folded.is_none() && self.good(value).is_ok() {
                let text = "the default of a specialisation constant must be constant";
                self.report(Code::NotConstant, self.span(value), text);
            }
        } else {
            let text = "a specialisation constant needs a default value";
            self.report(Code::MissingInitializer, span, text);
        }
        let g = self.add_global(d, GlobalKind::SpecConstant(id), ty);
        self.globals[g.index()].value = folded;
        self.globals[g.index()].is_const = true;
    }

    pub(super) fn resource_var(
        &mut self,
        decl: &'a ast::VarDecl,
        d: &'a ast::Declarator,
        ty: TypeId,
        attrs: &'a [ast::Attribute],
    ) {
        let registers = self.registers(&d.annotations);
        let mut binding = self.binding(&registers, &d.annotations, attrs);
        binding.coherent = decl.ty.quals.has(ast::Quals::GLOBALLYCOHERENT);
        if let Some(init) = d.init {
            let at = self.ast.expr(init).span;
            self.unsupported(at, "an initialiser of a resource");
        }
        let mut elem = ty;
        while let Type::Array(e, _) | Type::UnsizedArray(e) = self.types.get(elem) {
            elem = e;
        }
        if let Type::Resource(r) = self.types.get(elem) {
            if let (Some(format), Resource::Texture { elem, writable: true, .. }) = (&binding.image_format, r)
                && let Some(a) = self.find_vk(attrs, "image_format")
            {
                self.check_image_format(&format.clone(), elem, a.span);
            }
            if binding.register.is_some() {
                let name = format!("`{}`", self.type_name(elem));
                self.check_register(binding.register, r, &name, d.name.span);
            }
            if let Resource::Constant { elem }
            | Resource::TextureBuffer { elem }
            | Resource::Structured { elem, .. } = r
            {
                self.check_var_type(elem, d.name.span);
            }
            if let Resource::Constant { elem } = r
                && let Type::Struct(s) = self.types.get(elem)
            {
                binding.block = self.block_layout(s, d.name.span);
            }
        }
        let bytes = matches!(self.types.resource(ty), Some(Resource::ByteAddress { .. }));
        let order = match self.options.rows_in_bytes && bytes {
            true => MatrixOrder::RowMajor,
            false => self.matrix_order(decl),
        };
        let id = self.add_global(d, GlobalKind::Resource(Box::new(binding)), ty);
        self.globals[id.index()].order = order;
    }

    /// A loose uniform: a member of `$Globals`.
    fn uniform(
        &mut self,
        decl: &'a ast::VarDecl,
        d: &'a ast::Declarator,
        ty: TypeId,
        attrs: &'a [ast::Attribute],
    ) {
        let span = d.name.span;
        let mut ty = self.check_var_type(ty, span);
        if self.types.contains_resource(ty) {
            self.resource_group(decl, d, ty, attrs);
            return;
        }
        if self.types.is_opaque(ty) {
            let name = self.type_name(ty);
            self.report(Code::BadVariableType, span, format!("a uniform cannot be `{name}`"))
                .help("declare it in a function");
            ty = Types::ERROR;
        }
        if let Some(init) = d.init {
            ty = self.ignored_initializer(d, init, ty, false);
        }
        if let Type::UnsizedArray(_) = self.types.get(ty) {
            self.report(Code::UnboundedArray, span, "an array needs a size");
            ty = Types::ERROR;
        }
        // What is of an unknown type may be a resource, with a register of its own.
        let packoffset = match self.is_error(ty) {
            true => None,
            false => self.uniform_register(&d.annotations, false),
        };
        let name = self.qualified(d.name.text);
        let order = self.matrix_order(decl);
        let (block, field) = self.add_uniform(name, ty, order, packoffset, span, attrs);
        self.declare(d.name, Entity::BlockMember(block, field, None));
    }

    /// Checks the initialiser of what the host sets, and warns. Answers the type of the variable: an array may get its size so.
    pub(super) fn ignored_initializer(
        &mut self,
        d: &ast::Declarator,
        init: ast::ExprId,
        ty: TypeId,
        in_buffer: bool,
    ) -> TypeId {
        // In a buffer it may name members, which are not declared yet.
        let value = (!in_buffer).then(|| self.rvalue_as(init, ty, "the variable"));
        let (name, at) = (self.text(d.name.text).to_string(), self.ast.expr(init).span);
        self.report(
            Code::UnusedResult,
            at,
            format!("the initialiser of `{name}` is ignored: the variable is a uniform that the host sets"),
        )
        .help(match in_buffer {
            true => "declare constants outside the buffer, as `static const`",
            false => "write `static const` for a constant, `static` for a variable",
        });
        match (self.types.get(ty), value) {
            (Type::UnsizedArray(_), Some(value)) => self.ty(value),
            _ => ty,
        }
    }

    /// The place that `register(c3)` gives a uniform.
    pub(super) fn uniform_register(
        &mut self,
        annotations: &[ast::Annotation],
        in_block: bool,
    ) -> Option<u32> {
        for a in annotations {
            if let (ast::Annotation::PackOffset(_, _, at), false) = (a, in_block) {
                self.report(Code::BadPackoffset, *at, "only members of a cbuffer have a packoffset")
                    .label("not in a cbuffer")
                    .help("write `register(c0)`");
            }
        }
        let mut place = None;
        for r in self.registers(annotations) {
            match r.bound {
                Bound::To(Register { class: 'c', number, .. }) if number < 4096 => {
                    place = place.or(Some(number * 16));
                }
                // Registers of other kinds of constants, which there are no longer.
                Bound::To(Register { class: 'b' | 'i', .. }) => {}
                _ => {
                    self.report(Code::BadRegister, r.span, "a uniform has a `c` register")
                        .label("of another class")
                        .help("write `register(c0)`, or nothing");
                }
            }
        }
        place
    }

    /// A member of the buffer of loose uniforms.
    pub(super) fn add_uniform(
        &mut self,
        name: String,
        ty: TypeId,
        order: MatrixOrder,
        packoffset: Option<u32>,
        span: Span,
        attrs: &'a [ast::Attribute],
    ) -> (GlobalId, u32) {
        let (block, s) = match self.globals_block {
            Some(b) => b,
            None => {
                let s = self.new_struct(GLOBALS_NAME.into(), span);
                self.structs[s.index()].complete = true;
                let elem = self.types.intern(Type::Struct(s));
                let block_ty = self.types.intern(Type::Resource(Resource::Constant { elem }));
                let mut binding = self.binding(&[], &[], attrs);
                binding.vk = self.options.globals_binding.or(binding.vk);
                let id = self.new_global(Global::new(
                    GLOBALS_NAME,
                    GlobalKind::Resource(Box::new(binding)),
                    block_ty,
                    span,
                ));
                self.globals_block = Some((id, s));
                (id, s)
            }
        };
        let field = self.types.structure(s).fields.len() as u32;
        self.types.structs[s.index()].fields.push(Field { order, packoffset, ..Field::new(name, ty, span) });
        (block, field)
    }
}
