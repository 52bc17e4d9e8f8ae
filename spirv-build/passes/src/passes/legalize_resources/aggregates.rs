//! Structs and arrays that have handles inside: as variables they become one variable for each handle, so that `mem2reg` promotes
//! them; as values they are looked through.

use super::candidates::is_handle;
use crate::ir::entity::SecondaryMap;
use crate::ir::{
    Block, Builder, ConstKind, Context, Function, Inst, InstData, Module, Op, Opcode, Operand, Type,
    TypeKind, Value, ValueDef, walk,
};
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// Parts that one variable may be split into.
const MAX_PARTS: usize = 1024;

/// Whether a type is a struct or an array with handles inside.
pub(crate) fn has_handles(ctx: &Context, ty: Type) -> bool {
    let inside = |t: Type| is_handle(ctx, t) || has_handles(ctx, t);
    match ctx.types.kind(ty) {
        TypeKind::Array { elem, .. } => inside(*elem),
        TypeKind::Struct(s) => s.members.iter().any(|m| inside(m.ty)),
        _ => false,
    }
}

/// A part of a variable.
enum Part {
    /// A variable of its own.
    Leaf(Value),
    /// Members or elements.
    Parts(Vec<usize>),
}

/// What an address leads to: a part, or one of several by an index, and in it further. An index that is constant and out of range
/// leads to no part.
#[derive(Clone)]
struct Target {
    parts: Vec<usize>,
    index: Option<Value>,
    rest: SmallVec<[Value; 4]>,
    /// The type of what it leads to.
    ty: Type,
}

struct Split<'a> {
    ctx: &'a mut Context,
    f: &'a mut Function,
    parts: Vec<(Type, Part)>,
    targets: FxHashMap<Value, Target>,
    block: Block,
}

/// Splits the variables with handles inside, in every function.
pub fn split(module: &mut Module) -> bool {
    let mut changed = false;
    if module.has_kernels() {
        return false;
    }
    for (_, f) in module.functions.iter_mut() {
        changed |= split_on(&mut module.ctx, f);
    }
    changed
}

fn split_on(ctx: &mut Context, f: &mut Function) -> bool {
    let Some(entry) = f.body.filter(|b| f.regions[*b].blocks.len() == 1).map(|b| f.block_of(b)) else {
        return false;
    };
    let is_split = |f: &Function, ctx: &Context, i: &Inst| {
        let data = &f.insts[*i];
        let pointee = data.result().and_then(|v| ctx.types.pointee(f.values[v].ty));
        data.op == Opcode::Op(Op::Variable) && pointee.is_some_and(|(ty, _)| has_handles(ctx, ty))
    };
    let variables: Vec<Inst> =
        f.blocks[entry].insts.iter().filter(|i| is_split(f, ctx, i)).copied().collect();
    if variables.is_empty() {
        return false;
    }
    let mut s = Split { ctx, f, parts: Vec::new(), targets: FxHashMap::default(), block: entry };
    for inst in &variables {
        s.variable(*inst);
    }
    s.f.blocks[entry].insts.retain(|i| {
        let result = s.f.insts[*i].result();
        !result.is_some_and(|v| s.targets.contains_key(&v))
    });
    for (block, _) in walk::blocks(s.f) {
        let old = std::mem::take(&mut s.f.blocks[block].insts);
        s.block = block;
        for inst in old {
            s.inst(inst);
        }
    }
    true
}

