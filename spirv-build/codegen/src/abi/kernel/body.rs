//! The body of a kernel: instruction by instruction from the old function to the new.

use super::memory::Bytes;
use super::texels::{Layout, Texels};
use super::{Lower, semantics};
use crate::ir::{
    Block, Builder, BuiltIn, Const, ConstKind, Decoration, ExtSet, Function, Global, GlslOp, InstData, Op,
    Opcode, Operand, StorageClass, Type, TypeKind, Value, ValueDef,
};
use crate::passes::expand::{Target, is_lacking};
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv_spec::{ClOp as Cl, Kind};

/// What an old value became.
#[derive(Clone, Copy)]
pub(super) enum Mapped {
    /// A value.
    Value(Value),
    /// A place in memory that the host sees.
    Bytes(Bytes),
    /// A variable that holds an image: the image.
    Image(Value),
    /// An image that is memory, or a variable that holds one.
    Texels(Texels),
    /// Memory of the work-group that the host sizes: the address of its first word.
    Local(Value),
    /// A system value, or a component of one, with 64 bits; its pointer.
    Size(Value),
    /// The number of a work-item in its group, which is computed: early versions of OpenCL have no such system value.
    LinearId,
}

/// What a resource is as a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// An address, with the length in the parameter after it.
    Buffer,
    /// A struct of this many bytes.
    Constants(u32),
    /// An image.
    Image,
    /// The address of the texels of an image, with their extent in the parameter after it.
    Texels(Layout),
    /// Memory of the work-group; with its length in bytes in the parameter after it if that is asked for, by the number of the
    /// specialization constant that is the length in elements elsewhere.
    Local { length_of: Option<Const> },
}

/// State of one function.
pub(super) struct Body<'l, 'a> {
    pub l: &'l mut Lower<'a>,
    pub old: &'a Function,
    pub f: Function,
    pub block: Block,
    pub span: Span,
    pub values: FxHashMap<Value, Mapped>,
    roots: FxHashMap<Global, Mapped>,
    /// Work-items of a group.
    local_size: [u32; 3],
    /// Some arithmetic must not be contracted.
    precise: bool,
}

/// Lowers `old` into `f`, whose entry block is `block`. `roots`: resources with the index of their parameter. Tells whether contraction must be off.
pub(super) fn lower<'a>(
    l: &mut Lower<'a>,
    old: &'a Function,
    f: Function,
    block: Block,
    roots: &[(Global, usize, Root)],
    local_size: [u32; 3],
) -> (Function, bool) {
    let mut b = Body { local_size, ..Body::new(l, old, f, block) };
    // Variables must come first in the entry block.
    let Some(entry) = old.entry() else { return (b.f, false) };
    let insts = &old.blocks[entry].insts;
    let variables = insts.iter().take_while(|i| old.insts[**i].op == Opcode::Op(Op::Variable)).count();
    insts[..variables].iter().for_each(|i| b.inst(&old.insts[*i]));
    for (g, at, root) in roots {
        let (ty, param) = (b.l.old.globals[*g].ty, b.f.params[*at]);
        let (base, length, size) = match *root {
            Root::Image => {
                b.roots.insert(*g, Mapped::Image(param));
                continue;
            }
            Root::Texels(layout) => {
                let texels = Texels { pointer: param, extent: b.f.params[*at + 1], layout };
                b.roots.insert(*g, Mapped::Texels(texels));
                continue;
            }
            Root::Local { length_of } => {
                b.roots.insert(*g, Mapped::Local(param));
                if let Some(len) = length_of {
                    b.local_length(len, param, *at + 1);
                }
                continue;
            }
            Root::Buffer => (param, Some(b.f.params[*at + 1]), 0),
            Root::Constants(size) => {
                let bytes = b.l.u8();
                let pointer = b.l.new.ctx.types.pointer(bytes, StorageClass::Function);
                (b.b().op(Op::Bitcast, pointer, &[param]), None, size)
            }
        };
        let bytes = Bytes { base, length, size, constant: 0, dynamic: None, ty, matrix: None, step: None };
        b.roots.insert(*g, Mapped::Bytes(bytes));
    }
    insts[variables..].iter().for_each(|i| b.inst(&old.insts[*i]));
    (b.f, b.precise)
}

