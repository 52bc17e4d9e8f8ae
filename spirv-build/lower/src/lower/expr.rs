//! Expressions.

use super::function::Body;
use crate::hlsl::hir::Type as Hlsl;
use crate::hlsl::hir::{BinaryOp, Conversion, ExprId, ExprKind, PlaceId, PlaceKind, Scalar, TypeId, Yields};
use crate::ir::entity::Entity;
use crate::ir::{ConstKind, Op, Opcode, Operand, Value};

/// Nodes that an expression may have to be computed whether it is needed or not, instead of branching around it.
const CHEAP_NODES: u32 = 12;

impl<'h> Body<'_, 'h> {
    /// Evaluates an expression for its effects.
    pub(super) fn effect(&mut self, id: ExprId) {
        if !self.copy_memory(id) {
            self.eval(id);
        }
    }

    /// The value of an expression that is not void.
    pub(super) fn expr(&mut self, id: ExprId) -> Value {
        match self.eval(id) {
            Some(v) => v,
            None => {
                let e = self.f.expr(id);
                self.l.internal(e.span, "an expression without value is used");
                self.b().u32(0)
            }
        }
    }

    pub(super) fn eval(&mut self, id: ExprId) -> Option<Value> {
        let f = self.f;
        let e = f.expr(id);
        if !self.l.enter(e.span) {
            self.l.leave();
            return Some(self.undef(e.ty));
        }
        self.span = e.span;
        self.l.place = e.span;
        let before = self.func.insts.len();
        let v = self.eval_kind(&e.kind, e.ty);
        if let Some(v) = v
            && self.l.component(e.ty).is_some_and(Scalar::is_relaxed)
        {
            self.relax(&e.kind, v, before);
        }
        self.l.leave();
        v
    }

    /// Lets an operation on types such as `min16float` be done with less precision. `before`: how many instructions there
    /// were before it, so that only its own are meant.
    fn relax(&mut self, kind: &ExprKind, v: Value, before: usize) {
        let class = |s: Scalar| (s.is_float(), s == Scalar::Bool);
        let operates = match kind {
            ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Intrinsic(..)
            | ExprKind::Load(_)
            | ExprKind::TextureLoad { .. }
            | ExprKind::Sample(_) => true,
            // Where nothing is converted, the value is another's.
            ExprKind::Convert(_, from) => {
                let types = &self.l.hir.types;
                let to = self.func.values[v].ty;
                let float = self.l.out.ctx.types.is_float(self.l.out.ctx.types.scalar_of(to));
                types
                    .component(self.f.expr(*from).ty)
                    .is_some_and(|s| s.bits() != 32 || class(s) != (float, false))
            }
            _ => false,
        };
        let own = self.func.def_inst(v).filter(|i| operates && i.index() >= before);
        if let Some(inst) = own {
            self.func.insts[inst].decorations.mark(spirv_spec::Decoration::RelaxedPrecision);
        }
    }

    pub(super) fn eval_kind(&mut self, kind: &'h ExprKind, ty: TypeId) -> Option<Value> {
        let span = self.span;
        Some(match kind {
            ExprKind::Const(c) => {
                let c = self.l.constant(c, ty, span);
                self.b().constant(c)
            }
            ExprKind::Zero => {
                let t = self.l.value_type(ty);
                self.zero(t)
            }
            ExprKind::Load(place) => self.load_place(*place),
            ExprKind::Current => self.innermost(false, ty),
            ExprKind::Operand => self.innermost(true, ty),
            ExprKind::Unary(op, a) => self.unary(*op, *a),
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b, ty),
            ExprKind::ShortCircuit { and, lhs, rhs } => self.short_circuit(*and, *lhs, *rhs),
            ExprKind::Ternary { cond, then, otherwise } => self.ternary(*cond, *then, *otherwise, ty),
            ExprKind::Convert(how, a) => self.convert(*how, *a, ty),
            ExprKind::Construct(parts) => self.construct(parts, ty),
            ExprKind::Swizzle(a, at) => {
                let v = self.expr(*a);
                self.shuffle(v, at.positions())
            }
            ExprKind::MatrixSwizzle(a, at) => {
                let v = self.expr(*a);
                let from = self.f.expr(*a).ty;
                self.matrix_elements(v, from, at, ty)
            }
            ExprKind::Extract(a, n) => self.extract(*a, *n, ty),
            ExprKind::Call(callee, args) => self.call(*callee, args, span),
            ExprKind::Intrinsic(op, args) => self.intrinsic(*op, args, ty),
            ExprKind::Assign { place, value } => {
                let value = self.expr(*value);
                self.span = span;
                let place = self.slot(*place);
                self.store(&place, value);
                value
            }
            ExprKind::Update { place, operand, value, yields } => {
                self.update(*place, *operand, *value, *yields)
            }
            ExprKind::Sequence(list) => {
                let mut last = None;
                for e in list {
                    last = self.eval(*e);
                }
                return last;
            }
            ExprKind::TextureLoad { resource, coord, lod, sample, offset, status } => {
                self.texture_load(*resource, *coord, [*lod, *sample, *offset], *status, ty)
            }
            ExprKind::Sample(s) => self.sample(s, ty),
            ExprKind::Query { resource, query, lod } => self.query(*resource, *query, *lod),
            ExprKind::Atomic { op, place, value, compare } => self.atomic(*op, *place, *value, *compare, ty),
            ExprKind::Spirv(op, args) => return self.inline_spirv(*op, args, ty),
            ExprKind::Counter { resource, down } => self.count(*resource, *down),
            ExprKind::Printf { format, args } => {
                self.printf(format, args);
                return None;
            }
            ExprKind::Barrier(b) => {
                self.barrier(*b);
                return None;
            }
        })
    }

    /// All bits zero.
    pub(super) fn zero(&mut self, ty: crate::ir::Type) -> Value {
        let types = &self.l.out.ctx.types;
        let scalar = types.scalar_of(ty);
        if types.is_bool(scalar) && types.len_of(ty) == 1 {
            return self.b().bool(false);
        }
        if types.width_of(ty).is_some() && !types.is_bool(scalar) && types.is_plain(ty) {
            return self.bits(ty, 0);
        }
        let c = self.l.out.ctx.constant(ty, ConstKind::Null);
        self.b().constant(c)
    }

    fn innermost(&mut self, operand: bool, ty: TypeId) -> Value {
        let stack = if operand { &self.operand } else { &self.current };
        match stack.last() {
            Some(v) => *v,
            None => {
                self.l.internal(self.span, "a value is named where there is none");
                self.undef(ty)
            }
        }
    }

    #[inline(never)]
    fn load_place(&mut self, place: PlaceId) -> Value {
        let span = self.span;
        // A constant that is read as a whole needs no variable.
        if let PlaceKind::Global(g) = self.f.place(place).kind
            && let Some(super::globals::GlobalValue::Spec(c)) = self.l.globals.get(g.index()).copied()
        {
            return self.b().constant(c);
        }
        let place = self.place(place);
        self.span = span;
        self.load(&place)
    }

    /// Whether an expression can be computed without effect and without danger, at little cost.
    pub(super) fn is_cheap(&self, id: ExprId, budget: &mut u32) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        let e = self.f.expr(id);
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::Current | ExprKind::Operand => true,
            ExprKind::Load(place) => self.is_cheap_place(*place, budget),
            ExprKind::Unary(_, a) | ExprKind::Swizzle(a, _) => self.is_cheap(*a, budget),
            ExprKind::Convert(how, a) => !matches!(how, Conversion::ToBase) && self.is_cheap(*a, budget),
            ExprKind::Binary(op, a, b) => {
                let int = self.l.component(e.ty).is_some_and(|s| !s.is_float());
                !(int && matches!(op, BinaryOp::Div | BinaryOp::Rem))
                    && self.is_cheap(*a, budget)
                    && self.is_cheap(*b, budget)
            }
            ExprKind::ShortCircuit { lhs, rhs, .. } => {
                self.is_cheap(*lhs, budget) && self.is_cheap(*rhs, budget)
            }
            _ => false,
        }
    }

    /// Whether a place is always there: a variable, a part of one or of a constant buffer, without indices.
    fn is_cheap_place(&self, id: PlaceId, budget: &mut u32) -> bool {
        let place = self.f.place(id);
        if *budget == 0 || !matches!(self.l.hlsl(place.ty), Hlsl::Scalar(_) | Hlsl::Vector(..)) {
            return false;
        }
        let mut at = id;
        while *budget > 0 {
            *budget -= 1;
            match &self.f.place(at).kind {
                PlaceKind::Local(_) => return true,
                PlaceKind::Global(_) => return true,
                PlaceKind::Field(p, _) | PlaceKind::Swizzle(p, _) | PlaceKind::Block(p) => at = *p,
                _ => return false,
            }
        }
        false
    }

    #[inline(never)]
    fn short_circuit(&mut self, and: bool, lhs: ExprId, rhs: ExprId) -> Value {
        let span = self.span;
        let bool_type = self.l.scalar_type(Scalar::Bool);
        let a = self.expr(lhs);
        if self.is_cheap(rhs, &mut CHEAP_NODES.clone()) {
            let b = self.expr(rhs);
            self.span = span;
            return self.op(if and { Op::LogicalAnd } else { Op::LogicalOr }, bool_type, &[a, b]);
        }
        self.span = span;
        let (inst, then, els) = self.b().selection(a, &[bool_type]);
        let after = self.block;
        let (needed, known) = if and { (then, els) } else { (els, then) };
        self.block = needed;
        let b = self.expr(rhs);
        self.span = span;
        self.b().terminate(Opcode::Merge, &[b]);
        self.block = known;
        let v = self.b().bool(!and);
        self.b().terminate(Opcode::Merge, &[v]);
        self.block = after;
        self.func.insts[inst].results[0]
    }

    #[inline(never)]
    fn ternary(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId, ty: TypeId) -> Value {
        let span = self.span;
        let result = self.l.value_type(ty);
        let c = self.expr(cond);
        let simple = matches!(self.l.hlsl(ty), Hlsl::Scalar(_) | Hlsl::Vector(..));
        let budget = &mut CHEAP_NODES.clone();
        if simple && self.is_cheap(then, budget) && self.is_cheap(otherwise, budget) {
            let (a, b) = (self.expr(then), self.expr(otherwise));
            self.span = span;
            let n = self.l.out.ctx.types.len_of(result);
            let c = self.splat_vector(c, Scalar::Bool, n);
            return self.op(Op::Select, result, &[c, a, b]);
        }
        self.span = span;
        let void = self.l.hlsl(ty) == Hlsl::Void;
        let results = [result];
        let (inst, then_block, else_block) = self.b().selection(c, if void { &[] } else { &results });
        let after = self.block;
        for (block, e) in [(then_block, then), (else_block, otherwise)] {
            self.block = block;
            let v = self.eval(e);
            self.span = span;
            let passed: &[Value] = if void { &[] } else { v.as_slice() };
            self.b().terminate(Opcode::Merge, passed);
        }
        self.block = after;
        match self.func.insts[inst].results.first() {
            Some(v) => *v,
            None => self.b().u32(0),
        }
    }

    #[inline(never)]
    fn construct(&mut self, parts: &'h [ExprId], ty: TypeId) -> Value {
        let span = self.span;
        let values: Vec<Value> = parts.iter().map(|p| self.expr(*p)).collect();
        self.span = span;
        let result = self.l.value_type(ty);
        match self.l.hlsl(ty) {
            Hlsl::Matrix(s, r, c) => self.matrix_from_rows(s, r, c, &values),
            Hlsl::Vector(s, _) => self.vector(s, &values),
            Hlsl::Scalar(_) | Hlsl::Enum(_) if values.len() == 1 => values[0],
            _ => {
                // What is known as a whole is a constant.
                let consts: Option<Vec<_>> = values.iter().map(|v| self.func.as_const(*v)).collect();
                if let Some(consts) = consts {
                    let c = self.l.out.ctx.constant(result, ConstKind::Composite(consts));
                    return self.b().constant(c);
                }
                self.op(Op::CompositeConstruct, result, &values)
            }
        }
    }

    #[inline(never)]
    fn extract(&mut self, a: ExprId, n: u32, ty: TypeId) -> Value {
        let from = self.f.expr(a).ty;
        let v = self.expr(a);
        match self.l.hlsl(from) {
            Hlsl::Matrix(s, r, c) => self.matrix_row(v, (s, r, c), n as u8),
            Hlsl::Vector(..) | Hlsl::Scalar(_) => self.shuffle(v, &[n as u8]),
            _ => {
                let t = self.l.value_type(ty);
                self.b().extract(v, t, &[n])
            }
        }
    }

    #[inline(never)]
    fn update(&mut self, place: PlaceId, operand: Option<ExprId>, value: ExprId, yields: Yields) -> Value {
        let span = self.span;
        let operand = operand.map(|e| self.expr(e));
        self.span = span;
        let place = self.place(place);
        let old = self.load(&place);
        self.current.push(old);
        self.operand.extend(operand);
        let new = self.expr(value);
        self.current.pop();
        if operand.is_some() {
            self.operand.pop();
        }
        self.span = span;
        self.store(&place, new);
        if yields == Yields::Old { old } else { new }
    }

    /// Appends an instruction whose operands are values and literals.
    pub(super) fn mixed(&mut self, op: Op, ty: crate::ir::Type, operands: &[Operand]) -> Value {
        self.value(op, ty, operands)
    }
}
