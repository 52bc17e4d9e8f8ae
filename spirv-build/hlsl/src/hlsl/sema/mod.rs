//! Checks a syntax tree and makes the typed HIR.
//!
//! Declarations are checked in the order of the source, function bodies included, so that a name is visible only behind its
//! declaration, as in C. A type that could not be determined is [`Types::ERROR`]; whatever meets it stays silent, because the
//! mistake was reported.
mod aggregate;
mod atomics;
mod attrs;
mod barrier;
mod blocks;
mod call;
mod convert;
mod decorations;
mod entry;
mod expr;
mod finish;
mod flow;
mod fold;
mod foreign;
mod function;
mod globals;
mod group;
mod heap;
mod init;
mod inline_spirv;
mod intrinsics;
mod known;
mod lvalue;
mod member;
mod methods;
mod modifiers;
mod operands;
mod operators;
mod overload;
mod ray;
mod ray_result;
mod resources;
mod scope;
mod sets;
mod shapes;
mod specialise;
mod stage_attrs;
mod stmt;
mod switch;
mod template;
mod trial;
mod typing;
mod uninstantiated;
mod vk;
mod vk_places;

use super::Options;
use super::ast::{self, Ast};
use super::hir::{
    self, Const, Decoration, Expr, ExprId, ExprKind, FunctionId, Global, GlobalId, GlobalKind, Local,
    LocalId, MatrixOrder, Module, ParamMode, Place, PlaceId, PlaceKind, Scalar, SpirvOp, Stmt, StructId,
    Type, TypeId, Types,
};
use super::words;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{Interner, Span, Symbol};
use rustc_hash::FxHashMap;
use scope::{Entity, ScopeId, Scopes};

/// Largest number of elements of an array.
pub const MAX_ARRAY_LENGTH: u64 = 1 << 24;
/// Largest number of scalars that one initialiser or cast may spell out.
pub const MAX_LEAVES: u64 = 1 << 18;
/// Largest number of instantiated templates.
pub const MAX_INSTANTIATIONS: usize = 4096;
/// How deeply templates may instantiate each other.
pub const MAX_INSTANTIATION_DEPTH: usize = 256;

/// Checks a program. The module is there only if there were no errors.
pub fn check(ast: &Ast, names: &mut Interner, options: &Options, diags: &mut Diagnostics) -> Option<Module> {
    let mut sema = Sema::new(ast, names, options, diags);
    sema.check_joined_angles();
    for item in &ast.items {
        sema.item(item, &[]);
    }
    sema.check_uninstantiated();
    for d in std::mem::take(&mut sema.of_instances) {
        sema.diags.push(d);
    }
    sema.finish()
}

/// A mistake was reported: what depends on it says nothing more.
#[derive(Clone, Copy, Debug)]
struct Reported;

/// What a check answers.
type Checked<T = ExprId> = Result<T, Reported>;

trait Refuse {
    /// What a check answers that has just reported this.
    fn refuse<T>(&self) -> Checked<T>;
}

impl Refuse for Diagnostic {
    fn refuse<T>(&self) -> Checked<T> {
        Err(Reported)
    }
}

/// A value, or a place that can be loaded or written.
#[derive(Clone, Copy, Debug)]
enum Val {
    Value(ExprId),
    Place(PlaceId),
}

/// The function whose body is being made.
#[derive(Default)]
struct FnCx {
    exprs: Vec<Expr>,
    places: Vec<Place>,
    locals: Vec<Local>,
    /// Decorations of locals.
    decorations: Vec<(Option<LocalId>, Decoration)>,
    ret: Option<TypeId>,
    loops: usize,
    breakables: usize,
    calls: Vec<(FunctionId, Span)>,
    this: Option<(LocalId, StructId)>,
    /// Where the ray query is that the function returns.
    ray_result: Option<ray_result::RayResult>,
    /// Passing a local by reference: (local, callee, callee's parameter); it is written if the callee writes it.
    passed: Vec<(LocalId, FunctionId, u32)>,
    /// What is wrong with the function only if an entry point reaches it.
    deferred: Vec<Diagnostic>,
    /// What `vk::ext_execution_mode` asks for.
    modes: Vec<(u32, Vec<u32>)>,
    /// The local whose initialiser is being made.
    initialised: Option<LocalId>,
    /// Scopes of the heads of `for` loops that have ended, whose variables might be meant by a name that is not known.
    ended_loops: Vec<ScopeId>,
    /// Those of the loops around.
    heads: Vec<ScopeId>,
    /// The head of a `for` loop is being read whose variables stay behind it.
    in_head: bool,
}

