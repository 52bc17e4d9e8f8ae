//! Specialisations of templates, members that are defined outside their class, and what types tell of template arguments.
use super::scope::Overload;
use super::scope::{Entity, ScopeId};
use super::template::{Arg, Instance, Template};
use super::{MAX_INSTANTIATIONS, Sema};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::builtin;
use crate::hlsl::hir::{Resource, Scalar, SpirvOperand, StructId, Type, TypeId};

/// How deeply types are taken apart to find template arguments.
const MAX_PATTERN_DEPTH: usize = 64;

/// `template <typename T> struct S<vector<T, 2> > { … };`
#[derive(Clone, Copy)]
pub(super) struct Partial<'a> {
    pub(super) params: &'a [ast::TemplateParam],
    /// What it is for.
    args: &'a [ast::TemplateArg],
    pub(super) body: Special<'a>,
    scope: ScopeId,
}

/// What stands in for a template where it is specialised.
#[derive(Clone, Copy)]
pub(super) enum Special<'a> {
    Class(&'a ast::Struct),
    Variable(&'a ast::VarDecl),
}

impl<'a> Special<'a> {
    /// The variable that it is, or else the general one.
    pub(super) fn variable(self, general: &'a ast::VarDecl) -> &'a ast::VarDecl {
        match self {
            Special::Variable(decl) => decl,
            Special::Class(_) => general,
        }
    }
}

/// `template <typename T> void S<T>::f() { … }`
#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    params: &'a [ast::TemplateParam],
    item: &'a ast::Item,
}

/// What types have told so far of the arguments of a template.
pub(super) struct Deduction<'p> {
    params: &'p [ast::TemplateParam],
    pub(super) found: Vec<Option<Arg>>,
}

impl<'p> Deduction<'p> {
    pub(super) fn new(params: &'p [ast::TemplateParam]) -> Self {
        Self { params, found: vec![None; params.len()] }
    }

    /// Notes what a parameter is, if a path is one that nothing is known of.
    fn note(&mut self, path: &ast::Path, arg: Arg) {
        let [name] = path.parts.as_slice() else { return };
        if let Some(i) = self.params.iter().position(|p| p.name.is_some_and(|n| n.text == name.text)) {
            self.found[i].get_or_insert(arg);
        }
    }
}

impl<'a> Sema<'a> {
    /// Before 202x `>>` is an operator wherever it stands, as dxc has it.
    pub(super) fn check_joined_angles(&mut self) {
        if self.options.hlsl_version >= crate::hlsl::HLSL_202X {
            return;
        }
        for &span in &self.ast.joined_angles {
            self.report(
                Code::UnexpectedToken,
                span,
                "`>>` closes two lists of template arguments only in HLSL 202x",
            )
            .label("an operator in this version")
            .help("write `> >`, or compile with `-HV 202x`");
        }
    }

    /// `template <> struct S<int> { … };`, `template <> int f<int>(int x) { … }`
    pub(super) fn specialisation(&mut self, item: &'a ast::Item) {
        let s = match &item.kind {
            ast::ItemKind::Vars(ast::VarDecl {
                ty: ast::TypeExpr { kind: ast::TypeKind::Struct(s), .. },
                ..
            }) => s,
            ast::ItemKind::Function(f) => {
                self.function_specialisation(f, &item.attrs);
                return;
            }
            ast::ItemKind::Vars(decl) => {
                let [d @ ast::Declarator { args: Some(args), .. }] = decl.declarators.as_slice() else {
                    self.unsupported(item.span, "this kind of specialisation");
                    return;
                };
                self.partial(d.name, &[], args, Special::Variable(decl));
                return;
            }
            _ => {
                self.unsupported(item.span, "this kind of specialisation");
                return;
            }
        };
        let (Some(name), Some(args)) = (s.name, &s.args) else {
            self.report(Code::BadDeclaration, item.span, "a specialisation needs template arguments")
                .help("write them behind the name: `template <> struct S<int> { … };`");
            return;
        };
        let text = self.text(name.text).to_string();
        let Some(Entity::StructTemplate(t)) = self.lookup(name.text) else {
            self.report(Code::UnknownType, name.span, format!("`{text}` is no template of structures"));
            return;
        };
        let Some(args) = self.arguments(t, args, name.span) else { return };
        if self.instances.contains_key(&(t, args.clone())) {
            self.report(
                Code::Redefined,
                name.span,
                format!("`{text}` is specialised twice, or used before it is specialised"),
            );
            return;
        }
        if self.instances.len() >= MAX_INSTANTIATIONS {
            self.report(Code::TooMany, name.span, "too many templates are specialised");
            return;
        }
        let shown = self.shown_instance(name.text, &args);
        let id = self.new_struct(shown, s.span);
        let ty = self.types.intern(Type::Struct(id));
        self.instance_of.insert(id, (t, args.clone()));
        self.instances.insert((t, args), Instance::Struct(ty));
        self.struct_body(s, id);
    }

