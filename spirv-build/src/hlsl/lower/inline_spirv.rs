//! Instructions that the source names by number.

use super::function::Body;
use super::place::Place;
use crate::hlsl::hir::{SpirvArg, SpirvOp, Type as Hlsl, TypeId};
use crate::ir::{ExtSet, Op, Opcode, Operand, Value};
use crate::spv::op_table;

impl<'h> Body<'_, 'h> {
    #[inline(never)]
    pub(super) fn inline_spirv(&mut self, op: SpirvOp, args: &'h [SpirvArg], ty: TypeId) -> Option<Value> {
        let span = self.span;
        let void = self.l.hlsl(ty) == Hlsl::Void;
        let known =
            if op.glsl { op_table::glsl(op.code) } else { Op::from_u32(op.code).and_then(op_table::op) };
        let fits = known.is_some_and(|row| (op.glsl || row.has_result) != void);
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
                SpirvArg::Value(e) => Operand::Id(self.expr(*e)),
                SpirvArg::Literal(n) => Operand::Literal(*n),
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
            self.b().push(code, &operands);
            return None;
        }
        let result = self.l.value_type(ty);
        Some(self.value(code, result, &operands))
    }
}
