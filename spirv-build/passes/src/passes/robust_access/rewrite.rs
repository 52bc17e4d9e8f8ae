//! Puts comparisons before indices, and choices or branches around what uses them.

use super::Device;
use super::plan::{Action, ChainPlan, Length, Plan, length_constant};
use crate::ir::{
    Block, Builder, ConstKind, Context, Function, GlslOp, Inst, InstData, Op, Opcode, Operand, StorageClass,
    Type, TypeKind, Value,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Components of the widest vector that a choice is made of. SPIR-V before 1.4 wants a condition for each.
const WIDEST_CHOICE: u8 = 4;

/// Does what is planned, in every block of a function.
pub(super) fn run(ctx: &mut Context, f: &mut Function, plan: &Plan, device: Device) {
    let Some(entry) = f.entry() else { return };
    let b = Builder::new(ctx, f, entry);
    let (compared, clamped, made) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
    let pointers = FxHashMap::default();
    Rewrite { b, plan, device, pointers, compared, clamped, made }.block(entry);
}

/// Something that was computed of an index: a key of [`Rewrite::compared`] or [`Rewrite::clamped`].
enum Made {
    Compared(Value, Length),
    Clamped(Value, u64),
}

struct Rewrite<'a> {
    b: Builder<'a>,
    plan: &'a Plan,
    device: Device,
    /// Pointers that are only good where a condition holds; the condition.
    pointers: FxHashMap<Value, Value>,
    /// Comparisons in this block and those around it.
    compared: FxHashMap<(Value, Length), Value>,
    /// Clamped indices, likewise.
    clamped: FxHashMap<(Value, u64), Value>,
    /// The order in which they came.
    made: Vec<Made>,
}

