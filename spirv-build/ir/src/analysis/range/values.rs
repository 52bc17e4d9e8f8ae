//! Bounds on what single instructions compute, by the bounds on their operands.

use super::super::interval::Interval;
use super::{Ranges, join};
use crate::ir::{BuiltIn, ExtSet, GlslOp, InstData, Op, Opcode, TypeKind, Value, ValueDef};
use smallvec::SmallVec;

/// Lanes of the largest subgroup that Vulkan allows.
const MAX_SUBGROUP: u64 = 128;

impl Ranges<'_> {
    /// Bounds on the result of an instruction, whose integers have `width` bits.
    pub(super) fn result(&mut self, data: &InstData, width: u8) -> Interval {
        let full = Interval::full(width);
        let of = |s: &Self, i: usize| data.id(i).and_then(|v| s.of(v)).unwrap_or(full);
        let upto = |n: u64| Interval::from_unsigned(width, 0, n);
        let same = |i: Interval| if i.width == width { i } else { full };
        let op = match data.op {
            Opcode::Op(op) => op,
            Opcode::Ext(ExtSet::Glsl, number) => return self.glsl(data, number, width),
            _ => return full,
        };
        let two = |f: fn(&Interval, &Interval) -> Interval| {
            let (a, b) = (of(self, 0), of(self, 1));
            if a.width == width && b.width == width { f(&a, &b) } else { full }
        };
        match op {
            Op::IAdd => two(Interval::add),
            Op::ISub => two(Interval::sub),
            Op::IMul => two(Interval::mul),
            Op::UDiv => two(Interval::udiv),
            Op::UMod => two(Interval::umod),
            Op::SDiv => two(Interval::sdiv),
            Op::SRem => two(Interval::srem),
            Op::BitwiseAnd => two(Interval::and),
            Op::BitwiseOr => two(Interval::or),
            Op::BitwiseXor => two(Interval::xor),
            Op::ShiftLeftLogical => self.shift(data, width, Interval::shl),
            Op::ShiftRightLogical => self.shift(data, width, Interval::shr),
            Op::ShiftRightArithmetic => self.shift(data, width, Interval::sar),
            Op::SNegate => Interval::exact(width, 0).sub(&of(self, 0)),
            Op::UConvert => of(self, 0).zero_extended(width),
            Op::SConvert => of(self, 0).sign_extended(width),
            Op::Bitcast | Op::CopyObject | Op::CopyLogical => same(of(self, 0)),
            Op::BitCount => upto(u64::from(width)),
            Op::BitFieldUExtract => match of(self, 2).unsigned.1 {
                bits if bits < u64::from(width) => upto((1 << bits) - 1),
                _ => full,
            },
            Op::GroupNonUniformBallotBitCount => upto(MAX_SUBGROUP),
            Op::Select => self.choice(data, width),
            Op::CompositeExtract => same(self.component(data).unwrap_or(full)),
            Op::VectorExtractDynamic => same(of(self, 0)),
            Op::CompositeConstruct | Op::VectorShuffle | Op::VectorInsertDynamic | Op::CompositeInsert => {
                let parts: SmallVec<[Option<Interval>; 4]> = match op {
                    Op::VectorInsertDynamic | Op::CompositeInsert | Op::VectorShuffle => {
                        data.ids().take(2).map(|v| self.of(v)).collect()
                    }
                    _ => data.ids().map(|v| self.of(v)).collect(),
                };
                let joined = parts.iter().try_fold(None, |a, b| (*b).map(|b| join(a, Some(b))));
                same(joined.flatten().unwrap_or(full))
            }
            Op::Load => data.id(0).and_then(|p| self.system_value(p)).map_or(full, upto),
            Op::ArrayLength => upto(self.array_length(data).unwrap_or(full.unsigned.1)),
            _ => full,
        }
    }

    /// A shift, whose amount may have another width than what is shifted.
    fn shift(&self, data: &InstData, width: u8, f: fn(&Interval, &Interval) -> Interval) -> Interval {
        let of = |i: usize| data.id(i).and_then(|v| self.of(v));
        match (of(0), of(1)) {
            (Some(a), Some(by)) if a.width == width => f(&a, &by),
            _ => Interval::full(width),
        }
    }

    fn choice(&mut self, data: &InstData, width: u8) -> Interval {
        let (Some(condition), Some(a), Some(b)) = (data.id(0), data.id(1), data.id(2)) else {
            return Interval::full(width);
        };
        let mut side = |truth: bool, v: Value| {
            let mark = self.undo.len();
            self.assume(condition, truth, 0);
            let i = self.of(v);
            self.roll_back(mark);
            i
        };
        let (a, b) = (side(true, a), side(false, b));
        join(a, b).filter(|_| a.is_some() && b.is_some()).unwrap_or(Interval::full(width))
    }

    /// What an extraction takes out.
    fn component(&self, data: &InstData) -> Option<Interval> {
        let from = data.id(0)?;
        let def = self.f.def_inst(from).map(|i| &self.f.insts[i]);
        if let (Some(def), Some(n), 2) = (def, data.literal(1), data.operands.len()) {
            let whole = self.inputs.ctx.types.len_of(self.f.values[from].ty);
            if def.op == Opcode::Op(Op::CompositeConstruct) && def.operands.len() == usize::from(whole) {
                return self.of(def.id(n as usize)?);
            }
            if def.op == Opcode::Op(Op::Load) && self.known[from].is_some() {
                let component = self.system_component(def.id(0)?, n);
                if let Some(most) = component {
                    return Some(Interval::from_unsigned(32, 0, most));
                }
            }
        }
        self.of(from)
    }

    /// The greatest number that a system value, or a component of one, can be.
    fn system_value(&self, pointer: Value) -> Option<u64> {
        match self.f.values[pointer].def {
            ValueDef::Global(g) => {
                let data = &self.inputs.globals[g];
                let components = u32::from(self.inputs.ctx.types.len_of(data.ty).max(1));
                (0..components)
                    .map(|n| self.greatest(data.builtin()?, n))
                    .try_fold(0, |a, b| b.map(|b| b.max(a)))
            }
            ValueDef::Result(inst, _) => {
                let data = &self.f.insts[inst];
                let chain = matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain));
                if !chain || data.operands.len() != 2 {
                    return None;
                }
                let base = data.id(0)?;
                let index = self.f.as_const(data.id(1)?).and_then(|c| self.inputs.ctx.consts.bits(c));
                match index {
                    Some(n) => self.system_component(base, n as u32),
                    None => self.system_value(base),
                }
            }
            _ => None,
        }
    }

    fn system_component(&self, pointer: Value, n: u32) -> Option<u64> {
        let ValueDef::Global(g) = self.f.values[pointer].def else { return None };
        self.greatest(self.inputs.globals[g].builtin()?, n)
    }

    fn greatest(&self, builtin: BuiltIn, component: u32) -> Option<u64> {
        let at = component as usize;
        let size = self.inputs.groups;
        let items = size.map(|s| s.most.iter().map(|n| u64::from(*n)).product::<u64>());
        let groups =
            size.and_then(|s| u64::from(self.inputs.launch_size?).checked_div(u64::from(*s.least.get(at)?)));
        match builtin {
            BuiltIn::LocalInvocationId => size.and_then(|s| u64::from(*s.most.get(at)?).checked_sub(1)),
            BuiltIn::LocalInvocationIndex => items.and_then(|n| n.checked_sub(1)),
            BuiltIn::SubgroupId => items.and_then(|n| n.checked_sub(1)),
            BuiltIn::NumSubgroups => items,
            BuiltIn::WorkgroupSize => size.and_then(|s| s.most.get(at).map(|n| u64::from(*n))),
            BuiltIn::GlobalInvocationId => self.inputs.launch_size.map(|n| u64::from(n).saturating_sub(1)),
            BuiltIn::NumWorkgroups => groups,
            BuiltIn::WorkgroupId => groups.map(|n| n.saturating_sub(1)),
            BuiltIn::SubgroupLocalInvocationId => Some(MAX_SUBGROUP - 1),
            BuiltIn::SubgroupSize => Some(MAX_SUBGROUP),
            _ => None,
        }
    }

    /// The most elements that a runtime array can have, since lengths have 32 bits.
    fn array_length(&self, data: &InstData) -> Option<u64> {
        let types = &self.inputs.ctx.types;
        let (block, _) = types.pointee(self.f.values[data.id(0)?].ty)?;
        let TypeKind::Struct(s) = types.kind(block) else { return None };
        match types.kind(s.members.get(data.literal(1)? as usize)?.ty) {
            TypeKind::RuntimeArray { stride: Some(stride), .. } => {
                u64::from(u32::MAX).checked_div(u64::from(*stride))
            }
            _ => None,
        }
    }

    fn glsl(&self, data: &InstData, number: u32, width: u8) -> Interval {
        let full = Interval::full(width);
        let of = |i: usize| data.id(i).and_then(|v| self.of(v)).filter(|i| i.width == width).unwrap_or(full);
        let last = i64::from(width) - 1;
        match GlslOp::from_u32(number) {
            Some(GlslOp::UMin) => of(0).umin(&of(1)),
            Some(GlslOp::UMax) => of(0).umax(&of(1)),
            Some(GlslOp::SMin) => of(0).smin(&of(1)),
            Some(GlslOp::SMax) => of(0).smax(&of(1)),
            Some(GlslOp::UClamp) => of(0).umax(&of(1)).umin(&of(2)),
            Some(GlslOp::SClamp) => of(0).smax(&of(1)).smin(&of(2)),
            Some(GlslOp::SAbs) if of(0).signed.0 >= 0 => of(0),
            Some(GlslOp::FindILsb | GlslOp::FindSMsb | GlslOp::FindUMsb) => {
                Interval::from_signed(width, -1, last)
            }
            _ => full,
        }
    }
}