impl<'l, 'a> Body<'l, 'a> {
    /// At the start of `block`, before any value is known.
    pub fn new(l: &'l mut Lower<'a>, old: &'a Function, f: Function, block: Block) -> Body<'l, 'a> {
        Body {
            l,
            old,
            f,
            block,
            span: old.span,
            values: FxHashMap::default(),
            roots: FxHashMap::default(),
            local_size: [1; 3],
            precise: false,
        }
    }

    /// Makes the number of elements of memory of the work-group, whose length in bytes is a parameter.
    fn local_length(&mut self, len: Const, pointer: Value, parameter: usize) {
        let types = &self.l.new.ctx.types;
        let element = types.pointee(self.f.values[pointer].ty).and_then(|p| types.size(p.0)).unwrap_or(1);
        let (word, wide) = (self.l.new.ctx.types.u32(), self.l.u64());
        let element = self.l.new.ctx.constant(wide, ConstKind::Bits(u64::from(element.max(1))));
        let (bytes, element) = (self.f.params[parameter], self.b().constant(element));
        let count = self.b().op(Op::UDiv, wide, &[bytes, element]);
        let count = self.b().op(Op::UConvert, word, &[count]);
        let lengths = self.old.values.iter().filter(|(_, v)| v.def == ValueDef::Const(len));
        let lengths: Vec<Value> = lengths.map(|(v, _)| v).collect();
        self.values.extend(lengths.into_iter().map(|v| (v, Mapped::Value(count))));
    }

