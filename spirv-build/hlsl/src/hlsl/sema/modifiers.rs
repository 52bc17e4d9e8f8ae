//! Modifiers before a type: where each may stand, and which exclude each other.
use super::Sema;
use super::scope::{Entity, ScopeId};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::Quals;
use crate::hlsl::hir::{MatrixOrder, Scalar, Type, TypeId};
use crate::source::{Span, Symbol};
use rustc_hash::FxHashMap;

/// What a declaration declares. Each is a bit, so that a row of [`PLACES`] can name several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Declares(u8);

impl Declares {
    pub(super) const GLOBAL: Self = Self(1);
    pub(super) const LOCAL: Self = Self(2);
    pub(super) const MEMBER: Self = Self(4);
    pub(super) const PARAMETER: Self = Self(8);
    pub(super) const FUNCTION: Self = Self(16);
    pub(super) const METHOD: Self = Self(32);
    pub(super) const TYPEDEF: Self = Self(64);

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// With its article.
    fn name(self) -> &'static str {
        match self {
            Self::GLOBAL => "a global variable",
            Self::LOCAL => "a local variable",
            Self::MEMBER => "a member",
            Self::PARAMETER => "a parameter",
            Self::FUNCTION => "a function",
            Self::METHOD => "a method",
            _ => "a typedef",
        }
    }
}

/// How a value gets from one stage to the next: without meaning here, but with rules.
const INTERPOLATION: &[Quals] = &[
    Quals::NOINTERPOLATION,
    Quals::LINEAR,
    Quals::CENTROID,
    Quals::CENTER,
    Quals::NOPERSPECTIVE,
    Quals::SAMPLE,
];
/// What primitives a geometry shader takes.
const TOPOLOGY: &[Quals] = &[Quals::POINT, Quals::LINE, Quals::TRIANGLE, Quals::LINEADJ, Quals::TRIANGLEADJ];

/// A row for each group of modifiers that do not fit everywhere: what they may stand at, and what to do.
const PLACES: &[(&[Quals], Declares, &str)] = {
    type D = Declares;
    &[
        (
            &[Quals::VOLATILE],
            D::LOCAL.or(D::TYPEDEF),
            "remove it: the word is reserved; `globallycoherent` is for buffers that groups share",
        ),
        (&[Quals::EXTERN, Quals::SHARED], D::GLOBAL, "remove it"),
        (&[Quals::STATIC], D::GLOBAL.or(D::LOCAL).or(D::MEMBER).or(D::FUNCTION).or(D::METHOD), "remove it"),
        (&[Quals::GROUPSHARED], D::GLOBAL.or(D::PARAMETER), "declare a global variable `groupshared`"),
        (&[Quals::UNIFORM], D::GLOBAL.or(D::PARAMETER), "only global variables come from the host"),
        (&[Quals::INOUT, Quals::OUT, Quals::IN], D::PARAMETER, "only parameters have a direction"),
        (INTERPOLATION, D::PARAMETER.or(D::MEMBER).or(D::FUNCTION), "remove it"),
        (TOPOLOGY, D::PARAMETER, "remove it"),
        (
            &[Quals::INDICES, Quals::VERTICES, Quals::PRIMITIVES, Quals::PAYLOAD],
            D::PARAMETER,
            "it belongs to parameters of mesh shaders",
        ),
        (&[Quals::EXPORT], D::FUNCTION, "only functions are exported"),
        (&[Quals::INLINE], D::FUNCTION.or(D::METHOD), "remove it"),
    ]
};

/// Modifiers of which a declaration has one of the first or one of the second list.
const EXCLUSIVE: &[(&[Quals], &[Quals])] = &[
    (&[Quals::STATIC], &[Quals::EXTERN, Quals::SHARED, Quals::UNIFORM, Quals::EXPORT]),
    (&[Quals::EXTERN], &[Quals::GROUPSHARED]),
    (&[Quals::GROUPSHARED], &[Quals::IN, Quals::OUT, Quals::INOUT]),
    (&[Quals::UNIFORM], &[Quals::OUT, Quals::INOUT]),
    (
        &[Quals::NOINTERPOLATION],
        &[Quals::LINEAR, Quals::CENTROID, Quals::CENTER, Quals::NOPERSPECTIVE, Quals::SAMPLE],
    ),
    (&[Quals::UNIFORM], INTERPOLATION),
    (&[Quals::UNIFORM], TOPOLOGY),
    (INTERPOLATION, TOPOLOGY),
    (TOPOLOGY, TOPOLOGY),
];

/// How a floating-point number lies in a texel.
const NORMS: [Quals; 2] = [Quals::SNORM, Quals::UNORM];

