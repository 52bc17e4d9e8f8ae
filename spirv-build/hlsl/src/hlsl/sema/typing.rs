//! Written types to types; lookup of names.
use super::scope::ScopeKind;
use super::scope::{Entity, ScopeId};
use super::{Checked, MAX_ARRAY_LENGTH, Refuse, Reported, Sema};
use crate::diag::Code;
use crate::diag::suggest;
use crate::hlsl::builtin::{self, Builtin, Object};
use crate::hlsl::hir::{Const, ExprId, MatrixOrder, Resource, Scalar, Type, TypeId, Types};
use crate::hlsl::{ast, words};
use crate::source::{Span, Symbol};

impl<'a> Sema<'a> {
    // Names.

    /// What a name means here, looking outwards. In classes, bases are looked into as well.
    pub(super) fn lookup(&self, name: Symbol) -> Option<Entity> {
        if !self.scopes.is_declared(name) {
            return None;
        }
        let mut left_class = false;
        for s in self.scopes.outwards(self.scope) {
            match self.lookup_in(s, name) {
                // A method of a local class does not see the variables of the function around.
                Some(Entity::Local(_)) if left_class => return None,
                None => {}
                found => return found,
            }
            left_class |= matches!(self.scopes.kind(s), ScopeKind::Struct(_));
            let imported = self.scopes.imports(s).iter().find_map(|&i| self.scopes.get(i, name));
            if let Some((found, _)) = imported {
                return Some(found);
            }
        }
        None
    }

    /// What a name before `::` means: variables and functions of the name do not hide what it is elsewhere.
    fn lookup_outer(&self, name: Symbol) -> Option<Entity> {
        let holds =
            |e: &Entity| matches!(e, Entity::Namespace(_) | Entity::Type(_) | Entity::StructTemplate(_));
        let found = self.lookup(name);
        if found.is_none_or(|e| holds(&e)) {
            return found;
        }
        let outer = |s| self.lookup_in(s, name).filter(holds);
        self.scopes.outwards(self.scope).find_map(outer).or(found)
    }

    /// What a name means in a scope, or, for a class, in its bases.
    pub(super) fn lookup_in(&self, scope: ScopeId, name: Symbol) -> Option<Entity> {
        if let Some((entity, _)) = self.scopes.get(scope, name) {
            return Some(entity);
        }
        if let ScopeKind::Struct(id) = self.scopes.kind(scope) {
            let base = self.types.structure(id).base?;
            return self.lookup_in(self.structs[base.index()].scope, name);
        }
        None
    }

    /// What a name means in the library of intrinsics, if that is part of the program.
    pub(super) fn library_entity(&self, name: Symbol) -> Option<Entity> {
        match self.scopes.get(self.root_scope(), words::LIBRARY_NAMESPACE)?.0 {
            Entity::Namespace(scope) => Some(self.scopes.get(scope, name)?.0),
            _ => None,
        }
    }

    pub(super) fn lookup_path(&self, path: &ast::Path) -> Option<Entity> {
        self.lookup_from(path, None)
    }

    /// As [`Sema::lookup_path`], with an instance where a part before the last has template arguments.
    pub(super) fn lookup_scoped(&mut self, path: &'a ast::Path) -> Option<Entity> {
        let Some((at, args)) = path.scope_args.as_deref() else { return self.lookup_path(path) };
        let scope = path.upto(at + 1);
        let found = match self.lookup_path(&scope)? {
            // In a template its own name may take other arguments.
            Entity::Type(ty) => Entity::StructTemplate(self.template_of(ty)?),
            other => other,
        };
        match found {
            Entity::StructTemplate(t) => {
                let ty = self.instantiate_with(t, args, path.span);
                if self.is_error(ty) {
                    return Some(Entity::Type(ty));
                }
                self.lookup_from(path, Some((*at, Entity::Type(ty))))
            }
            _ => None,
        }
    }

