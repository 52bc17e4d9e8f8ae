//! Declared types: structures, enumerations, type names.
use super::modifiers::Declares;
use super::scope::Entity;
use super::scope::ScopeKind;
use super::vk_places::At;
use super::{Sema, StructInfo, fold};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::hir::{
    BitField, BitRange, Enum, EnumId, Field, MatrixOrder, Scalar, Struct, StructId, Type, TypeId, Types,
};
use crate::source::Span;

/// Parts of the largest structure.
const MAX_PARTS: u64 = 65536;

/// Most levels of structures and arrays in each other: so many structures are what SPIR-V allows.
pub(super) const MAX_DEPTH: u32 = 255;

impl<'a> Sema<'a> {
    /// An empty structure with its scope.
    pub(super) fn new_struct(&mut self, name: String, span: Span) -> StructId {
        let id = StructId(self.types.structs.len() as u32);
        self.types.structs.push(Struct {
            name,
            base: None,
            fields: Vec::new(),
            holds: Default::default(),
            span,
        });
        let scope = self.scopes.child(self.scope, ScopeKind::Struct(id));
        self.structs.push(StructInfo { scope, complete: false, parts: 1, depth: 1, interface: false });
        id
    }

    pub(super) fn struct_type(&mut self, s: &'a ast::Struct) -> TypeId {
        // `struct S<int> x;` only names a type.
        if let (Some(n), Some(args), None) = (s.name, &s.args, &s.members)
            && let Some(Entity::StructTemplate(t)) = self.lookup(n.text)
        {
            return self.instantiate_with(t, args, s.span);
        }
        // `struct S x;` names a type that there is already.
        if let (Some(n), None) = (s.name, &s.members)
            && let Some(Entity::Type(ty)) = self.lookup(n.text)
        {
            return ty;
        }
        let name = match s.name {
            Some(n) => self.qualified(n.text),
            None => format!("<struct {}>", self.types.structs.len()),
        };
        let mut id = None;
        if let Some(n) = s.name
            && let Some((Entity::Type(ty), first)) = self.scopes.get(self.scope, n.text)
        {
            // A forward declaration is completed; a second one changes nothing.
            match self.types.get(ty) {
                Type::Struct(known) if s.members.is_none() || !self.structs[known.index()].complete => {
                    id = Some(known);
                }
                _ => {
                    self.redeclared(n, first);
                    return ty;
                }
            }
        }
        let id = match id {
            Some(id) => id,
            None => {
                let id = self.new_struct(name, s.span);
                let ty = self.types.intern(Type::Struct(id));
                if let Some(n) = s.name {
                    self.declare(n, Entity::Type(ty));
                }
                id
            }
        };
        let ty = self.types.intern(Type::Struct(id));
        self.structs[id.index()].interface |= s.interface;
        if s.members.is_some() {
            self.struct_body(s, id);
        }
        if s.interface
            && let Some(field) = self.types.structure(id).fields.first()
        {
            let at = field.span;
            self.report(Code::BadDeclaration, at, "an interface has methods only");
        }
        ty
    }

    /// Counts what a structure is made of. Types are walked wherever they are used, and structures of structures double with
    /// every line: beyond a limit nothing is left of one.
    fn count_parts(&mut self, id: StructId, span: Span) {
        let fields = &self.types.structure(id).fields;
        let parts = fields.iter().fold(1u64, |n, f| n.saturating_add(self.parts(f.ty)));
        let depth = fields.iter().map(|f| self.depth(f.ty)).max().unwrap_or(0) + 1;
        let wrong = if depth > MAX_DEPTH {
            let label = format!("{depth} levels, more than {MAX_DEPTH}");
            Some(("is nested too deeply", label, "put the members of the inner structures into one"))
        } else if parts > MAX_PARTS {
            let label = format!("{parts}, more than {MAX_PARTS}");
            Some(("has too many parts", label, "use arrays: their elements count once"))
        } else {
            None
        };
        if let Some((what, label, help)) = wrong {
            let name = self.types.structure(id).name.clone();
            self.report(Code::TypeTooLarge, span, format!("`{name}` {what}")).label(label).help(help);
            let whole = &mut self.types.structs[id.index()];
            whole.fields.clear();
            whole.base = None;
            return;
        }
        self.structs[id.index()].parts = parts;
        self.structs[id.index()].depth = depth;
    }

