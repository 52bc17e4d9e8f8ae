//! Scopes: a tree of tables from names to what they mean.
use crate::hlsl::hir::*;
use crate::source::{Span, Symbol};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Namespaces whose names may be visible in one scope: each is looked into for each name.
pub(super) const MAX_IMPORTS: usize = 256;

/// A scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ScopeId(u32);

/// What a scope belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScopeKind {
    Root,
    Namespace(Symbol),
    Struct(StructId),
    /// A block, function or list of template arguments.
    Block,
}

/// A function or function template of an overload set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Overload {
    Function(FunctionId),
    Template(u32),
}

/// What a name means.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Entity {
    Local(LocalId),
    Global(GlobalId),
    /// A member of a `cbuffer`, which is visible outside it, or some bits of one.
    BlockMember(GlobalId, u32, Option<BitRange>),
    /// A member of the class of a method, or some bits of one.
    Field(StructId, u32, Option<BitRange>),
    Type(TypeId),
    /// A value of an enumeration, or a template's value parameter.
    Constant(TypeId, i64),
    /// Index of an overload set.
    Functions(u32),
    Namespace(ScopeId),
    /// An object of another shader stage.
    Foreign(TypeId),
    /// A string.
    Text(Symbol),
    /// A template of structures or type names.
    StructTemplate(u32),
    /// A template of variables.
    VarTemplate(u32),
}

struct Scope {
    parent: Option<ScopeId>,
    kind: ScopeKind,
    /// Its names in the order of their declaration.
    names: SmallVec<[Symbol; 4]>,
    /// Namespaces whose names are visible here (`using namespace`).
    imports: Vec<ScopeId>,
}

/// All scopes.
pub(super) struct Scopes {
    list: Vec<Scope>,
    /// What names mean in which scope: one table, as most scopes have few names.
    names: FxHashMap<(ScopeId, Symbol), (Entity, Span)>,
    /// By name, whether any scope has it: those of built-in types and functions are mostly looked for in vain.
    declared: Vec<bool>,
}

impl Scopes {
    pub(super) fn new() -> (Self, ScopeId) {
        let root = Scope { parent: None, kind: ScopeKind::Root, names: SmallVec::new(), imports: Vec::new() };
        (Self { list: vec![root], names: FxHashMap::default(), declared: Vec::new() }, ScopeId(0))
    }

    pub(super) fn child(&mut self, parent: ScopeId, kind: ScopeKind) -> ScopeId {
        self.list.push(Scope { parent: Some(parent), kind, names: SmallVec::new(), imports: Vec::new() });
        ScopeId(self.list.len() as u32 - 1)
    }

    pub(super) fn kind(&self, scope: ScopeId) -> ScopeKind {
        self.list[scope.0 as usize].kind
    }

    pub(super) fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.list[scope.0 as usize].parent
    }

    /// A scope and those around it, outwards.
    pub(super) fn outwards(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(scope), |s| self.parent(*s))
    }

    pub(super) fn declare(&mut self, scope: ScopeId, name: Symbol, entity: Entity, span: Span) {
        if self.names.insert((scope, name), (entity, span)).is_none() {
            self.list[scope.0 as usize].names.push(name);
        }
        let at = name.0 as usize;
        if at >= self.declared.len() {
            self.declared.resize(at + 1, false);
        }
        self.declared[at] = true;
    }

    /// Whether a name means anything in any scope.
    pub(super) fn is_declared(&self, name: Symbol) -> bool {
        self.declared.get(name.0 as usize).is_some_and(|d| *d)
    }

    /// What a name means in exactly this scope.
    pub(super) fn get(&self, scope: ScopeId, name: Symbol) -> Option<(Entity, Span)> {
        self.names.get(&(scope, name)).copied()
    }

    /// Makes the names of a namespace visible in a scope, unless it has too many already.
    pub(super) fn import(&mut self, scope: ScopeId, namespace: ScopeId) -> bool {
        let imports = &mut self.list[scope.0 as usize].imports;
        let new = namespace != scope && !imports.contains(&namespace);
        if new && imports.len() < MAX_IMPORTS {
            imports.push(namespace);
        }
        !new || imports.last() == Some(&namespace)
    }

    /// Namespaces whose names are visible in a scope.
    pub(super) fn imports(&self, scope: ScopeId) -> &[ScopeId] {
        &self.list[scope.0 as usize].imports
    }

    /// All names of a scope.
    pub(super) fn names(&self, scope: ScopeId) -> impl Iterator<Item = (Symbol, Entity)> + '_ {
        self.list[scope.0 as usize].names.iter().filter_map(move |n| Some((*n, self.get(scope, *n)?.0)))
    }
}