    /// Looks a path up, from the entity that a part of it is, if that is known.
    fn lookup_from(&self, path: &ast::Path, known: Option<(usize, Entity)>) -> Option<Entity> {
        let first = path.parts[0].text;
        let (at, mut entity) = match known {
            Some(known) => known,
            None if path.global => (0, self.lookup_in(self.root_scope(), first)?),
            None if path.parts.len() > 1 => (0, self.lookup_outer(first)?),
            None => (0, self.lookup(first)?),
        };
        for part in &path.parts[at + 1..] {
            let scope = match entity {
                Entity::Namespace(s) => s,
                Entity::Type(t) => match self.types.get(t) {
                    Type::Struct(s) => self.structs[s.index()].scope,
                    Type::Enum(e) => {
                        let text = self.text(part.text);
                        let value = self.types.enumeration(e).values.iter().find(|(n, _)| n == text)?.1;
                        entity = Entity::Constant(t, value);
                        continue;
                    }
                    _ => return None,
                },
                _ => return None,
            };
            entity = self.lookup_in(scope, part.text)?;
        }
        Some(entity)
    }

    pub(super) fn root_scope(&self) -> ScopeId {
        self.scopes.outwards(self.scope).last().unwrap_or(self.scope)
    }

    /// Names that can be seen here and are of a kind, for suggestions; sorted, so that messages never vary.
    pub(super) fn visible_names(&self, wanted: impl Fn(Entity) -> bool) -> Vec<String> {
        let mut list = Vec::new();
        if !self.diags.keeps_errors() {
            return list;
        }
        for s in self.scopes.outwards(self.scope) {
            let here = self.scopes.names(s).filter(|(_, e)| wanted(*e));
            let mut here: Vec<_> = here.map(|(n, _)| self.text(n).to_string()).collect();
            here.sort();
            list.append(&mut here);
        }
        list
    }

    // Types.

    /// The type that is written, array dimensions included.
    pub(super) fn resolve(&mut self, ty: &'a ast::TypeExpr) -> TypeId {
        let base = self.resolve_base(ty);
        self.check_type_modifiers(ty, base);
        self.array_of(base, &ty.dims)
    }

    fn resolve_base(&mut self, ty: &'a ast::TypeExpr) -> TypeId {
        match &ty.kind {
            ast::TypeKind::Named(path) => self.resolve_path(path),
            ast::TypeKind::Struct(s) => self.struct_type(s),
            ast::TypeKind::Enum(e) => self.enum_type(e),
            ast::TypeKind::Auto => {
                self.report(
                    Code::BadVariableType,
                    ty.span,
                    "`auto` stands for the type of a local variable's initialiser only",
                )
                .help("write the type");
                Types::ERROR
            }
            ast::TypeKind::Error => Types::ERROR,
        }
    }

    pub(super) fn resolve_path(&mut self, path: &'a ast::Path) -> TypeId {
        match self.lookup_scoped(path) {
            // In a template its own name may take other arguments.
            Some(Entity::Type(ty)) => match (&path.args, self.template_of(ty)) {
                (Some(args), Some(t)) => return self.instantiate_with(t, args, path.span),
                _ => {
                    if let Some(attrs) = self.alias_attrs.remove(&ty) {
                        self.ext_requests(attrs);
                    }
                    return ty;
                }
            },
            Some(Entity::StructTemplate(t)) => return self.instantiate_struct(t, path),
            Some(_) => {
                let text = self.text(path.last().text).to_string();
                self.report(Code::NotAType, path.span, format!("`{text}` is not a type"));
                return Types::ERROR;
            }
            None => {}
        }
        if path.parts.len() == 1
            && !path.global
            && let Some(builtin) = self.known(path.last().text).builtin
        {
            return self.builtin_type(builtin, path);
        }
        if self.in_vk(path)
            && let Some(ty) = self.vk_type(path)
        {
            return ty;
        }
        if path.parts.len() == 2 && crate::hlsl::stages::find(&self.path_text(path)).is_some() {
            let name = self.path_text(path);
            return self.foreign_type(&name, path.args.as_deref().unwrap_or(&[]), path.span);
        }
        let text = self.text(path.last().text).to_string();
        let shown = self.path_text(path);
        let mut names = self.visible_names(|e| matches!(e, Entity::Type(_) | Entity::StructTemplate(_)));
        names.extend(builtin::names().map(String::from));
        let d = self.report(Code::UnknownType, path.span, format!("type `{shown}` is not known"));
        d.label("not a type");
        let like = d.suggest(&text, names.iter().map(String::as_str));
        if like.help.is_empty() && suggest::is_like_macro(&shown) {
            d.help(suggest::define_macro(&shown));
        }
        Types::ERROR
    }