    /// Levels of structures and arrays.
    pub(super) fn depth(&self, mut ty: TypeId) -> u32 {
        let mut around = 0;
        while let Type::Array(elem, _) | Type::UnsizedArray(elem) = self.types.get(ty) {
            (ty, around) = (elem, around + 1);
        }
        match self.types.get(ty) {
            Type::Struct(s) => around + self.structs[s.index()].depth,
            _ => around,
        }
    }

    fn parts(&self, mut ty: TypeId) -> u64 {
        let mut around = 0;
        while let Type::Array(elem, _) | Type::UnsizedArray(elem) = self.types.get(ty) {
            (ty, around) = (elem, around + 1);
        }
        match self.types.get(ty) {
            Type::Struct(s) => around + self.structs[s.index()].parts,
            _ => around + 1,
        }
    }

    /// Bases, fields, then methods.
    pub(super) fn struct_body(&mut self, s: &'a ast::Struct, id: StructId) {
        for base in &s.bases {
            let ty = self.resolve(base);
            match self.types.get(ty) {
                Type::Struct(_) if s.interface => {
                    self.report(Code::BadDeclaration, base.span, "an interface extends nothing")
                        .label("a base of an interface")
                        .help("repeat the methods, or let structures have both interfaces");
                }
                // It says which methods there are, and adds nothing.
                Type::Struct(b) if self.structs[b.index()].interface => {}
                Type::Struct(b)
                    if self.structs[b.index()].complete && self.types.structure(id).base.is_none() =>
                {
                    let st = &mut self.types.structs[id.index()];
                    st.base = Some(b);
                    st.fields.insert(0, Field::new("$base", ty, base.span));
                }
                Type::Struct(b) if !self.structs[b.index()].complete => {
                    self.report(Code::TypeRecursion, base.span, "a structure cannot extend itself");
                }
                Type::Struct(_) => {
                    self.report(Code::BadDeclaration, base.span, "a structure can extend only one other");
                }
                Type::Error => {}
                _ => {
                    let name = self.type_name(ty);
                    self.report(Code::NotAType, base.span, format!("`{name}` is not a structure"));
                }
            }
        }
        let inner = self.structs[id.index()].scope;
        let outer = std::mem::replace(&mut self.scope, inner);
        let members = s.members.as_deref().unwrap_or(&[]);
        for item in members {
            match &item.kind {
                ast::ItemKind::Vars(decl) => {
                    if decl.ty.quals.has(ast::Quals::STATIC) {
                        self.global_vars(decl, &item.attrs);
                    } else {
                        self.ext_requests(&item.attrs);
                        self.check_vk_places(&item.attrs, At::Member);
                        self.no_function_attrs(&item.attrs, "a member");
                        let first = self.types.structure(id).fields.len();
                        self.fields(decl, id, Declares::MEMBER);
                        self.place_by_hand(&item.attrs, id, first);
                        self.decorate_members(&item.attrs, id, first);
                    }
                }
                ast::ItemKind::Typedef(decl) => self.typedef(decl, &item.attrs),
                _ => {}
            }
        }
        self.count_parts(id, s.span);
        self.structs[id.index()].complete = true;
        // Methods may use members that are declared behind them: first all signatures, then all bodies.
        let mut bodies = Vec::new();
        for item in members {
            match &item.kind {
                ast::ItemKind::Function(f) => {
                    if let Some(index) = self.declare_function(f, &item.attrs, Some(id), None) {
                        bodies.push(index);
                    }
                }
                ast::ItemKind::Template(params, inner) => self.template_item(params, inner, Some(id)),
                ast::ItemKind::StaticAssert(..) => self.using_or_assert(item),
                ast::ItemKind::Unsupported(what) => self.unsupported(item.span, what),
                _ => {}
            }
        }
        let of_template = self.instance_of.contains_key(&id);
        for index in bodies {
            match of_template {
                true => self.instance_body(index),
                false => self.function_body(index),
            }
        }
        self.scope = outer;
    }

    /// Fields of a structure or buffer.
    pub(super) fn fields(&mut self, decl: &'a ast::VarDecl, id: StructId, what: Declares) {
        let base = self.resolve(&decl.ty);
        self.fields_of(base, decl, id, what);
    }

