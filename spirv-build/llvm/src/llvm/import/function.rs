//! Functions: signatures, blocks, phis, terminators.

use super::Import;
use super::raw::{Bb, Kind, Opcode, Ty, Val};
use super::types::container;
use crate::ir::rare::Rare;
use crate::ir::{
    Block, BlockData, Builder, ConstKind, Decoration, Func, Function, InstData, Op, Opcode as IrOp, Operand,
    StorageClass, Successor, Type, TypeKind, Value,
};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Instructions of one function.
const MAX_INSTS: usize = 1 << 20;

/// Attributes of parameters: LLVM's name, SPIR-V's number.
const ATTRIBUTES: &[(&str, u32)] = &[
    ("zeroext", 0),
    ("signext", 1),
    ("byval", 2),
    ("sret", 3),
    ("noalias", 4),
    ("readonly", 6),
    ("readnone", 7),
];

/// State of one function.
pub(super) struct Body<'i, 'm, 's> {
    pub i: &'i mut Import<'m, 's>,
    pub f: Function,
    pub block: Block,
    pub values: FxHashMap<Val<'m>, Value>,
    /// Where the instruction stands that is being lowered.
    pub span: Span,
}

impl<'m> Import<'m, '_> {
    /// Makes the function with its signature.
    pub(super) fn declare(&mut self, v: Val<'m>) -> Result<Func, String> {
        if let Some(func) = self.funcs.get(&v) {
            return Ok(*func);
        }
        if v.is_variadic() {
            return Err("a function with any number of arguments".into());
        }
        let Some(result) = v.return_type() else { return Err("no function".into()) };
        let result = self.ty(result)?;
        let span = self.places.function(&v.name());
        let mut f = Function::new(v.name(), result, span);
        if v.has_attribute(u32::MAX, "alwaysinline") {
            f.control |= 1;
        }
        if v.has_attribute(u32::MAX, "noinline") {
            f.control |= 2;
        }
        let (mut types, mut decorated) = (Vec::new(), Vec::new());
        for (i, p) in (0..).zip(v.params()) {
            let mut ty = self.ty(p.ty())?;
            let byval = v.type_attribute(i + 1, "byval");
            if let (Some(object), Some((_, storage))) = (byval, self.out.ctx.types.pointee(ty)) {
                let object = self.memory_type(object)?;
                ty = self.out.ctx.types.pointer(object, storage);
            } else if v.is_kernel()
                && let (Some((_, storage)), Some(object)) = (self.out.ctx.types.pointee(ty), used_as(v, p))
            {
                let object = self.memory_type(object)?;
                ty = self.out.ctx.types.pointer(object, storage);
            }
            for (name, number) in ATTRIBUTES {
                if v.has_attribute(i + 1, name) {
                    decorated.push((
                        types.len(),
                        Decoration::words(spirv_spec::Decoration::FuncParamAttr, &[*number]),
                    ));
                }
            }
            types.push(ty);
        }
        if v.is_declaration() {
            f.declare_params(&types);
        } else {
            f.make_body(&types);
        }
        decorated.into_iter().for_each(|(i, d)| f.decorate(f.params[i], d));
        for (p, v) in f.params.clone().into_iter().zip(v.params()) {
            f.values[p].name = Some(v.name().into());
        }
        let func = self.out.functions.push(f);
        self.decorate_parameters(v, func);
        self.signatures.insert(func, types);
        self.funcs.insert(v, func);
        Ok(func)
    }

    /// Fills a function's body.
    pub(super) fn body(&mut self, v: Val<'m>, func: Func) {
        let void = self.out.ctx.types.void();
        let placeholder = Function::new("", void, Span::default());
        let f = std::mem::replace(&mut self.out.functions[func], placeholder);
        let Some(entry) = f.entry() else { return };
        let values = v.params().into_iter().zip(f.params.iter().copied()).collect();
        let span = f.span;
        let mut b = Body { i: self, f, block: entry, values, span };
        b.blocks(v, entry);
        let f = b.f;
        self.out.functions[func] = f;
    }
}

