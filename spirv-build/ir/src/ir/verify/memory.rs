//! Rule 9, second part: variables, loads and stores, access chains, calls, images, atomics.

use super::structure::Check;
use crate::ir::{ImageType, InstData, Op, Opcode, Operand, StorageClass, Type, TypeKind, Value};
use spirv_spec::{AccessQualifier, AddressingModel, MemoryModel, Scope};

pub(super) fn check(c: &mut Check<'_>, d: &InstData) {
    let Opcode::Op(op) = d.op else { return };
    match op {
        Op::Variable => c.variable(d),
        Op::Load | Op::Store => c.load_store(op, d),
        Op::AccessChain | Op::InBoundsAccessChain => c.access_chain(d),
        Op::FunctionCall => c.call(d),
        Op::ArrayLength => c.array_length(d),
        Op::ControlBarrier | Op::MemoryBarrier => {
            // Kernels may compute them.
            let kernel = c.module.addressing == AddressingModel::Physical32
                || c.module.addressing == AddressingModel::Physical64;
            let holds = d.ids().all(|v| kernel || c.is_u32_const(v));
            c.e.require(holds, "scope or semantics of a barrier is no 32-bit constant");
            let scopes = if op == Op::ControlBarrier { 2 } else { 1 };
            let bits = |v: Value| c.f.as_const(v).and_then(|k| c.module.ctx.consts.bits(k));
            let family = Some(u64::from(Scope::QueueFamily.0));
            let has =
                c.module.memory == MemoryModel::Vulkan || d.ids().take(scopes).all(|v| bits(v) != family);
            c.e.require(has, "a barrier for a queue family in another memory model than Vulkan's");
        }
        Op::ImageTexelPointer => {
            let image = c.pointee(d.id(0)).map(|(t, _)| t);
            let holds = image.is_some_and(|t| matches!(c.kind(t), TypeKind::Image(_)));
            c.e.require(holds, "a texel pointer into what is no image");
        }
        Op::ImageFetch | Op::ImageRead | Op::ImageWrite => c.image_access(op, d),
        Op::ImageQuerySize | Op::ImageQuerySizeLod | Op::ImageQueryLevels | Op::ImageQuerySamples => {
            let holds = c.image(d.id(0)).is_some() || c.kernel_image(d.id(0)).is_some();
            c.e.require(holds, "a query of what is no image");
        }
        _ if op.is_atomic() => c.atomic(op, d),
        _ => {}
    }
}

/// Where the access qualifier stands among the literals of an image type of kernels.
const ACCESS: usize = 6;

impl<'a> Check<'a> {
    fn pointee(&self, v: Option<Value>) -> Option<(Type, StorageClass)> {
        self.module.ctx.types.pointee(self.ty(v?))
    }