    fn function_specialisation(&mut self, f: &'a ast::Function, attrs: &'a [ast::Attribute]) {
        let name = f.name.last();
        let text = self.text(name.text).to_string();
        let Some(Entity::Functions(set)) = self.lookup(name.text) else {
            self.report(Code::Undeclared, name.span, format!("`{text}` is no template of functions"));
            return;
        };
        let types: Vec<TypeId> = f
            .params
            .iter()
            .map(|p| {
                let base = self.resolve(&p.ty);
                self.array_of(base, &p.decl.dims)
            })
            .collect();
        for o in self.sets[set as usize].clone() {
            let Overload::Template(t) = o else { continue };
            let ast::ItemKind::Function(general) = &self.templates[t as usize].item.kind else { continue };
            if general.params.len() != types.len() {
                continue;
            }
            let open = match &f.name.args {
                Some(args) => self.written_args(t, args, name.span),
                None => Some(vec![None; self.templates[t as usize].params.len()]),
            };
            let Some(open) = open else { return };
            let Some(list) = self.deduce(t, open, &types) else { continue };
            let Some(list) = self.complete(t, list, name.span, false) else { continue };
            if self.instances.contains_key(&(t, list.clone())) {
                self.report(
                    Code::Redefined,
                    name.span,
                    format!("`{text}` is specialised twice, or used before it is specialised"),
                );
                return;
            }
            let shown = self.shown_instance(name.text, &list);
            if let Some(id) = self.declare_function(f, attrs, None, Some(shown)) {
                self.instances.insert((t, list), Instance::Function(id));
                self.function_body(id);
            }
            return;
        }
        self.report(Code::NoOverload, name.span, format!("no template `{text}` is like this specialisation"));
    }

    /// A partial specialisation.
    pub(super) fn partial(
        &mut self,
        name: ast::Name,
        params: &'a [ast::TemplateParam],
        args: &'a [ast::TemplateArg],
        body: Special<'a>,
    ) {
        let t = match (self.lookup(name.text), body) {
            (Some(Entity::StructTemplate(t)), Special::Class(_)) => t,
            (Some(Entity::VarTemplate(t)), Special::Variable(_)) => t,
            _ => {
                let text = self.text(name.text).to_string();
                let what = if matches!(body, Special::Class(_)) { "structures" } else { "variables" };
                self.report(Code::UnknownType, name.span, format!("`{text}` is no template of {what}"));
                return;
            }
        };
        let partial = Partial { params, args, body, scope: self.scope };
        self.templates[t as usize].partials.push(partial);
    }

