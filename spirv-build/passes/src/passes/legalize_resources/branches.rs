//! Uses of handles: once for each resource that is meant.

use super::candidates::{Candidates, Root, Step, is_handle, trace};
use super::{Choices, MAX_BRANCHES, MAX_CANDIDATES, Reason, Refused};
use crate::ir::entity::SecondaryMap;
use crate::ir::{
    Block, Builder, Context, Function, Global, GlobalData, Inst, InstData, Module, Op, Opcode, Operand,
    ResourceOp, Type, TypeKind, Value,
};
use crate::source::Span;
use smallvec::SmallVec;

pub(super) struct Branches<'a> {
    pub module: &'a mut Module,
    pub f: &'a mut Function,
    pub found: &'a Candidates,
    pub choices: Choices,
    pub select: bool,
    pub refused: &'a mut Vec<Refused>,
    pub branches: usize,
    /// What is made anew where it is used.
    pub derived: SecondaryMap<Value, bool>,
}

/// The candidate of each handle that is known in a branch.
type Known = SmallVec<[(Value, u32); 2]>;

/// Whether an instruction gives a handle in another form than the address of a resource: as it is not made by what is written.
pub(super) fn is_form(f: &Function, ctx: &Context, data: &InstData) -> bool {
    match data.op {
        Opcode::Resource(_) => true,
        Opcode::Op(Op::Bitcast | Op::CopyObject) => {
            data.result().is_some_and(|v| is_handle(ctx, f.values[v].ty))
        }
        _ => false,
    }
}

/// Whether a function has handles in such forms.
pub(super) fn has_forms(f: &Function, ctx: &Context) -> bool {
    f.insts.iter().any(|(_, data)| is_form(f, ctx, data))
}

/// What is made anew where it is used, since SPIR-V has no variables and no results of branches of its type: addresses of and in
/// resources, and what is loaded from them as a handle of its own.
fn is_made_anew(f: &Function, ctx: &Context, data: &InstData) -> bool {
    match data.op {
        _ if is_form(f, ctx, data) => true,
        Opcode::Op(
            Op::AccessChain | Op::InBoundsAccessChain | Op::SampledImage | Op::Image | Op::ImageTexelPointer,
        ) => true,
        Opcode::Op(Op::Load) => data.result().is_some_and(|v| {
            let opaque = ctx.types.kind(f.values[v].ty);
            matches!(
                opaque,
                TypeKind::Image(_) | TypeKind::Sampler | TypeKind::SampledImage(_) | TypeKind::Opaque(_)
            )
        }),
        _ => false,
    }
}

