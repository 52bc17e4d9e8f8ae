//! `a.b` and `a[i]`: fields, swizzles, elements.
use super::scope::Entity;
use super::{Checked, Refuse, Reported, Sema, Val, convert};
use crate::diag::Code;
use crate::hlsl::ast::ExprKind as E;
use crate::hlsl::hir::{
    BitRange, Components, Const, Conversion, ExprId, ExprKind, PlaceId, PlaceKind, Resource, Scalar,
    StructId, Type, TypeId, Types,
};
use crate::hlsl::stages;
use crate::hlsl::{ast, methods, words};
use crate::source::{Span, Symbol};
use smallvec::SmallVec;

impl<'a> Sema<'a> {
    pub(super) fn member(&mut self, base: ast::ExprId, name: ast::Name, span: Span) -> Checked<Val> {
        let v = self.expr(base);
        self.member_of(v, name, span)
    }

    fn member_of(&mut self, v: Val, name: ast::Name, span: Span) -> Checked<Val> {
        let v = self.open_block(v);
        let ty = self.val_ty(v);
        Ok(match self.types.get(ty) {
            Type::Error => return Err(Reported),
            Type::Struct(s) => match self.find_field(s, name.text) {
                Some((path, bits)) => {
                    let v = path.iter().fold(v, |v, &i| self.part(v, i, span));
                    self.bits_of(v, bits, span)
                }
                None => self.static_member(s, name, span)?,
            },
            Type::Scalar(_) | Type::Vector(..) => self.swizzle(v, name, span)?,
            Type::Matrix(_, r, c) => self.matrix_swizzle(v, name, (r, c), span)?,
            Type::Foreign { name: object, .. }
                if self.text(name.text) == "Length" && stages::find(object).is_some_and(|o| o.length) =>
            {
                self.other_stage(
                    span,
                    &format!("`{object}`"),
                    stages::find(object).map_or(stages::StageSet::ALL, |o| o.stage),
                );
                self.foreign_value(stages::Gives::Uint, ty, &[], span)
            }
            // What the compilers of Direct3D 9 to 11 had.
            Type::Array(_, n) if self.text(name.text) == "Length" && self.options.hlsl_version <= 2016 => {
                let ty = self.scalar_ty(Scalar::I32);
                Val::Value(self.constant(Const::Int(n.into()), ty, span))
            }
            Type::Resource(_) => {
                let (shown, text) = (self.type_name(ty), self.text(name.text).to_string());
                let known = methods::is_one(&text);
                let d = self.report(Code::NoMember, name.span, format!("`{shown}` has no member `{text}`"));
                if known {
                    d.help(format!("`{text}` is a method: call it with `(…)`"));
                } else if text == "mips" {
                    d.help("`mips` is indexed twice: `texture.mips[level][position]`");
                } else if text == "sample" {
                    d.help("`sample` is indexed twice: `texture.sample[n][position]`");
                }
                return Err(Reported);
            }
            _ => {
                let shown = self.type_name(ty);
                return self.report(Code::NoMember, name.span, format!("`{shown}` has no members")).refuse();
            }
        })
    }

    /// The contents of a constant buffer, for a place that holds one.
    pub(super) fn open_block(&mut self, v: Val) -> Val {
        let Type::Resource(Resource::Constant { elem } | Resource::TextureBuffer { elem }) =
            self.types.get(self.val_ty(v))
        else {
            return v;
        };
        let span = self.val_span(v);
        let handle = self.handle(v);
        Val::Place(self.place(PlaceKind::Block(handle), elem, span))
    }

    /// Some bits of a number, or all of it.
    pub(super) fn bits_of(&mut self, v: Val, bits: Option<BitRange>, span: Span) -> Val {
        let Some(range) = bits else { return v };
        let ty = self.val_ty(v);
        let base = match v {
            Val::Place(p) => p,
            Val::Value(e) => self.place(PlaceKind::Temp(e), ty, span),
        };
        Val::Place(self.place(PlaceKind::Bits(base, range), range.ty, span))
    }

