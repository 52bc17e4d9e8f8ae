//! Instructions that compute or read something.

use super::walk::Round;
use super::{Cause, Input, Shape, WIDEST_VECTOR};
use crate::analysis::address::{self, Root};
use crate::analysis::leaves;
use crate::ir::{BufferAccess, BuiltIn, Inst, Op, Opcode, StorageClass, Value, ValueDef};
use smallvec::SmallVec;
use spirv_spec::{GroupOperation, Traits};

impl Round<'_, '_> {
    pub(super) fn plain(&mut self, inst: Inst) {
        let Input { ctx, f, .. } = self.input;
        let data = &f.insts[inst];
        let Some(result) = data.result() else { return };
        let n = self.leaves(result);
        if let Some(moves) = leaves::moves(ctx, f, inst) {
            let ids: Vec<Value> = data.ids().collect();
            for (leaf, (operand, from)) in moves.into_iter().enumerate() {
                let Some(&v) = ids.get(operand) else { continue };
                self.raise(result, leaf, self.a.shape(v, from as usize));
                self.raise_cause(result, leaf, self.a.cause(v, from as usize));
            }
            return;
        }
        match data.op {
            Opcode::Op(Op::Load) => {
                let Some(pointer) = data.id(0) else { return };
                for leaf in 0..n {
                    let (shape, cause) = self.loaded(pointer, leaf);
                    self.raise(result, leaf, shape);
                    self.raise_cause(result, leaf, cause);
                }
            }
            Opcode::Op(Op::IAdd | Op::ISub) => {
                let (Some(a), Some(b)) = (data.id(0), data.id(1)) else { return };
                self.causes_of(inst, result, n);
                for leaf in 0..n {
                    let shape = match (self.a.shape(a, leaf), self.a.shape(b, leaf)) {
                        // Only those of 32 bits count on where others would be cut off.
                        _ if ctx.types.width_of(f.values[result].ty) != Some(32) => {
                            self.a.shape(a, leaf).scattered().join(self.a.shape(b, leaf).scattered())
                        }
                        (Shape::Contiguous, y) if y.is_uniform() => Shape::Contiguous,
                        (x, Shape::Contiguous) if x.is_uniform() && data.op == Opcode::Op(Op::IAdd) => {
                            Shape::Contiguous
                        }
                        (x, y) => x.scattered().join(y.scattered()),
                    };
                    self.raise(result, leaf, shape);
                }
            }
            Opcode::Op(Op::Bitcast) => {
                let Some(a) = data.id(0) else { return };
                self.causes_of(inst, result, n);
                let ints = ctx.types.int_signed(f.values[a].ty).is_some()
                    && ctx.types.int_signed(f.values[result].ty).is_some();
                if ctx.types.width_of(f.values[a].ty) != ctx.types.width_of(f.values[result].ty) {
                    return self.pure(inst, result, n);
                }
                for leaf in 0..n {
                    let shape = self.a.shape(a, leaf);
                    let shape = if ints { shape } else { shape.scattered() };
                    self.raise(result, leaf, shape);
                }
            }
            // Of an image from an array it is asked for lane by lane.
            Opcode::Op(Op::ImageQuerySize | Op::ImageQuerySizeLod) if self.is_of_array(data.id(0)) => {
                (0..n).for_each(|leaf| self.raise(result, leaf, Shape::Varying));
            }
            Opcode::Op(Op::ArrayLength | Op::ImageQuerySize | Op::ImageQueryLevels) => {}
            // The first level has the size of the image; that of others is asked for lane by lane.
            Opcode::Op(Op::ImageQuerySizeLod) => {
                let first = data.id(1).and_then(|v| f.as_const(v)).and_then(|c| ctx.consts.bits(c));
                let shape = if first == Some(0) { Shape::Launch } else { Shape::Varying };
                (0..n).for_each(|leaf| self.raise(result, leaf, shape));
            }
            Opcode::Op(op) if op.traits().has(Traits::FOLDABLE) => self.pure(inst, result, n),
            Opcode::Ext(..) => self.pure(inst, result, n),
            // Addresses are looked at where something is read.
            Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain | Op::Variable) => {
                (0..n).for_each(|leaf| self.raise(result, leaf, Shape::Varying));
            }
            // What all lanes of a wave agree on; whatever reads memory that others write, or is not known.
            op => {
                let shape = if is_agreed(op, data.literal(1)) { Shape::Wave } else { Shape::Varying };
                for leaf in 0..n {
                    self.raise(result, leaf, shape);
                    self.raise_cause(result, leaf, Cause::Unknown);
                }
            }
        }
    }

    /// Whether an image was loaded from something else than a variable of its own.
    fn is_of_array(&self, image: Option<Value>) -> bool {
        let f = self.input.f;
        let from = image.and_then(|v| f.def_inst(v)).and_then(|load| f.insts[load].id(0));
        !from.is_some_and(|p| matches!(f.values[p].def, ValueDef::Global(_)))
    }

    fn pure(&mut self, inst: Inst, result: Value, n: usize) {
        let f = self.input.f;
        let ids: Vec<Value> = f.insts[inst].ids().collect();
        let counts: Vec<usize> = ids.iter().map(|v| self.leaves(*v)).collect();
        // Component-wise where every operand has as many leaves as the result (or is a scalar), else all of all.
        self.causes_of(inst, result, n);
        let wise = is_component_wise(f.insts[inst].op) && counts.iter().all(|c| *c == n || *c == 1);
        for leaf in 0..n {
            let mut shape = Shape::Launch;
            for (v, count) in ids.iter().zip(&counts) {
                if wise {
                    shape = shape.join(self.a.shape(*v, if *count == 1 { 0 } else { leaf }).scattered());
                } else {
                    (0..*count).for_each(|l| shape = shape.join(self.a.shape(*v, l).scattered()));
                }
            }
            self.raise(result, leaf, shape);
        }
    }

    /// Causes of what is computed of operands alone.
    fn causes_of(&mut self, inst: Inst, result: Value, n: usize) {
        let f = self.input.f;
        let data = &f.insts[inst];
        if matches!(data.op, Opcode::Op(op) if self.is_same_for_all(op, inst)) {
            return;
        }
        let ids: SmallVec<[Value; 4]> = data.ids().collect();
        let wise = is_component_wise(data.op)
            && ids.iter().all(|v| matches!(self.leaves(*v), c if c == n || c == 1));
        for leaf in 0..n {
            let of = |v: &Value| match wise {
                true => self.a.cause(*v, if self.leaves(*v) == 1 { 0 } else { leaf }),
                false => self.a.causes.get(v).and_then(|l| l.iter().max()).copied().unwrap_or_default(),
            };
            let cause = ids.iter().map(of).max().unwrap_or_default();
            self.raise_cause(result, leaf, cause);
        }
    }

    /// Shape of a leaf that is read from memory, and why it differs.
    fn loaded(&self, pointer: Value, leaf: usize) -> (Shape, Cause) {
        let Input { ctx, globals, f, local_size } = self.input;
        let Some(p) = address::resolve(ctx, globals, f, pointer) else {
            return (Shape::Varying, Cause::Unknown);
        };
        // One place is the same for all that look at it; which one they look at may not be.
        let same = p.terms.iter().all(|(v, _)| self.a.cause(*v, 0) == Cause::None);
        let cause = if same { Cause::None } else { Cause::Unknown };
        let index = p.terms.iter().fold(Shape::Launch, |s, (v, _)| s.join(self.a.shape(*v, 0).scattered()));
        match p.root {
            Root::Variable(v) if self.a.tables.contains_key(&v) => (index, Cause::Unknown),
            Root::Variable(_) => (Shape::Varying, Cause::Unknown),
            Root::Physical(v) => {
                (index.join(self.a.shape(v, 0).scattered()).max(Shape::Wave), Cause::Unknown)
            }
            Root::Global(g) => {
                let data = &globals[g];
                match data.storage {
                    StorageClass::Input => match data.builtin() {
                        Some(builtin) => {
                            let component = if p.terms.is_empty() { p.konst as usize / 4 + leaf } else { 3 };
                            of_builtin(builtin, component, local_size)
                        }
                        None => (Shape::Varying, Cause::Unknown),
                    },
                    StorageClass::Uniform | StorageClass::PushConstant => (index, cause),
                    StorageClass::StorageBuffer => {
                        let readonly =
                            data.interface.as_ref().is_some_and(|i| i.access == BufferAccess::Read);
                        (if readonly { index } else { index.max(Shape::Wave) }, cause)
                    }
                    StorageClass::Private => (index, Cause::Unknown),
                    StorageClass::UniformConstant => (Shape::Launch, cause),
                    _ => (index.max(Shape::Wave), cause),
                }
            }
        }
    }

    /// Whether an operation on numbers of invocations is known to give all of a group the same.
    fn is_same_for_all(&self, op: Op, inst: Inst) -> bool {
        let f = self.input.f;
        let data = &f.insts[inst];
        let (Some(a), Some(b)) = (data.id(0), data.id(1)) else { return false };
        let number = |v: Value| f.as_const(v).and_then(|c| self.input.ctx.consts.bits(c)).map(|c| c as u32);
        if op == Op::ISub {
            // The first number of the group.
            return match (self.source(a), self.source(b)) {
                (Some((BuiltIn::GlobalInvocationId, x)), Some((BuiltIn::LocalInvocationId, y))) => x == y,
                _ => false,
            };
        }
        let (source, c, mirrored) = match (number(a), number(b)) {
            (None, Some(c)) => (self.source(a), c, false),
            (Some(c), None) => (self.source(b), c, true),
            _ => return false,
        };
        let Some((builtin, component)) = source else { return false };
        let [x, y, z] = self.input.local_size;
        let size = match builtin {
            BuiltIn::LocalInvocationIndex => x * y * z,
            _ => [x, y, z].get(component).copied().unwrap_or(0),
        };
        let global = builtin == BuiltIn::GlobalInvocationId;
        let whole =
            |step: u32| step != 0 && if global { step.is_multiple_of(size.max(1)) } else { step >= size };
        match op {
            Op::UDiv | Op::SDiv if !mirrored => whole(c),
            Op::ShiftRightLogical | Op::ShiftRightArithmetic if !mirrored => {
                1u32.checked_shl(c).is_some_and(whole)
            }
            Op::BitwiseAnd => c & (size.next_power_of_two() - 1) == 0 && (!global || size.is_power_of_two()),
            // Numbers in a group are less than its size.
            Op::ULessThan | Op::UGreaterThanEqual | Op::SLessThan | Op::SGreaterThanEqual
                if !mirrored && !global =>
            {
                c >= size && c <= i32::MAX as u32
            }
            Op::ULessThanEqual | Op::UGreaterThan | Op::SLessThanEqual | Op::SGreaterThan
                if !mirrored && !global =>
            {
                c >= size - 1 && c <= i32::MAX as u32
            }
            _ => false,
        }
    }

    /// The number of the invocation that a value is: builtin and component.
    fn source(&self, v: Value) -> Option<(BuiltIn, usize)> {
        let Input { ctx, globals, f, .. } = self.input;
        let ValueDef::Result(inst, _) = f.values[v].def else { return None };
        let data = &f.insts[inst];
        match data.op {
            Opcode::Op(Op::Load) => {
                let p = address::resolve(ctx, globals, f, data.id(0)?)?;
                let Root::Global(g) = p.root else { return None };
                let builtin = globals[g].builtin().filter(|_| p.terms.is_empty())?;
                Some((builtin, p.konst as usize / 4))
            }
            Opcode::Op(Op::CompositeExtract) if data.operands.len() == 2 => {
                let (builtin, _) = self.source(data.id(0)?)?;
                Some((builtin, data.literal(1)? as usize))
            }
            Opcode::Op(Op::Bitcast) => self.source(data.id(0)?),
            _ => None,
        }
        .filter(|(b, _)| {
            matches!(
                *b,
                BuiltIn::GlobalInvocationId | BuiltIn::LocalInvocationId | BuiltIn::LocalInvocationIndex
            )
        })
    }
}