impl<'a> Sema<'a> {
    /// Reports the first modifier that does not fit a declaration of type `ty`.
    pub(super) fn check_modifiers(&mut self, written: &'a ast::TypeExpr, what: Declares, ty: TypeId) {
        let quals = written.quals;
        if quals == Quals::default() {
            return;
        }
        let place =
            PLACES.iter().filter(|(_, places, _)| places.0 & what.0 == 0).find_map(|(list, _, help)| {
                let q = list.iter().find(|q| quals.has(**q))?;
                Some((*q, *help))
            });
        if let Some((q, help)) = place {
            let (word, what) = (q.word(), what.name());
            self.report(Code::BadModifier, written.span, format!("`{word}` does not fit {what}"))
                .label(format!("with `{word}`"))
                .help(help);
            return;
        }
        if what == Declares::MEMBER && quals.has(Quals::CONST) && !quals.has(Quals::STATIC) {
            self.report(Code::BadModifier, written.span, "`const` does not fit a member").label("with `const`").help(
                "a constant that belongs to the structure is `static const`; else make the variables constant",
            );
            return;
        }
        if self.exclusive(quals, EXCLUSIVE, written.span) {
            return;
        }
        // The second one is about threads that change places between ray tracing shaders: nothing to do here.
        for q in [Quals::GLOBALLYCOHERENT, Quals::REORDERCOHERENT] {
            if !quals.has(q) {
                continue;
            }
            let inner = self.types.innermost(ty);
            let record = matches!(self.types.get(inner),
                Type::Foreign { name: "RWDispatchNodeInputRecord", .. } if q == Quals::GLOBALLYCOHERENT);
            let writable = record || self.types.resource(inner).is_some_and(|r| r.is_writable());
            if !writable && !self.is_error(inner) {
                let (name, word) = (self.type_name(inner), q.word());
                self.report(Code::BadModifier, written.span, format!("`{word}` does not fit `{name}`"))
                    .label(format!("with `{word}`"))
                    .help("only resources that can be written are coherent");
            } else if q == Quals::REORDERCOHERENT && self.options.shader_model() < Some((6, 9)) {
                self.report(Code::NewerShaderModel, written.span, "`reordercoherent` needs shader model 6.9")
                    .label("too new for the profile")
                    .help("compile with `-T cs_6_9`, or remove it");
            }
        }
    }

    /// Reports what stands behind the `:` of something that neither a stage nor the host sees.
    pub(super) fn no_semantic(&mut self, d: &'a ast::Declarator, what: Declares) {
        for a in &d.annotations {
            let (text, span) = match a {
                ast::Annotation::Semantic(n) => ("a semantic", n.span),
                ast::Annotation::Register(_, span) => ("a register", *span),
                ast::Annotation::PackOffset(_, _, span) => ("a packoffset", *span),
            };
            // Registers of constants are ignored, as they always were.
            if let ast::Annotation::Register(words, _) = a
                && words.iter().all(|w| {
                    self.text(w.text).starts_with(['b', 'c', 'i', 'B', 'C', 'I'])
                        || self.text(w.text).starts_with("space")
                })
            {
                continue;
            }
            self.report(Code::BadModifier, span, format!("{text} does not fit {}", what.name()))
                .label("not visible outside")
                .help("remove it");
        }
    }

    /// Reports a width where there are no bit fields.
    pub(super) fn no_bits(&mut self, d: &'a ast::Declarator, what: &str) {
        if let Some(width) = d.bits {
            let at = self.ast.expr(width).span;
            self.report(Code::BadDeclaration, at, format!("{what} cannot be a bit field"))
                .label("a width in bits")
                .help("only members of structures have a width");
        }
    }