impl FnCx {
    /// For a function that returns this, whose text has so many bytes.
    fn new(ret: TypeId, bytes: usize) -> Self {
        let expected = (bytes / BYTES_OF_NODE).clamp(EXPECTED_NODES.start, EXPECTED_NODES.end);
        FnCx {
            exprs: Vec::with_capacity(expected),
            places: Vec::with_capacity(expected / 2),
            locals: Vec::with_capacity(16),
            ret: Some(ret),
            ..FnCx::default()
        }
    }
}

/// Bytes of source for each expression, about: so much room a function has from the start.
const BYTES_OF_NODE: usize = 10;

/// Expressions that a function has room for from the start, at least and at most.
const EXPECTED_NODES: std::ops::Range<usize> = 32..4096;

/// A parameter of a declared function.
#[derive(Clone)]
struct ParamInfo {
    name: Symbol,
    ty: TypeId,
    mode: ParamMode,
    default: Option<ast::ExprId>,
    precise: bool,
    is_const: bool,
    /// Whether it stands for a groupshared variable of the caller.
    groupshared: bool,
    semantic: Option<(String, Span)>,
    span: Span,
}

/// A declared function.
struct Func<'a> {
    name: String,
    ast: &'a ast::Function,
    attrs: &'a [ast::Attribute],
    /// Scope in which the body is checked (template arguments included).
    scope: ScopeId,
    params: Vec<ParamInfo>,
    ret: TypeId,
    /// Class of a method.
    class: Option<StructId>,
    is_static: bool,
    body: Option<hir::Function>,
    defined: bool,
    /// The instruction that it is, instead of having a body.
    spirv: Option<SpirvOp>,
    calls: Vec<(FunctionId, Span)>,
    passed: Vec<(LocalId, FunctionId, u32)>,
    /// Execution modes that it asks for.
    modes: Vec<(u32, Vec<u32>)>,
    /// What is wrong with it only if an entry point reaches it.
    deferred: Vec<Diagnostic>,
    /// It is an instance of a template, or a method of one: what is wrong with it if anything uses it.
    of_instance: Option<Vec<Diagnostic>>,
    span: Span,
}

/// What a structure is beyond its type.
struct StructInfo {
    scope: ScopeId,
    complete: bool,
    /// Structures, arrays and values that it is made of, elements of an array counted once.
    parts: u64,
    /// Levels of structures and arrays that it has, itself included.
    depth: u32,
    /// It has no data, and is extended only: nothing is of its type.
    interface: bool,
}