    /// Fields of a type that is known.
    pub(super) fn fields_of(&mut self, base: TypeId, decl: &'a ast::VarDecl, id: StructId, what: Declares) {
        if !decl.declarators.is_empty() {
            self.check_modifiers(&decl.ty, what, base);
        }
        for d in &decl.declarators {
            let mut ty = self.array_of(base, &d.dims);
            self.note_one_vector(&decl.ty, d.name.span);
            if let Some(width) = d.bits {
                if !d.annotations.is_empty() {
                    let at = d.name.span;
                    self.report(Code::BadModifier, at, "a bit field cannot have a semantic")
                        .label("a bit field")
                        .help("remove the semantic, or the width");
                }
                self.bit_field(d, ty, width, id, self.matrix_order(decl));
                continue;
            }
            if let Some(init) = d.init {
                let span = self.ast.expr(init).span;
                if what == Declares::GLOBAL {
                    ty = self.ignored_initializer(d, init, ty, true);
                } else {
                    self.report(Code::BadDeclaration, span, "members cannot have an initialiser");
                }
            }
            let span = d.name.span;
            let incomplete = |s: &Self, ty| match s.types.get(s.types.innermost(ty)) {
                Type::Struct(inner) => !s.structs[inner.index()].complete,
                _ => false,
            };
            if self.can_be_declared(ty, span, "a member").is_err() {
                ty = Types::ERROR;
            } else if let Type::UnsizedArray(_) = self.types.get(ty) {
                self.report(Code::UnboundedArray, span, "an array member needs a size");
                ty = Types::ERROR;
            } else if incomplete(self, ty) {
                self.report(Code::TypeRecursion, span, "a structure cannot contain itself");
                ty = Types::ERROR;
            }
            let mut field = Field {
                order: self.matrix_order(decl),
                precise: decl.ty.quals.has(ast::Quals::PRECISE),
                ..Field::new(self.text(d.name.text).to_string(), ty, span)
            };
            for a in &d.annotations {
                match a {
                    ast::Annotation::Semantic(n) => field.semantic = Some(self.text(n.text).to_string()),
                    ast::Annotation::PackOffset(at, component, span) => {
                        field.packoffset = self.packoffset(*at, *component, *span);
                    }
                    ast::Annotation::Register(_, span) if what == Declares::MEMBER => {
                        self.report(Code::BadRegister, *span, "a member cannot have a register");
                    }
                    ast::Annotation::Register(..) => {}
                }
            }
            if what == Declares::GLOBAL {
                let place = self.uniform_register(&d.annotations, true);
                field.packoffset = field.packoffset.or(place);
            }
            let index = self.types.structure(id).fields.len() as u32;
            self.types.structs[id.index()].fields.push(field);
            let scope = self.structs[id.index()].scope;
            if let Some((_, first)) = self.scopes.get(scope, d.name.text) {
                self.redeclared(d.name, first);
            }
            self.scopes.declare(scope, d.name.text, Entity::Field(id, index, None), span);
        }
    }

    /// A bit field: it goes into the member before it if that holds bit fields of its type and has room.
    fn bit_field(
        &mut self,
        d: &'a ast::Declarator,
        ty: TypeId,
        width: ast::ExprId,
        id: StructId,
        order: MatrixOrder,
    ) {
        let span = d.name.span;
        let own = match self.types.get(ty) {
            Type::Scalar(s) if s.is_int() || s == Scalar::Bool => s,
            Type::Enum(e) => self.types.enumeration(e).scalar,
            Type::Error => return,
            _ => {
                let name = self.type_name(ty);
                self.report(Code::BadVariableType, span, format!("a bit field cannot be `{name}`"))
                    .help("bit fields are integers, enumerations or `bool`");
                return;
            }
        };
        // In memory these are the same.
        let scalar = match own.erased() {
            Scalar::Bool | Scalar::MinU16 => Scalar::U32,
            Scalar::MinI16 => Scalar::I32,
            s => s,
        };
        let most = if own.is_relaxed() { 16 } else { scalar.bits() };
        let shared = self.types.scalar(scalar);
        let at = self.ast.expr(width).span;
        if self.options.hlsl_version < 2021 {
            self.report(Code::BadVariableType, at, "bit fields came with HLSL 2021")
                .help("compile with `-HV 2021`, or mask and shift an integer");
        }
        let Some(n) = self.const_int(width, "the width of a bit field") else { return };
        let named = !self.text(d.name.text).is_empty();
        let least = i64::from(named);
        if n < least || n > i64::from(most) {
            let name = self.type_name(ty);
            self.report(
                Code::BadVariableType,
                at,
                format!("a bit field of `{name}` has {least} to {most} bits, not {n}"),
            );
            return;
        }
        let fields = &mut self.types.structs[id.index()].fields;
        let used = |f: &Field| f.bits.last().map_or(0, |b| b.range.offset + b.range.width);
        // A width of 0 ends the member.
        let open = fields.last().filter(|f| {
            f.ty == shared
                && !f.bits.is_empty()
                && n > 0
                && i64::from(used(f)) + n <= i64::from(scalar.bits())
        });
        let offset = open.map(used);
        let name = self.names.name(d.name.text).to_string();
        let range = BitRange { offset: offset.unwrap_or(0), width: n as u8, ty };
        let bits = BitField { name: name.clone(), range };
        match (offset, n) {
            (Some(_), _) => {
                if let Some(f) = fields.last_mut() {
                    if named {
                        f.name = format!("{}_{name}", f.name);
                    }
                    f.bits.push(bits);
                }
            }
            (None, 0) => {
                // What follows starts a member of its own: mark the one before as full.
                if let Some(f) = fields.last_mut().filter(|f| !f.bits.is_empty()) {
                    let from = used(f);
                    if u32::from(from) < scalar.bits() {
                        let range = BitRange { offset: from, width: scalar.bits() as u8 - from, ty: shared };
                        f.bits.push(BitField { name: String::new(), range });
                    }
                }
                return;
            }
            (None, _) => fields.push(Field {
                order,
                bits: vec![bits],
                ..Field::new(if named { name } else { String::from("bits") }, shared, span)
            }),
        }
        if !named {
            return;
        }
        let field = fields.len() as u32 - 1;
        let scope = self.structs[id.index()].scope;
        if let Some((_, first)) = self.scopes.get(scope, d.name.text) {
            self.redeclared(d.name, first);
        }
        self.scopes.declare(scope, d.name.text, Entity::Field(id, field, Some(range)), span);
    }