impl Branches<'_> {
    pub fn run(&mut self) {
        // Definitions come before uses in this order.
        let blocks = crate::ir::walk::blocks(self.f);
        for v in self.found.of.keys() {
            self.derived[*v] = true;
        }
        for (block, _) in &blocks {
            for &inst in &self.f.blocks[*block].insts {
                let data = &self.f.insts[inst];
                let form = is_form(self.f, &self.module.ctx, data);
                if (form
                    || data.ids().any(|v| self.derived[v]) && is_made_anew(self.f, &self.module.ctx, data))
                    && let Some(v) = data.result()
                {
                    self.derived[v] = true;
                }
            }
        }
        for (block, _) in blocks {
            let old = std::mem::take(&mut self.f.blocks[block].insts);
            for inst in old {
                let data = &self.f.insts[inst];
                let same = data.op == Opcode::Resource(ResourceOp::Same);
                let uses = same || data.ids().any(|v| self.derived[v]);
                if data.op.is_structured() || data.op.is_terminator() {
                    self.f.blocks[block].insts.push(inst);
                } else if data.result().is_some_and(|v| self.derived[v]) {
                    // Made anew where it is used.
                } else if uses {
                    self.use_of(block, inst);
                } else {
                    self.f.blocks[block].insts.push(inst);
                }
            }
        }
    }

    fn refuse(&mut self, span: Span, reason: Reason) {
        let refused = Refused { reason, span };
        if !self.refused.contains(&refused) {
            self.refused.push(refused);
        }
    }

    /// Replaces an instruction that uses handles.
    fn use_of(&mut self, block: Block, inst: Inst) {
        let data = self.f.insts[inst].clone();
        let mut handles: SmallVec<[Value; 2]> = SmallVec::new();
        data.ids().for_each(|v| self.handles_in(v, &mut handles));
        if !handles.iter().all(|h| self.may_be_used(*h, data.span)) {
            return;
        }
        let several: SmallVec<[Value; 2]> =
            handles.iter().copied().filter(|h| self.found.of[h].len() > 1).collect();
        let known: Known = handles
            .iter()
            .filter(|h| self.found.of[*h].len() == 1)
            .filter_map(|h| Some((*h, *self.found.of[h].keys().next()?)))
            .collect();
        let types: SmallVec<[Type; 1]> = data.results.iter().map(|v| self.f.values[*v].ty).collect();
        self.chosen(block, data, &types, &several, known, Some(inst));
    }

    /// The handles that a value is derived from.
    fn handles_in(&self, v: Value, list: &mut SmallVec<[Value; 2]>) {
        if self.found.of.contains_key(&v) {
            if !list.contains(&v) {
                list.push(v);
            }
            return;
        }
        let Some(inst) = self.f.def_inst(v) else { return };
        let data = &self.f.insts[inst];
        if is_made_anew(self.f, &self.module.ctx, data) {
            data.ids().for_each(|v| self.handles_in(v, list));
        }
    }

    fn may_be_used(&mut self, handle: Value, span: Span) -> bool {
        if self.found.lost.contains(&handle) {
            self.refuse(span, Reason::Lost);
            return false;
        }
        let held = &self.found.of[&handle];
        let mut variables: Vec<_> =
            held.keys().filter_map(|n| self.found.all.get(*n as usize)).map(|c| c.global).collect();
        variables.sort_unstable();
        variables.dedup();
        // Parts of one variable of the source are chosen from as the elements of an array are.
        let whole = |g: &Global| self.module.globals[*g].hlsl().part_of;
        let first = variables.first().and_then(whole);
        if first.is_some() && variables.iter().all(|g| whole(g) == first) {
            variables.truncate(1);
        }
        let reason = match (held.len(), variables.len()) {
            (0, _) => Some(Reason::Unassigned),
            (n, _) if n > MAX_CANDIDATES => Some(Reason::TooMany),
            (_, n) if n > 1 && !self.select => {
                let names = variables.iter().map(|g| self.module.globals[*g].name.clone());
                Some(Reason::Chosen(names.collect()))
            }
            _ => None,
        };
        let fits = reason.is_none();
        if let Some(reason) = reason {
            self.refuse(span, reason);
        }
        fits
    }

    /// Appends what an instruction does, in a branch for each candidate of the first of `several` handles. `keep` is the instruction
    /// whose results the rest of the function uses. The result is what they are in a branch.
    fn chosen(
        &mut self,
        block: Block,
        data: InstData,
        types: &[Type],
        several: &[Value],
        known: Known,
        keep: Option<Inst>,
    ) -> SmallVec<[Value; 1]> {
        let Some((handle, rest)) = several.split_first() else {
            return self.done(block, data, types, &known, keep);
        };
        let numbers: SmallVec<[u32; 4]> = self.found.of[handle].keys().copied().collect();
        self.branches += numbers.len();
        let which = self.choices.get(handle).and_then(|c| c.which);
        let (Some(which), true) = (which, self.branches <= MAX_BRANCHES) else {
            self.refuse(data.span, Reason::TooMany);
            return SmallVec::new();
        };
        let span = data.span;
        let mut b = Builder::new(&mut self.module.ctx, self.f, block);
        b.span = span;
        let (inst, blocks) = match numbers[..] {
            [_, second] => {
                let bool_type = b.ctx.types.bool();
                let second = b.u32(second);
                let is_second = b.op(Op::IEqual, bool_type, &[which, second]);
                let (inst, then, els) = b.selection(is_second, if keep.is_some() { &[] } else { types });
                (inst, vec![els, then])
            }
            _ => {
                let labels: Vec<(u64, u32)> =
                    (1..numbers.len()).map(|i| (u64::from(numbers[i]), i as u32)).collect();
                b.switch(which, &labels, numbers.len() - 1, if keep.is_some() { &[] } else { types })
            }
        };
        for (number, branch) in numbers.into_iter().zip(blocks) {
            let mut known = known.clone();
            known.push((*handle, number));
            let results = self.chosen(branch, data.clone(), types, rest, known, None);
            let mut b = Builder::new(&mut self.module.ctx, self.f, branch);
            b.span = span;
            let mut passed = results;
            while passed.len() < types.len() {
                passed.push(b.undef(types[passed.len()]));
            }
            b.terminate(Opcode::Merge, &passed);
        }
        let Some(keep) = keep else { return self.f.insts[inst].results.iter().copied().collect() };
        // The results stay what they are called, as those of the branches.
        let results = std::mem::take(&mut self.f.insts[keep].results);
        let branches = std::mem::replace(&mut self.f.insts[inst], InstData::bare(data.op, span));
        self.f.insts[keep] = InstData { results, ..branches };
        if let Some(last) = self.f.blocks[block].insts.last_mut() {
            *last = keep;
        }
        SmallVec::new()
    }

    /// Appends an instruction whose handles are all known.
    fn done(
        &mut self,
        block: Block,
        mut data: InstData,
        types: &[Type],
        known: &Known,
        keep: Option<Inst>,
    ) -> SmallVec<[Value; 1]> {
        let before: SmallVec<[Option<Type>; 4]> = self.pointees(&data);
        for i in 0..data.operands.len() {
            if let Operand::Id(v) = data.operands[i] {
                data.operands[i] = Operand::Id(self.anew(block, v, known));
            }
        }
        if data.op == Opcode::Resource(ResourceOp::Same) {
            self.same(&data);
            return SmallVec::new();
        }
        if self.pointees(&data) != before {
            self.refuse(data.span, Reason::Types);
        }
        match keep {
            Some(inst) => {
                self.f.insts[inst].operands = data.operands;
                self.f.blocks[block].insts.push(inst);
                SmallVec::new()
            }
            None => {
                data.results.clear();
                let inst = self.f.make_inst(data, types);
                self.f.blocks[block].insts.push(inst);
                self.f.insts[inst].results.iter().copied().collect()
            }
        }
    }

    /// Refuses two resources that are not the same.
    fn same(&mut self, data: &InstData) {
        let ids: SmallVec<[Value; 2]> = data.ids().collect();
        let ends = ids.iter().map(|v| trace(self.f, &self.module.ctx, *v));
        let ends: SmallVec<[_; 2]> = ends
            .map(|(root, way)| match root {
                Root::Global(g) => Some((g, way)),
                _ => None,
            })
            .collect();
        if !matches!(&ends[..], [Some(a), Some(b)] if a == b) {
            self.refuse(data.span, Reason::Assigned);
        }
    }

    /// What the pointers among the operands of an instruction point to, which its types depend on.
    fn pointees(&self, data: &InstData) -> SmallVec<[Option<Type>; 4]> {
        data.ids().map(|v| self.module.ctx.types.pointee(self.f.values[v].ty).map(|p| p.0)).collect()
    }

    /// A value that is derived from handles, made where it is used. Chains are as long as types are deep.
    fn anew(&mut self, block: Block, v: Value, known: &Known) -> Value {
        if self.found.of.contains_key(&v) {
            return self.handle(block, v, known);
        }
        let Some(inst) = self.f.def_inst(v).filter(|_| self.derived[v]) else { return v };
        let mut data = self.f.insts[inst].clone();
        match (data.op, data.id(0)) {
            (Opcode::Op(Op::Bitcast | Op::CopyObject), Some(of)) => return self.anew(block, of, known),
            (Opcode::Resource(what), Some(of)) => {
                let of = self.anew(block, of, known);
                return self.belonging(block, what, of, data.span);
            }
            _ => {}
        }
        data.results.clear();
        for i in 0..data.operands.len() {
            if let Operand::Id(v) = data.operands[i] {
                data.operands[i] = Operand::Id(self.anew(block, v, known));
            }
        }
        let ty = self.type_of(&data).unwrap_or(self.f.values[v].ty);
        let inst = self.f.make_inst(data, &[ty]);
        self.f.blocks[block].insts.push(inst);
        self.f.insts[inst].results[0]
    }

    /// The address of what belongs to a resource whose address is known.
    fn belonging(&mut self, block: Block, what: ResourceOp, of: Value, span: Span) -> Value {
        let (Root::Global(resource), way) = trace(self.f, &self.module.ctx, of) else {
            self.refuse(span, Reason::Lost);
            return of;
        };
        let other = match what {
            ResourceOp::Counter => self.module.globals[resource].hlsl().counter.map(|c| c.var),
            ResourceOp::Same => None,
            ResourceOp::View => {
                let is_view =
                    |d: &GlobalData| d.interface.as_ref().is_some_and(|i| i.view_of == Some(resource));
                self.module.globals.iter().find(|(_, d)| is_view(d)).map(|(g, _)| g)
            }
        };
        let Some(other) = other else {
            self.refuse(span, Reason::Lost);
            return of;
        };
        let (ty, storage) = (self.module.globals[other].ty, self.module.globals[other].storage);
        let mut b = Builder::new(&mut self.module.ctx, self.f, block);
        b.span = span;
        let base = b.address_of(other, ty, storage);
        let end = way.iter().fold(ty, |ty, _| b.ctx.types.element(ty, 0).unwrap_or(ty));
        b.access_chain(base, end, &way)
    }

    /// The type of what is made anew, which depends on the resource.
    fn type_of(&mut self, data: &InstData) -> Option<Type> {
        let base = self.f.values[data.id(0)?].ty;
        let types = &mut self.module.ctx.types;
        match data.op {
            Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain) => {
                let (mut ty, storage) = types.pointee(base)?;
                for index in data.ids().skip(1) {
                    let number = self.f.as_const(index).and_then(|c| self.module.ctx.consts.bits(c));
                    let at = if matches!(types.kind(ty), TypeKind::Struct(_)) { number? as u32 } else { 0 };
                    ty = types.element(ty, at)?;
                }
                Some(types.pointer(ty, storage))
            }
            Opcode::Op(Op::Load) => types.pointee(base).map(|p| p.0),
            Opcode::Op(Op::SampledImage) => Some(types.intern(TypeKind::SampledImage(base))),
            Opcode::Op(Op::Image) => match types.kind(base) {
                TypeKind::SampledImage(image) => Some(*image),
                _ => None,
            },
            _ => None,
        }
    }

    /// The address of the resource that a handle is known to be.
    fn handle(&mut self, block: Block, v: Value, known: &Known) -> Value {
        let number = known.iter().find(|(h, _)| *h == v).map(|(_, n)| *n);
        let candidate = number.and_then(|n| self.found.all.get(n as usize).cloned());
        let (Some(number), Some(candidate)) = (number, candidate) else { return v };
        let indices = self.found.of[&v].get(&number).cloned().unwrap_or_default();
        let mut slots = self.choices.get(&v).map(|c| c.slots.clone()).unwrap_or_default().into_iter();
        let data = &self.module.globals[candidate.global];
        let (ty, storage) = (data.ty, data.storage);
        let mut b = Builder::new(&mut self.module.ctx, self.f, block);
        let base = b.address_of(candidate.global, ty, storage);
        let (mut end, mut indices) = (ty, indices.into_iter());
        let mut way: SmallVec<[Value; 4]> = SmallVec::new();
        for step in &candidate.steps {
            let at = match step {
                Step::Member(n) => {
                    way.push(b.i32(*n as i32));
                    *n
                }
                Step::Element(n) => {
                    way.push(b.u32(*n));
                    0
                }
                Step::Index => {
                    let index = match indices.next().flatten() {
                        Some(n) => b.u32(n),
                        None => slots.next().unwrap_or_else(|| b.u32(0)),
                    };
                    way.push(index);
                    0
                }
            };
            end = b.ctx.types.element(end, at).unwrap_or(end);
        }
        b.access_chain(base, end, &way)
    }
}
