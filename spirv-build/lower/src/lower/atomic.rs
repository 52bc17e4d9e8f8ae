//! Atomic operations and barriers.

use super::function::Body;
use super::place::Place;
use super::types::Form;
use crate::hlsl::hir::{AtomicOp, Barrier, ExprId, PlaceId, Scalar, TypeId};
use crate::ir::{Op, Operand, StorageClass, Value};
use spirv_spec::{MemorySemantics, Scope};

/// A row each: operation, instruction for signed and for unsigned integers.
const ROWS: &[(AtomicOp, Op, Op)] = &[
    (AtomicOp::Add, Op::AtomicIAdd, Op::AtomicIAdd),
    (AtomicOp::And, Op::AtomicAnd, Op::AtomicAnd),
    (AtomicOp::Or, Op::AtomicOr, Op::AtomicOr),
    (AtomicOp::Xor, Op::AtomicXor, Op::AtomicXor),
    (AtomicOp::Min, Op::AtomicSMin, Op::AtomicUMin),
    (AtomicOp::Max, Op::AtomicSMax, Op::AtomicUMax),
    (AtomicOp::Exchange, Op::AtomicExchange, Op::AtomicExchange),
    (AtomicOp::CompareExchange, Op::AtomicCompareExchange, Op::AtomicCompareExchange),
    (AtomicOp::CompareExchangeFloatBitwise, Op::AtomicCompareExchange, Op::AtomicCompareExchange),
];

impl Body<'_, '_> {
    #[inline(never)]
    pub(super) fn atomic(
        &mut self,
        op: AtomicOp,
        place: PlaceId,
        value: ExprId,
        compare: Option<ExprId>,
        ty: TypeId,
    ) -> Value {
        let span = self.span;
        let scalar = self.component(ty, span);
        let place = self.place(place);
        let value = self.expr(value);
        let compare = compare.map(|e| self.expr(e));
        self.span = span;
        let Some((ptr, memory)) = self.atomic_pointer(&place, scalar) else {
            let help = "use a variable of type `int` or `uint`";
            self.l.unsupported(span, "an atomic operation on this place", help);
            return self.undef(ty);
        };
        let t = self.l.scalar_type(memory);
        if scalar.is_float() && memory.is_float() && op != AtomicOp::Exchange {
            let help =
                "keep the bits in a `uint` and use `asuint` and `asfloat`, or use a `RWByteAddressBuffer`";
            let what = "an atomic comparison of a float's bits here: SPIR-V compares integers";
            self.l.unsupported(span, what, help);
            return self.undef(ty);
        }
        let Some(row) = ROWS.iter().find(|r| r.0 == op) else { return self.undef(ty) };
        // The sign is that of the operation, not of the memory, which in a byte buffer is `uint`.
        let code = if scalar.is_signed_int() { row.1 } else { row.2 };
        let scope = self.device_scope();
        let relaxed = self.b().u32(MemorySemantics::RELAXED.bits());
        let value = self.bits_as(value, memory);
        let mut operands = vec![ptr, scope, relaxed];
        match compare {
            Some(c) => {
                let c = self.bits_as(c, memory);
                operands.extend([relaxed, value, c]);
            }
            None => operands.push(value),
        }
        let old = self.op(code, t, &operands);
        self.bits_as(old, scalar)
    }

    /// The scope of all of a device, which the Vulkan memory model has only with a capability.
    pub(super) fn device_scope(&mut self) -> Value {
        let needed = spirv_spec::Capability::VulkanMemoryModelDeviceScope.0;
        let out = &mut self.l.out;
        if out.memory == spirv_spec::MemoryModel::Vulkan && !out.requested_capabilities.contains(&needed) {
            out.requested_capabilities.push(needed);
        }
        self.b().u32(Scope::Device.0)
    }

    /// A scalar's bits as another scalar type.
    fn bits_as(&mut self, v: Value, to: Scalar) -> Value {
        let ty = self.l.scalar_type(to);
        if self.ty(v) == ty { v } else { self.op(Op::Bitcast, ty, &[v]) }
    }

    /// A pointer that atomic instructions take, and the scalar that lies there.
    fn atomic_pointer(&mut self, place: &Place, scalar: Scalar) -> Option<(Value, Scalar)> {
        match place {
            Place::Pointer { ptr, form, .. } => {
                let storage = self.storage(*ptr);
                let shared = matches!(
                    storage,
                    StorageClass::Workgroup
                        | StorageClass::StorageBuffer
                        | StorageClass::PhysicalStorageBuffer
                );
                let same = scalar != Scalar::Bool || *form == Form::Value;
                (shared && same && scalar != Scalar::Bool).then_some((*ptr, scalar))
            }
            Place::Bytes { buffer, offset, .. } if scalar.bits() == 32 => {
                Some((self.word(*buffer, *offset), Scalar::U32))
            }
            Place::Bytes { buffer, offset, .. } if scalar.bits() == 64 => {
                Some((self.wide_word(*buffer, *offset)?, Scalar::U64))
            }
            Place::Texel { image, coord, sample, .. } => {
                let ty = self.l.scalar_type(scalar);
                let ptr = self.l.out.ctx.types.pointer(ty, StorageClass::Image);
                let sample = match *sample {
                    Some(s) => self.as_uint(s),
                    None => self.b().u32(0),
                };
                Some((self.op(Op::ImageTexelPointer, ptr, &[*image, *coord, sample]), scalar))
            }
            _ => None,
        }
    }

    pub(super) fn barrier(&mut self, b: Barrier) {
        // Without memory only the threads wait for each other.
        let mut semantics = match b.group || b.device {
            true => MemorySemantics::ACQUIRE_RELEASE,
            false => MemorySemantics::empty(),
        };
        if b.group {
            semantics |= MemorySemantics::WORKGROUP_MEMORY;
        }
        if b.device {
            semantics |= MemorySemantics::UNIFORM_MEMORY | MemorySemantics::IMAGE_MEMORY;
        }
        let scope = if b.device { Scope::Device } else { Scope::Workgroup };
        let memory = if scope == Scope::Device { self.device_scope() } else { self.b().u32(scope.0) };
        let semantics = self.b().u32(semantics.bits());
        if b.sync {
            let execution = self.b().u32(Scope::Workgroup.0);
            let operands = [execution, memory, semantics].map(Operand::Id);
            self.b().push(Op::ControlBarrier, &operands);
        } else {
            self.b().push(Op::MemoryBarrier, &[memory, semantics].map(Operand::Id));
        }
    }
}