    pub(super) fn path_text(&self, path: &ast::Path) -> String {
        let parts: Vec<_> = path.parts.iter().map(|p| self.text(p.text)).collect();
        format!("{}{}", if path.global { "::" } else { "" }, parts.join("::"))
    }

    fn builtin_type(&mut self, builtin: Builtin, path: &'a ast::Path) -> TypeId {
        if let Builtin::Scalar(w) | Builtin::Vector(w, _) | Builtin::Matrix(w, ..) = builtin
            && matches!(w, Scalar::I16 | Scalar::U16 | Scalar::F16)
            && !self.options.enable_16bit_types
        {
            let text = self.text(path.last().text).to_string();
            self.report(Code::UnknownType, path.span, format!("type `{text}` needs 16-bit types"))
                .help("compile with `-enable-16bit-types`, or use `min16float`, `min16int` or `min16uint`");
            return Types::ERROR;
        }
        let of = |s: Scalar| if self.options.enable_16bit_types { s.native() } else { s };
        match builtin {
            Builtin::Void => Types::VOID,
            Builtin::String => self.types.intern(Type::String),
            Builtin::Scalar(s) => self.types.scalar(of(s)),
            Builtin::Vector(s, n) => self.types.vector(of(s), n),
            Builtin::Matrix(s, r, c) => self.types.intern(Type::Matrix(of(s), r, c)),
            Builtin::VectorTemplate => self.shape_template(path, 1).unwrap_or(Types::ERROR),
            Builtin::MatrixTemplate => self.shape_template(path, 2).unwrap_or(Types::ERROR),
            Builtin::Object(o) => {
                let text = self.text(path.last().text).to_string();
                self.object_type(o, path, &text)
            }
        }
    }

    /// `vector<T, n>`, `matrix<T, r, c>`; everything is optional: `float` and 4.
    fn shape_template(&mut self, path: &'a ast::Path, sizes: usize) -> Checked<TypeId> {
        let (mut scalar, mut n) = (Scalar::F32, [4u8; 2]);
        let args = path.args.as_deref().unwrap_or(&[]);
        if args.len() > sizes + 1 {
            return self.report(Code::BadElementType, path.span, "too many template arguments").refuse();
        }
        for (i, arg) in args.iter().enumerate() {
            if let (ast::TemplateArg::Type(t), 0) = (arg, i) {
                let ty = self.resolve(t);
                scalar = match self.types.get(ty) {
                    Type::Scalar(s) => s,
                    Type::Error => return Err(Reported),
                    _ => {
                        let text = format!("components cannot be `{}`, only scalars", self.type_name(ty));
                        return self.report(Code::BadElementType, t.span, text).refuse();
                    }
                };
                continue;
            }
            let (v, span) = self.template_int(arg).ok_or(Reported)?;
            if i == 0 || !(1..=4).contains(&v) {
                let text = "sizes of vectors and matrices are 1 to 4";
                return self.report(Code::BadElementType, span, text).refuse();
            }
            n[i - 1] = v as u8;
        }
        Ok(match sizes {
            1 => self.types.vector(scalar, n[0]),
            _ => self.types.intern(Type::Matrix(scalar, n[0], n[1])),
        })
    }

    /// An integer argument of a template. A lone name may have been read as a type.
    pub(super) fn template_int(&mut self, arg: &'a ast::TemplateArg) -> Option<(i64, Span)> {
        match arg {
            ast::TemplateArg::Expr(e) => {
                Some((self.const_int(*e, "a template argument")?, self.ast.expr(*e).span))
            }
            ast::TemplateArg::Type(t) => {
                if let ast::TypeKind::Named(path) = &t.kind {
                    let v = self.path_val(path, path.span).ok()?;
                    let e = self.load(v);
                    if let Some(Const::Int(i)) = self.const_of(e) {
                        return Some((*i, t.span));
                    }
                    if self.is_error(self.ty(e)) {
                        return None;
                    }
                }
                self.report(Code::NotConstant, t.span, "expected a constant, found a type");
                None
            }
        }
    }

    pub(super) fn object_type(&mut self, object: Object, path: &'a ast::Path, text: &str) -> TypeId {
        self.object(object, path, text).unwrap_or(Types::ERROR)
    }