    pub fn b(&mut self) -> Builder<'_> {
        let mut b = Builder::new(&mut self.l.new.ctx, &mut self.f, self.block);
        b.span = self.span;
        b
    }

    pub fn refuse(&mut self, what: impl Into<String>) {
        let span = self.span;
        self.l.refuse(what, span);
    }

    pub fn ty(&mut self, old: Type) -> Type {
        let span = self.span;
        self.l.ty(old, span)
    }

    pub fn old_ty(&self, v: Value) -> Type {
        self.old.values[v].ty
    }

    pub fn old_kind(&self, v: Value) -> &'a TypeKind {
        self.l.old.ctx.types.kind(self.old_ty(v))
    }

    pub fn mapped(&mut self, v: Value) -> Mapped {
        if let Some(m) = self.values.get(&v) {
            return *m;
        }
        let (data, span) = (&self.old.values[v], self.span);
        let mapped = match data.def {
            ValueDef::Const(c) => {
                let c = self.l.constant(c, span);
                Mapped::Value(self.b().constant(c))
            }
            ValueDef::Global(g) => match self.roots.get(&g) {
                Some(root) => return *root,
                None if self.l.old.globals[g].builtin() == Some(BuiltIn::LocalInvocationIndex) => {
                    Mapped::LinearId
                }
                None => {
                    let new = self.l.global(g);
                    let data = &self.l.new.globals[new];
                    let (ty, storage, builtin) = (data.ty, data.storage, data.builtin());
                    let v = self.b().address_of(new, ty, storage);
                    if builtin.is_some_and(super::is_size) { Mapped::Size(v) } else { Mapped::Value(v) }
                }
            },
            // Of what was refused.
            _ => {
                let ty = self.ty(data.ty);
                Mapped::Value(self.b().undef(ty))
            }
        };
        self.values.insert(v, mapped);
        mapped
    }

    /// The new value; an error where it is an address that kernels have not.
    pub fn value(&mut self, v: Value) -> Value {
        match self.mapped(v) {
            Mapped::Value(v) | Mapped::Size(v) => v,
            Mapped::LinearId => self.linear_id(),
            Mapped::Bytes(Bytes { base: v, .. })
            | Mapped::Image(v)
            | Mapped::Texels(Texels { pointer: v, .. })
            | Mapped::Local(v) => {
                self.refuse("resources that are chosen at run time");
                v
            }
        }
    }

    pub fn set(&mut self, old: Option<Value>, new: Value) {
        if let Some(old) = old {
            let name = self.old.values[old].name.clone();
            if self.f.values[new].name.is_none() && matches!(self.f.values[new].def, ValueDef::Result(..)) {
                self.f.values[new].name = name;
            }
            self.values.insert(old, Mapped::Value(new));
        }
    }

    /// Lowers a block of the old function into one of the new.
    fn copy_block(&mut self, from: Block, to: Block) {
        let (block, span) = (std::mem::replace(&mut self.block, to), self.span);
        let old = self.old;
        old.blocks[from].insts.iter().for_each(|i| self.inst(&old.insts[*i]));
        (self.block, self.span) = (block, span);
    }

    fn inst(&mut self, data: &'a InstData) {
        self.span = data.span;
        self.precise |= data.decorations.has(spirv_spec::Decoration::NoContraction);
        match data.op {
            Opcode::Selection | Opcode::Switch | Opcode::Loop => self.structured(data),
            Opcode::Op(op) => self.op(op, data),
            Opcode::Ext(ExtSet::OpenCl, _) => {
                let ids: Vec<Value> = data.ids().map(|v| self.value(v)).collect();
                let Some(result) = data.result() else { return };
                let ty = self.old_ty(result);
                let ty = self.ty(ty);
                let new = self.b().op(data.op, ty, &ids);
                self.set(Some(result), new);
            }
            Opcode::Ext(ExtSet::Glsl, number) => self.refuse(match GlslOp::from_u32(number) {
                Some(op) => crate::ir::words::function(op),
                None => format!("function {number} of an extended set"),
            }),
            Opcode::Ext(set, _) => self.refuse(format!("instructions of {}", set.name())),
            _ => self.plain(data.op, data),
        }
    }

    fn structured(&mut self, data: &'a InstData) {
        let mut new = InstData::new(data.op, [], data.span);
        new.operands = self.operands(data, &[]);
        let blocks: Vec<(Block, Block)> = data
            .regions
            .iter()
            .map(|r| {
                let (region, block) = self.f.make_region();
                new.regions.push(region);
                (self.old.block_of(*r), block)
            })
            .collect();
        let types: Vec<Type> = data.results.iter().map(|v| self.old.values[*v].ty).collect();
        let types: Vec<Type> = types.into_iter().map(|t| self.ty(t)).collect();
        for (old, block) in &blocks {
            for arg in &self.old.blocks[*old].args {
                let ty = self.old_ty(*arg);
                let ty = self.ty(ty);
                let v = self.f.add_arg(*block, ty);
                self.f.values[v].name = self.old.values[*arg].name.clone();
                self.values.insert(*arg, Mapped::Value(v));
            }
        }
        let inst = self.b().append(new, &types);
        for (old, block) in blocks {
            self.copy_block(old, block);
        }
        for (i, old) in data.results.iter().enumerate() {
            let v = self.f.insts[inst].results[i];
            self.set(Some(*old), v);
        }
    }

    /// Operands, with values replaced; `kinds` finds memory semantics.
    pub fn operands(&mut self, data: &InstData, kinds: &[spirv_spec::OperandRow]) -> SmallVec<[Operand; 4]> {
        let mut out = SmallVec::new();
        for (i, o) in data.operands.iter().enumerate() {
            let kind = kinds.get(i).map(|k| k.kind);
            out.push(match *o {
                Operand::Id(v) if kind == Some(Kind::IdMemorySemantics) => {
                    let bits = self.old.as_const(v).and_then(|c| self.l.old.ctx.consts.bits(c));
                    if bits.is_none() {
                        self.refuse("an order of memory that is not constant");
                    }
                    Operand::Id(self.b().u32(semantics(bits.unwrap_or(0) as u32)))
                }
                Operand::Id(v) => Operand::Id(self.value(v)),
                Operand::Type(t) => Operand::Type(self.ty(t)),
                other => other,
            });
        }
        out
    }

    /// An instruction that stays what it is.
    pub fn cl(&mut self, op: Cl, ty: Type, ids: &[Value]) -> Value {
        self.b().op(Opcode::Ext(ExtSet::OpenCl, op.0), ty, ids)
    }

    /// A truth value for each component of `ty`.
    pub fn truth_like(&mut self, ty: Type) -> Type {
        let (len, truth) = (self.l.new.ctx.types.len_of(ty), self.l.new.ctx.types.bool());
        if len == 1 { truth } else { self.l.new.ctx.types.vector(truth, len) }
    }

    pub fn plain(&mut self, op: Opcode, data: &InstData) {
        let kinds = match op {
            Opcode::Op(op) => op.row().map_or(&[][..], |r| r.operands()),
            _ => &[],
        };
        let mut new = InstData::new(op, [], data.span);
        new.operands = self.operands(data, kinds);
        new.decorations = data.decorations.iter().filter(|d| keeps(d)).cloned().collect();
        let result = data.result().map(|v| self.old_ty(v)).map(|t| self.ty(t));
        let inst = self.b().append(new, result.as_slice());
        if let Some(v) = self.f.insts[inst].result() {
            self.set(data.result(), v);
        }
    }

    fn op(&mut self, op: Op, data: &'a InstData) {
        let is_place = |v: &Value| matches!(self.old_kind(*v), TypeKind::Pointer { .. } | TypeKind::Image(_));
        let base = data.id(0).filter(is_place);
        let place = base.map(|v| self.mapped(v));
        match (op, place) {
            (Op::AccessChain | Op::InBoundsAccessChain, Some(Mapped::Bytes(bytes))) => {
                let ids: Vec<Value> = data.ids().skip(1).collect();
                if let (Some(inner), Some(result)) = (self.chain(bytes, &ids), data.result()) {
                    self.values.insert(result, Mapped::Bytes(inner));
                }
            }
            (Op::AccessChain | Op::InBoundsAccessChain, Some(Mapped::Local(p))) => {
                let Some(result) = data.result() else { return };
                let ids = data.ids().skip(1).map(|v| Operand::Id(self.value(v)));
                let all: Vec<Operand> = [Operand::Id(p)].into_iter().chain(ids).collect();
                let ty = self.ty(self.old_ty(result));
                let v = self.b().value(Op::PtrAccessChain, ty, &all);
                self.values.insert(result, Mapped::Value(v));
            }
            (Op::AccessChain | Op::InBoundsAccessChain, Some(Mapped::Size(p))) => {
                let ids: Vec<Value> = data.ids().skip(1).map(|v| self.value(v)).collect();
                let ty = self.l.u64();
                let inner = self.b().access_chain(p, ty, &ids);
                data.result().into_iter().for_each(|r| {
                    self.values.insert(r, Mapped::Size(inner));
                });
            }
            (Op::CopyObject, Some(place)) | (Op::Load, Some(place @ Mapped::Texels(_))) => {
                data.result().into_iter().for_each(|r| {
                    self.values.insert(r, place);
                });
            }
            (Op::Load, Some(Mapped::Image(image))) => {
                data.result().into_iter().for_each(|r| {
                    self.values.insert(r, Mapped::Value(image));
                });
            }
            (Op::Load, Some(Mapped::LinearId)) => {
                let v = self.linear_id();
                self.set(data.result(), v);
            }
            (Op::Load, Some(Mapped::Size(p))) => {
                let wide = self.b().load(p);
                let Some(result) = data.result() else { return };
                let ty = self.old_ty(result);
                let ty = self.ty(ty);
                let v = self.b().op(Op::UConvert, ty, &[wide]);
                self.set(Some(result), v);
            }
            (Op::Load, Some(Mapped::Bytes(bytes))) => {
                let volatile = data.literal(1).unwrap_or(0) & 1;
                let v = self.load(bytes, volatile);
                self.set(data.result(), v);
            }
            (Op::Store, Some(Mapped::Bytes(bytes))) => {
                let Some(v) = data.id(1) else { return };
                let (v, volatile) = (self.value(v), data.literal(2).unwrap_or(0) & 1);
                self.store(bytes, v, volatile);
            }
            (Op::Load | Op::Store, _) => {
                // Of the memory operands only Volatile has a meaning in both flavours.
                let keep = if op == Op::Load { 1 } else { 2 };
                let mut data = data.clone();
                let volatile = data.literal(keep).unwrap_or(0) & 1;
                data.operands.truncate(keep);
                if volatile != 0 {
                    data.operands.push(Operand::Literal(volatile));
                }
                self.plain(Opcode::Op(op), &data);
            }
            (Op::ArrayLength, Some(Mapped::Bytes(bytes))) => self.array_length(bytes, data),
            (_, Some(Mapped::Bytes(bytes))) if op.is_atomic() => {
                self.atomic(op, bytes, data);
            }
            (Op::Bitcast | Op::CopyObject, _) => {
                let (Some(v), Some(result)) = (data.id(0), data.result()) else { return };
                let new = self.value(v);
                let ty = self.old_ty(result);
                if op == Op::CopyObject || self.ty(ty) == self.f.values[new].ty {
                    self.values.insert(result, Mapped::Value(new));
                } else {
                    self.plain(data.op, data);
                }
            }
            (Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic, _) => {
                self.shift(op, data)
            }
            (Op::Select, _) => self.select(data),
            (Op::CompositeExtract | Op::CompositeInsert, _) if self.inside_vector(op, data) => {
                self.nested_component(op, data);
            }
            (Op::FunctionCall, _) => self.refuse("calls that are not inlined"),
            (Op::ReadClockKHR, _) => self.refuse("clocks"),
            // What the pass `expand` leaves, or all if it was not run.
            _ if is_lacking(Target::Kernels, op.into()) => self.refuse(crate::ir::words::operation(op)),
            _ => {
                match op.row().map_or("", |r| r.class()) {
                    "Image" => return self.image(op, data),
                    "Non-Uniform" => return self.wave(op, data),
                    "Derivative" => return self.refuse("derivatives"),
                    _ => {}
                }
                self.plain(data.op, data);
            }
        }
    }

    /// x + (y + z * height) * width
    fn linear_id(&mut self) -> Value {
        let (word, narrow) = (self.l.u64(), self.l.new.ctx.types.u32());
        let (g, ty) = self.l.local_id();
        let p = self.b().address_of(g, ty, StorageClass::Input);
        let id = self.b().load(p);
        let id: Vec<Value> = (0..3).map(|i| self.b().extract(id, word, &[i])).collect();
        let id: Vec<Value> = id.into_iter().map(|v| self.b().op(Op::UConvert, narrow, &[v])).collect();
        let [width, height, _] = self.local_size;
        let (width, height) = (self.b().u32(width), self.b().u32(height));
        let z = self.b().op(Op::IMul, narrow, &[id[2], height]);
        let yz = self.b().op(Op::IAdd, narrow, &[id[1], z]);
        let yz = self.b().op(Op::IMul, narrow, &[yz, width]);
        self.b().op(Op::IAdd, narrow, &[id[0], yz])
    }

    /// Both operands of a shift have one width in kernels.
    fn shift(&mut self, op: Op, data: &InstData) {
        let ids: Vec<Value> = data.ids().map(|v| self.value(v)).collect();
        let (Some(result), &[base, amount]) = (data.result(), &ids[..]) else { return };
        let ty = self.f.values[base].ty;
        let amount =
            if self.f.values[amount].ty == ty { amount } else { self.b().op(Op::UConvert, ty, &[amount]) };
        let v = self.b().op(op, ty, &[base, amount]);
        self.set(Some(result), v);
    }

    /// Whether the instruction goes through a struct or array into a vector.
    fn inside_vector(&self, op: Op, data: &InstData) -> bool {
        let composite = data.id(usize::from(op == Op::CompositeInsert));
        let types = &self.l.old.ctx.types;
        let mut at = composite.map(|v| self.old_ty(v));
        let indices: Vec<u32> = data.operands.iter().filter_map(literal).collect();
        for index in indices.iter().take(indices.len().saturating_sub(1)) {
            at = at.and_then(|t| types.element(t, *index));
        }
        indices.len() > 1 && at.is_some_and(|t| matches!(types.kind(t), TypeKind::Vector { .. }))
    }

    /// Takes a component out of a vector in a composite, or puts it there, in two steps: LLVM, which consumers
    /// translate to, has no single one, and some of them crash on it.
    fn nested_component(&mut self, op: Op, data: &InstData) {
        let ids: Vec<Value> = data.ids().map(|v| self.value(v)).collect();
        let mut path: Vec<u32> = data.operands.iter().filter_map(literal).collect();
        let (Some(result), Some(last), Some(&composite)) = (data.result(), path.pop(), ids.last()) else {
            return;
        };
        let mut ty = self.f.values[composite].ty;
        for index in &path {
            match self.l.new.ctx.types.element(ty, *index) {
                Some(t) => ty = t,
                None => return,
            }
        }
        let vector = self.b().extract(composite, ty, &path);
        let new = if op == Op::CompositeExtract {
            let elem = self.l.new.ctx.types.scalar_of(ty);
            self.b().extract(vector, elem, &[last])
        } else {
            let operands = [Operand::Id(ids[0]), Operand::Id(vector), Operand::Literal(last)];
            let vector = self.b().value(Op::CompositeInsert, ty, &operands);
            let mut operands = vec![Operand::Id(vector), Operand::Id(composite)];
            operands.extend(path.iter().map(|i| Operand::Literal(*i)));
            let whole = self.f.values[composite].ty;
            self.b().value(Op::CompositeInsert, whole, &operands)
        };
        self.set(Some(result), new);
    }

    /// A scalar condition on vectors is of a later version than many kernels may have.
    fn select(&mut self, data: &InstData) {
        let ids: Vec<Value> = data.ids().map(|v| self.value(v)).collect();
        let (Some(result), &[mut condition, a, b]) = (data.result(), &ids[..]) else { return };
        let ty = self.f.values[a].ty;
        match *self.l.new.ctx.types.kind(ty) {
            TypeKind::Vector { len, .. } if self.l.new.ctx.types.len_of(self.f.values[condition].ty) == 1 => {
                let bools = self.f.values[condition].ty;
                let bools = self.l.new.ctx.types.vector(bools, len);
                let parts = vec![condition; usize::from(len)];
                condition = self.b().op(Op::CompositeConstruct, bools, &parts);
            }
            TypeKind::Struct(_) | TypeKind::Array { .. } => {
                let (inst, then, els) = self.b().selection(condition, &[ty]);
                for (block, v) in [(then, a), (els, b)] {
                    let outer = std::mem::replace(&mut self.block, block);
                    self.b().terminate(Opcode::Merge, &[v]);
                    self.block = outer;
                }
                let v = self.f.insts[inst].results[0];
                self.set(Some(result), v);
                return;
            }
            _ => {}
        }
        let v = self.b().op(Op::Select, ty, &[condition, a, b]);
        self.set(Some(result), v);
    }

    /// A constant of a scalar type, or of each component of a vector type.
    pub fn splat(&mut self, ty: Type, bits: u64) -> Value {
        let width = self.l.new.ctx.types.width_of(ty).unwrap_or(32);
        let bits = if width >= 64 { bits } else { bits & ((1 << width) - 1) };
        let c = self.l.new.ctx.splat(ty, ConstKind::Bits(bits));
        self.b().constant(c)
    }
}

fn literal(o: &Operand) -> Option<u32> {
    match o {
        Operand::Literal(n) => Some(*n),
        _ => None,
    }
}

/// Decorations that mean something in kernels.
fn keeps(d: &Decoration) -> bool {
    matches!(
        d.kind,
        spirv_spec::Decoration::FPRoundingMode
            | spirv_spec::Decoration::FPFastMathMode
            | spirv_spec::Decoration::SaturatedConversion
    )
}
