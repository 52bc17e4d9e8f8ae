//! The normal form of a module: modules that mean the same, written in the same order, are equal in every field.
//!
//! * Types, constants, blocks, instructions and values are numbered in the order in which the module names them; what nothing
//!   names is gone. Globals, functions and entry points stay where they are.
//! * Names are those of the text, and values have none. There are no source locations, nor what is only known by them.

use crate::ir::print::Names;
use crate::ir::{
    Block, BlockData, Const, ConstKind, ConstOperand, ConstSymbol, Context, Declared, Decoration,
    DecorationOperand, Decorations, EntryPoint, ExtSet, Function, GlobalData, HlslResource, Inst, InstData,
    Interface, Member, Mode, ModeOperands, Module, OpaqueType, Opcode, Operand, Region, RegionData,
    StructType, Successor, Type, TypeKind, TypeOperand, Value, ValueData, ValueDef,
};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The normal form of a module that verifies.
pub fn normal_form(module: &Module) -> Module {
    // A new field is to be thought of here.
    let Module {
        ctx,
        globals,
        functions,
        entry_points,
        addressing,
        memory,
        requested_extensions,
        requested_capabilities,
        source,
        strings,
        // They come with the instructions.
        other_sets: _,
    } = module;
    let mut n = Normal {
        old: ctx,
        names: Names::new(module),
        ctx: Context::default(),
        types: FxHashMap::default(),
        consts: FxHashMap::default(),
        sets: module,
        new_sets: Module::default(),
    };
    let mut new = Module {
        addressing: *addressing,
        memory: *memory,
        requested_extensions: requested_extensions.clone(),
        requested_capabilities: requested_capabilities.clone(),
        source: *source,
        strings: strings.clone(),
        ..Module::default()
    };
    for (c, ..) in ctx.consts.iter() {
        if let Some(symbol) = ctx.consts.symbol(c) {
            let name = n.names.constant(c).0.to_string();
            let ConstSymbol { name: _, decorations, declared } = symbol;
            let (c, decorations) = (n.constant(c), n.decorations(decorations));
            let new = n.ctx.consts.declare(c, &name);
            (new.decorations, new.declared) = (decorations, declared.as_ref().map(placeless));
        }
    }
    for (_, data) in globals.iter() {
        let GlobalData { name, ty, storage, init, decorations, interface, span: _ } = data;
        let ty = n.ty(*ty);
        new.globals.push(GlobalData {
            init: init.map(|c| n.constant(c)),
            decorations: n.decorations(decorations),
            interface: interface.as_ref().map(|i| {
                let declared = i.declared.as_deref().map(placeless).map(Arc::new);
                let hlsl = Some(i.hlsl()).filter(|h| **h != HlslResource::default());
                Interface { declared, hlsl: hlsl.cloned().map(Box::new), ..i.clone() }
            }),
            ..GlobalData::new(name, ty, *storage, Span::default())
        });
    }
    for (func, f) in functions.iter() {
        let name = n.names.func(func).0.to_string();
        new.functions.push(n.function(f, name));
    }
    for e in entry_points {
        let modes = e.modes.iter().map(|m| n.mode(m)).collect();
        new.entry_points.push(EntryPoint { modes, ..e.clone() });
    }
    new.ctx = n.ctx;
    new.other_sets = n.new_sets.other_sets;
    new
}

/// A declaration that lies nowhere.
fn placeless(declared: &Declared) -> Declared {
    Declared { span: Span::default(), ..declared.clone() }
}

struct Normal<'a> {
    old: &'a Context,
    names: Names,
    ctx: Context,
    types: FxHashMap<Type, Type>,
    consts: FxHashMap<Const, Const>,
    /// Sets of instructions that no table has.
    sets: &'a Module,
    new_sets: Module,
}