impl Split<'_> {
    fn b(&mut self) -> Builder<'_> {
        Builder::new(self.ctx, self.f, self.block)
    }

    fn variable(&mut self, inst: Inst) {
        let pointer = self.f.insts[inst].results[0];
        let Some((ty, _)) = self.ctx.types.pointee(self.f.values[pointer].ty) else { return };
        if leaf_count(self.ctx, ty) > MAX_PARTS {
            return;
        }
        let name = self.f.values[pointer].name.clone();
        let part = self.part(ty, name.as_deref());
        self.targets.insert(pointer, Target { parts: vec![part], index: None, rest: SmallVec::new(), ty });
    }

    fn part(&mut self, ty: Type, name: Option<&str>) -> usize {
        let types: Vec<Type> = match self.ctx.types.kind(ty) {
            _ if !has_handles(self.ctx, ty) => {
                let v = self.b().variable(ty, name);
                self.parts.push((ty, Part::Leaf(v)));
                return self.parts.len() - 1;
            }
            TypeKind::Array { elem, len, .. } => vec![*elem; *len as usize],
            TypeKind::Struct(s) => s.members.iter().map(|m| m.ty).collect(),
            _ => Vec::new(),
        };
        let list = types.into_iter().map(|t| self.part(t, name)).collect();
        self.parts.push((ty, Part::Parts(list)));
        self.parts.len() - 1
    }

    fn inst(&mut self, inst: Inst) {
        let data = &self.f.insts[inst];
        let target = data.id(0).and_then(|v| self.targets.get(&v)).cloned();
        match (data.op, target) {
            (Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain), Some(target)) => {
                let (indices, result): (SmallVec<[Value; 4]>, _) =
                    (data.ids().skip(1).collect(), data.result());
                let target = self.step(target, &indices);
                if let Some(result) = result {
                    self.targets.insert(result, target);
                }
            }
            (Opcode::Op(Op::Load), Some(target)) if data.operands.len() == 1 => self.load(inst, &target),
            (Opcode::Op(Op::Store), Some(target)) if data.operands.len() == 2 => {
                if let Some(value) = data.id(1) {
                    self.store(data.span, &target, value);
                }
            }
            _ => self.other(inst),
        }
    }

    /// What takes the address of a part in another way. Where an index chooses that part it works on a copy.
    fn other(&mut self, inst: Inst) {
        let span = self.f.insts[inst].span;
        let mut copies: SmallVec<[(Value, Target); 1]> = SmallVec::new();
        for i in 0..self.f.insts[inst].operands.len() {
            let Operand::Id(v) = self.f.insts[inst].operands[i] else { continue };
            let Some(target) = self.targets.get(&v).cloned() else { continue };
            let known = match (target.index, &target.parts[..]) {
                (None, &[part]) => self.pointer(part, &target.rest),
                _ => None,
            };
            let pointer = known.unwrap_or_else(|| {
                let copy = self.b().variable(target.ty, None);
                let value = self.value(span, &target);
                self.b().store(copy, value);
                copies.push((copy, target));
                copy
            });
            self.f.insts[inst].operands[i] = Operand::Id(pointer);
        }
        self.f.blocks[self.block].insts.push(inst);
        for (copy, target) in copies {
            let value = self.b().load(copy);
            self.store(span, &target, value);
        }
    }

    /// Goes further into what an address leads to.
    fn step(&mut self, mut target: Target, indices: &[Value]) -> Target {
        for &index in indices {
            let number = self.f.as_const(index).and_then(|c| self.ctx.consts.bits(c));
            let at = number.and_then(|n| u32::try_from(n).ok());
            let member =
                if matches!(self.ctx.types.kind(target.ty), TypeKind::Struct(_)) { at } else { Some(0) };
            let Some(ty) = member.and_then(|m| self.ctx.types.element(target.ty, m)) else {
                target.parts.clear();
                return target;
            };
            target.ty = ty;
            let list = |part: &usize| match &self.parts[*part].1 {
                Part::Parts(list) => Some(list.clone()),
                Part::Leaf(_) => None,
            };
            let lists: Option<Vec<Vec<usize>>> = target.parts.iter().map(list).collect();
            let Some(lists) = lists.filter(|l| target.rest.is_empty() && !l.is_empty()) else {
                target.rest.push(index);
                continue;
            };
            if number.is_some() {
                let parts = lists.iter().map(|l| l.get(at? as usize).copied());
                target.parts = parts.collect::<Option<_>>().unwrap_or_default();
            } else {
                let inner = lists[0].len();
                target.index = Some(match target.index {
                    None => index,
                    Some(outer) => self.combined(outer, lists.len(), index, inner),
                });
                target.parts = lists.into_iter().flatten().collect();
            }
        }
        target
    }

    /// The number of one of `rows` times `columns` parts. It is out of their range if one of the indices is.
    fn combined(&mut self, row: Value, rows: usize, column: Value, columns: usize) -> Value {
        let (uint, bool_type) = (self.ctx.types.u32(), self.ctx.types.bool());
        let mut b = self.b();
        let mut known = |index: Value, len: usize| {
            let ty = b.func.values[index].ty;
            let end = b.ctx.constant(ty, ConstKind::Bits(len as u64));
            let end = b.constant(end);
            let inside = b.op(Op::ULessThan, bool_type, &[index, end]);
            let op = if b.ctx.types.width_of(ty) == Some(32) { Op::Bitcast } else { Op::UConvert };
            (inside, if ty == uint { index } else { b.op(op, uint, &[index]) })
        };
        let ((row_fits, row), (column_fits, column)) = (known(row, rows), known(column, columns));
        let fits = b.op(Op::LogicalAnd, bool_type, &[row_fits, column_fits]);
        let columns = b.u32(columns as u32);
        let before = b.op(Op::IMul, uint, &[row, columns]);
        let number = b.op(Op::IAdd, uint, &[before, column]);
        let none = b.u32(u32::MAX);
        b.op(Op::Select, uint, &[fits, number, none])
    }

    /// The address of a leaf, or of something in it.
    fn pointer(&mut self, part: usize, rest: &[Value]) -> Option<Value> {
        let (ty, Part::Leaf(variable)) = self.parts[part] else { return None };
        let mut end = ty;
        for index in rest {
            let at = self.f.as_const(*index).and_then(|c| self.ctx.consts.bits(c)).unwrap_or(0);
            end = self.ctx.types.element(end, at as u32)?;
        }
        Some(self.b().access_chain(variable, end, rest))
    }

    /// The values of all leaves of a part.
    fn leaves(&mut self, part: usize, rest: &[Value], out: &mut SmallVec<[Value; 4]>) {
        if let Part::Parts(list) = &self.parts[part].1 {
            for part in list.clone() {
                self.leaves(part, rest, out);
            }
        } else if let Some(pointer) = self.pointer(part, rest) {
            let v = self.b().load(pointer);
            out.push(v);
        }
    }

    /// What leaves are parts of; `keep` is the instruction whose result it is to be.
    fn whole(&mut self, part: usize, leaves: &mut impl Iterator<Item = Value>, keep: Option<Inst>) -> Value {
        let Part::Parts(list) = &self.parts[part].1 else {
            let ty = self.parts[part].0;
            return leaves.next().unwrap_or_else(|| self.b().undef(ty));
        };
        let (ty, list) = (self.parts[part].0, list.clone());
        let parts: Vec<Value> = list.into_iter().map(|p| self.whole(p, leaves, None)).collect();
        let Some(keep) = keep else { return self.b().op(Op::CompositeConstruct, ty, &parts) };
        let span = self.f.insts[keep].span;
        let results = self.f.insts[keep].results.clone();
        let operands = parts.into_iter().map(Operand::Id);
        let data = InstData::new(Op::CompositeConstruct, operands, span);
        self.f.insts[keep] = InstData { results, ..data };
        self.f.blocks[self.block].insts.push(keep);
        self.f.insts[keep].results[0]
    }

    /// What an address leads to, loaded.
    fn value(&mut self, span: Span, target: &Target) -> Value {
        let nothing = self.b().undef(target.ty);
        let inst =
            self.f.make_inst(InstData::new(Op::CopyObject, [Operand::Id(nothing)], span), &[target.ty]);
        self.load(inst, target);
        self.f.insts[inst].results[0]
    }

    /// Makes an instruction's result what an address leads to.
    fn load(&mut self, inst: Inst, target: &Target) {
        let mut leaves = SmallVec::new();
        let Some(&first) = target.parts.first() else {
            let nothing = self.b().undef(target.ty);
            self.f.insts[inst].op = Op::CopyObject.into();
            self.f.insts[inst].operands = smallvec![Operand::Id(nothing)];
            return self.f.blocks[self.block].insts.push(inst);
        };
        match target.index {
            None => {
                // A single leaf is loaded by the instruction that there is.
                if matches!(self.parts[first].1, Part::Leaf(_)) {
                    if let Some(pointer) = self.pointer(first, &target.rest) {
                        self.f.insts[inst].op = Op::Load.into();
                        self.f.insts[inst].operands[0] = Operand::Id(pointer);
                    }
                    return self.f.blocks[self.block].insts.push(inst);
                }
                self.leaves(first, &target.rest, &mut leaves);
            }
            Some(index) => {
                let block = self.block;
                let labels: Vec<(u64, u32)> = (1..target.parts.len()).map(|i| (i as u64, i as u32)).collect();
                let span = self.f.insts[inst].span;
                let mut b = self.b();
                b.span = span;
                let (switch, blocks) = b.switch(index, &labels, target.parts.len() - 1, &[]);
                let mut types: SmallVec<[Type; 4]> = SmallVec::new();
                for (branch, part) in blocks.into_iter().zip(&target.parts) {
                    self.block = branch;
                    let mut own = SmallVec::new();
                    self.leaves(*part, &target.rest, &mut own);
                    types = own.iter().map(|v| self.f.values[*v].ty).collect();
                    self.b().terminate(Opcode::Merge, &own);
                }
                self.block = block;
                for (i, ty) in types.into_iter().enumerate() {
                    let def = ValueDef::Result(switch, i as u16);
                    let v = self.f.values.push(crate::ir::ValueData { ty, def, name: None });
                    self.f.insts[switch].results.push(v);
                    leaves.push(v);
                }
            }
        }
        if matches!(self.parts[first].1, Part::Leaf(_)) {
            // Another name for the result of the switch.
            let data = &mut self.f.insts[inst];
            data.op = Op::CopyObject.into();
            data.operands = leaves.into_iter().map(Operand::Id).collect();
            return self.f.blocks[self.block].insts.push(inst);
        }
        self.whole(first, &mut leaves.into_iter(), Some(inst));
    }

    fn store(&mut self, span: Span, target: &Target, value: Value) {
        let index = match (target.index, target.parts.first()) {
            (_, None) => return,
            (None, Some(first)) => return self.store_part(*first, &target.rest, value),
            (Some(index), Some(_)) => index,
        };
        let block = self.block;
        let labels: Vec<(u64, u32)> = (0..target.parts.len()).map(|i| (i as u64, i as u32 + 1)).collect();
        let mut b = self.b();
        b.span = span;
        let (_, blocks) = b.switch(index, &labels, target.parts.len(), &[]);
        for (i, branch) in blocks.into_iter().enumerate() {
            self.block = branch;
            if let Some(part) = i.checked_sub(1).and_then(|i| target.parts.get(i)) {
                self.store_part(*part, &target.rest, value);
            }
            self.b().terminate(Opcode::Merge, &[]);
        }
        self.block = block;
    }

    fn store_part(&mut self, part: usize, rest: &[Value], value: Value) {
        let Part::Parts(list) = &self.parts[part].1 else {
            if let Some(pointer) = self.pointer(part, rest) {
                self.b().store(pointer, value);
            }
            return;
        };
        for (i, part) in list.clone().into_iter().enumerate() {
            let ty = self.parts[part].0;
            let v = self.b().extract(value, ty, &[i as u32]);
            self.store_part(part, rest, v);
        }
    }
}