struct Sema<'a> {
    ast: &'a Ast,
    names: &'a mut Interner,
    options: &'a Options,
    diags: &'a mut Diagnostics,
    /// What is wrong with instances of templates, reported at the end.
    of_instances: Vec<Diagnostic>,
    /// Whether parts of the program could not be read.
    misread: bool,
    types: Types,
    scopes: Scopes,
    scope: ScopeId,
    structs: Vec<StructInfo>,
    globals: Vec<Global>,
    funcs: Vec<Func<'a>>,
    /// Overload sets.
    sets: Vec<Vec<scope::Overload>>,
    /// What the functions of large ones take.
    taken: FxHashMap<u32, sets::Taken>,
    signatures: sets::Signatures,
    templates: Vec<template::Template<'a>>,
    instances: FxHashMap<(u32, Vec<template::Arg>), template::Instance>,
    /// Of what template, and for which arguments, a structure is an instance.
    instance_of: FxHashMap<StructId, (u32, Vec<template::Arg>)>,
    instantiation_depth: usize,
    /// Body being made; outside functions, that of the initialiser.
    f: FnCx,
    /// Assignments to statics whose initialiser does not fold.
    init_stmts: Vec<Stmt>,
    /// Parts of global structures and arrays that hold resources.
    groups: FxHashMap<GlobalId, Vec<group::Part>>,
    /// How matrices of named types lie in memory, where their declaration says.
    alias_orders: FxHashMap<(ScopeId, Symbol), MatrixOrder>,
    /// Whether numbers of named types are `snorm` or `unorm`, where their declaration says.
    alias_norms: FxHashMap<(ScopeId, Symbol), ast::Quals>,
    /// Static members without a value, until they are defined outside their class; and where such are used.
    undefined_statics: FxHashMap<GlobalId, Span>,
    static_uses: Vec<(GlobalId, Span)>,
    /// Loose uniforms.
    globals_block: Option<(GlobalId, StructId)>,
    /// Default matrix order in force.
    in_function: bool,
    /// Whether it is an instance of a template.
    in_instance: bool,
    /// What `[[vk::ext_extension]]` and `[[vk::ext_capability]]` ask for.
    global_decorations: Vec<(GlobalId, Decoration)>,
    extensions: Vec<String>,
    capabilities: Vec<u32>,
    /// Types by the number of their `[[vk::ext_type_def]]`.
    ext_types: FxHashMap<i64, TypeId>,
    /// Attributes of aliases of types that nothing has named yet.
    alias_attrs: FxHashMap<TypeId, &'a [ast::Attribute]>,
    /// Where variables, members and functions are declared whose type is a vector of one component.
    one_vectors: rustc_hash::FxHashSet<Span>,
    /// Structures that are there without a declaration, once something names them.
    known_structs: Vec<(crate::hlsl::builtin::KnownStruct, TypeId)>,
    known_names: known::KnownNames,
}

impl<'a> Sema<'a> {
    fn new(ast: &'a Ast, names: &'a mut Interner, options: &'a Options, diags: &'a mut Diagnostics) -> Self {
        let (scopes, root) = Scopes::new();
        let misread = diags.has_errors();
        Self {
            misread,
            of_instances: Vec::new(),
            ast,
            names,
            options,
            diags,
            types: Types::new(),
            scopes,
            scope: root,
            structs: Vec::new(),
            globals: Vec::new(),
            funcs: Vec::new(),
            sets: Vec::new(),
            taken: FxHashMap::default(),
            signatures: sets::Signatures::default(),
            templates: Vec::new(),
            instances: FxHashMap::default(),
            instance_of: FxHashMap::default(),
            instantiation_depth: 0,
            f: FnCx::default(),
            init_stmts: Vec::new(),
            groups: FxHashMap::default(),
            alias_orders: FxHashMap::default(),
            alias_norms: FxHashMap::default(),
            undefined_statics: FxHashMap::default(),
            static_uses: Vec::new(),
            globals_block: None,
            in_function: false,
            in_instance: false,
            global_decorations: Vec::new(),
            extensions: Vec::new(),
            capabilities: Vec::new(),
            ext_types: FxHashMap::default(),
            alias_attrs: FxHashMap::default(),
            one_vectors: Default::default(),
            known_structs: Vec::new(),
            known_names: known::KnownNames::default(),
        }
    }

