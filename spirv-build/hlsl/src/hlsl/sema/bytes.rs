//! Methods of byte address buffers.

use super::convert::How;
use super::resources::{METHODS, MethodCall};
use super::{Sema, Val};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::hir::{Const, ExprKind, PlaceKind, Resource, Scalar, Type, Types};
use crate::source::Span;

/// The integers that atomic operations work on, with and without a sign.
const NARROW: (Scalar, Scalar) = (Scalar::I32, Scalar::U32);
const WIDE: (Scalar, Scalar) = (Scalar::I64, Scalar::U64);

impl<'a> Sema<'a> {
    /// Methods of byte address buffers.
    pub(super) fn byte_method(
        &mut self,
        object: Val,
        writable: bool,
        name: &str,
        call: &MethodCall<'a>,
        args: &[Val],
    ) -> Option<Val> {
        let span = call.span;
        let uint = self.scalar_ty(Scalar::U32);
        let (store, digits) = match (name.strip_prefix("Load"), name.strip_prefix("Store")) {
            (Some(n), _) => (false, n),
            (_, Some(n)) => (true, n),
            _ if name.starts_with("Interlocked") && METHODS.contains(&name) => {
                return Some(self.byte_atomic(object, name, args, span));
            }
            _ => return None,
        };
        let n: u8 = match digits {
            "" => 1,
            "2" => 2,
            "3" => 3,
            "4" => 4,
            _ => return None,
        };
        if store && !writable {
            self.report(Code::WriteToReadOnly, call.name.span, "`ByteAddressBuffer` can only be read")
                .help("declare it as `RWByteAddressBuffer` to write to it");
            return Some(Val::Value(self.error_value(span)));
        }
        if !store && args.len() == 2 {
            self.no_status(name, span);
            return Some(Val::Value(self.error_value(span)));
        }
        let want = if store { 2 } else { 1 };
        if args.len() != want {
            return Some(self.wrong_count(name, &want.to_string(), args.len(), span));
        }
        let mut ty = self.types.vector(Scalar::U32, n);
        match call.targs {
            Some([ast::TemplateArg::Type(t)]) if n == 1 => ty = self.resolve(t),
            Some(_) => {
                self.report(Code::NoOverload, span, format!("`{name}` takes no such template arguments"));
                return Some(Val::Value(self.error_value(span)));
            }
            // `Store(offset, value)` stores what it is given, as its type.
            None if store && n == 1 => {
                let value_ty = self.val_ty(args[1]);
                let literal = self
                    .types
                    .component(value_ty)
                    .is_some_and(|s| matches!(s, Scalar::LitInt | Scalar::Bool));
                if !literal {
                    ty = value_ty;
                    if self.types.component(ty) == Some(Scalar::LitFloat) {
                        ty = self.types.with_component(ty, Scalar::F32);
                    }
                }
            }
            None => {}
        }
        if self.is_error(ty) || self.types.contains_resource(ty) || ty == Types::VOID {
            if !self.is_error(ty) {
                self.report(Code::BadElementType, span, "this type cannot be stored in a buffer");
            }
            return Some(Val::Value(self.error_value(span)));
        }
        let offset = self.load(args[0]);
        let offset = self.convert_number(offset, uint, "the offset");
        if self.is_error(self.ty(offset)) {
            return Some(Val::Value(offset));
        }
        let value = if store {
            let v = self.load(args[1]);
            let v = self.convert(v, ty, How::Implicit, "the value");
            if self.is_error(self.ty(v)) {
                return Some(Val::Value(v));
            }
            Some(v)
        } else {
            None
        };
        let resource = self.handle(object);
        let place = self.place(PlaceKind::ByteElement { resource, offset }, ty, span);
        Some(Val::Value(match value {
            Some(value) => {
                let e = self.node(ExprKind::Assign { place, value }, ty, span);
                self.node(ExprKind::Sequence(vec![e]), Types::VOID, span)
            }
            None => self.node(ExprKind::Load(place), ty, span),
        }))
    }

    pub(super) fn byte_atomic(&mut self, object: Val, name: &str, args: &[Val], span: Span) -> Val {
        let uint = self.scalar_ty(Scalar::U32);
        let Some(&first) = args.first() else { return self.wrong_count(name, "2 or 3", 0, span) };
        if !matches!(
            self.types.get(self.val_ty(object)),
            Type::Resource(Resource::ByteAddress { writable: true })
        ) {
            self.report(Code::WriteToReadOnly, span, "`ByteAddressBuffer` can only be read")
                .help("declare it as `RWByteAddressBuffer` to write to it");
            return Val::Value(self.error_value(span));
        }
        let offset = self.load(first);
        let offset = self.convert_number(offset, uint, "the offset");
        if self.is_error(self.ty(offset)) {
            return Val::Value(offset);
        }
        // Of a float, the bits are exchanged, and compared.
        let (name, float) = match name {
            "InterlockedExchangeFloat" => ("InterlockedExchange", true),
            _ => (name, name.ends_with("FloatBitwise")),
        };
        let (int, word) = if name.ends_with("64") { WIDE } else { NARROW };
        let compares = name.contains("Min") || name.contains("Max");
        let signed = compares && args.get(1).is_some_and(|&v| self.counts_as_signed(v, word));
        let ty = self.scalar_ty(if float {
            Scalar::F32
        } else if signed {
            int
        } else {
            word
        });
        let resource = self.handle(object);
        let place = self.place(PlaceKind::ByteElement { resource, offset }, ty, span);
        let mut rest = vec![Val::Place(place)];
        rest.extend_from_slice(&args[1..]);
        Val::Value(self.interlocked(name, rest, span))
    }

    /// Whether the value that a minimum or maximum takes makes it one of signed integers. Only what has the type of the
    /// words, and literals without a minus, do not.
    fn counts_as_signed(&self, v: Val, word: Scalar) -> bool {
        match self.types.component(self.val_ty(v)) {
            Some(Scalar::LitInt) => match v {
                Val::Value(e) => match self.f.exprs[e.index()].kind {
                    ExprKind::Const(Const::Int(n)) => n < 0,
                    _ => false,
                },
                Val::Place(_) => false,
            },
            s => s != Some(word),
        }
    }
}