/// Whether leaf `i` of the result depends only on leaf `i` of each operand (or on the only leaf of a scalar).
fn is_component_wise(op: Opcode) -> bool {
    // A bitcast has as many leaves on either side, or is told apart by their number.
    op == Opcode::Op(Op::Bitcast) || op.traits().has(Traits::ELEMENTWISE)
}

/// Whether the active lanes of a wave get one result together.
fn is_agreed(op: Opcode, how: Option<u32>) -> bool {
    let Opcode::Op(op) = op else { return false };
    match op {
        Op::GroupNonUniformAll
        | Op::GroupNonUniformAny
        | Op::GroupNonUniformAllEqual
        | Op::GroupNonUniformBroadcastFirst
        | Op::GroupNonUniformBallot => true,
        Op::GroupNonUniformIAdd
        | Op::GroupNonUniformFAdd
        | Op::GroupNonUniformIMul
        | Op::GroupNonUniformFMul
        | Op::GroupNonUniformSMin
        | Op::GroupNonUniformUMin
        | Op::GroupNonUniformFMin
        | Op::GroupNonUniformSMax
        | Op::GroupNonUniformUMax
        | Op::GroupNonUniformFMax
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformBitwiseOr
        | Op::GroupNonUniformBitwiseXor
        | Op::GroupNonUniformLogicalAnd
        | Op::GroupNonUniformLogicalOr
        | Op::GroupNonUniformLogicalXor => how == Some(GroupOperation::Reduce.0),
        _ => false,
    }
}

