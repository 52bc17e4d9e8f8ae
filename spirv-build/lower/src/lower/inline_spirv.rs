//! Instructions that the source names by number.

use super::Lower;
use super::function::Body;
use super::place::Place;
use crate::hlsl::hir::{
    ExprId, ExprKind, SpirvArg, SpirvOp, SpirvOperand, SpirvTypeId, Type as Hlsl, TypeId,
};
use crate::ir::{CustomType, ExtSet, Op, Opcode, Operand, StorageClass, Type, TypeKind, TypeOperand, Value};

impl<'h> Body<'_, 'h> {
    #[inline(never)]
    pub(super) fn inline_spirv(&mut self, op: SpirvOp, args: &'h [SpirvArg], ty: TypeId) -> Option<Value> {
        let span = self.span;
        let void = self.l.hlsl(ty) == Hlsl::Void;
        let known = if op.glsl { ExtSet::Glsl.row(op.code) } else { Op::from_u32(op.code).and_then(Op::row) };
        // What the table does not know is taken as its author says.
        let fits =
            known.is_none_or(|row| (op.glsl || row.has_result()) != void) && (known.is_some() || !op.glsl);
        let code = match Op::from_u32(op.code) {
            _ if op.glsl => Some(Opcode::Ext(ExtSet::Glsl, op.code)),
            code => code.map(Opcode::Op),
        };
        let (Some(code), true) = (code, fits) else {
            let set = if op.glsl { "GLSL.std.450" } else { "SPIR-V" };
            let what = format!("instruction {} of {set} with this result", op.code);
            self.l.unsupported(span, what, "check the number, and whether the instruction has a result");
            return if void { None } else { Some(self.undef(ty)) };
        };
        let mut operands = Vec::with_capacity(args.len());
        for arg in args {
            operands.push(match arg {
                SpirvArg::Value(e) => Operand::Id(self.spirv_value(*e)),
                SpirvArg::Literal(n) => Operand::Literal(*n),
                SpirvArg::Type(t) => Operand::Type(self.l.operand_type(*t)),
                SpirvArg::Reference(p) => match self.place(*p) {
                    Place::Pointer { ptr, .. } | Place::Resource { ptr, .. } => Operand::Id(ptr),
                    _ => {
                        self.l.unsupported(span, "the address of this place", "pass a variable");
                        return if void { None } else { Some(self.undef(ty)) };
                    }
                },
            });
        }
        self.span = span;
        if void {
            let inst = self.b().push(code, &operands);
            self.func.insts[inst].written_out = true;
            return None;
        }
        let result = self.l.value_type(ty);
        let value = self.value(code, result, &operands);
        if let Some(inst) = self.func.def_inst(value) {
            self.func.insts[inst].written_out = true;
        }
        Some(value)
    }

    /// A value; a resource is the object that its variable holds.
    fn spirv_value(&mut self, e: ExprId) -> Value {
        let expr = self.f.expr(e);
        if !matches!(self.l.hlsl(expr.ty), Hlsl::Resource(_)) {
            return self.expr(e);
        }
        let ExprKind::Load(place) = expr.kind else { return self.expr(e) };
        match self.resource(place) {
            Some((ptr, _)) => self.b().load(ptr),
            None => self.b().u32(0),
        }
    }

    /// `printf`.
    #[inline(never)]
    pub(super) fn printf(&mut self, format: &str, args: &'h [ExprId]) {
        let span = self.span;
        let next = self.l.out.strings.len() as u32;
        let index = *self.l.texts.entry(format.into()).or_insert(next);
        if index == next {
            self.l.out.strings.push(format.into());
        }
        let mut operands = vec![Operand::Literal(index)];
        for e in args {
            operands.push(Operand::Id(self.expr(*e)));
        }
        self.span = span;
        let void = self.l.out.ctx.types.void();
        self.value(Opcode::Ext(ExtSet::DebugPrintf, 1), void, &operands);
    }
}

impl Lower<'_> {
    /// Whether a type is a pointer as the source writes it, which no variable can hold.
    pub(super) fn is_pointer_value(&self, ty: TypeId) -> bool {
        match self.hlsl(ty) {
            Hlsl::Spirv(t) => self.hir.types.spirv[t.index()].op == Op::TypePointer.number(),
            _ => false,
        }
    }

    /// A type that the source writes as an instruction.
    pub(super) fn spirv_type(&mut self, id: SpirvTypeId) -> Type {
        let hir = self.hir;
        let ty = &hir.types.spirv[id.index()];
        let mut operands = Vec::new();
        for o in &ty.operands {
            operands.push(match *o {
                SpirvOperand::Type(t) => TypeOperand::Type(self.operand_type(t)),
                SpirvOperand::Literal(n) => TypeOperand::Literal(n),
                SpirvOperand::Const(_, n) => TypeOperand::Const(n as u32),
            });
        }
        use TypeOperand::{Const, Literal, Type as T};
        let types = &mut self.out.ctx.types;
        let Some(op) = Op::from_u32(ty.op) else {
            self.unsupported(self.place, format!("instruction {} as a type", ty.op), "check the number");
            return self.out.ctx.types.u32();
        };
        let small = |n: u32| u8::try_from(n).ok();
        // What has a form of its own here takes that.
        let kind = match (op, operands.as_slice()) {
            (Op::TypeVoid, []) => Some(TypeKind::Void),
            (Op::TypeBool, []) => Some(TypeKind::Bool),
            (Op::TypeInt, [Literal(w), Literal(s)]) => {
                small(*w).map(|width| TypeKind::Int { width, signed: *s != 0 })
            }
            (Op::TypeFloat, [Literal(w)]) => small(*w).map(|width| TypeKind::Float { width }),
            (Op::TypeVector, [T(elem), Literal(n)]) => {
                small(*n).map(|len| TypeKind::Vector { elem: *elem, len })
            }
            (Op::TypeMatrix, [T(column), Literal(n)]) => {
                small(*n).map(|columns| TypeKind::Matrix { column: *column, columns })
            }
            (Op::TypeArray, [T(elem), Const(len)]) if *len > 0 => {
                Some(TypeKind::Array { elem: *elem, len: *len, stride: None })
            }
            (Op::TypeRuntimeArray, [T(elem)]) => Some(TypeKind::RuntimeArray { elem: *elem, stride: None }),
            (Op::TypePointer, [Literal(storage), T(pointee)]) => StorageClass::from_u32(*storage)
                .map(|storage| TypeKind::Pointer { pointee: *pointee, storage }),
            (Op::TypeSampler, []) => Some(TypeKind::Sampler),
            _ => None,
        };
        let kind = kind.unwrap_or(TypeKind::Custom(CustomType { op, operands }));
        types.intern(kind)
    }
}