/// What a pointer parameter is used as first.
fn used_as<'m>(function: Val<'m>, p: Val<'m>) -> Option<Ty<'m>> {
    for inst in function.blocks().into_iter().flat_map(Bb::insts) {
        let at = |n: usize| inst.operands().get(n).copied() == Some(p);
        let ty = match inst.opcode() {
            Some(Opcode::LLVMLoad) if at(0) => Some(inst.ty()),
            Some(Opcode::LLVMStore) if at(1) => inst.operands().first().map(|v| v.ty()),
            Some(Opcode::LLVMGetElementPtr) if at(0) => inst.source_type(),
            _ => None,
        };
        // Odd integers and vectors of bits say nothing about memory.
        match ty.map(|t| (t, t.kind())) {
            None => {}
            Some((_, Kind::Array(..) | Kind::Pointer(_))) => return None,
            Some((t, Kind::Int(w))) => return (container(w).map(u32::from) == Some(w)).then_some(t),
            Some((t, Kind::Float(_) | Kind::Struct { .. })) => return Some(t),
            Some((t, Kind::Vector(e, n))) => {
                let plain = matches!(e.kind(), Kind::Float(_) | Kind::Int(8 | 16 | 32 | 64));
                return (plain && n > 1).then_some(t);
            }
            _ => return None,
        }
    }
    None
}

