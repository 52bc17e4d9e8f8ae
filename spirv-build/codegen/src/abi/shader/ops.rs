//! Instructions that compute.

use super::body::Body;
use crate::ir::{InstData, Op, Opcode, Operand, Type, TypeKind, Value};
use spirv_spec::Decoration;

/// Instructions that only kernels have.
fn is_kernels(op: Op) -> bool {
    op.row().is_some_and(|r| {
        let list: Vec<_> = r.capabilities().collect();
        let own = |c: &spirv_spec::Capability| {
            matches!(
                *c,
                spirv_spec::Capability::Kernel
                    | spirv_spec::Capability::Addresses
                    | spirv_spec::Capability::Groups
            )
        };
        !list.is_empty() && list.iter().all(own)
    })
}

impl<'a> Body<'_, 'a> {
    /// An instruction of the core.
    pub fn op(&mut self, op: Op, d: &'a InstData) {
        if self.on_address(op, d) {
            return;
        }
        if let (Op::FunctionCall, Some(Operand::Func(callee))) = (op, d.operands.first()) {
            let name = self.l.old.functions[*callee].name.clone();
            return self.refuse(format!("a call of `{name}`, which the module does not define"));
        }
        let Some(r) = d.result() else {
            return match op {
                Op::GroupWaitEvents => self.wait(),
                Op::ControlBarrier | Op::MemoryBarrier => self.barrier(op, d),
                Op::Return | Op::Unreachable => self.plain(d),
                _ if is_kernels(op) => self.refuse(crate::ir::words::operation(op)),
                _ => self.plain(d),
            };
        };
        if d.ids().chain([r]).any(|v| self.is_long(self.ty(v))) {
            return self.long(op, d, r);
        }
        match op {
            Op::Variable | Op::Load | Op::Store => {
                self.refuse(format!("{} on no address", crate::ir::words::operation(op)))
            }
            Op::UConvert | Op::SConvert if self.is_word_conversion(d, r) => {}
            Op::CompositeExtract => self.component(d, r),
            _ => {
                let ids: Vec<Value> = d.ids().map(|v| self.value(v)).collect();
                let types: Vec<Type> = d.ids().map(|v| self.ty(v)).collect();
                let ty = self.map(self.ty(r));
                match self.compute(op, d, ty, &ids, &types) {
                    Some(v) => {
                        self.values.insert(r, v);
                    }
                    None if is_kernels(op) => self.refuse(crate::ir::words::operation(op)),
                    None => {
                        let mut new = d.clone();
                        new.decorations.clear();
                        self.plain(&new);
                    }
                }
            }
        }
    }

    /// A barrier: of work-groups and subgroups at most, and none of a single work-item.
    fn barrier(&mut self, op: Op, d: &InstData) {
        const WORKGROUP: u64 = 2;
        const SUBGROUP: u64 = 3;
        const INVOCATION: u64 = 4;
        let scope = d.id(0).and_then(|v| self.old.as_const(v)).and_then(|c| self.l.old.ctx.consts.bits(c));
        match (op, scope) {
            (Op::ControlBarrier, Some(WORKGROUP | SUBGROUP)) => self.plain(d),
            (Op::ControlBarrier, Some(_)) => self.refuse("a barrier for more than a work-group"),
            (_, Some(INVOCATION)) => {}
            _ => self.plain(d),
        }
    }

    /// Conversions between 32 and 64 bits that undo each other.
    fn is_word_conversion(&mut self, d: &InstData, r: Value) -> bool {
        let Some(v) = d.id(0).filter(|_| d.decorations.is_empty()) else { return false };
        let new = self.value(v);
        match self.widened(new) {
            Some(source) if self.f.values[source].ty == self.ty(r) => {
                self.values.insert(r, source);
                true
            }
            _ => false,
        }
    }

    /// A component of what was just put together is the component: this keeps indices narrow.
    fn component(&mut self, d: &'a InstData, r: Value) {
        let Some(v) = d.id(0) else { return };
        let new = self.value(v);
        let ty = self.map(self.ty(r));
        let made = self.f.def_inst(new).map(|i| &self.f.insts[i]);
        let part = made.filter(|i| i.op == Opcode::Op(Op::CompositeConstruct) && d.operands.len() == 2);
        match part.and_then(|i| i.id(d.literal(1)? as usize)) {
            Some(part) if self.f.values[part].ty == ty => {
                self.values.insert(r, part);
            }
            _ => self.plain(d),
        }
    }

    /// What an instruction computes, if it is not the same in shaders. Types are those of the old operands.
    pub fn compute(
        &mut self,
        op: Op,
        d: &InstData,
        ty: Type,
        ids: &[Value],
        types: &[Type],
    ) -> Option<Value> {
        let decorated = d
            .decorations
            .iter()
            .any(|d| matches!(d.kind, Decoration::SaturatedConversion | Decoration::FPRoundingMode));
        match (op, ids) {
            (
                Op::IEqual
                | Op::INotEqual
                | Op::ULessThan
                | Op::ULessThanEqual
                | Op::UGreaterThan
                | Op::UGreaterThanEqual
                | Op::BitwiseAnd,
                [a, b],
            ) => {
                // Sizes have 64 bits in kernels; what was 32 bits wide before is compared and masked as such.
                let (a, b) = (self.zero_extended(*a)?, self.zero_extended(*b)?);
                let word = self.l.new.ctx.types.u32();
                Some(if op == Op::BitwiseAnd {
                    let v = self.b().op(op, word, &[a, b]);
                    self.b().op(Op::UConvert, ty, &[v])
                } else {
                    self.b().op(op, ty, &[a, b])
                })
            }
            (Op::Ordered | Op::Unordered, [a, b]) => {
                let (a, b) = (self.b().op(Op::IsNan, ty, &[*a]), self.b().op(Op::IsNan, ty, &[*b]));
                let v = self.b().op(Op::LogicalOr, ty, &[a, b]);
                Some(if op == Op::Ordered { self.b().op(Op::LogicalNot, ty, &[v]) } else { v })
            }
            (Op::LessOrGreater, [a, b]) => Some(self.b().op(Op::FOrdNotEqual, ty, &[*a, *b])),
            (Op::IsFinite | Op::IsNormal | Op::SignBitSet, [x]) => {
                let float = *types.first()?;
                let width = u64::from(self.l.new.ctx.types.width_of(float)?);
                let mantissa: u64 = match width {
                    16 => 10,
                    32 => 23,
                    _ => 52,
                };
                let int = self.l.new.ctx.types.int(width as u8, false);
                let len = self.l.new.ctx.types.len_of(float);
                let ints = self.l.new.ctx.types.vector(int, len);
                let bits = self.b().op(Op::Bitcast, ints, &[*x]);
                let zero = self.number(ints, 0);
                if op == Op::SignBitSet {
                    return Some(self.b().op(Op::SLessThan, ty, &[bits, zero]));
                }
                // By the exponent: all ones are infinities and NaNs, zeros denormals and zeros.
                let ones = ((1u64 << (width - 1 - mantissa)) - 1) << mantissa;
                let all = self.number(ints, ones);
                let exponent = self.b().op(Op::BitwiseAnd, ints, &[bits, all]);
                let finite = self.b().op(Op::INotEqual, ty, &[exponent, all]);
                if op == Op::IsFinite {
                    return Some(finite);
                }
                let large = self.b().op(Op::INotEqual, ty, &[exponent, zero]);
                Some(self.b().op(Op::LogicalAnd, ty, &[finite, large]))
            }
            (Op::BitCount, [x]) => Some(self.bit_count(ty, *x)),
            (Op::BitReverse, [x]) => self.bit_reverse(ty, *x),
            (Op::SatConvertSToU | Op::SatConvertUToS, [x]) => {
                Some(self.saturate_int(*x, ty, op == Op::SatConvertSToU))
            }
            (
                Op::ConvertFToS
                | Op::ConvertFToU
                | Op::ConvertSToF
                | Op::ConvertUToF
                | Op::FConvert
                | Op::UConvert
                | Op::SConvert,
                [x],
            ) if decorated => self.decorated_conversion(op, d, *x, ty),
            (Op::GroupAll | Op::GroupAny | Op::GroupBroadcast, _) => None,
            // Nothing that shaders do not do by themselves.
            (Op::CopyObject | Op::CopyLogical, [x]) => Some(*x),
            _ => None,
        }
    }

    /// Waits for copies by the whole work-group.
    fn wait(&mut self) {
        // Work-group, work-group, acquire and release of memory of the work-group and of buffers.
        let all = [2, 2, 0x8 | 0x40 | 0x100].map(|n| Operand::Id(self.b().u32(n)));
        self.b().push(Op::ControlBarrier, &all);
    }

    // Vectors of more than four components are arrays.

    pub fn is_long(&self, ty: Type) -> bool {
        self.l.old.ctx.types.len_of(ty) > 4
    }

    /// The component of a lowered value of an old type; scalars are their own.
    pub fn component_of(&mut self, v: Value, old: Type, i: u32) -> Value {
        if self.l.old.ctx.types.len_of(old) == 1 {
            return v;
        }
        let elem = self.l.old.ctx.types.scalar_of(old);
        self.b().extract(v, elem, &[i])
    }

    /// Applies something to each component of long vectors.
    pub fn each(
        &mut self,
        ty: Type,
        ids: &[Value],
        types: &[Type],
        mut apply: impl FnMut(&mut Self, Type, &[Value], &[Type]) -> Option<Value>,
    ) -> Option<Value> {
        let elem = self.l.old.ctx.types.scalar_of(ty);
        let scalars: Vec<Type> = types.iter().map(|t| self.l.old.ctx.types.scalar_of(*t)).collect();
        let mut parts = Vec::new();
        for i in 0..u32::from(self.l.old.ctx.types.len_of(ty)) {
            let args: Vec<Value> = ids.iter().zip(types).map(|(v, t)| self.component_of(*v, *t, i)).collect();
            parts.push(apply(self, elem, &args, &scalars)?);
        }
        let new = self.map(ty);
        Some(self.b().op(Op::CompositeConstruct, new, &parts))
    }

    fn long(&mut self, op: Op, d: &'a InstData, r: Value) {
        let ty = self.ty(r);
        let ids: Vec<Value> = d.ids().map(|v| self.value(v)).collect();
        let types: Vec<Type> = d.ids().map(|v| self.ty(v)).collect();
        let new = self.map(ty);
        let len = |b: &Self, t: Type| u32::from(b.l.old.ctx.types.len_of(t));
        let v = match (op, &ids[..]) {
            (Op::CompositeConstruct, _) => {
                let mut parts = Vec::new();
                for (v, t) in ids.iter().zip(&types) {
                    for i in 0..len(self, *t) {
                        parts.push(self.component_of(*v, *t, i));
                    }
                }
                Some(self.b().op(op, new, &parts))
            }
            (Op::CompositeExtract, _) => return self.component(d, r),
            (Op::CompositeInsert, _) => return self.plain(d),
            (Op::VectorShuffle, [a, b]) => {
                let elem = self.l.old.ctx.types.scalar_of(ty);
                let mut parts = Vec::new();
                for n in (2..d.operands.len()).filter_map(|i| d.literal(i)) {
                    let first = len(self, types[0]);
                    parts.push(match n {
                        u32::MAX => self.b().undef(elem),
                        n if n < first => self.component_of(*a, types[0], n),
                        n => self.component_of(*b, types[1], n - first),
                    });
                }
                Some(self.b().op(Op::CompositeConstruct, new, &parts))
            }
            (Op::VectorExtractDynamic, [v, i]) => {
                let p = self.held(*v, types[0], *i, new);
                Some(self.b().load(p.1))
            }
            (Op::VectorInsertDynamic, [v, x, i]) => {
                let elem = self.l.old.ctx.types.scalar_of(ty);
                let p = self.held(*v, types[0], *i, elem);
                self.b().store(p.1, *x);
                Some(self.b().load(p.0))
            }
            (Op::Bitcast, [v]) => self.recast(*v, types[0], ty),
            (Op::Any | Op::All, [v]) => {
                let join = if op == Op::Any { Op::LogicalOr } else { Op::LogicalAnd };
                let mut all = self.component_of(*v, types[0], 0);
                for i in 1..len(self, types[0]) {
                    let part = self.component_of(*v, types[0], i);
                    all = self.b().op(join, ty, &[all, part]);
                }
                Some(all)
            }
            _ if self.is_long(ty) => self.each(ty, &ids, &types, |s, elem, args, scalars| {
                if let Some(v) = s.compute(op, d, elem, args, scalars) {
                    return Some(v);
                }
                if is_kernels(op) || args.len() != d.operands.len() {
                    return None;
                }
                Some(s.b().op(op, elem, args))
            }),
            _ => None,
        };
        match v {
            Some(v) => {
                self.values.insert(r, v);
            }
            None => self.refuse(format!("{} on vectors of this size", crate::ir::words::operation(op))),
        }
    }

    /// A long vector in a variable, and the pointer to one component.
    fn held(&mut self, v: Value, old: Type, index: Value, elem: Type) -> (Value, Value) {
        let ty = self.map(old);
        let var = self.b().variable(ty, None);
        self.b().store(var, v);
        let index = self.narrow(index, 0);
        let p = self.b().access_chain(var, elem, &[index]);
        (var, p)
    }

    /// The bits of a vector as another type, by components.
    pub fn recast(&mut self, v: Value, from: Type, to: Type) -> Option<Value> {
        let types = &self.l.old.ctx.types;
        let (n, m) = (u32::from(types.len_of(from)), u32::from(types.len_of(to)));
        let (a, b) = (u32::from(types.width_of(from)?), u32::from(types.width_of(to)?));
        let (elem, target) = (types.scalar_of(from), types.scalar_of(to));
        let _ = elem;
        let (narrow, wide) = (self.int(u64::from(a.min(b))), self.int(u64::from(a.max(b))));
        let ratio = a.max(b) / a.min(b);
        let mut parts = Vec::new();
        for i in 0..n {
            let x = self.component_of(v, from, i);
            if a == b {
                parts.push(self.cast(x, target));
            } else if a > b {
                // Each is several of the result's.
                let x = self.cast(x, wide);
                for k in 0..ratio {
                    let by = self.number(wide, u64::from(k * b));
                    let y = self.b().op(Op::ShiftRightLogical, wide, &[x, by]);
                    let y = self.b().op(Op::UConvert, narrow, &[y]);
                    parts.push(self.cast(y, target));
                }
            } else {
                parts.push(self.cast(x, narrow));
            }
        }
        if a < b {
            let mut joined = Vec::new();
            for group in parts.chunks(ratio as usize) {
                let mut all = self.number(wide, 0);
                for (k, x) in (0..).zip(group) {
                    let x = self.b().op(Op::UConvert, wide, &[*x]);
                    let by = self.number(wide, k * u64::from(a));
                    let x = self.b().op(Op::ShiftLeftLogical, wide, &[x, by]);
                    all = self.b().op(Op::BitwiseOr, wide, &[all, x]);
                }
                joined.push(self.cast(all, target));
            }
            parts = joined;
        }
        if parts.len() != m as usize {
            return None;
        }
        let new = self.map(to);
        Some(if m == 1 { parts[0] } else { self.b().op(Op::CompositeConstruct, new, &parts) })
    }

    /// Bits of a float or vector of them.
    pub fn float_width(&self, ty: Type) -> Option<u8> {
        let types = &self.l.new.ctx.types;
        types.width_of(ty).filter(|_| matches!(types.kind(types.scalar_of(ty)), TypeKind::Float { .. }))
    }
}