    fn item(&mut self, item: &'a ast::Item, outer_attrs: &'a [ast::Attribute]) {
        let attrs = if item.attrs.is_empty() { outer_attrs } else { item.attrs.as_slice() };
        match &item.kind {
            ast::ItemKind::Vars(decl) => self.global_vars(decl, attrs),
            ast::ItemKind::Function(f) => self.function_item(f, attrs, None),
            ast::ItemKind::Buffer(b) => self.buffer_block(b, attrs),
            ast::ItemKind::Namespace(name, items) => self.namespace(*name, items),
            ast::ItemKind::Typedef(decl) => self.typedef(decl, &item.attrs),
            ast::ItemKind::Template(params, inner) => self.template_item(params, inner, None),
            ast::ItemKind::UsingNamespace(_)
            | ast::ItemKind::UsingName(_)
            | ast::ItemKind::StaticAssert(..) => {
                self.using_or_assert(item);
            }
            ast::ItemKind::Unsupported(what) => self.unsupported(item.span, what),
            ast::ItemKind::Empty => {}
        }
    }

    /// `using namespace X;`, `using X::name;`, `static_assert(…)`: allowed everywhere.
    fn using_or_assert(&mut self, item: &'a ast::Item) {
        match &item.kind {
            ast::ItemKind::UsingNamespace(path) => match self.lookup_path(path) {
                Some(Entity::Namespace(ns)) => {
                    if !self.scopes.import(self.scope, ns) {
                        self.report(Code::TooMany, path.span, "too many namespaces are used here")
                            .label(format!("more than {}", scope::MAX_IMPORTS))
                            .help("write the namespace before the names, or use the names one by one");
                    }
                }
                _ if self.path_text(path) == "vk" => {}
                _ => {
                    let text = self.path_text(path);
                    self.report(Code::Undeclared, path.span, format!("there is no namespace `{text}`"));
                }
            },
            ast::ItemKind::UsingName(path) => match self.lookup_path(path) {
                Some(entity) => {
                    let name = path.last();
                    self.scopes.declare(self.scope, name.text, entity, name.span);
                }
                None => self.undeclared(path, path.span, false),
            },
            ast::ItemKind::StaticAssert(condition, message) => {
                let value = self.condition(*condition);
                if self.is_error(self.ty(value)) {
                    return;
                }
                match self.const_of(value) {
                    Some(Const::Bool(true)) => {}
                    Some(_) => {
                        let text = message.map(|m| self.text(m).trim_matches('"').to_string());
                        let at = self.ast.expr(*condition).span;
                        let shown =
                            text.filter(|t| !t.is_empty()).map_or(String::new(), |t| format!(": {t}"));
                        self.report(Code::StaticAssert, at, format!("static assertion failed{shown}"));
                    }
                    None => {
                        let at = self.ast.expr(*condition).span;
                        self.report(Code::NotConstant, at, "a static assertion needs a constant condition");
                    }
                }
            }
            _ => {}
        }
    }

    fn namespace(&mut self, name: ast::Name, items: &'a [ast::Item]) {
        let inner = match self.scopes.get(self.scope, name.text) {
            Some((Entity::Namespace(scope), _)) => scope,
            Some((_, at)) => {
                self.redeclared(name, at);
                return;
            }
            None => {
                let scope = self.scopes.child(self.scope, scope::ScopeKind::Namespace(name.text));
                self.scopes.declare(self.scope, name.text, Entity::Namespace(scope), name.span);
                scope
            }
        };
        let outer = std::mem::replace(&mut self.scope, inner);
        for item in items {
            self.item(item, &[]);
        }
        self.scope = outer;
    }