impl Normal<'_> {
    fn ty(&mut self, old: Type) -> Type {
        if let Some(t) = self.types.get(&old) {
            return *t;
        }
        let kind = match self.old.types.kind(old).clone() {
            TypeKind::Vector { elem, len } => TypeKind::Vector { elem: self.ty(elem), len },
            TypeKind::Matrix { column, columns } => TypeKind::Matrix { column: self.ty(column), columns },
            TypeKind::Array { elem, len, stride } => TypeKind::Array { elem: self.ty(elem), len, stride },
            TypeKind::RuntimeArray { elem, stride } => TypeKind::RuntimeArray { elem: self.ty(elem), stride },
            TypeKind::SpecArray { elem, len, stride } => {
                TypeKind::SpecArray { elem: self.ty(elem), len: self.constant(len), stride }
            }
            TypeKind::Struct(s) => {
                let mut members = Vec::new();
                for m in s.members {
                    let (ty, decorations) = (self.ty(m.ty), self.decorations(&m.decorations));
                    let declared = m.declared.as_deref().map(placeless).map(Arc::new);
                    members.push(Member { ty, decorations, declared, ..m });
                }
                let decorations = self.decorations(&s.decorations);
                TypeKind::Struct(StructType { name: s.name, members, decorations })
            }
            TypeKind::Pointer { pointee, storage } => {
                TypeKind::Pointer { pointee: self.ty(pointee), storage }
            }
            TypeKind::Image(mut i) => {
                i.sampled_type = self.ty(i.sampled_type);
                TypeKind::Image(i)
            }
            TypeKind::SampledImage(i) => TypeKind::SampledImage(self.ty(i)),
            TypeKind::Opaque(o) => {
                let types = o.types.iter().map(|t| self.ty(*t)).collect();
                TypeKind::Opaque(OpaqueType { types, ..o })
            }
            TypeKind::Custom(mut o) => {
                for operand in &mut o.operands {
                    if let TypeOperand::Type(t) = operand {
                        *t = self.ty(*t);
                    }
                }
                TypeKind::Custom(o)
            }
            TypeKind::Function { result, params } => {
                let params = params.iter().map(|p| self.ty(*p)).collect();
                TypeKind::Function { result: self.ty(result), params }
            }
            kind @ (TypeKind::Void
            | TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float { .. }
            | TypeKind::EncodedFloat { .. }
            | TypeKind::Sampler) => kind,
        };
        let new = self.ctx.types.intern(kind);
        self.types.insert(old, new);
        new
    }

    fn constant(&mut self, old: Const) -> Const {
        if let Some(c) = self.consts.get(&old) {
            return *c;
        }
        let mut kind = self.old.consts.kind(old).clone();
        match &mut kind {
            ConstKind::Composite(parts) => parts.iter_mut().for_each(|p| *p = self.constant(*p)),
            ConstKind::Computed(_, operands) => {
                for o in operands {
                    if let ConstOperand::Const(c) = o {
                        *c = self.constant(*c);
                    }
                }
            }
            _ => {}
        }
        let ty = self.ty(self.old.consts.ty(old));
        let new = self.ctx.consts.intern(ty, kind);
        self.consts.insert(old, new);
        new
    }

    fn set(&mut self, old: ExtSet) -> ExtSet {
        let name = self.sets.set_name(old);
        name.and_then(|n| self.new_sets.ext_set(n)).unwrap_or(old)
    }

    fn decorations(&mut self, list: &Decorations) -> Decorations {
        let mut new = Decorations::new();
        for d in list {
            let operands = d.operands.iter().map(|o| match o {
                DecorationOperand::Const(c) => DecorationOperand::Const(self.constant(*c)),
                other => other.clone(),
            });
            new.add(Decoration { kind: d.kind, operands: operands.collect() });
        }
        new
    }

    fn mode(&mut self, m: &Mode) -> Mode {
        let operands = match &m.operands {
            ModeOperands::Consts(list) => {
                ModeOperands::Consts(list.iter().map(|c| self.constant(*c)).collect())
            }
            words => words.clone(),
        };
        Mode { kind: m.kind, operands }
    }

    fn function(&mut self, f: &Function, name: String) -> Function {
        let mut new = Function::new(name, self.ty(f.result), Span::default());
        new.control = f.control;
        new.args.clone_from(&f.args);
        new.decorations = self.decorations(&f.decorations);
        let (values, blocks) = (FxHashMap::default(), FxHashMap::default());
        let mut b = Body { n: self, f, new, values, insts: Vec::new(), blocks };
        match f.body {
            Some(body) => b.new.body = Some(b.region(body)),
            None => {
                let block = b.new.blocks.push(BlockData::default());
                f.params.iter().for_each(|p| b.arg(block, *p));
            }
        }
        b.new.params = f.params.iter().map(|p| b.value(*p)).collect();
        // Operands may come before what defines them.
        for (old, inst) in std::mem::take(&mut b.insts) {
            b.operands(old, inst);
        }
        b.new
    }
}

