//! `InterlockedAdd` and its kind.
use super::convert::How;
use super::{Checked, Refuse, Reported, Sema, Val};
use crate::diag::Code;
use crate::hlsl::hir::{
    AtomicOp, Const, ExprKind, GlobalKind, Place, PlaceId, PlaceKind, Scalar, Type, Types,
};
use crate::source::Span;

impl Sema<'_> {
    /// `m._m01` as `m[0][1]`.
    fn one_element(&mut self, place: PlaceId) -> PlaceId {
        let Place { kind: PlaceKind::MatrixSwizzle(base, at), ty, span } = &self.f.places[place.index()]
        else {
            return place;
        };
        let (&[(row, column)], base, ty, span) = (at.as_slice(), *base, *ty, *span) else { return place };
        let Type::Matrix(s, _, columns) = self.types.get(self.place_ty(base)) else { return place };
        let row_ty = self.types.vector(s, columns);
        let int = self.scalar_ty(Scalar::I32);
        let row = self.constant(Const::Int(i64::from(row)), int, span);
        let row = self.place(PlaceKind::Index(base, row), row_ty, span);
        if row_ty == ty {
            return row;
        }
        let column = self.constant(Const::Int(i64::from(column)), int, span);
        self.place(PlaceKind::Index(row, column), ty, span)
    }

    /// `InterlockedAdd(place, value, original)` and its kind.
    pub(super) fn interlocked(&mut self, name: &str, op: AtomicOp, args: &[Val], span: Span) -> Checked {
        let at = self.val_span(args[0]);
        let place = self.writable(args[0], at)?;
        let place = self.one_element(place);
        self.atomic(name, op, (place, at), &args[1..], span)
    }

    /// An atomic operation on a place that `at` names; the arguments are what it is compared with, if anything, the operand, and
    /// where the original value goes.
    pub(super) fn atomic(
        &mut self,
        name: &str,
        op: AtomicOp,
        (place, at): (PlaceId, Span),
        args: &[Val],
        span: Span,
    ) -> Checked {
        let ty = self.place_ty(place);
        let bytes = matches!(self.f.places[place.index()].kind, PlaceKind::ByteElement { .. });
        let float = op == AtomicOp::CompareExchangeFloatBitwise;
        let good = match self.types.get(ty) {
            Type::Scalar(s) if float => s == Scalar::F32,
            Type::Scalar(Scalar::F32) => op == AtomicOp::Exchange,
            Type::Scalar(s) => s.is_int() && s.bits() >= 32 && !s.is_relaxed(),
            _ => false,
        };
        if !good {
            let shown = self.type_name(ty);
            let scalar_float = matches!(self.types.get(ty), Type::Scalar(s) if s.is_float());
            let d = self.report(Code::BadAtomic, at, format!("`{name}` does not work on `{shown}`"));
            d.label(format!("this is `{shown}`"));
            if scalar_float {
                d.help(
                    "floats can be exchanged (`InterlockedExchange`, `InterlockedCompareExchangeFloatBitwise`); to add some, let \
                     each group add its own in groupshared memory, or count in integers",
                );
            }
            return Err(Reported);
        }
        if !self.is_shared(place) && !self.is_groupshared(place) {
            let text = format!("`{name}` needs memory that threads share");
            return self
                .report_if_reached(Code::BadAtomic, at, text)
                .label("a variable of one thread")
                .help("use a `groupshared` variable, or an element of a writable resource")
                .refuse();
        }
        let mut rest = args.iter().copied();
        let mut next = |s: &mut Self| {
            let e = s.load(rest.next().ok_or(Reported)?);
            s.convert_number(e, ty, "the value")
        };
        let compares = float || op == AtomicOp::CompareExchange;
        let compare = if compares { Some(next(self)?) } else { None };
        let value = next(self)?;
        let original = rest.next();
        let mut atomic = self.node(ExprKind::Atomic { op, place, value, compare }, ty, span);
        if let Some(out) = original {
            let place = self.writable(out, self.val_span(out))?;
            self.takes_number(place, "the original value")?;
            // What was there in a byte buffer has no sign, whatever the operation made of it.
            if bytes && self.types.get(ty) == Type::Scalar(Scalar::I32) {
                let uint = self.scalar_ty(Scalar::U32);
                atomic = self.convert(atomic, uint, How::Implicit, "the original value")?;
            }
            atomic = self.store(place, atomic, "the original value", span)?;
        }
        Ok(self.node(ExprKind::Sequence(vec![atomic]), Types::VOID, span))
    }

    /// Whether a place lies in memory that several threads see.
    fn is_shared(&self, p: PlaceId) -> bool {
        match &self.f.places[p.index()].kind {
            PlaceKind::Global(g) => matches!(self.globals[g.index()].kind, GlobalKind::GroupShared),
            PlaceKind::Field(b, _) | PlaceKind::Index(b, _) | PlaceKind::Swizzle(b, _) => self.is_shared(*b),
            PlaceKind::BufferElement { .. }
            | PlaceKind::ByteElement { .. }
            | PlaceKind::Deref(_)
            | PlaceKind::Texel { .. } => true,
            _ => false,
        }
    }
}