    fn object(&mut self, object: Object, path: &'a ast::Path, text: &str) -> Checked<TypeId> {
        let args = path.args.as_deref().unwrap_or(&[]);
        let takes = match object {
            Object::Unsupported => {
                self.unsupported(path.span, &format!("type `{text}`"));
                return Err(Reported);
            }
            Object::Structure(which) => return Ok(self.known_struct(which)),
            Object::Foreign => return Ok(self.foreign_type(text, args, path.span)),
            Object::AccelerationStructure => {
                return Ok(self.types.intern(Type::Resource(Resource::AccelerationStructure)));
            }
            Object::RayQuery => return self.ray_query(args, path.span),
            Object::Texture(shape, _) if shape.multisampled => 2,
            Object::Texture(..) => 1,
            Object::ByteAddress(_) | Object::Sampler(_) => 0,
            // A layout may follow.
            Object::Structured(_) | Object::Queue(_) | Object::Constant | Object::TextureBuffer => 2,
        };
        if args.len() > takes {
            let text = format!("`{text}` takes fewer template arguments");
            return self
                .report(Code::BadElementType, path.span, text)
                .label(format!("given: {}, not more than {takes}", args.len()))
                .help("remove those behind the element type")
                .refuse();
        }
        let elem = match args.first() {
            None => None,
            Some(ast::TemplateArg::Type(t)) => Some((self.resolve(t), t.span)),
            Some(ast::TemplateArg::Expr(e)) => {
                let span = self.ast.expr(*e).span;
                return self.report(Code::ExpectedType, span, "expected a type").refuse();
            }
        };
        if let Some((ty, span)) = elem {
            if self.is_error(ty) {
                return Err(Reported);
            }
            let opaque = self.types.contains_resource(ty) || self.types.contains_foreign(ty);
            if ty == Types::VOID || opaque {
                let text = format!("`{text}` cannot hold `{}`", self.type_name(ty));
                return self.report(Code::BadElementType, span, text).refuse();
            }
        }
        let resource = match (object, elem) {
            (Object::ByteAddress(writable), _) => Resource::ByteAddress { writable },
            (Object::Sampler(comparison), _) => Resource::Sampler { comparison },
            (Object::Texture(shape, writable), Some((elem, span))) => {
                self.texel_type(elem, span, text)?;
                Resource::Texture { shape, elem, writable }
            }
            (Object::Texture(shape, false), None) if !shape.multisampled => {
                Resource::Texture { shape, elem: self.types.vector(Scalar::F32, 4), writable: false }
            }
            (Object::Structured(writable), Some((elem, _))) => Resource::Structured { elem, writable },
            (Object::Queue(append), Some((elem, _))) => Resource::Queue { elem, append },
            (_, Some((elem, _))) if !matches!(self.types.get(elem), Type::Struct(_)) => {
                let text = format!("`{text}` needs a structure, not `{}`", self.type_name(elem));
                return self.report(Code::BadElementType, path.span, text).refuse();
            }
            (Object::Constant, Some((elem, _))) => Resource::Constant { elem },
            (_, Some((elem, _))) => Resource::TextureBuffer { elem },
            (_, None) => {
                let help = format!("write `{text}<float>`, for example");
                let text = format!("`{text}` needs an element type");
                return self.report(Code::BadElementType, path.span, text).help(help).refuse();
            }
        };
        Ok(self.types.intern(Type::Resource(resource)))
    }

    /// `RayQuery<flags, more>`
    fn ray_query(&mut self, args: &'a [ast::TemplateArg], span: Span) -> Checked<TypeId> {
        let mut flags = [0u32; 2];
        for (flag, arg) in flags.iter_mut().zip(args) {
            *flag = self.template_int(arg).ok_or(Reported)?.0 as u32;
        }
        if flags[1] != 0 {
            self.unsupported(span, "a ray query that looks at opacity micromaps");
        } else {
            self.opacity_allowed(flags[0].into(), span)?;
        }
        Ok(self.types.intern(Type::RayQuery(flags[0])))
    }