    /// The partial specialisation for some arguments, what its own parameters are for them, and where it stands. Of several
    /// the one with the fewest parameters left open.
    pub(super) fn matching_partial(
        &mut self,
        t: u32,
        args: &[Arg],
    ) -> Option<(Partial<'a>, Vec<Arg>, ScopeId)> {
        let mut best: Option<(Partial<'a>, Vec<Arg>, ScopeId)> = None;
        for p in self.templates[t as usize].partials.clone() {
            let pattern = p.args;
            if pattern.len() != args.len() {
                continue;
            }
            let mut open = Deduction::new(p.params);
            self.match_args(&mut open, pattern, args.iter().copied(), 0);
            let Some(found) = open.found.into_iter().collect::<Option<Vec<Arg>>>() else { continue };
            // With what was found the pattern must be exactly the arguments.
            let inner = self.bind(p.params, &found, p.scope);
            let outer = std::mem::replace(&mut self.scope, inner);
            let same = self.trial(|s| {
                let same = pattern.iter().zip(args).all(|(written, arg)| match (written, *arg) {
                    (ast::TemplateArg::Type(ty), Arg::Type(actual)) => s.resolve(ty) == actual,
                    (written, Arg::Int(_, v)) => s.template_int(written).is_some_and(|(n, _)| n == v),
                    _ => false,
                });
                same.then_some(())
            });
            self.scope = outer;
            if same.is_ok() && best.as_ref().is_none_or(|b| p.params.len() < b.0.params.len()) {
                best = Some((p, found, p.scope));
            }
        }
        best
    }

    /// A member of a class template that is defined outside it.
    pub(super) fn member_of_template(&mut self, params: &'a [ast::TemplateParam], item: &'a ast::Item) {
        let owner = match &item.kind {
            ast::ItemKind::Function(f) => f.name.parts[0],
            ast::ItemKind::Vars(decl) => match decl.declarators.first().and_then(|d| d.owner.as_ref()) {
                Some(owner) => owner.last(),
                None => return,
            },
            ast::ItemKind::Template(_, inner) => match &inner.kind {
                ast::ItemKind::Function(f) if f.name.parts.len() > 1 => f.name.parts[0],
                _ => {
                    self.unsupported(item.span, "this kind of template");
                    return;
                }
            },
            _ => return,
        };
        let text = self.text(owner.text).to_string();
        let Some(Entity::StructTemplate(t)) = self.lookup(owner.text) else {
            self.report(Code::UnknownType, owner.span, format!("`{text}` is no template of structures"));
            return;
        };
        let member = Member { params, item };
        self.templates[t as usize].members.push(member);
        // Instances that are there already lack it.
        let known = self.instances.iter().filter(|((of, _), _)| *of == t);
        let mut known: Vec<(Vec<Arg>, StructId)> = known
            .filter_map(|((_, args), i)| match i {
                Instance::Struct(ty) => match self.types.get(*ty) {
                    Type::Struct(s) => Some((args.clone(), s)),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        known.sort_by_key(|k| k.1);
        for (args, id) in known {
            let Some(inner) = self.scopes.parent(self.structs[id.index()].scope) else { continue };
            self.define_member(member, id, inner, &args);
        }
    }

    /// Defines the members of an instance that are defined outside the class. `inner` is the scope of its arguments.
    pub(super) fn define_members(&mut self, t: u32, id: StructId, inner: ScopeId, args: &[Arg]) {
        for m in self.templates[t as usize].members.clone() {
            self.define_member(m, id, inner, args);
        }
    }

    fn define_member(&mut self, m: Member<'a>, id: StructId, inner: ScopeId, args: &[Arg]) {
        // The definition may call the parameters by other names than the class does.
        self.bind_in(inner, m.params, args);
        let class = self.structs[id.index()].scope;
        let outer = std::mem::replace(&mut self.scope, class);
        match &m.item.kind {
            ast::ItemKind::Function(f) => {
                if let Some(body) = self.declare_function(f, &m.item.attrs, Some(id), None) {
                    self.function_body(body);
                }
            }
            ast::ItemKind::Vars(decl) => decl.declarators.iter().for_each(|d| self.define_static(decl, d)),
            ast::ItemKind::Template(params, inner) => self.define_method_template(params, inner),
            _ => {}
        }
        self.scope = outer;
    }

    /// `int S::x = 3;`
    pub(super) fn define_static(&mut self, decl: &'a ast::VarDecl, d: &'a ast::Declarator) {
        let text = self.text(d.name.text).to_string();
        let Some((Entity::Global(g), _)) = self.scopes.get(self.scope, d.name.text) else {
            self.report(Code::NoMember, d.name.span, format!("there is no static member `{text}`"));
            return;
        };
        let base = self.resolve(&decl.ty);
        let ty = self.array_of(base, &d.dims);
        let declared = self.globals[g.index()].ty;
        let ty = match self.types.get(ty) {
            Type::UnsizedArray(_) => declared,
            _ => ty,
        };
        if ty != declared && !self.is_error(ty) {
            let (a, b) = (self.type_name(declared), self.type_name(ty));
            self.report(Code::Redefined, d.name.span, format!("`{text}` is declared as `{a}`, not `{b}`"));
            return;
        }
        self.undefined_statics.remove(&g);
        if let Some(init) = d.init {
            let value = self.rvalue_as(init, declared, "the variable");
            self.set_static(g, value, d.name.span, None);
        }
    }

    /// A method template that is defined outside its class takes the place of its declaration.
    fn define_method_template(&mut self, params: &'a [ast::TemplateParam], item: &'a ast::Item) {
        let ast::ItemKind::Function(f) = &item.kind else { return };
        let name = f.name.last();
        let Some((Entity::Functions(set), _)) = self.scopes.get(self.scope, name.text) else {
            let text = self.text(name.text).to_string();
            self.report(Code::NoMethod, name.span, format!("the class declares no `{text}`"));
            return;
        };
        let mut open = Vec::new();
        for o in self.sets[set as usize].clone() {
            let Overload::Template(t) = o else { continue };
            let known = &self.templates[t as usize];
            if let ast::ItemKind::Function(declared) = &known.item.kind
                && declared.body.is_none()
                && declared.params.len() == f.params.len()
                && known.params.len() == params.len()
            {
                open.push(t);
            }
        }
        // Of several that are like it, the first that has no body yet: definitions come in the order of declarations.
        let Some(&t) = open.first() else {
            let text = self.text(name.text).to_string();
            self.report(Code::NoMethod, name.span, format!("the class declares no such `{text}`"));
            return;
        };
        self.templates[t as usize].item = item;
        self.templates[t as usize].params = params;
    }

    /// Compares written arguments with actual ones.
    fn match_args(
        &mut self,
        known: &mut Deduction<'_>,
        written: &[ast::TemplateArg],
        actual: impl IntoIterator<Item = Arg>,
        depth: usize,
    ) {
        for (written, actual) in written.iter().zip(actual) {
            self.match_arg(known, written, actual, depth + 1);
        }
    }

    /// Compares a written argument with an actual one.
    pub(super) fn match_arg(
        &mut self,
        known: &mut Deduction<'_>,
        written: &ast::TemplateArg,
        actual: Arg,
        depth: usize,
    ) {
        let path = match (written, actual) {
            (ast::TemplateArg::Type(t), Arg::Type(inner)) => return self.match_type(known, t, inner, depth),
            (ast::TemplateArg::Type(ast::TypeExpr { kind: ast::TypeKind::Named(path), .. }), _) => path,
            (ast::TemplateArg::Expr(e), _) => match self.ast.expr(*e).kind {
                ast::ExprKind::Path(p) => self.ast.path(p),
                _ => return,
            },
            _ => return,
        };
        known.note(path, actual);
    }

    /// Finds template arguments by comparing a written type with an actual one.
    pub(super) fn match_type(
        &mut self,
        known: &mut Deduction<'_>,
        written: &ast::TypeExpr,
        ty: TypeId,
        depth: usize,
    ) {
        let ast::TypeKind::Named(path) = &written.kind else { return };
        if depth > MAX_PATTERN_DEPTH {
            return;
        }
        let Some(args) = &path.args else { return known.note(path, Arg::Type(ty)) };
        // The structure itself, or a base of it.
        let instance_of = |s: &Self, t: u32, bases: bool| {
            let Type::Struct(id) = s.types.get(ty) else { return None };
            let up = std::iter::successors(Some(id), |id| s.types.structure(*id).base);
            let mut up = up.take(if bases { usize::MAX } else { 1 });
            up.find_map(|id| s.instance_of.get(&id).filter(|i| i.0 == t).map(|i| i.1.clone()))
        };
        match self.lookup_path(path) {
            // The name of another template tells the arguments of that.
            Some(Entity::StructTemplate(t)) => {
                let Template { params, item, scope, .. } = &self.templates[t as usize];
                let (params, item, scope) = (*params, *item, *scope);
                if let ast::ItemKind::Typedef(decl) = &item.kind {
                    let mut own = Deduction::new(params);
                    self.within(scope, |s| s.match_type(&mut own, &decl.ty, ty, depth + 1));
                    for (written, actual) in args.iter().zip(own.found) {
                        self.match_args(known, std::slice::from_ref(written), actual, depth);
                    }
                } else if let Some(actual) = instance_of(self, t, true) {
                    self.match_args(known, args, actual, depth);
                }
            }
            entity => {
                // In a template its own name stands for its instance.
                let own = if let Some(Entity::Type(own)) = entity { self.template_of(own) } else { None };
                let parts = own.and_then(|t| instance_of(self, t, false));
                let parts = parts.unwrap_or_else(|| self.parts_of(path, ty));
                self.match_args(known, args, parts, depth);
            }
        }
    }

    /// What the arguments of a built-in template must have been to give this type.
    fn parts_of(&mut self, path: &ast::Path, ty: TypeId) -> Vec<Arg> {
        use builtin::{Builtin, Object};
        let int = self.types.scalar(Scalar::I32);
        let name = self.text(path.last().text).to_string();
        if self.in_vk(path) {
            return self.vk_parts(&name, ty);
        }
        match (builtin::find(&name), self.types.get(ty)) {
            (Some(Builtin::VectorTemplate), Type::Vector(s, n)) => {
                vec![Arg::Type(self.types.scalar(s)), Arg::Int(int, i64::from(n))]
            }
            (Some(Builtin::MatrixTemplate), Type::Matrix(s, r, c)) => {
                vec![
                    Arg::Type(self.types.scalar(s)),
                    Arg::Int(int, i64::from(r)),
                    Arg::Int(int, i64::from(c)),
                ]
            }
            (Some(Builtin::Object(Object::Foreign)), Type::Foreign { name: of, elem, count })
                if of == name =>
            {
                match count {
                    0 => vec![Arg::Type(elem)],
                    n => vec![Arg::Type(elem), Arg::Int(int, n.into())],
                }
            }
            (Some(Builtin::Object(Object::RayQuery)), Type::RayQuery(flags)) => {
                vec![Arg::Int(self.types.scalar(Scalar::U32), i64::from(flags))]
            }
            (Some(Builtin::Object(o)), Type::Resource(r)) => {
                let elem = match (o, r) {
                    (Object::Structured(w), Resource::Structured { elem, writable }) if w == writable => elem,
                    (Object::Queue(a), Resource::Queue { elem, append }) if a == append => elem,
                    (Object::Texture(s, w), Resource::Texture { shape, elem, writable })
                        if s == shape && w == writable =>
                    {
                        elem
                    }
                    (Object::Constant, Resource::Constant { elem }) => elem,
                    (Object::TextureBuffer, Resource::TextureBuffer { elem }) => elem,
                    _ => return Vec::new(),
                };
                vec![Arg::Type(elem)]
            }
            _ => Vec::new(),
        }
    }

    /// The same for templates of namespace `vk`.
    fn vk_parts(&mut self, name: &str, ty: TypeId) -> Vec<Arg> {
        let uint = self.types.scalar(Scalar::U32);
        match (name, self.types.get(ty)) {
            ("BufferPointer", Type::BufferPointer { elem, align, .. }) => {
                vec![Arg::Type(elem), Arg::Int(uint, i64::from(align))]
            }
            (_, Type::Resource(Resource::Texture { shape, elem, writable: false }))
                if builtin::sampled_texture(name) == Some(builtin::Object::Texture(shape, false)) =>
            {
                vec![Arg::Type(elem)]
            }
            ("integral_constant", Type::Constant { ty, value, literal: false }) => {
                vec![Arg::Type(ty), Arg::Int(ty, value)]
            }
            ("Literal", Type::Constant { ty, value, literal: true }) => {
                vec![Arg::Type(self.types.intern(Type::Constant { ty, value, literal: false }))]
            }
            ("SpirvType" | "SpirvOpaqueType", Type::Spirv(t)) => {
                let spirv = self.types.spirv[t.index()].clone();
                let mut parts = vec![Arg::Int(uint, i64::from(spirv.op))];
                match (name, spirv.layout) {
                    ("SpirvType", Some((size, align))) => {
                        parts.extend([Arg::Int(uint, i64::from(size)), Arg::Int(uint, i64::from(align))])
                    }
                    ("SpirvOpaqueType", None) => {}
                    _ => return Vec::new(),
                }
                for o in spirv.operands {
                    let ty = match o {
                        SpirvOperand::Type(ty) => ty,
                        SpirvOperand::Const(ty, value) => {
                            self.types.intern(Type::Constant { ty, value, literal: false })
                        }
                        SpirvOperand::Literal(n) => {
                            let value = i64::from(n);
                            self.types.intern(Type::Constant { ty: uint, value, literal: true })
                        }
                    };
                    parts.push(Arg::Type(ty));
                }
                parts
            }
            _ => Vec::new(),
        }
    }
}