fn leaf_count(ctx: &Context, ty: Type) -> usize {
    match ctx.types.kind(ty) {
        _ if !has_handles(ctx, ty) => 1,
        TypeKind::Array { elem, len, .. } => leaf_count(ctx, *elem).saturating_mul(*len as usize),
        TypeKind::Struct(s) => s.members.iter().fold(0, |n, m| n.saturating_add(leaf_count(ctx, m.ty))),
        _ => 1,
    }
}

/// Replaces parts that are taken of structs and arrays with handles inside by what those were made of, and removes these.
pub(super) fn forward(ctx: &mut Context, f: &mut Function) {
    let mut alias: SecondaryMap<Value, Option<Value>> = SecondaryMap::default();
    let mut any = false;
    let blocks = walk::blocks(f);
    for (block, _) in &blocks {
        for i in 0..f.blocks[*block].insts.len() {
            let inst = f.blocks[*block].insts[i];
            let data = &mut f.insts[inst];
            if any {
                for operand in &mut data.operands {
                    if let Operand::Id(v) = operand
                        && let Some(to) = alias[*v]
                    {
                        *v = to;
                    }
                }
            }
            let data = &f.insts[inst];
            if let (Opcode::Op(Op::CompositeExtract), Some(from), Some(result)) =
                (data.op, data.id(0), data.result())
                && has_handles(ctx, f.values[from].ty)
            {
                let ty = f.values[result].ty;
                let Some(part) = part_of(ctx, f, inst, ty) else { continue };
                alias[result] = Some(part);
                any = true;
            }
        }
    }
    if !any {
        return;
    }
    // What loops carry around may be used before its definition in the order of the text.
    for (_, data) in f.insts.iter_mut() {
        for operand in &mut data.operands {
            if let Operand::Id(v) = operand
                && let Some(to) = alias[*v]
            {
                *v = to;
            }
        }
    }
    for (block, _) in blocks {
        let insts = std::mem::take(&mut f.blocks[block].insts);
        f.blocks[block].insts = insts
            .into_iter()
            .filter(|i| {
                let data = &f.insts[*i];
                let makes = matches!(
                    data.op,
                    Opcode::Op(Op::CompositeConstruct | Op::CompositeInsert | Op::CompositeExtract)
                );
                !(makes
                    && data.result().is_some_and(|v| alias[v].is_some() || has_handles(ctx, f.values[v].ty)))
            })
            .collect();
    }
}

