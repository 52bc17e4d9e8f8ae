//! `InterlockedAdd` and its kind.
use super::convert::How;
use super::{Sema, Val};
use crate::diag::Code;
use crate::hlsl::hir::{
    AtomicOp, Const, ExprId, ExprKind, GlobalKind, Place, PlaceId, PlaceKind, Scalar, Type, Types,
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
    pub(super) fn interlocked(&mut self, name: &str, args: Vec<Val>, span: Span) -> ExprId {
        let plain = name.strip_suffix("64").unwrap_or(name);
        let (op, compare, want): (AtomicOp, bool, std::ops::RangeInclusive<usize>) = match plain {
            "InterlockedAdd" => (AtomicOp::Add, false, 2..=3),
            "InterlockedAnd" => (AtomicOp::And, false, 2..=3),
            "InterlockedOr" => (AtomicOp::Or, false, 2..=3),
            "InterlockedXor" => (AtomicOp::Xor, false, 2..=3),
            "InterlockedMin" => (AtomicOp::Min, false, 2..=3),
            "InterlockedMax" => (AtomicOp::Max, false, 2..=3),
            "InterlockedExchange" => (AtomicOp::Exchange, false, 3..=3),
            "InterlockedCompareExchange" => (AtomicOp::CompareExchange, true, 4..=4),
            "InterlockedCompareStore" => (AtomicOp::CompareExchange, true, 3..=3),
            "InterlockedCompareExchangeFloatBitwise" => (AtomicOp::CompareExchangeFloatBitwise, true, 4..=4),
            _ => (AtomicOp::CompareExchangeFloatBitwise, true, 3..=3),
        };
        if !want.contains(&args.len()) {
            let text = match (want.start(), want.end()) {
                (a, b) if a == b => a.to_string(),
                (a, b) => format!("{a} or {b}"),
            };
            let v = self.wrong_count(name, &text, args.len(), span);
            return self.load(v);
        }
        let at = self.val_span(args[0]);
        let Some(place) = self.writable(args[0], at) else { return self.error_value(span) };
        let place = self.one_element(place);
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
            return self.error_value(span);
        }
        if !self.is_shared(place) && !self.is_groupshared(place) {
            self.report_if_reached(Code::BadAtomic, at, format!("`{name}` needs memory that threads share"))
                .label("a variable of one thread")
                .help("use a `groupshared` variable, or an element of a writable resource");
            return self.error_value(span);
        }
        let mut rest = args[1..].iter();
        let mut next = |s: &mut Self| {
            let v = rest.next().map(|&v| s.load(v))?;
            let e = s.convert_number(v, ty, "the value");
            if s.is_error(s.ty(e)) { None } else { Some(e) }
        };
        let compare = if compare {
            match next(self) {
                Some(c) => Some(c),
                None => return self.error_value(span),
            }
        } else {
            None
        };
        let Some(value) = next(self) else { return self.error_value(span) };
        let original = rest.next().copied();
        let atomic = self.node(ExprKind::Atomic { op, place, value, compare }, ty, span);
        match original {
            None => self.node(ExprKind::Sequence(vec![atomic]), Types::VOID, span),
            Some(out) => {
                let at = self.val_span(out);
                let Some(place) = self.writable(out, at) else { return self.error_value(span) };
                if !self.takes_number(place, "the original value") {
                    return self.error_value(span);
                }
                let out_ty = self.place_ty(place);
                // What was there in a byte buffer has no sign, whatever the operation made of it.
                let atomic = match self.types.get(ty) {
                    Type::Scalar(Scalar::I32) if bytes => {
                        let uint = self.scalar_ty(Scalar::U32);
                        self.convert(atomic, uint, How::Implicit, "the original value")
                    }
                    _ => atomic,
                };
                let value = self.convert(atomic, out_ty, How::Implicit, "the original value");
                if self.is_error(self.ty(value)) {
                    return value;
                }
                let assign = self.node(ExprKind::Assign { place, value }, out_ty, span);
                self.node(ExprKind::Sequence(vec![assign]), Types::VOID, span)
            }
        }
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
