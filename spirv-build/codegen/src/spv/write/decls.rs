//! Types, constants and module-scope variables.

use super::{Writer, begin, end, inst};
use crate::ir::entity::Entity;
use crate::ir::parts;
use crate::ir::walk;
use crate::ir::{
    self, Const, ConstKind, ConstOperand, ConstTable, DecorationOperand, Decorations, Global, ImageType,
    ModeOperands, Module, Op, Operand, ResourceClass, StorageClass, StructType, Type, TypeKind, TypeOperand,
    ValueDef,
};
use smallvec::{SmallVec, smallvec};
use spirv_spec::{Decoration, Kind};

/// Words that end an instruction.
type Words = SmallVec<[u32; 16]>;

/// What something uses.
struct Used {
    types: Vec<bool>,
    consts: Vec<bool>,
    globals: Vec<bool>,
}

impl Used {
    /// A constant that a type needs.
    fn length(&mut self, module: &Module, c: Const) {
        self.consts[c.index()] = true;
        self.types[module.ctx.consts.ty(c).index()] = true;
        module.ctx.consts.kind(c).parts().for_each(|p| self.length(module, p));
    }

    fn decorations(&mut self, list: &Decorations) {
        for operand in list.iter().flat_map(|d| &d.operands) {
            if let DecorationOperand::Const(c) = operand {
                self.consts[c.index()] = true;
            }
        }
    }

    fn find(module: &Module, reached: &[bool]) -> Used {
        let mut used = Used {
            types: vec![false; module.ctx.types.len()],
            consts: vec![false; module.ctx.consts.len()],
            globals: vec![false; module.globals.len()],
        };
        for (_, f) in module.functions.iter().filter(|(f, _)| reached[f.index()]) {
            used.types[f.result.index()] = true;
            used.decorations(&f.decorations);
            for p in &f.params {
                used.types[f.values[*p].ty.index()] = true;
            }
            f.decorated().for_each(|(_, list)| used.decorations(list));
            let blocks = walk::blocks(f);
            for (block, _) in &blocks {
                for arg in &f.blocks[*block].args {
                    used.types[f.values[*arg].ty.index()] = true;
                }
            }
            for i in blocks.iter().flat_map(|(b, _)| &f.blocks[*b].insts) {
                let Some(data) = f.insts.get(*i) else { continue };
                used.decorations(&data.decorations);
                for o in &data.operands {
                    if let Operand::Type(t) = o {
                        used.types[t.index()] = true;
                    }
                }
                let passed = data.successors.iter().flat_map(|s| s.args.iter().copied());
                for v in data.ids().chain(data.results.iter().copied()).chain(passed) {
                    let value = &f.values[v];
                    used.types[value.ty.index()] = true;
                    match value.def {
                        ValueDef::Const(c) => used.consts[c.index()] = true,
                        ValueDef::Global(g) => used.globals[g.index()] = true,
                        _ => {}
                    }
                }
            }
        }
        for mode in module.entry_points.iter().flat_map(|e| &e.modes) {
            if let ModeOperands::Consts(list) = &mode.operands {
                list.iter().for_each(|c| used.consts[c.index()] = true);
            }
        }
        for (g, data) in module.globals.iter() {
            if used.globals[g.index()] {
                used.decorations(&data.decorations);
                used.types[data.ty.index()] = true;
                if let Some(c) = data.init {
                    used.consts[c.index()] = true;
                }
            }
        }
        // Parts come before what they are made into, so one pass backwards finds all, but for what is found by its address.
        let consts: Vec<_> = module.ctx.consts.iter().collect();
        let mut again = true;
        while std::mem::take(&mut again) {
            for (c, ty, kind) in consts.iter().rev() {
                if !used.consts[c.index()] {
                    continue;
                }
                used.types[ty.index()] = true;
                kind.parts().for_each(|p| used.consts[p.index()] = true);
                if let Some(symbol) = module.ctx.consts.symbol(*c) {
                    used.decorations(&symbol.decorations);
                }
                match kind {
                    ConstKind::Address(g) if !used.globals[g.index()] => {
                        let data = &module.globals[*g];
                        used.globals[g.index()] = true;
                        used.types[data.ty.index()] = true;
                        data.init.into_iter().for_each(|c| used.consts[c.index()] = true);
                        again = true;
                    }
                    _ => {}
                }
            }
        }
        let (types, mut found): (Vec<_>, _) = (module.ctx.types.iter().collect(), Vec::new());
        for (t, kind) in types.iter().rev() {
            if used.types[t.index()] {
                if let TypeKind::SpecArray { len, .. } = kind {
                    used.length(module, *len);
                }
                parts(kind, &mut found);
                found.drain(..).for_each(|p| used.types[p.index()] = true);
            }
        }
        used
    }
}