    /// Reports what is no texel: those have four numbers of 32 bits at most.
    fn texel_type(&mut self, ty: TypeId, span: Span, text: &str) -> Checked<()> {
        let name = self.type_name(ty);
        if !matches!(self.types.get(ty), Type::Scalar(_) | Type::Vector(..)) {
            let text = format!("`{text}` holds scalars or vectors, not `{name}`");
            return self.report(Code::BadElementType, span, text).refuse();
        }
        let bits =
            self.types.component(ty).map_or(0, Scalar::bits) * self.types.component_count(ty).unwrap_or(1);
        if bits <= 128 {
            return Ok(());
        }
        self.report(Code::BadElementType, span, format!("`{name}` does not fit a texel"))
            .label(format!("{bits} bits"))
            .help("a texel has at most four components of 32 bits; use a `StructuredBuffer`")
            .refuse()
    }

    /// Wraps a type in array dimensions, outermost first.
    pub(super) fn array_of(&mut self, base: TypeId, dims: &[Option<ast::ExprId>]) -> TypeId {
        let mut ty = base;
        for dim in dims.iter().rev() {
            if let Some(e) = dim
                && self.depth(ty) >= super::aggregate::MAX_DEPTH
            {
                let most = super::aggregate::MAX_DEPTH;
                self.report(Code::TypeTooLarge, self.ast.expr(*e).span, "the array is nested too deeply")
                    .label(format!("more than {most} levels of arrays and structures"))
                    .help("use fewer dimensions");
                return Types::ERROR;
            }
            ty = match dim {
                None => self.types.intern(Type::UnsizedArray(ty)),
                Some(e) => {
                    let span = self.ast.expr(*e).span;
                    let Some(n) = self.const_int(*e, "the size of an array") else { return Types::ERROR };
                    let most = MAX_ARRAY_LENGTH;
                    if n < 1 || n as u64 > most {
                        let text = format!("array size {n} is not between 1 and {most}");
                        match n {
                            // Of no elements: nothing, unless something looks at it.
                            0 => self.report_if_reached(Code::BadArraySize, span, text),
                            _ => self.report(Code::BadArraySize, span, text),
                        };
                        return Types::ERROR;
                    }
                    if ty == Types::VOID {
                        self.report(Code::BadVariableType, span, "an array of `void` makes no sense");
                        return Types::ERROR;
                    }
                    let wrong = match self.types.get(ty) {
                        Type::UnsizedArray(_) => {
                            Some(("of arrays without size", "only the first size may be left out"))
                        }
                        Type::String => Some(("of strings", "declare them one by one")),
                        _ => None,
                    };
                    if let Some((what, help)) = wrong {
                        self.report(Code::BadVariableType, span, format!("there are no arrays {what}"))
                            .label("has such elements")
                            .help(help);
                        return Types::ERROR;
                    }
                    let array = self.types.intern(Type::Array(ty, n as u32));
                    let size =
                        crate::hlsl::layout::Layout::new(&self.types, crate::hlsl::layout::Rules::Structured)
                            .extent(array, MatrixOrder::ColumnMajor)
                            .size;
                    if size > crate::hlsl::layout::MAX_SIZE / 4 {
                        self.report(Code::TypeTooLarge, span, "the array is too large");
                        return Types::ERROR;
                    }
                    array
                }
            };
        }
        ty
    }

    /// The value of a constant integer expression; reports when it is none.
    pub(super) fn const_int(&mut self, e: ast::ExprId, what: &str) -> Option<i64> {
        let value = self.rvalue(e);
        if matches!(self.const_of(value), Some(Const::Float(_))) {
            let span = self.span(value);
            self.report(Code::NotConstant, span, format!("{what} must be an integer constant"))
                .label("a floating-point number")
                .help("write an integer, or convert it: `(int)`");
            return None;
        }
        self.int_value(value, what)
    }

    /// The integer that a checked constant is; reports when it is none. `4.0` is one, as arguments of attributes may say.
    pub(super) fn int_value(&mut self, value: ExprId, what: &str) -> Option<i64> {
        let ty = self.ty(value);
        if self.is_error(ty) {
            return None;
        }
        match self.const_of(value) {
            Some(Const::Int(i)) => return Some(*i),
            Some(Const::Bool(b)) => return Some(i64::from(*b)),
            Some(Const::Float(v)) if v.fract() == 0.0 && v.abs() < 1e9 => return Some(*v as i64),
            _ => {}
        }
        let span = self.span(value);
        self.report(Code::NotConstant, span, format!("{what} must be an integer constant"))
            .label("not known at compile time")
            .help("use a literal or a `static const` variable");
        None
    }
}