    pub(super) fn enum_type(&mut self, e: &'a ast::Enum) -> TypeId {
        let mut scalar = Scalar::I32;
        if let Some(t) = &e.underlying {
            let ty = self.resolve(t);
            match self.types.get(ty) {
                Type::Scalar(s) if s.is_int() => scalar = s,
                Type::Error => {}
                _ => {
                    let name = self.type_name(ty);
                    self.report(Code::BadDeclaration, t.span, format!("an enumeration cannot be `{name}`"))
                        .help("its values are those of an integer type");
                }
            }
        }
        let id = EnumId(self.types.enums.len() as u32);
        let name = match e.name {
            Some(n) => self.qualified(n.text),
            None => format!("<enum {}>", id.0),
        };
        self.types.enums.push(Enum { name, scalar, scoped: e.scoped, values: Vec::new(), span: e.span });
        let ty = self.types.intern(Type::Enum(id));
        if let Some(n) = e.name {
            self.declare(n, Entity::Type(ty));
        }
        // The values of `enum class` are known by their names alone to each other only, and are plain integers there.
        let (outer, mut seen_as) = (self.scope, ty);
        if e.scoped {
            self.scope = self.scopes.child(outer, ScopeKind::Block);
            seen_as = self.types.intern(Type::Scalar(scalar));
        }
        let mut next = 0i64;
        for (name, init) in &e.values {
            if let Some(init) = init
                && let Some(v) = self.const_int(*init, "the value of an enumeration")
            {
                next = v;
            }
            let value = fold::wrap(next, scalar);
            let text = self.text(name.text).to_string();
            self.types.enums[id.index()].values.push((text, value));
            self.declare(*name, Entity::Constant(seen_as, value));
            next = next.wrapping_add(1);
        }
        self.scope = outer;
        ty
    }

    /// `typedef` or `using X = T`; what its attributes ask for is asked where the type is used.
    pub(super) fn typedef(&mut self, decl: &'a ast::VarDecl, attrs: &'a [ast::Attribute]) {
        let base = self.resolve(&decl.ty);
        self.check_vk_places(attrs, At::Nothing);
        self.check_modifiers(&decl.ty, Declares::TYPEDEF, base);
        for d in &decl.declarators {
            self.no_semantic(d, Declares::TYPEDEF);
            self.no_bits(d, "a typedef");
            let ty = self.array_of(base, &d.dims);
            if !attrs.is_empty() {
                self.alias_attrs.insert(ty, attrs);
            }
            if let Some(order) = self.written_order(&decl.ty) {
                self.alias_orders.insert((self.scope, d.name.text), order);
            }
            if let Some(norm) = self.written_norm(&decl.ty) {
                self.alias_norms.insert((self.scope, d.name.text), norm);
            }
            // A name may be given to the same type twice.
            if self.scopes.get(self.scope, d.name.text).is_none_or(|(e, _)| e != Entity::Type(ty)) {
                self.declare(d.name, Entity::Type(ty));
            }
        }
    }
}