impl Rewrite<'_> {
    /// Verified functions nest blocks no deeper than [`crate::ir::walk::MAX_NESTING`].
    fn block(&mut self, block: Block) {
        let (outer, made) = (std::mem::replace(&mut self.b.block, block), self.made.len());
        for inst in std::mem::take(&mut self.b.func.blocks[block].insts) {
            // Selections that are made here have regions, too: they need nothing more.
            let regions = self.b.func.insts[inst].regions.clone();
            self.inst(inst, self.plan.get(&inst));
            for region in regions {
                self.block(self.b.func.block_of(region));
            }
        }
        for made in self.made.drain(made..) {
            match made {
                Made::Compared(v, length) => self.compared.remove(&(v, length)),
                Made::Clamped(v, most) => self.clamped.remove(&(v, most)),
            };
        }
        self.b.block = outer;
    }

    fn inst(&mut self, inst: Inst, action: Option<&Action>) {
        self.b.span = self.b.func.insts[inst].span;
        match action {
            Some(Action::Chain(chain)) => self.chain(inst, chain),
            Some(Action::Component(operand, length)) => return self.component(inst, *operand, *length),
            None => {}
        }
        let data = &self.b.func.insts[inst];
        let op = match data.op {
            Opcode::Op(op) => op,
            _ => return self.keep(inst),
        };
        let base = data.id(0).and_then(|p| self.pointers.get(&p)).copied();
        let condition = match (op, base) {
            // Copies from one place to another need both.
            (Op::CopyMemory, _) => {
                let source = data.id(1).and_then(|p| self.pointers.get(&p)).copied();
                self.both(base, source)
            }
            (_, condition) => condition,
        };
        let Some(condition) = condition else { return self.keep(inst) };
        match op {
            Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject => {
                let data = &self.b.func.insts[inst];
                if let Some(result) = data.result() {
                    let condition = self.both(self.pointers.get(&result).copied(), Some(condition));
                    self.pointers.extend(condition.map(|c| (result, c)));
                }
                self.keep(inst);
            }
            Op::Load => self.load(inst, condition),
            Op::Store => self.store(inst, condition),
            Op::CopyMemory => self.b.only_if(condition, inst),
            _ if op.is_atomic() => self.b.only_if(condition, inst),
            _ => self.keep(inst),
        }
    }

    fn keep(&mut self, inst: Inst) {
        self.b.func.blocks[self.b.block].insts.push(inst);
    }

    fn both(&mut self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        match (a, b) {
            (Some(a), Some(b)) if a != b => {
                let truth = self.b.ctx.types.bool();
                Some(self.b.op(Op::LogicalAnd, truth, &[a, b]))
            }
            (a, b) => a.or(b),
        }
    }

    fn number(&mut self, ty: Type, n: u64) -> Value {
        let c = self.b.ctx.constant(ty, ConstKind::Bits(n));
        self.b.constant(c)
    }

    fn width(&self, v: Value) -> u8 {
        match self.b.kind(v) {
            TypeKind::Int { width, .. } => *width,
            _ => 32,
        }
    }

    /// Whether an index is below a length.
    fn compare(&mut self, index: Value, length: Length) -> Value {
        let key = (index, length);
        if let Some(v) = self.compared.get(&key) {
            return *v;
        }
        let (ty, truth) = (self.b.ty(index), self.b.ctx.types.bool());
        // A number that the index's type does not hold is above all that it does.
        let too_wide = |n: u32| self.width(index) < 32 && u64::from(n) >> self.width(index) != 0;
        let v = match length {
            Length::Known(n) if too_wide(n) => self.b.bool(true),
            _ => {
                let limit = length_constant(self.b.ctx, length, ty);
                let mut limit = self.b.constant(limit);
                let mut index = index;
                let (narrow, wide) = (self.width(index), self.width(limit));
                if matches!(length, Length::Spec(_)) && narrow != wide {
                    // The narrower of the two is widened.
                    let ty = self.b.ctx.types.int(narrow.max(wide), false);
                    let narrower = if narrow > wide { &mut limit } else { &mut index };
                    *narrower = self.b.op(Op::UConvert, ty, &[*narrower]);
                }
                self.b.op(Op::ULessThan, truth, &[index, limit])
            }
        };
        self.compared.insert(key, v);
        self.made.push(Made::Compared(key.0, length));
        v
    }

    /// The lesser of an index and a number.
    fn clamp(&mut self, index: Value, most: u64) -> Value {
        let ty = self.b.ty(index);
        if let Some(c) = self.b.func.as_const(index).and_then(|c| self.b.ctx.consts.bits(c)) {
            return self.number(ty, c.min(most));
        }
        if let Some(v) = self.clamped.get(&(index, most)) {
            return *v;
        }
        let width = self.width(index);
        let limit = if width < 64 { most.min((1 << width) - 1) } else { most };
        let limit = self.number(ty, limit);
        let v = match width {
            32 => self.b.op(Opcode::glsl(GlslOp::UMin), ty, &[index, limit]),
            // The extended instructions of some devices have 32 bits only.
            _ => {
                let truth = self.b.ctx.types.bool();
                let less = self.b.op(Op::ULessThan, truth, &[index, limit]);
                self.b.op(Op::Select, ty, &[less, index, limit])
            }
        };
        self.clamped.insert((index, most), v);
        self.made.push(Made::Clamped(index, most));
        v
    }

    /// Puts good indices into a chain.
    fn chain(&mut self, inst: Inst, plan: &ChainPlan) {
        let mut condition = None;
        for index in &plan.compared {
            let Some(v) = self.b.func.insts[inst].id(index.operand) else { continue };
            let inside = match index.never {
                true => self.b.bool(false),
                false => self.compare(v, index.length),
            };
            condition = self.both(condition, Some(inside));
            let last = match index.length {
                Length::Known(n) => Some(u64::from(n) - 1),
                Length::Spec(_) => None,
            };
            let good = match (last, plan.clamps, index.never) {
                (_, _, true) => Some(self.number(self.b.ty(v), 0)),
                (Some(last), true, _) => Some(self.clamp(v, last)),
                // The last element of an array whose length is not known yet: the first is there as well.
                (None, true, _) => {
                    let (ty, zero) = (self.b.ty(v), self.number(self.b.ty(v), 0));
                    Some(self.b.op(Op::Select, ty, &[inside, v, zero]))
                }
                _ => None,
            };
            if let Some(good) = good {
                self.b.func.insts[inst].operands[index.operand] = Operand::Id(good);
            }
        }
        for (operand, count) in &plan.resources {
            if let Some(v) = self.b.func.insts[inst].id(*operand) {
                let good = self.clamp(v, u64::from(count.saturating_sub(1)));
                self.b.func.insts[inst].operands[*operand] = Operand::Id(good);
            }
        }
        if let Some((operand, beyond, wraps)) = plan.element {
            // What is not to be reached is beyond every buffer: the device gives 0 for that and drops writes.
            let Some(mut v) = self.b.func.insts[inst].id(operand) else { return };
            if wraps {
                v = self.clamp(v, beyond);
            }
            if let Some(condition) = condition {
                let ty = self.b.ty(v);
                let beyond = self.number(ty, beyond);
                v = self.b.op(Op::Select, ty, &[condition, v, beyond]);
            }
            self.b.func.insts[inst].operands[operand] = Operand::Id(v);
        } else if let (Some(condition), Some(result)) = (condition, self.b.func.insts[inst].result()) {
            self.pointers.insert(result, condition);
        }
    }

    /// The condition as a choice between values of a type needs it. None: such values cannot be chosen between.
    fn for_choice(&mut self, condition: Value, ty: Type) -> Option<Value> {
        match *self.b.ctx.types.kind(ty) {
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. } => Some(condition),
            TypeKind::Vector { len, .. } if len <= WIDEST_CHOICE => {
                let truth = self.b.ctx.types.bool();
                let ty = self.b.ctx.types.intern(TypeKind::Vector { elem: truth, len });
                Some(self.b.op(Op::CompositeConstruct, ty, &vec![condition; usize::from(len)]))
            }
            _ => None,
        }
    }

    /// Makes an instruction choose between its result and another value. The instruction becomes the choice, so that its
    /// result stays what it was; what it did goes before it.
    fn choose(&mut self, inst: Inst, condition: Value, otherwise: Value) {
        let data = self.b.func.insts[inst].clone();
        let ty = data.result().map(|r| self.b.ty(r));
        let (Some(ty), Some(condition)) = (ty, ty.and_then(|ty| self.for_choice(condition, ty))) else {
            return self.b.only_if(condition, inst);
        };
        let results = data.results.clone();
        let done = self.b.append(InstData { results: SmallVec::new(), ..data }, &[ty]);
        let value = self.b.func.insts[done].results[0];
        let operands = [condition, value, otherwise].map(Operand::Id);
        let mut choice = InstData::new(Op::Select, operands, self.b.span);
        choice.results = results;
        self.b.func.insts[inst] = choice;
        self.keep(inst);
    }

    fn load(&mut self, inst: Inst, condition: Value) {
        let Some(result) = self.b.func.insts[inst].result() else { return self.keep(inst) };
        let zero = self.b.null(self.b.ty(result));
        self.choose(inst, condition, zero);
    }

    fn store(&mut self, inst: Inst, condition: Value) {
        let data = &self.b.func.insts[inst];
        let (Some(pointer), Some(value)) = (data.id(0), data.id(1)) else { return self.keep(inst) };
        let storage = self.b.ctx.types.pointee(self.b.ty(pointer)).map(|p| p.1);
        let private = matches!(storage, Some(StorageClass::Function | StorageClass::Private));
        let volatile = data.operands.len() > 2;
        let ty = self.b.ty(value);
        if private && !volatile && !self.device.checks_own_memory {
            // Nobody else sees the memory, and the index is clamped: what was there is written back.
            if let Some(condition) = self.for_choice(condition, ty) {
                let old = self.b.load(pointer);
                let new = self.b.op(Op::Select, ty, &[condition, value, old]);
                self.b.func.insts[inst].operands[1] = Operand::Id(new);
                return self.keep(inst);
            }
        }
        self.b.only_if(condition, inst);
    }

    /// The index of a component of a vector value.
    fn component(&mut self, inst: Inst, operand: usize, length: u32) {
        let data = &self.b.func.insts[inst];
        let (Some(index), Some(result)) = (data.id(operand), data.result()) else { return self.keep(inst) };
        let otherwise = match data.op {
            Opcode::Op(Op::VectorInsertDynamic) => data.id(0),
            _ => None,
        };
        let inside = self.compare(index, Length::Known(length));
        if !self.device.checks_own_memory {
            let good = self.clamp(index, u64::from(length) - 1);
            self.b.func.insts[inst].operands[operand] = Operand::Id(good);
        }
        let otherwise = match otherwise {
            Some(v) => v,
            None => self.b.null(self.b.ty(result)),
        };
        self.choose(inst, inside, otherwise);
    }
}