    /// Field indices from a structure to a member, through bases, and which bits of it.
    pub(super) fn find_field(&self, s: StructId, name: Symbol) -> Option<(Vec<u32>, Option<BitRange>)> {
        let mut path = Vec::new();
        let mut at = s;
        loop {
            let scope = self.structs[at.index()].scope;
            if let Some((Entity::Field(_, i, bits), _)) = self.scopes.get(scope, name) {
                path.push(i);
                return Some((path, bits));
            }
            at = self.types.structure(at).base?;
            path.push(0);
        }
    }

    fn static_member(&mut self, s: StructId, name: ast::Name, span: Span) -> Checked<Val> {
        if let Some(Entity::Global(g)) = self.lookup_in(self.structs[s.index()].scope, name.text) {
            return Ok(Val::Place(self.global_place(g, span)));
        }
        let text = self.text(name.text).to_string();
        let st = self.types.structure(s);
        let shown = st.name.clone();
        let names: Vec<String> = st.fields.iter().map(|f| f.name.clone()).collect();
        let method =
            matches!(self.lookup_in(self.structs[s.index()].scope, name.text), Some(Entity::Functions(_)));
        let at = self.types.structure(s).span;
        let d = self.report(Code::NoMember, name.span, format!("`{shown}` has no member `{text}`"));
        if method {
            d.help(format!("`{text}` is a method: call it with `(…)`"));
        } else if d.suggest(&text, names.iter().map(String::as_str)).help.is_empty() {
            d.secondary(at, "declared here");
        }
        d.refuse()
    }

    /// Part `i` (a constant) of a structure, array, vector or matrix.
    pub(super) fn part(&mut self, v: Val, i: u32, span: Span) -> Val {
        let ty = self.val_ty(v);
        let part_ty = self.part_ty(ty, i);
        if let Type::Vector(..) = self.types.get(ty)
            && let Some(one) = Components::new(&[i as u8])
        {
            return self.components(v, one, span);
        }
        match v {
            Val::Place(p) if self.is_group(p) => match self.group_part(p, i, span) {
                Some(part) => Val::Place(part),
                None => Val::Value(self.error_value(span)),
            },
            Val::Place(p) if matches!(self.types.get(ty), Type::Struct(_)) => {
                Val::Place(self.place(PlaceKind::Field(p, i), part_ty, span))
            }
            Val::Place(p) => {
                let int = self.scalar_ty(Scalar::I32);
                let index = self.constant(Const::Int(i64::from(i)), int, span);
                Val::Place(self.place(PlaceKind::Index(p, index), part_ty, span))
            }
            Val::Value(e) => {
                if let Some(Const::Composite(list)) = self.const_of(e)
                    && let Some(c) = list.get(i as usize).cloned()
                {
                    return Val::Value(self.constant(c, part_ty, span));
                }
                Val::Value(self.node(ExprKind::Extract(e, i), part_ty, span))
            }
        }
    }

    /// Type of part `i`.
    pub(super) fn part_ty(&mut self, ty: TypeId, i: u32) -> TypeId {
        match self.types.get(ty) {
            Type::Struct(s) => self.types.structure(s).fields.get(i as usize).map_or(Types::ERROR, |f| f.ty),
            Type::Array(e, _) | Type::UnsizedArray(e) => e,
            Type::Vector(s, _) => self.types.scalar(s),
            Type::Matrix(s, _, c) => self.types.vector(s, c),
            _ => Types::ERROR,
        }
    }

    fn swizzle(&mut self, v: Val, name: ast::Name, span: Span) -> Checked<Val> {
        let (ty, at) = (self.val_ty(v), name.span);
        let n = self.types.component_count(ty).unwrap_or(1) as u8;
        let Some(at_list) = Components::from_letters(self.text(name.text)) else {
            let (shown, text) = (self.type_name(ty), self.text(name.text));
            let message = format!("`{shown}` has no member `{text}`");
            let d = self.report(Code::BadSwizzle, at, message);
            return d.help("a swizzle takes 1 to 4 of `xyzw` or of `rgba`").refuse();
        };
        if let Some(&beyond) = at_list.positions().iter().find(|&&p| p >= n) {
            let shown = self.type_name(ty);
            let text = self.text(name.text);
            let letter = text.chars().nth(at_list.positions().iter().position(|&p| p == beyond).unwrap_or(0));
            return self
                .report(
                    Code::BadSwizzle,
                    at,
                    format!("`{shown}` has no component `{}`", letter.unwrap_or('?')),
                )
                .label(format!("`{shown}` has {n} component{}", if n == 1 { "" } else { "s" }))
                .refuse();
        }
        Ok(self.components(v, at_list, span))
    }