    /// Modifiers that are about the type itself, wherever it is written.
    pub(super) fn check_type_modifiers(&mut self, written: &'a ast::TypeExpr, ty: TypeId) {
        const EXCLUSIVE: &[(&[Quals], &[Quals])] =
            &[(&[Quals::ROW_MAJOR], &[Quals::COLUMN_MAJOR]), (&[Quals::SNORM], &[Quals::UNORM])];
        let quals = written.quals;
        let about_type = [Quals::ROW_MAJOR, Quals::COLUMN_MAJOR, Quals::SNORM, Quals::UNORM];
        let Some(q) = about_type.into_iter().find(|q| quals.has(*q)) else { return };
        let inner = self.types.innermost(ty);
        if self.is_error(inner) || self.exclusive(quals, EXCLUSIVE, written.span) {
            return;
        }
        if let ast::TypeKind::Named(_) = written.kind
            && [Quals::ROW_MAJOR, Quals::COLUMN_MAJOR].contains(&q)
        {
            let plain = ast::TypeExpr { quals: Quals::default(), ..written.clone() };
            let row = q == Quals::ROW_MAJOR;
            if self.written_order(&plain).is_some_and(|o| (o == MatrixOrder::RowMajor) != row) {
                self.report(Code::BadModifier, written.span, "the type has the other matrix order already")
                    .label(format!("with `{}`", q.word()))
                    .help("name the matrix type itself");
                return;
            }
        }
        let word = q.word();
        let order = q == Quals::ROW_MAJOR || q == Quals::COLUMN_MAJOR;
        let wrong = match order {
            true if matches!(self.types.get(inner), Type::Matrix(..)) => None,
            true => Some((
                "matrices",
                "no matrix",
                "say it where the matrix is declared, or use `#pragma pack_matrix`",
            )),
            false if self.types.component(inner).is_some_and(Scalar::is_float) => None,
            false => Some((
                "floating-point numbers",
                "no floating-point type",
                "remove it: integers are stored as they are",
            )),
        };
        if let Some((what, label, help)) = wrong {
            let text = format!("`{word}` is for {what}, not for `{}`", self.type_name(ty));
            self.report(Code::BadModifier, written.span, text).label(label).help(help);
        }
        let plain = ast::TypeExpr { quals: Quals::default(), ..written.clone() };
        let norm = NORMS.into_iter().find(|q| quals.has(*q));
        if let Some(norm) = norm
            && self.written_norm(&plain).is_some_and(|n| n != norm)
        {
            self.report(Code::BadModifier, written.span, "`snorm` and `unorm` exclude each other")
                .label(format!("with `{}`, but the type has the other one already", norm.word()))
                .help("keep one of them");
        }
    }

    /// What the first of these types says that speaks: the written one, its first template argument, or the alias that it names.
    fn of_written<T: Copy>(
        &self,
        ty: &ast::TypeExpr,
        says: &dyn Fn(Quals) -> Option<T>,
        aliases: &FxHashMap<(ScopeId, Symbol), T>,
    ) -> Option<T> {
        if let Some(said) = says(ty.quals) {
            return Some(said);
        }
        let ast::TypeKind::Named(path) = &ty.kind else { return None };
        if let Some([ast::TemplateArg::Type(elem), ..]) = path.args.as_deref() {
            return self.of_written(elem, says, aliases);
        }
        if aliases.is_empty() {
            return None;
        }
        aliases.get(&(self.declaring_scope(path)?, path.last().text)).copied()
    }

    /// Whether a type is written `snorm` or `unorm`.
    pub(super) fn written_norm(&self, ty: &ast::TypeExpr) -> Option<Quals> {
        let says = |quals: Quals| NORMS.into_iter().find(|q| quals.has(*q));
        self.of_written(ty, &says, &self.alias_norms)
    }

    /// How matrices of a declaration lie in memory.
    pub(super) fn matrix_order(&self, decl: &ast::VarDecl) -> MatrixOrder {
        let default = || decl.default_order.unwrap_or(self.options.matrix_order);
        self.written_order(&decl.ty).unwrap_or_else(default)
    }

    /// The order that a type is written with.
    pub(super) fn written_order(&self, ty: &ast::TypeExpr) -> Option<MatrixOrder> {
        let says = |quals: Quals| match () {
            _ if quals.has(Quals::ROW_MAJOR) => Some(MatrixOrder::RowMajor),
            _ => quals.has(Quals::COLUMN_MAJOR).then_some(MatrixOrder::ColumnMajor),
        };
        self.of_written(ty, &says, &self.alias_orders)
    }

    /// The scope that declares what a path names.
    fn declaring_scope(&self, path: &ast::Path) -> Option<ScopeId> {
        let name = path.last().text;
        if let Some(owner) = path.owner() {
            return match self.lookup_path(&owner)? {
                Entity::Namespace(scope) => Some(scope),
                Entity::Type(ty) => match self.types.get(ty) {
                    Type::Struct(s) => Some(self.structs[s.index()].scope),
                    _ => None,
                },
                _ => None,
            };
        }
        let from = if path.global { self.root_scope() } else { self.scope };
        let seen = |s| std::iter::once(s).chain(self.scopes.imports(s).iter().copied());
        self.scopes.outwards(from).flat_map(seen).find(|&s| self.scopes.get(s, name).is_some())
    }

    /// Reports modifiers that exclude each other; says whether there are any.
    fn exclusive(&mut self, quals: Quals, rows: &[(&[Quals], &[Quals])], span: Span) -> bool {
        let pair = rows.iter().find_map(|(first, second)| {
            let a = *first.iter().find(|q| quals.has(**q))?;
            let b = *second.iter().find(|q| quals.has(**q) && **q != a)?;
            Some((a.word(), b.word()))
        });
        let Some((a, b)) = pair else { return false };
        self.report(Code::BadModifier, span, format!("`{a}` and `{b}` exclude each other"))
            .label("with both")
            .help("keep one of them");
        true
    }
}