    fn image(&self, v: Option<Value>) -> Option<&'a ImageType> {
        match self.kind(self.ty(v?)) {
            TypeKind::Image(i) => Some(i),
            _ => None,
        }
    }

    /// The access qualifier of an image as kernels have them.
    fn kernel_image(&self, v: Option<Value>) -> Option<u32> {
        match self.kind(self.ty(v?)) {
            TypeKind::Opaque(o) if o.op == Op::TypeImage => o.words.get(ACCESS).copied(),
            _ => None,
        }
    }

    fn is_u32_const(&self, v: Value) -> bool {
        matches!(self.kind(self.ty(v)), TypeKind::Int { width: 32, .. }) && self.f.as_const(v).is_some()
    }

    fn variable(&mut self, d: &InstData) {
        let result = self.pointee(d.result());
        let class = d.literal(0) == Some(StorageClass::Function.0);
        let holds = class && result.is_some_and(|(_, s)| s == StorageClass::Function);
        self.e.require(holds, "a variable is not of a pointer type to storage class Function");
        let init = d.id(1);
        let same =
            init.is_none_or(|v| self.f.as_const(v).is_some() && result.is_some_and(|(t, _)| t == self.ty(v)));
        self.e.require(same, "a variable is initialised with another type, or with no constant");
    }

    fn load_store(&mut self, op: Op, d: &InstData) {
        let object = if op == Op::Load { d.result() } else { d.id(1) };
        let same = match (self.pointee(d.id(0)), object) {
            (Some((t, _)), Some(v)) => t == self.ty(v),
            _ => false,
        };
        self.e.require(same, "a load or store is not of the type that its pointer points to");
        if let (Op::Store, Some((_, storage))) = (op, self.pointee(d.id(0))) {
            let readonly = matches!(
                storage,
                StorageClass::Input
                    | StorageClass::Uniform
                    | StorageClass::PushConstant
                    | StorageClass::UniformConstant
            );
            self.e.require(!readonly, "a store to memory that is only read");
        }
    }

    fn access_chain(&mut self, d: &InstData) {
        let Some((mut t, storage)) = self.pointee(d.id(0)) else {
            self.e.push("an access chain starts at what is no pointer");
            return;
        };
        for v in d.ids().skip(1) {
            if !matches!(self.kind(self.ty(v)), TypeKind::Int { .. }) {
                self.e.push("an index of an access chain is no integer");
                return;
            }
            let next = match self.kind(t) {
                TypeKind::Struct(_) => {
                    let index = self.f.as_const(v).and_then(|c| self.module.ctx.consts.bits(c));
                    let Some(index) = index else {
                        self.e.push("an index into a struct is no constant");
                        return;
                    };
                    u32::try_from(index).ok().and_then(|i| self.module.ctx.types.element(t, i))
                }
                // What a type that is only passed through consists of, its extension knows.
                TypeKind::Custom(_) => return,
                _ => self.module.ctx.types.element(t, 0),
            };
            let Some(next) = next else {
                self.e.push("an access chain goes into what has no such part");
                return;
            };
            t = next;
        }
        let holds = self.pointee(d.result()) == Some((t, storage));
        self.e.require(holds, "an access chain is not of the type that it leads to");
    }

    fn call(&mut self, d: &InstData) {
        let Some(Operand::Func(callee)) = d.operands.first() else {
            self.e.push("a call names no function");
            return;
        };
        let callee = &self.module.functions[*callee];
        let args: Vec<Type> = d.ids().map(|v| self.ty(v)).collect();
        let params: Vec<Option<Type>> =
            callee.params.iter().map(|v| callee.values.get(*v).map(|d| d.ty)).collect();
        let same = args.len() == params.len() && args.iter().zip(&params).all(|(a, p)| Some(*a) == *p);
        self.e.require(same, "a call passes other types than its function takes");
        let result = d.result().map(|v| self.ty(v));
        self.e.require(result == Some(callee.result), "a call is not of the type that its function returns");
        let logical = !self.module.has_kernels();
        // Pointers to groupshared memory and buffers may be values (variable pointers), and those to resources until
        // `legalize_resources` has run.
        let fixed = |s: StorageClass| {
            matches!(s, StorageClass::Function | StorageClass::Private | StorageClass::Input)
        };
        let parts = d.ids().any(|v| {
            self.module.ctx.types.pointee(self.ty(v)).is_some_and(|p| fixed(p.1))
                && self.f.def_inst(v).is_some_and(|i| self.f.insts[i].op != Opcode::Op(Op::Variable))
        });
        self.e.require(!(logical && parts), "a call passes a pointer that is no variable");
    }

    fn array_length(&mut self, d: &InstData) {
        let member = match (self.pointee(d.id(0)), d.literal(1)) {
            (Some((t, _)), Some(i)) if matches!(self.kind(t), TypeKind::Struct(_)) => {
                self.module.ctx.types.element(t, i)
            }
            _ => None,
        };
        let holds = member.is_some_and(|t| matches!(self.kind(t), TypeKind::RuntimeArray { .. }));
        self.e.require(holds, "the length of what is no runtime array");
    }

    fn image_access(&mut self, op: Op, d: &InstData) {
        if let Some(access) = self.kernel_image(d.id(0)) {
            let needed =
                if op == Op::ImageWrite { AccessQualifier::WriteOnly } else { AccessQualifier::ReadOnly };
            let holds = access == needed.0 || access == AccessQualifier::ReadWrite.0;
            self.e.require(holds, "an image's access qualifier forbids the instruction");
            return;
        }
        let Some(image) = self.image(d.id(0)) else {
            self.e.push("an image instruction on what is no image");
            return;
        };
        let storage = image.sampled == 2;
        self.e.require(
            storage != (op == Op::ImageFetch),
            "an image is not of the kind that the instruction needs",
        );
        let texel = if op == Op::ImageWrite { d.id(2) } else { d.result() };
        let holds = texel.is_some_and(|v| {
            let t = self.ty(v);
            let four = op == Op::ImageWrite || self.module.ctx.types.len_of(t) == 4;
            four && self.module.ctx.types.scalar_of(t) == image.sampled_type
        });
        self.e.require(holds, "a texel is not of the image's type");
        let coords = d.id(1).is_some_and(|v| self.module.ctx.types.int_signed(self.ty(v)).is_some());
        self.e.require(coords, "coordinates of a texel are no integers");
    }

    fn atomic(&mut self, op: Op, d: &InstData) {
        let Some((t, _)) = self.pointee(d.id(0)) else {
            self.e.push("an atomic operation on what is no pointer");
            return;
        };
        if matches!(op, Op::AtomicFlagTestAndSet | Op::AtomicFlagClear) {
            return;
        }
        let scalar = matches!(self.kind(t), TypeKind::Int { .. } | TypeKind::Float { .. });
        self.e.require(scalar, "an atomic operation on what is no number");
        let result = d.result().is_none_or(|v| self.ty(v) == t);
        self.e.require(result, "the result of an atomic operation is not of its memory's type");
        let semantics =
            if matches!(op, Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak) { 3 } else { 2 };
        let ids: Vec<Value> = d.ids().collect();
        let constants = ids.iter().skip(1).take(semantics).all(|v| self.is_u32_const(*v));
        self.e.require(constants, "scope or semantics of an atomic operation is no 32-bit constant");
        let values = ids.iter().skip(1 + semantics).all(|v| self.ty(*v) == t);
        self.e.require(values, "an operand of an atomic operation is not of its memory's type");
    }
}