    /// Components of a vector or scalar that has them.
    pub(super) fn components(&mut self, v: Val, at_list: Components, span: Span) -> Val {
        let ty = self.val_ty(v);
        let Some(scalar) = self.types.component(ty) else { return Val::Value(self.error_value(span)) };
        let n = self.types.component_count(ty).unwrap_or(1) as u8;
        let count = at_list.positions().len() as u8;
        let result = self.types.vector(scalar, count);
        if n == 1 {
            // `s.x` is `s`; `s.xxx` repeats it.
            if count == 1 {
                return v;
            }
            let e = self.load(v);
            let folded = self.const_of(e).map(|c| convert::splat(c, Type::Vector(scalar, count)));
            return Val::Value(match folded {
                Some(c) => self.constant(c, result, span),
                None => self.node(ExprKind::Convert(Conversion::Splat, e), result, span),
            });
        }
        match v {
            Val::Place(p) => {
                // A swizzle of a swizzle is one.
                if let PlaceKind::Swizzle(base, inner) = self.f.places[p.index()].kind {
                    let composed: SmallVec<[u8; 4]> =
                        at_list.positions().iter().map(|&i| inner.positions()[i as usize]).collect();
                    if let Some(c) = Components::new(&composed) {
                        let one = Val::Place(self.place(PlaceKind::Swizzle(base, c), result, span));
                        // What names a component twice cannot be written, so no part of it can.
                        return if inner.has_repeats() { Val::Value(self.load(one)) } else { one };
                    }
                }
                // So is one of chosen elements of a matrix.
                if let PlaceKind::MatrixSwizzle(base, elements) = &self.f.places[p.index()].kind {
                    let base = *base;
                    let picked = at_list.positions().iter().map(|&i| elements[i as usize]).collect();
                    let repeats = (1..elements.len()).any(|i| elements[..i].contains(&elements[i]));
                    let one = Val::Place(self.place(PlaceKind::MatrixSwizzle(base, picked), result, span));
                    return if repeats { Val::Value(self.load(one)) } else { one };
                }
                Val::Place(self.place(PlaceKind::Swizzle(p, at_list), result, span))
            }
            Val::Value(e) => {
                if let Some(Const::Composite(list)) = self.const_of(e) {
                    let mut parts: Vec<Const> =
                        at_list.positions().iter().map(|&i| list[i as usize].clone()).collect();
                    let c = if parts.len() == 1 { parts.remove(0) } else { Const::Composite(parts) };
                    return Val::Value(self.constant(c, result, span));
                }
                Val::Value(self.node(ExprKind::Swizzle(e, at_list), result, span))
            }
        }
    }

    fn matrix_swizzle(&mut self, v: Val, name: ast::Name, (r, c): (u8, u8), span: Span) -> Checked<Val> {
        let (ty, at) = (self.val_ty(v), name.span);
        let Some(elements) = matrix_elements(self.text(name.text)) else {
            let message = format!("`{}` has no member `{}`", self.type_name(ty), self.text(name.text));
            return self
                .report(Code::BadSwizzle, at, message)
                .help("elements of a matrix are `_m00` (from 0) or `_11` (from 1), row first")
                .refuse();
        };
        if elements.iter().any(|&(row, col)| row >= r || col >= c) {
            let shown = self.type_name(ty);
            let message = format!("`{shown}` has no element `{}`", self.text(name.text));
            return self
                .report(Code::BadSwizzle, at, message)
                .label(format!("`{shown}` has {r} rows and {c} columns"))
                .refuse();
        }
        let scalar = self.types.component(ty).unwrap_or(Scalar::F32);
        let result = self.types.vector(scalar, elements.len() as u8);
        Ok(match v {
            Val::Place(p) => Val::Place(self.place(PlaceKind::MatrixSwizzle(p, elements), result, span)),
            Val::Value(e) => Val::Value(self.node(ExprKind::MatrixSwizzle(e, elements), result, span)),
        })
    }