/// What an extraction gives, if what it is from was made in this function.
fn part_of(ctx: &mut Context, f: &mut Function, extraction: Inst, ty: Type) -> Option<Value> {
    let literals = |d: &InstData| -> SmallVec<[u32; 4]> {
        let all = d.operands.iter();
        all.filter_map(|o| if let Operand::Literal(n) = o { Some(*n) } else { None }).collect()
    };
    let mut way = literals(&f.insts[extraction]);
    let mut v = f.insts[extraction].id(0)?;
    while !way.is_empty() {
        let inst = match f.values[v].def {
            ValueDef::Const(c) if matches!(ctx.consts.kind(c), ConstKind::Undef | ConstKind::Null) => {
                let kind = ctx.consts.kind(c).clone();
                let c = ctx.constant(ty, kind);
                return Some(f.const_value(c, ty));
            }
            ValueDef::Result(inst, _) => inst,
            _ => return None,
        };
        let made = &f.insts[inst];
        v = match made.op {
            Opcode::Op(Op::CompositeConstruct) => made.id(way.remove(0) as usize)?,
            Opcode::Op(Op::CompositeExtract) => {
                let mut outer = literals(made);
                outer.extend(way);
                way = outer;
                made.id(0)?
            }
            Opcode::Op(Op::CompositeInsert) => {
                let at = literals(made);
                match way.starts_with(&at) {
                    true => {
                        way.drain(..at.len());
                        made.id(0)?
                    }
                    false if at.starts_with(&way) => return None,
                    false => made.id(1)?,
                }
            }
            _ => return None,
        };
    }
    Some(v)
}
