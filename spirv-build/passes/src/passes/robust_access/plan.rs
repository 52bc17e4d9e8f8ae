//! Which indices may be out of range, and what is to be done about each.

use super::Device;
use crate::analysis::interval::Interval;
use crate::analysis::range::{self, Inputs, Ranges};
use crate::ir::walk;
use crate::ir::{
    Const, ConstKind, Context, Function, Inst, InstData, Op, Opcode, StorageClass, Type, TypeKind, Value,
    ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// What is to be done, by instruction.
pub(super) type Plan = FxHashMap<Inst, Action>;

/// What is to be done about an instruction.
pub(super) enum Action {
    /// An access chain.
    Chain(ChainPlan),
    /// The index of a component of a vector value: operand, number of components.
    Component(usize, u32),
}

/// What is to be done about an access chain.
#[derive(Default)]
pub(super) struct ChainPlan {
    /// Indices that choose a resource: operand, number of resources.
    pub resources: SmallVec<[(usize, u32); 1]>,
    /// Indices that are compared.
    pub compared: SmallVec<[Index; 2]>,
    /// Whether compared indices are clamped as well.
    pub clamps: bool,
    /// The element number of a buffer: operand, the least number that is beyond every buffer, whether it may be more than that.
    pub element: Option<(usize, u64, bool)>,
}

/// An index that may be out of range.
pub(super) struct Index {
    /// Which operand.
    pub operand: usize,
    /// Length of what it is an index of.
    pub length: Length,
    /// A constant that is out of range.
    pub never: bool,
}

/// The length of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Length {
    /// A number.
    Known(u32),
    /// A specialization constant.
    Spec(Const),
}

/// Whether anything in a function has an index.
pub(super) fn has_candidates(ctx: &Context, f: &Function) -> bool {
    f.insts.iter().any(|(_, data)| match data.op {
        Opcode::Op(Op::VectorExtractDynamic | Op::VectorInsertDynamic) => true,
        Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain) => {
            data.ids().skip(1).any(|v| f.as_const(v).is_none()) || has_constant_out_of_range(ctx, f, data)
        }
        _ => false,
    })
}

fn has_constant_out_of_range(ctx: &Context, f: &Function, data: &InstData) -> bool {
    let Some(mut ty) = data.id(0).and_then(|b| ctx.types.pointee(f.values[b].ty)).map(|p| p.0) else {
        return false;
    };
    for index in data.ids().skip(1) {
        let bits = f.as_const(index).and_then(|c| ctx.consts.bits(c));
        let inner = bits.and_then(|b| ctx.types.element(ty, u32::try_from(b).ok()?));
        match inner {
            Some(inner) => ty = inner,
            None => return true,
        }
    }
    false
}

/// Looks at a function.
pub(super) fn make(inputs: Inputs<'_>, f: &Function, device: Device) -> Plan {
    let mut plan = Plan::default();
    let continued = if device.checks_own_memory { continued(f) } else { FxHashSet::default() };
    range::walk(inputs, f, &mut |ranges: &Ranges<'_>, _, inst| {
        let data = &f.insts[inst];
        let action = match data.op {
            _ if is_chain(data) => {
                let chain = Chain { ctx: inputs.ctx, f, data, device, goes_on: continued.contains(&inst) };
                chain.plan(&|v| ranges.of(v)).map(Action::Chain)
            }
            Opcode::Op(Op::VectorExtractDynamic) => component(inputs.ctx, f, data, 1, &|v| ranges.of(v)),
            // The CPU compares the number of each component.
            Opcode::Op(Op::VectorInsertDynamic) if !device.checks_own_memory => {
                component(inputs.ctx, f, data, 2, &|v| ranges.of(v))
            }
            _ => None,
        };
        plan.extend(action.map(|a| (inst, a)));
    });
    debug_assert!(
        walk::blocks(f).iter().all(|(b, depth)| *depth > 0 || f.entry() == Some(*b)),
        "only structured functions have their ranges known"
    );
    plan
}

/// Chains that others go on from with an index that is not constant.
fn continued(f: &Function) -> FxHashSet<Inst> {
    let mut found = FxHashSet::default();
    for (_, data) in f.insts.iter() {
        if !is_chain(data) || data.ids().skip(1).all(|v| f.as_const(v).is_some()) {
            continue;
        }
        let mut base = data.id(0).and_then(|v| f.def_inst(v));
        while let Some(inst) = base.filter(|i| found.insert(*i)) {
            base = f.insts[inst].id(0).and_then(|v| f.def_inst(v)).filter(|_| is_chain(&f.insts[inst]));
        }
    }
    found
}

fn is_chain(data: &InstData) -> bool {
    matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain))
}

type Of<'a> = dyn Fn(Value) -> Option<Interval> + 'a;

fn component(ctx: &Context, f: &Function, data: &InstData, at: usize, of: &Of<'_>) -> Option<Action> {
    let length = u32::from(ctx.types.len_of(f.values[data.id(0)?].ty));
    let inside = of(data.id(at)?).is_some_and(|i| i.unsigned.1 < u64::from(length));
    (!inside).then_some(Action::Component(at, length))
}