/// A function on its way.
struct Body<'n, 'a, 'f> {
    n: &'n mut Normal<'a>,
    f: &'f Function,
    new: Function,
    values: FxHashMap<Value, Value>,
    insts: Vec<(Inst, Inst)>,
    blocks: FxHashMap<Block, Block>,
}

impl Body<'_, '_, '_> {
    fn define(&mut self, old: Value, def: ValueDef) -> Value {
        let ty = self.n.ty(self.f.values[old].ty);
        let new = self.new.values.push(ValueData { ty, def, name: None });
        self.values.insert(old, new);
        new
    }

    /// Copies what decorates a value that is no instruction's only result.
    fn decorate(&mut self, old: Value, new: Value) {
        for d in self.n.decorations(self.f.decorations_of(old)) {
            self.new.decorate(new, d);
        }
    }

    fn arg(&mut self, block: Block, old: Value) {
        let index = self.new.blocks[block].args.len() as u16;
        let new = self.define(old, ValueDef::Arg(block, index));
        self.new.blocks[block].args.push(new);
        self.decorate(old, new);
    }

    /// Blocks with their instructions, which have results but no operands yet.
    fn region(&mut self, region: Region) -> Region {
        let f = self.f;
        let mut data = RegionData::default();
        for old in &f.regions[region].blocks {
            let block = self.new.blocks.push(BlockData::default());
            self.blocks.insert(*old, block);
            data.blocks.push(block);
            f.blocks[*old].args.iter().for_each(|a| self.arg(block, *a));
        }
        for (old, block) in f.regions[region].blocks.iter().zip(data.blocks.clone()) {
            for i in &f.blocks[*old].insts {
                let inst = self.inst(*i);
                self.new.blocks[block].insts.push(inst);
            }
        }
        self.new.regions.push(data)
    }

    fn inst(&mut self, old: Inst) -> Inst {
        let data = &self.f.insts[old];
        let InstData {
            op,
            operands: _,
            results,
            regions,
            successors: _,
            decorations,
            control,
            written_out,
            span: _,
        } = data;
        let op = match *op {
            Opcode::Ext(set, n) => Opcode::Ext(self.n.set(set), n),
            op => op,
        };
        let inst = self.new.insts.push(InstData::bare(op, Span::default()));
        self.insts.push((old, inst));
        self.new.insts[inst].control = *control;
        self.new.insts[inst].written_out = *written_out;
        self.new.insts[inst].decorations = self.n.decorations(decorations);
        for (i, v) in (0..).zip(results) {
            let result = self.define(*v, ValueDef::Result(inst, i));
            self.new.insts[inst].results.push(result);
            if op.is_structured() {
                self.decorate(*v, result);
            }
        }
        for r in regions {
            let region = self.region(*r);
            self.new.insts[inst].regions.push(region);
        }
        inst
    }

    fn value(&mut self, old: Value) -> Value {
        if let Some(v) = self.values.get(&old) {
            return *v;
        }
        let data = &self.f.values[old];
        let ty = self.n.ty(data.ty);
        let new = match data.def {
            ValueDef::Const(c) => self.new.const_value(self.n.constant(c), ty),
            ValueDef::Global(g) => self.new.global_value(g, ty),
            // Of what does not verify.
            def => self.new.values.push(ValueData { ty, def, name: None }),
        };
        self.values.insert(old, new);
        new
    }

    fn operands(&mut self, old: Inst, inst: Inst) {
        let data = &self.f.insts[old];
        for o in &data.operands {
            let operand = match *o {
                Operand::Id(v) => Operand::Id(self.value(v)),
                Operand::Type(t) => Operand::Type(self.n.ty(t)),
                other => other,
            };
            self.new.insts[inst].operands.push(operand);
        }
        for s in &data.successors {
            let args = s.args.iter().map(|v| self.value(*v)).collect();
            let block = self.blocks.get(&s.block).copied().unwrap_or(s.block);
            self.new.insts[inst].successors.push(Successor { block, args });
        }
    }
}