    pub(super) fn index(&mut self, base: ast::ExprId, index: ast::ExprId, span: Span) -> Checked<Val> {
        let ast = self.ast;
        // `texture.mips[level][position]`, `texture.sample[n][position]`
        if let E::Index(inner, which) = &ast.expr(base).kind
            && let E::Member(texture, name, None) = &ast.expr(*inner).kind
            && matches!(self.text(name.text), "mips" | "sample")
        {
            let v = self.expr(*texture);
            if matches!(self.types.get(self.val_ty(v)), Type::Resource(_) | Type::Error) {
                return self.texel_of(v, *name, *which, index, span);
            }
            let v = self.member_of(v, *name, span)?;
            let v = self.index_of(v, *which, span)?;
            return self.index_of(v, index, span);
        }
        let v = self.expr(base);
        self.index_of(v, index, span)
    }

    fn index_of(&mut self, v: Val, index: ast::ExprId, span: Span) -> Checked<Val> {
        let i = self.rvalue(index);
        let ty = self.val_ty(v);
        if self.is_error(ty) || self.is_error(self.ty(i)) {
            return Err(Reported);
        }
        let at = self.span(i);
        let length = match self.types.get(ty) {
            Type::Array(_, n) => u64::from(n),
            Type::UnsizedArray(_) => u64::MAX,
            Type::Vector(_, n) => u64::from(n),
            Type::Matrix(_, r, _) => u64::from(r),
            // The only element of a row of a matrix with one column.
            Type::Scalar(_) if self.is_matrix_row(v) || self.is_one_vector(v) => 1,
            Type::Resource(r) => {
                return self.resource_index(v, r, i, span);
            }
            Type::Heap { sampler } => return self.heap_element(sampler, i, span),
            Type::Foreign { name, .. } => match stages::find(name).and_then(|o| Some((o.stage, o.index?))) {
                Some((stage, gives)) => {
                    self.other_stage(span, &format!("`{name}`"), stage);
                    return Ok(self.foreign_value(gives, ty, &[], span));
                }
                None => 0,
            },
            Type::Struct(s) => {
                let name = words::INDEX_OPERATOR;
                if let Some(Entity::Functions(set)) = self.lookup_in(self.structs[s.index()].scope, name) {
                    return self.call_set(set, Some(v), vec![Val::Value(i)], span, name);
                }
                0
            }
            _ => 0,
        };
        if length == 0 {
            let shown = self.type_name(ty);
            return self.report(Code::BadIndex, span, format!("`{shown}` cannot be indexed")).refuse();
        }
        let i = self.index_value(i)?;
        let known = match self.const_of(i) {
            Some(Const::Int(k)) => Some(*k),
            _ => None,
        };
        if let Some(k) = known
            && (k < 0 || k as u64 >= length)
        {
            let shown = self.type_name(ty);
            let text = format!("index {k} is out of range for `{shown}`");
            // Of matrices it is no mistake as long as nothing looks.
            let d = match self.types.get(ty) {
                Type::Matrix(..) => self.report_if_reached(Code::IndexOutOfRange, at, text),
                _ => self.report(Code::IndexOutOfRange, at, text),
            };
            return d.label(format!("the last index is {}", length - 1)).refuse();
        }
        let part_ty = self.part_ty(ty, 0);
        if let Type::Scalar(_) = self.types.get(ty) {
            return Ok(v);
        }
        Ok(match (v, known) {
            (Val::Place(p), Some(k)) if self.is_group(p) => self.part(v, k as u32, span),
            // All of them, one of which is chosen where it is used.
            (Val::Place(p), None) if self.is_group(p) => {
                let all = self.load_group(p);
                let all = self.place(PlaceKind::Temp(all), ty, span);
                Val::Place(self.place(PlaceKind::Index(all, i), part_ty, span))
            }
            (Val::Place(p), _) => Val::Place(self.place(PlaceKind::Index(p, i), part_ty, span)),
            (Val::Value(_), Some(k)) => self.part(v, k as u32, span),
            (Val::Value(e), None) => {
                let temp = self.place(PlaceKind::Temp(e), ty, span);
                Val::Place(self.place(PlaceKind::Index(temp, i), part_ty, span))
            }
        })
    }