impl<'m> Body<'_, 'm, '_> {
    pub fn b(&mut self) -> Builder<'_> {
        let span = self.span;
        let mut b = Builder::new(&mut self.i.out.ctx, &mut self.f, self.block);
        b.span = span;
        b
    }

    pub fn type_of(&self, v: Value) -> Type {
        self.f.values[v].ty
    }

    pub fn kind_of(&self, v: Value) -> TypeKind {
        self.i.out.ctx.types.kind(self.type_of(v)).clone()
    }

    /// A constant in every component.
    pub fn bits(&mut self, ty: Type, bits: u64) -> Value {
        let width = self.i.out.ctx.types.width_of(ty).unwrap_or(64);
        let bits = if width >= 64 { bits } else { bits & ((1 << width) - 1) };
        let c = self.i.out.ctx.splat(ty, ConstKind::Bits(bits));
        self.b().constant(c)
    }

    /// A pointer as one of another pointee type; anything else stays what it is.
    pub fn as_type(&mut self, v: Value, ty: Type) -> Value {
        let from = self.type_of(v);
        if from == ty {
            return v;
        }
        let types = &self.i.out.ctx.types;
        match (types.pointee(from), types.pointee(ty)) {
            (Some((_, a)), Some((to, b))) => {
                // A system value keeps its own storage class whatever the module calls it.
                let ty = if a == b { ty } else { self.i.out.ctx.types.pointer(to, a) };
                if ty == from { v } else { self.b().op(Op::Bitcast, ty, &[v]) }
            }
            _ => v,
        }
    }

    /// A pointer to an object of type `to`.
    pub fn pointer_to(&mut self, v: Value, to: Type) -> Result<Value, String> {
        let Some((_, storage)) = self.i.out.ctx.types.pointee(self.type_of(v)) else {
            return Err("an address that is none".into());
        };
        let ty = self.i.out.ctx.types.pointer(to, storage);
        Ok(self.as_type(v, ty))
    }

    pub fn storage_of(&self, v: Value) -> StorageClass {
        self.i.out.ctx.types.pointee(self.type_of(v)).map_or(StorageClass::Function, |p| p.1)
    }

    fn blocks(&mut self, function: Val<'m>, entry: Block) {
        let order = reverse_postorder(function);
        let mut map: FxHashMap<Bb<'m>, Block> = FxHashMap::default();
        let mut count = 0;
        for (n, bb) in order.iter().enumerate() {
            let block = if n == 0 { entry } else { self.f.blocks.push(BlockData::default()) };
            map.insert(*bb, block);
            count += bb.insts().len();
        }
        if count > MAX_INSTS {
            self.i.finding("a function is too large", "fewer instructions");
            return;
        }
        if let Some(body) = self.f.body {
            self.f.regions[body].blocks = order.iter().map(|b| map[b]).collect();
        }
        // Numbers of the instructions in the order of the text.
        let mut numbers: FxHashMap<Val<'m>, usize> = FxHashMap::default();
        for inst in function.blocks().into_iter().flat_map(Bb::insts) {
            numbers.insert(inst, numbers.len());
        }
        let name = function.name();
        let all = numbers.len();
        let place = |s: &mut Self, inst: Val<'m>| {
            let index = numbers.get(&inst).copied().unwrap_or(usize::MAX);
            s.span = s.i.places.inst(&name, all, index, inst);
        };
        // Variables come before everything else.
        self.block = entry;
        for bb in &order {
            for inst in bb.insts().into_iter().filter(|i| i.opcode() == Some(Opcode::LLVMAlloca)) {
                place(self, inst);
                self.run(inst, |s| s.alloca(inst));
            }
        }
        for bb in &order {
            self.block = map[bb];
            for inst in bb.insts() {
                place(self, inst);
                match inst.opcode() {
                    Some(Opcode::LLVMPHI) => match self.ty(inst.ty()) {
                        Ok(ty) => {
                            let v = self.f.add_arg(self.block, ty);
                            self.values.insert(inst, v);
                        }
                        Err(what) => self.i.refuse_at(&what, inst, self.span),
                    },
                    Some(Opcode::LLVMAlloca) => {}
                    // Terminators pass values, which must be known first.
                    _ if !inst.successors().is_empty() => {}
                    _ => self.run(inst, |s| s.inst(inst)),
                }
            }
        }
        for bb in &order {
            self.block = map[bb];
            if let Some(last) = bb.insts().last().copied().filter(|i| !i.successors().is_empty()) {
                place(self, last);
                self.run(last, |s| s.branch(last, *bb, &map).map(|()| None));
            }
        }
    }

    /// Runs the lowering of an instruction; what cannot be carried over is noted and its value undefined.
    fn run(&mut self, inst: Val<'m>, lower: impl FnOnce(&mut Self) -> Result<Option<Value>, String>) {
        match lower(self) {
            Ok(Some(v)) => {
                let name = inst.name();
                if !name.is_empty() && self.f.values[v].name.is_none() && self.f.def_inst(v).is_some() {
                    self.f.values[v].name = Some(name.into());
                }
                if let (Some(list), Some(def)) = (inst.inst_metadata("spirv.Decorations"), self.f.def_inst(v))
                {
                    let list = self.i.decorations(list);
                    for d in list {
                        if !self.f.insts[def].decorations.contains(&d) {
                            self.f.insts[def].decorations.add(d);
                        }
                    }
                }
                self.values.insert(inst, v);
            }
            Ok(None) => {}
            Err(what) => {
                self.i.refuse_at(&what, inst, self.span);
                if let Ok(ty) = self.i.ty(inst.ty())
                    && !inst.ty().is_void()
                {
                    let v = self.b().undef(ty);
                    self.values.insert(inst, v);
                }
            }
        }
    }

    /// Everything but phis, allocations and branches.
    fn inst(&mut self, inst: Val<'m>) -> Result<Option<Value>, String> {
        match inst.opcode() {
            Some(Opcode::LLVMRet) => {
                match inst.operands().first() {
                    Some(v) => {
                        let v = self.canonical(*v)?;
                        self.b().terminate(Op::ReturnValue, &[v]);
                    }
                    None => self.b().terminate(Op::Return, &[]),
                }
                Ok(None)
            }
            Some(Opcode::LLVMUnreachable) => {
                self.b().terminate(Op::Unreachable, &[]);
                Ok(None)
            }
            Some(Opcode::LLVMCall) => self.call(inst),
            Some(Opcode::LLVMStore) => self.store(inst).map(|()| None),
            Some(Opcode::LLVMFence) => self.fence(inst).map(|()| None),
            _ => self.compute(inst),
        }
    }

    /// What an instruction or constant expression computes.
    pub fn compute(&mut self, v: Val<'m>) -> Result<Option<Value>, String> {
        let Some(op) = v.opcode() else { return Err("no instruction".into()) };
        use Opcode::*;
        match op {
            LLVMLoad => self.load(v).map(Some),
            LLVMGetElementPtr => self.element_pointer(v).map(Some),
            LLVMAtomicRMW => self.atomic_rmw(v).map(Some),
            LLVMAtomicCmpXchg => self.compare_exchange(v).map(Some),
            _ => self.arithmetic(op, v).map(Some),
        }
    }

    fn branch(&mut self, inst: Val<'m>, from: Bb<'m>, map: &FxHashMap<Bb<'m>, Block>) -> Result<(), String> {
        let operands = inst.operands();
        let (op, mut data) = match inst.opcode() {
            Some(Opcode::LLVMBr) if inst.successors().len() == 1 => (Op::Branch, SmallVec::new()),
            Some(Opcode::LLVMBr) => {
                let condition = self.operand(operands[0])?;
                (Op::BranchConditional, SmallVec::from_slice(&[Operand::Id(condition)]))
            }
            Some(Opcode::LLVMSwitch) => {
                let mut selector = self.operand(operands[0])?;
                if matches!(self.kind_of(selector), TypeKind::Bool) {
                    let ty = self.i.out.ctx.types.u32();
                    selector = self.bool_to_int(selector, ty, false);
                }
                let mut data: SmallVec<[Operand; 4]> = SmallVec::from_slice(&[Operand::Id(selector)]);
                for case in inst.cases() {
                    let Some(n) = case.int() else { return Err("a case that is no number".into()) };
                    data.push(Operand::Wide(n));
                }
                (Op::Switch, data)
            }
            _ => return Err("control flow that kernels do not have".into()),
        };
        let mut successors = Rare::new();
        for target in inst.successors() {
            let Some(block) = map.get(&target).copied() else { return Err("a branch to nowhere".into()) };
            let mut args = SmallVec::new();
            for phi in target.insts() {
                if phi.opcode() != Some(Opcode::LLVMPHI) {
                    break;
                }
                let incoming = phi.incoming().into_iter().find(|(_, b)| *b == from);
                let Some((v, _)) = incoming else { return Err("a phi without a value for an edge".into()) };
                if self.values.contains_key(&phi) {
                    args.push(self.canonical(v)?);
                }
            }
            successors.push(Successor { block, args });
        }
        let mut new = InstData::new(IrOp::Op(op), [], self.span);
        new.operands.append(&mut data);
        new.successors = successors;
        self.b().append(new, &[]);
        Ok(())
    }
}

/// Blocks that the entry reaches; each comes after those that dominate it.
fn reverse_postorder<'m>(function: Val<'m>) -> Vec<Bb<'m>> {
    let Some(entry) = function.blocks().first().copied() else { return Vec::new() };
    let next = |b: Bb<'m>| b.insts().last().map_or(Vec::new(), |t| t.successors());
    let (mut seen, mut order) = (FxHashSet::default(), Vec::new());
    seen.insert(entry);
    let mut stack = vec![(next(entry), 0, entry)];
    while let Some((targets, at, block)) = stack.pop() {
        let Some(target) = targets.get(at).copied() else {
            order.push(block);
            continue;
        };
        stack.push((targets, at + 1, block));
        if seen.insert(target) {
            stack.push((next(target), 0, target));
        }
    }
    order.reverse();
    order
}