    /// Does something in another scope.
    fn within<T>(&mut self, scope: ScopeId, make: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.scope, scope);
        let made = make(self);
        self.scope = outer;
        made
    }

    fn text(&self, symbol: Symbol) -> &str {
        self.names.name(symbol)
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diags.report(code, span, message)
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        self.report_if_reached(Code::NotSupported, span, format!("{what} is not supported yet"));
    }

    /// Reports a mistake that is one only in a function that an entry point reaches: a file may hold the shaders of several
    /// stages.
    fn report_if_reached(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        if !self.in_function {
            return self.report(code, span, message);
        }
        self.f.deferred.push(Diagnostic::new(code, Some(span), message));
        let last = self.f.deferred.len() - 1;
        &mut self.f.deferred[last]
    }

    fn redeclared(&mut self, name: ast::Name, first: Span) {
        let text = self.text(name.text).to_string();
        self.report(Code::Redeclared, name.span, format!("`{text}` is declared twice"))
            .label("declared again here")
            .secondary(first, "first declared here");
    }

    /// Declares a name in the current scope; reports a duplicate.
    fn declare(&mut self, name: ast::Name, entity: Entity) {
        if self.text(name.text).is_empty() {
            return;
        }
        if let Some((_, first)) = self.scopes.get(self.scope, name.text) {
            self.redeclared(name, first);
        }
        if matches!(entity, Entity::Global(_) | Entity::BlockMember(..))
            && self.scopes.kind(self.scope) == scope::ScopeKind::Root
        {
            self.builtin_redeclared(name);
        }
        self.scopes.declare(self.scope, name.text, entity, name.span);
    }

    /// Reports a global variable with the name of a type of numbers: both are at the top level. Inside, names hide them.
    fn builtin_redeclared(&mut self, name: ast::Name) {
        use super::builtin::Builtin as B;
        let text = self.text(name.text);
        if let Some(B::Scalar(_) | B::Vector(..) | B::Matrix(..) | B::String) = super::builtin::find(text) {
            let message = format!("`{text}` is a type that is there already");
            self.report(Code::Redeclared, name.span, message)
                .label("declared again, as a variable")
                .help("choose another name, or put the variable into a namespace");
        }
    }

    /// The name with the namespaces and classes around it.
    fn qualified(&self, name: Symbol) -> String {
        let mut text = self.text(name).to_string();
        for s in self.scopes.outwards(self.scope) {
            match self.scopes.kind(s) {
                scope::ScopeKind::Namespace(n) => text = format!("{}::{text}", self.text(n)),
                // A structure's name is qualified already.
                scope::ScopeKind::Struct(id) => {
                    return format!("{}::{text}", self.types.structure(id).name);
                }
                _ => {}
            }
        }
        text
    }

    // Nodes.

    fn node(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        self.f.exprs.push(Expr { kind, ty, span });
        ExprId(self.f.exprs.len() as u32 - 1)
    }

    fn place(&mut self, kind: PlaceKind, ty: TypeId, span: Span) -> PlaceId {
        self.f.places.push(Place { kind, ty, span });
        PlaceId(self.f.places.len() as u32 - 1)
    }

    /// A value whose type is not known.
    fn error_value(&mut self, span: Span) -> ExprId {
        self.node(ExprKind::Zero, Types::ERROR, span)
    }

    /// What a check made, or what stands for it where there was a mistake.
    fn or_error(&mut self, checked: Checked, span: Span) -> ExprId {
        checked.unwrap_or_else(|Reported| self.error_value(span))
    }

    /// As [`Sema::or_error`], for what may be a place.
    fn val_or_error(&mut self, checked: Checked<Val>, span: Span) -> Val {
        checked.unwrap_or_else(|Reported| Val::Value(self.error_value(span)))
    }

    /// A value, unless something is wrong with it.
    fn good(&self, e: ExprId) -> Checked {
        if self.is_error(self.ty(e)) { Err(Reported) } else { Ok(e) }
    }

    fn constant(&mut self, value: Const, ty: TypeId, span: Span) -> ExprId {
        self.node(ExprKind::Const(value), ty, span)
    }

    fn ty(&self, e: ExprId) -> TypeId {
        self.f.exprs[e.index()].ty
    }

    fn span(&self, e: ExprId) -> Span {
        self.f.exprs[e.index()].span
    }

    fn place_ty(&self, p: PlaceId) -> TypeId {
        self.f.places[p.index()].ty
    }

    fn val_ty(&self, v: Val) -> TypeId {
        match v {
            Val::Value(e) => self.ty(e),
            Val::Place(p) => self.place_ty(p),
        }
    }

    fn val_span(&self, v: Val) -> Span {
        match v {
            Val::Value(e) => self.span(e),
            Val::Place(p) => self.f.places[p.index()].span,
        }
    }

    fn const_of(&self, e: ExprId) -> Option<&Const> {
        match &self.f.exprs[e.index()].kind {
            ExprKind::Const(c) => Some(c),
            _ => None,
        }
    }

    fn is_error(&self, ty: TypeId) -> bool {
        ty == Types::ERROR
    }

    fn type_name(&self, ty: TypeId) -> String {
        self.types.name(ty)
    }

    fn scalar_ty(&mut self, s: Scalar) -> TypeId {
        self.types.scalar(s)
    }

    /// A new local without a name in the source.
    fn temp(&mut self, ty: TypeId, span: Span) -> LocalId {
        let id = LocalId(self.f.locals.len() as u32);
        let name = self.shared_text(words::TEMPORARY);
        self.f.locals.push(Local { written: true, ..Local::new(name, ty, None, span) });
        id
    }

    fn local_place(&mut self, local: LocalId, span: Span) -> PlaceId {
        let ty = self.f.locals[local.index()].ty;
        self.place(PlaceKind::Local(local), ty, span)
    }

    /// The value of a place or value. Constants are folded.
    fn load(&mut self, v: Val) -> ExprId {
        let p = match v {
            Val::Value(e) => return e,
            Val::Place(p) => p,
        };
        let Place { ty, span, .. } = self.f.places[p.index()];
        if self.is_group(p) {
            return self.load_group(p);
        }
        if let Type::RayQuery(_) = self.types.get(self.types.innermost(ty)) {
            self.report_if_reached(Code::NotSupported, span, "a ray query cannot be copied")
                .label("an object, not a value")
                .help("pass it to functions, return it from one, or use it where it is declared");
            return self.error_value(span);
        }
        // Aggregates stay loads: repeating their constants at each use would cost more than it saves.
        if self.types.component_count(ty).is_some()
            && let Some(c) = self.place_const(p)
        {
            return self.constant(c, ty, span);
        }
        if let PlaceKind::Temp(e) | PlaceKind::After(e, _) = self.f.places[p.index()].kind {
            return e;
        }
        self.node(ExprKind::Load(p), ty, span)
    }

    /// The value of a place, if it is known.
    fn place_const(&self, p: PlaceId) -> Option<Const> {
        if let PlaceKind::Swizzle(base, at) = &self.f.places[p.index()].kind {
            let Const::Composite(parts) = self.place_const(*base)? else { return None };
            let picked: Option<Vec<_>> =
                at.positions().iter().map(|&i| parts.get(i as usize).cloned()).collect();
            let mut picked = picked?;
            return if picked.len() == 1 { picked.pop() } else { Some(Const::Composite(picked)) };
        }
        self.place_const_ref(p).cloned()
    }

    fn place_const_ref(&self, p: PlaceId) -> Option<&Const> {
        match &self.f.places[p.index()].kind {
            PlaceKind::Local(l) => self.f.locals[l.index()].value.as_ref(),
            PlaceKind::Global(g) => {
                let g = &self.globals[g.index()];
                if g.is_const && matches!(g.kind, GlobalKind::Static) { g.value.as_ref() } else { None }
            }
            PlaceKind::Field(base, i) => match self.place_const_ref(*base)? {
                Const::Composite(list) => list.get(*i as usize),
                _ => None,
            },
            PlaceKind::Index(base, i) => match (self.place_const_ref(*base)?, self.const_of(*i)?) {
                (Const::Composite(list), Const::Int(i)) => list.get(usize::try_from(*i).ok()?),
                _ => None,
            },
            _ => None,
        }
    }

    /// A value of several parts from an expression with side effects before it.
    fn sequence(&mut self, mut before: Vec<ExprId>, last: ExprId) -> ExprId {
        if before.is_empty() {
            return last;
        }
        let (ty, span) = (self.ty(last), self.span(last));
        before.push(last);
        self.node(ExprKind::Sequence(before), ty, span)
    }
}