impl Writer<'_> {
    /// Writes all types, constants and globals that something uses.
    pub(super) fn declare_all(&mut self, reached: &[bool]) {
        let module = self.module;
        let used = Used::find(module, reached);
        for (t, kind) in module.ctx.types.iter() {
            if used.types[t.index()] && self.types[t.index()] == 0 {
                self.types[t.index()] = self.ty(t, kind);
            }
        }
        for (c, ty, kind) in module.ctx.consts.iter() {
            // Those with addresses come with the variables that they initialise.
            if used.consts[c.index()] && self.consts[c.index()] == 0 && !module.ctx.consts.has_address(c) {
                self.constant(c, ty, kind);
            }
        }
        // What a decoration names must come before what it decorates.
        let mut first = Vec::new();
        for (_, data) in module.globals.iter() {
            let operands = data.decorations.iter().flat_map(|d| &d.operands);
            first.extend(operands.filter_map(|o| match o {
                DecorationOperand::Global(g) => Some(*g),
                _ => None,
            }));
        }
        for g in first.into_iter().chain(module.globals.keys()) {
            if used.globals[g.index()] && self.globals[g.index()] == 0 {
                self.global(g);
            }
        }
    }

    pub(super) fn type_id(&self, t: Type) -> u32 {
        self.types.get(t.index()).copied().unwrap_or(0)
    }

    fn declare(&mut self, op: Op, words: &[u32]) -> u32 {
        let id = self.id();
        let start = begin(&mut self.decls, op);
        self.decls.push(id);
        self.decls.extend_from_slice(words);
        end(&mut self.decls, start);
        id
    }

    fn ty(&mut self, t: Type, kind: &TypeKind) -> u32 {
        match kind {
            TypeKind::Void => self.declare(Op::TypeVoid, &[]),
            TypeKind::Bool => self.declare(Op::TypeBool, &[]),
            TypeKind::Int { width, signed } => {
                self.declare(Op::TypeInt, &[u32::from(*width), u32::from(*signed)])
            }
            TypeKind::Float { width } => self.declare(Op::TypeFloat, &[u32::from(*width)]),
            TypeKind::EncodedFloat { width, encoding } => {
                self.declare(Op::TypeFloat, &[u32::from(*width), encoding.0])
            }
            TypeKind::Vector { elem, len } => {
                self.declare(Op::TypeVector, &[self.type_id(*elem), u32::from(*len)])
            }
            TypeKind::Matrix { column, columns } => {
                self.declare(Op::TypeMatrix, &[self.type_id(*column), u32::from(*columns)])
            }
            TypeKind::Array { elem, len, stride } => {
                let len = self.length(*len);
                let id = self.declare(Op::TypeArray, &[self.type_id(*elem), len]);
                stride.iter().for_each(|s| self.decorate(id, Decoration::ArrayStride, &[*s]));
                id
            }
            TypeKind::RuntimeArray { elem, stride } => {
                let id = self.declare(Op::TypeRuntimeArray, &[self.type_id(*elem)]);
                stride.iter().for_each(|s| self.decorate(id, Decoration::ArrayStride, &[*s]));
                id
            }
            TypeKind::SpecArray { elem, len, stride } => {
                self.constant_early(*len);
                let id = self.declare(Op::TypeArray, &[self.type_id(*elem), self.consts[len.index()]]);
                stride.iter().for_each(|s| self.decorate(id, Decoration::ArrayStride, &[*s]));
                id
            }
            TypeKind::Struct(s) => self.structure(t, s),
            TypeKind::Pointer { pointee, storage } => self.pointer(self.type_id(*pointee), *storage),
            TypeKind::Image(i) => self.image(i),
            TypeKind::Sampler => self.declare(Op::TypeSampler, &[]),
            TypeKind::SampledImage(i) => self.declare(Op::TypeSampledImage, &[self.type_id(*i)]),
            TypeKind::Opaque(o) => {
                let mut words: Vec<u32> = o.types.iter().map(|t| self.type_id(*t)).collect();
                words.extend(&o.words);
                self.declare(o.op, &words)
            }
            TypeKind::Custom(o) => {
                let mut words = Vec::new();
                for o in &o.operands {
                    words.push(match o {
                        TypeOperand::Type(t) => self.type_id(*t),
                        TypeOperand::Literal(n) => *n,
                        TypeOperand::Const(n) => self.length(*n),
                    });
                }
                self.declare(o.op, &words)
            }
            TypeKind::Function { result, params } => {
                let mut words = vec![self.type_id(*result)];
                words.extend(params.iter().map(|p| self.type_id(*p)));
                self.function_type(words)
            }
        }
    }

    fn structure(&mut self, t: Type, s: &StructType) -> u32 {
        let words: Vec<u32> = s.members.iter().map(|m| self.type_id(m.ty)).collect();
        let id = self.declare(Op::TypeStruct, &words);
        self.name(id, &s.name);
        for (i, m) in (0..).zip(&s.members) {
            self.member_name(id, i, &m.name);
            let mut layout: SmallVec<[ir::Decoration; 3]> = SmallVec::new();
            layout.extend(m.offset.map(|o| ir::Decoration::words(Decoration::Offset, &[o])));
            if let Some(l) = m.matrix {
                let order = if l.row_major { Decoration::RowMajor } else { Decoration::ColMajor };
                layout.push(ir::Decoration::plain(order));
                layout.push(ir::Decoration::words(Decoration::MatrixStride, &[l.stride]));
            }
            layout.iter().chain(&m.decorations).for_each(|d| self.decorate_member(id, i, d));
        }
        for d in &s.decorations {
            if d.kind == Decoration::Block && self.buffer_blocks.contains(&t) {
                self.decorate(id, Decoration::BufferBlock, &[]);
            } else {
                self.decorate_as(id, d);
            }
        }
        id
    }

    fn image(&mut self, i: &ImageType) -> u32 {
        let sampled = self.type_id(i.sampled_type);
        let flags =
            [u32::from(i.depth), u32::from(i.arrayed), u32::from(i.multisampled), u32::from(i.sampled)];
        let [depth, arrayed, ms, sampling] = flags;
        self.declare(Op::TypeImage, &[sampled, i.dim.0, depth, arrayed, ms, sampling, i.format.0])
    }

    pub(super) fn pointer(&mut self, pointee: u32, storage: StorageClass) -> u32 {
        let storage = self.storage(storage);
        if let Some(id) = self.pointers.get(&(pointee, storage)) {
            return *id;
        }
        let id = self.declare(Op::TypePointer, &[storage.0, pointee]);
        self.pointers.insert((pointee, storage), id);
        id
    }

    /// The function type with this result and these parameters.
    pub(super) fn function_type(&mut self, words: Vec<u32>) -> u32 {
        if let Some(id) = self.function_types.get(&words) {
            return *id;
        }
        let id = self.declare(Op::TypeFunction, &words);
        self.function_types.insert(words, id);
        id
    }

    /// `OpUndef` of a type.
    pub(super) fn undef(&mut self, ty: u32) -> u32 {
        if let Some(id) = self.undefs.get(&ty) {
            return *id;
        }
        let id = self.id();
        inst(&mut self.decls, Op::Undef, &[ty, id]);
        self.undefs.insert(ty, id);
        id
    }

    /// The 32-bit unsigned integer, declared if it is not yet.
    fn word_type(&mut self) -> u32 {
        let known = self.module.ctx.types.find(&TypeKind::Int { width: 32, signed: false });
        match known.map(|t| (t, self.type_id(t))) {
            Some((_, id)) if id != 0 => id,
            None if self.own_u32 != 0 => self.own_u32,
            known => {
                let id = self.declare(Op::TypeInt, &[32, 0]);
                // If its turn comes later it is not declared again.
                match known {
                    Some((t, _)) => self.types[t.index()] = id,
                    None => self.own_u32 = id,
                }
                id
            }
        }
    }

    /// The constant that is an array's length.
    pub(super) fn length(&mut self, len: u32) -> u32 {
        if let Some(id) = self.lengths.get(&len) {
            return *id;
        }
        let ty = self.word_type();
        let id = self.id();
        inst(&mut self.decls, Op::Constant, &[ty, id, len]);
        self.lengths.insert(len, id);
        id
    }

    /// A constant that a type needs, and what it is made of: verified modules nest them no deeper than
    /// [`walk::MAX_NESTING`], and their types stand before that type.
    fn constant_early(&mut self, c: Const) {
        if self.consts[c.index()] == 0 {
            let consts = &self.module.ctx.consts;
            let (ty, kind) = (consts.ty(c), consts.kind(c));
            kind.parts().for_each(|p| self.constant_early(p));
            self.constant(c, ty, kind);
        }
    }

    fn constant(&mut self, c: Const, ty: Type, kind: &ConstKind) {
        let t = self.type_id(ty);
        let types = &self.module.ctx.types;
        let is_u32 = *types.kind(ty) == TypeKind::Int { width: 32, signed: false };
        if let (true, ConstKind::Bits(bits)) = (is_u32, kind)
            && let Some(id) = self.lengths.get(&(*bits as u32))
        {
            self.consts[c.index()] = *id;
            return;
        }
        let id = if let ConstKind::Undef = kind { self.undef(t) } else { self.id() };
        self.consts[c.index()] = id;
        if let Some(symbol) = self.module.ctx.consts.symbol(c) {
            self.name(id, &symbol.name);
            symbol.decorations.iter().for_each(|d| self.decorate_as(id, d));
        }
        let number = |bits: u64| -> Words {
            match *types.kind(ty) {
                TypeKind::Int { width: 64, .. } | TypeKind::Float { width: 64 } => {
                    smallvec![bits as u32, (bits >> 32) as u32]
                }
                TypeKind::Int { width, signed: true } if (1..32).contains(&width) => {
                    let unused = 32 - u32::from(width);
                    smallvec![(((bits as u32) << unused) as i32 >> unused) as u32]
                }
                _ => smallvec![bits as u32],
            }
        };
        let (op, words) = match kind {
            ConstKind::Bool(true) => (Op::ConstantTrue, Words::new()),
            ConstKind::Bool(false) => (Op::ConstantFalse, Words::new()),
            ConstKind::Bits(bits) => (Op::Constant, number(*bits)),
            ConstKind::Composite(parts) => {
                let consts = &self.module.ctx.consts;
                let spec = parts.iter().any(|p| is_spec(consts, *p));
                let op = if spec { Op::SpecConstantComposite } else { Op::ConstantComposite };
                (op, parts.iter().map(|p| self.consts[p.index()]).collect())
            }
            ConstKind::Computed(op, parts) => {
                let parts = parts.iter().map(|o| match o {
                    ConstOperand::Const(p) => self.consts[p.index()],
                    ConstOperand::Literal(n) => *n,
                });
                (Op::SpecConstantOp, std::iter::once(op.number()).chain(parts).collect())
            }
            ConstKind::Null => (Op::ConstantNull, Words::new()),
            ConstKind::Undef | ConstKind::Address(_) => return,
            ConstKind::Spec { id: spec_id, default, .. } => {
                spec_id.iter().for_each(|n| self.decorate(id, Decoration::SpecId, &[*n]));
                match types.kind(ty) {
                    TypeKind::Bool if *default != 0 => (Op::SpecConstantTrue, Words::new()),
                    TypeKind::Bool => (Op::SpecConstantFalse, Words::new()),
                    _ => (Op::SpecConstant, number(*default)),
                }
            }
        };
        let start = begin(&mut self.decls, op);
        self.decls.extend([t, id]);
        self.decls.extend_from_slice(&words);
        end(&mut self.decls, start);
    }

    /// A constant with addresses in it, and what it is made of. Verified modules nest them no deeper than
    /// [`walk::MAX_NESTING`], and variables that are initialised with addresses come after those whose they are.
    fn address_constant(&mut self, c: Const) {
        let module = self.module;
        let consts = &module.ctx.consts;
        if self.consts[c.index()] != 0 {
            return;
        }
        match consts.kind(c) {
            ConstKind::Address(g) => {
                if self.globals[g.index()] == 0 {
                    self.global(*g);
                }
                self.consts[c.index()] = self.globals[g.index()];
            }
            kind => {
                kind.parts().for_each(|p| self.address_constant(p));
                self.constant(c, consts.ty(c), kind);
            }
        }
    }

    fn global(&mut self, g: Global) {
        let data = &self.module.globals[g];
        if let Some(c) = data.init.filter(|c| self.module.ctx.consts.has_address(*c)) {
            self.address_constant(c);
        }
        let pointer = self.pointer(self.type_id(data.ty), data.storage);
        let id = self.id();
        self.globals[g.index()] = id;
        let storage = self.storage(data.storage).0;
        let init = data.init.map(|c| self.consts[c.index()]);
        let start = begin(&mut self.decls, Op::Variable);
        self.decls.extend([pointer, id, storage]);
        self.decls.extend(init);
        end(&mut self.decls, start);
        self.name(id, &data.name);
        let with = |d: &&ir::Decoration| d.kind == Decoration::BuiltIn;
        data.decorations.iter().filter(with).for_each(|d| self.decorate_as(id, d));
        if let Some(i) = &data.interface
            && let (Some((set, binding)), false) = (i.binding, i.class == ResourceClass::PushConstant)
        {
            self.decorate(id, Decoration::DescriptorSet, &[set]);
            self.decorate(id, Decoration::Binding, &[binding]);
        }
        if data.decorations.has(Decoration::Coherent) {
            self.decorate(id, Decoration::Coherent, &[]);
        }
    }
}

/// Whether a constant's value is known once the program is specialised.
fn is_spec(consts: &ConstTable, c: Const) -> bool {
    let kind = consts.kind(c);
    matches!(kind, ConstKind::Spec { .. } | ConstKind::Computed(..))
        || kind.parts().any(|p| is_spec(consts, p))
}

/// Decorations of a variable that are written where it is declared.
pub(super) fn stands_with_variable(kind: Decoration) -> bool {
    matches!(kind, Decoration::BuiltIn | Decoration::Coherent)
}

/// The bits of a function's control mask that have a meaning without further operands.
pub(super) fn function_control(mask: u32) -> u32 {
    let plain = Kind::FunctionControl.rows().filter(|row| row.parameters().is_empty());
    mask & plain.fold(0, |bits, row| bits | row.value())
}