/// The least element number that is beyond every buffer: lengths in bytes have 32 bits, and so has the offset of each byte of
/// that element.
pub(super) fn beyond(stride: u32) -> u64 {
    let stride = u64::from(stride.max(1));
    (1 << 32) / stride - 1
}

/// What a pointer leads into, by who keeps accesses inside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Nobody.
    Own,
    /// The device.
    Buffer,
    /// Addresses that the program computed: nobody knows what lies there.
    Foreign,
}

fn memory(storage: StorageClass, device: Device) -> Memory {
    match storage {
        StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::UniformConstant => Memory::Buffer,
        StorageClass::PushConstant if device.wide_offsets || device.checks_own_memory => Memory::Buffer,
        StorageClass::PhysicalStorageBuffer => Memory::Foreign,
        _ => Memory::Own,
    }
}

fn is_resource(ctx: &Context, ty: Type) -> bool {
    match ctx.types.kind(ty) {
        TypeKind::Struct(s) => s.is_block(),
        TypeKind::Image(_) | TypeKind::Sampler | TypeKind::SampledImage(_) | TypeKind::Opaque(_) => true,
        TypeKind::Custom(c) => c.op == Op::TypeAccelerationStructureKHR,
        _ => false,
    }
}

/// An access chain that is looked at.
struct Chain<'a> {
    ctx: &'a Context,
    f: &'a Function,
    data: &'a InstData,
    device: Device,
    /// Another chain goes on from its result.
    goes_on: bool,
}

impl Chain<'_> {
    fn plan(&self, of: &Of<'_>) -> Option<ChainPlan> {
        let Chain { ctx, f, data, device, .. } = *self;
        let base = data.id(0)?;
        let (mut ty, storage) = ctx.types.pointee(f.values[base].ty)?;
        let memory = memory(storage, device);
        if memory == Memory::Foreign {
            return None;
        }
        let is_root = !matches!(f.values[base].def, ValueDef::Result(i, _)
        if f.insts[i].op != Opcode::Op(Op::Variable));
        let mut plan =
            ChainPlan { clamps: memory == Memory::Own && !device.checks_own_memory, ..Default::default() };
        let dynamic = data.ids().skip(1).filter(|v| f.as_const(*v).is_none()).count();
        let single = dynamic == 1 && !self.goes_on;
        // The only index, of the outermost array: what the device checks is just that array.
        let mut outermost = is_root;
        let mut element = None;
        for (operand, index) in data.operands.iter().enumerate().skip(1) {
            let crate::ir::Operand::Id(index) = *index else { return None };
            let constant = f.as_const(index).and_then(|c| ctx.consts.bits(c));
            let most = constant.or_else(|| of(index).map(|i| i.unsigned.1)).unwrap_or(u64::MAX);
            let (inner, length) = match ctx.types.kind(ty) {
                TypeKind::Struct(s) => {
                    ty = s.members.get(usize::try_from(constant?).ok()?)?.ty;
                    outermost &= s.is_block() && s.members.len() == 1;
                    continue;
                }
                TypeKind::Array { elem, len, .. } if operand == 1 && is_root && is_resource(ctx, *elem) => {
                    if most >= u64::from(*len) {
                        plan.resources.push((operand, *len));
                    }
                    ty = *elem;
                    continue;
                }
                TypeKind::RuntimeArray { elem, .. } if is_resource(ctx, *elem) => {
                    ty = *elem;
                    continue;
                }
                TypeKind::RuntimeArray { elem, stride } => {
                    element = Some((operand, beyond((*stride)?), most));
                    outermost = false;
                    ty = *elem;
                    continue;
                }
                TypeKind::SpecArray { elem, len, .. } => (*elem, Length::Spec(*len)),
                TypeKind::Array { elem, len, .. } => (*elem, Length::Known(*len)),
                TypeKind::Vector { elem, len } => (*elem, Length::Known(u32::from(*len))),
                TypeKind::Matrix { column, columns } => (*column, Length::Known(u32::from(*columns))),
                _ => return None,
            };
            let inside = matches!(length, Length::Known(n) if most < u64::from(n));
            let checked = device.checks_own_memory && outermost && single && constant.is_none();
            if !inside && !checked {
                plan.compared.push(Index {
                    operand,
                    length,
                    never: constant.is_some() && matches!(length, Length::Known(_)),
                });
            }
            outermost = false;
            ty = inner;
        }
        if let Some((operand, beyond, most)) = element {
            // The CPU checks an index that is alone before it becomes an offset.
            let alone = device.wide_offsets || device.checks_own_memory && single;
            let wraps = most > beyond && !alone;
            if wraps || !plan.compared.is_empty() {
                plan.element = Some((operand, beyond, wraps));
            }
        }
        let nothing = plan.resources.is_empty() && plan.compared.is_empty() && plan.element.is_none();
        (!nothing).then_some(plan)
    }
}

/// The constant of a length.
pub(super) fn length_constant(ctx: &mut Context, length: Length, ty: Type) -> Const {
    match length {
        Length::Known(n) => ctx.constant(ty, ConstKind::Bits(u64::from(n))),
        Length::Spec(len) => len,
    }
}