    /// Whether a scalar is declared as a vector of one component: such have an element.
    fn is_one_vector(&self, v: Val) -> bool {
        let declared = |span: Span| self.one_vectors.contains(&span);
        match v {
            Val::Place(p) => self.is_one_vector_place(p),
            Val::Value(e) => match &self.f.exprs[e.index()].kind {
                ExprKind::Load(p) => self.is_one_vector_place(*p),
                ExprKind::Call(f, _) => declared(self.funcs[f.index()].span),
                _ => false,
            },
        }
    }

    fn is_one_vector_place(&self, p: PlaceId) -> bool {
        let declared = |span: Span| self.one_vectors.contains(&span);
        match &self.f.places[p.index()].kind {
            PlaceKind::Local(l) => declared(self.f.locals[l.index()].span),
            PlaceKind::Global(g) => declared(self.globals[g.index()].span),
            PlaceKind::Field(base, i) => match self.types.get(self.place_ty(*base)) {
                Type::Struct(s) => {
                    self.types.structure(s).fields.get(*i as usize).is_some_and(|f| declared(f.span))
                }
                _ => false,
            },
            // Of an array; but the element of a vector is none itself.
            PlaceKind::Index(base, _) => {
                matches!(self.types.get(self.place_ty(*base)), Type::Array(..))
                    && self.is_one_vector_place(*base)
            }
            _ => false,
        }
    }

    /// Notes what is declared as a vector of one component.
    pub(super) fn note_one_vector(&mut self, ty: &ast::TypeExpr, name: Span) {
        let ast::TypeKind::Named(path) = &ty.kind else { return };
        // Nearly all types are neither `float1` nor have arguments.
        if path.args.is_none() && !self.text(path.last().text).ends_with('1') {
            return;
        }
        let one = match crate::hlsl::builtin::find(self.text(path.last().text)) {
            Some(crate::hlsl::builtin::Builtin::Vector(_, 1)) => true,
            Some(crate::hlsl::builtin::Builtin::VectorTemplate) => match path.args.as_deref() {
                Some([_, ast::TemplateArg::Expr(n)]) => {
                    matches!(self.ast.expr(*n).kind, E::Number(crate::hlsl::lex::Number::Int(1, _)))
                }
                _ => false,
            },
            _ => false,
        };
        if one {
            self.one_vectors.insert(name);
        }
    }

    /// Whether a scalar is a row of a matrix.
    fn is_matrix_row(&self, v: Val) -> bool {
        let matrix = |ty| matches!(self.types.get(ty), Type::Matrix(..));
        match v {
            Val::Place(p) => match self.f.places[p.index()].kind {
                PlaceKind::Index(base, _) => matrix(self.place_ty(base)),
                _ => false,
            },
            Val::Value(e) => match self.f.exprs[e.index()].kind {
                ExprKind::Extract(base, _) => matrix(self.ty(base)),
                _ => false,
            },
        }
    }

    /// An index as `int` or `uint`.
    pub(super) fn index_value(&mut self, i: ExprId) -> Checked {
        let (ty, span) = (self.ty(i), self.span(i));
        self.good(i)?;
        let to = match self.types.component(ty) {
            None => {
                let text = format!("an index must be an integer, not `{}`", self.type_name(ty));
                return self.report(Code::BadIndex, span, text).refuse();
            }
            Some(s) if s != Scalar::I32 && (s.is_unsigned_int() || s.is_float()) => Scalar::U32,
            Some(_) => Scalar::I32,
        };
        let to = self.scalar_ty(to);
        self.convert_number(i, to, "an index")
    }
}

/// `_m00_m11` or `_11_22`: row and column of each.
fn matrix_elements(text: &str) -> Option<Vec<(u8, u8)>> {
    let (mut list, mut base) = (Vec::new(), None);
    for part in text.strip_prefix('_')?.split('_') {
        let (digits, first) = match part.strip_prefix('m') {
            Some(d) => (d, 0),
            None => (part, 1),
        };
        let &[r, c] = digits.as_bytes() else { return None };
        // All count from 0 or all from 1.
        if *base.get_or_insert(first) != first {
            return None;
        }
        let digit = |b: u8| b.checked_sub(b'0' + first).filter(|&d| d < 4);
        list.push((digit(r)?, digit(c)?));
    }
    if (1..=4).contains(&list.len()) { Some(list) } else { None }
}