/// A component of a system value: its shape, and why it differs.
pub fn of_builtin(builtin: BuiltIn, component: usize, [x, y, z]: [u32; 3]) -> (Shape, Cause) {
    let row = y == 1 && z == 1;
    match builtin {
        BuiltIn::NumWorkgroups | BuiltIn::WorkgroupSize | BuiltIn::SubgroupSize | BuiltIn::NumSubgroups => {
            (Shape::Launch, Cause::None)
        }
        // How many waves there are is the device's affair.
        BuiltIn::SubgroupId => (Shape::Wave, Cause::Unknown),
        BuiltIn::SubgroupLocalInvocationId => (Shape::Contiguous, Cause::Unknown),
        BuiltIn::WorkgroupId => (Shape::Group, Cause::None),
        BuiltIn::LocalInvocationIndex => (Shape::Contiguous, Cause::Invocation),
        BuiltIn::LocalInvocationId | BuiltIn::GlobalInvocationId => {
            let size = [x, y, z].get(component).copied().unwrap_or(0);
            if size == 1 {
                (Shape::Group, Cause::None)
            } else if component == 0 && (row || x % WIDEST_VECTOR == 0) {
                (Shape::Contiguous, Cause::Invocation)
            } else {
                (Shape::Varying, Cause::Invocation)
            }
        }
        _ => (Shape::Varying, Cause::Unknown),
    }
}
