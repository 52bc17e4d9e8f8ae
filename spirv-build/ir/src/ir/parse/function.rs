//! Functions: signatures, blocks, instructions.

use super::text::{Read, unescaped};
use super::{Call, Parser, names};
use crate::ir::print::function::literal_kind;
use crate::ir::{
    Block, BlockData, ConstKind, Decorations, ExtSet, Func, Function, Inst, InstData, Op, Opcode, Operand,
    RegionData, ResourceOp, StorageClass, Successor, Type, TypeKind, Value, ValueData, ValueDef,
};
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A function being read.
pub(super) struct Body<'a> {
    pub f: Function,
    func: Func,
    values: FxHashMap<&'a str, Value>,
    /// Values that are used but not defined yet, with the place of the first use.
    open: FxHashMap<Value, usize>,
    blocks: FxHashMap<u32, Block>,
    /// Blocks that are named but have not been read yet.
    missing: FxHashMap<Block, usize>,
    /// Type of what has no value.
    void: Type,
}

impl<'a> Body<'a> {
    /// The value of a name; it may be defined later.
    pub(super) fn value(&mut self, name: &'a str, at: usize) -> Value {
        if let Some(v) = self.values.get(name) {
            return *v;
        }
        let v = self.f.values.push(ValueData {
            ty: self.void,
            def: ValueDef::Arg(crate::ir::entity::Entity::new(0), 0),
            name: None,
        });
        self.values.insert(name, v);
        self.open.insert(v, at);
        v
    }

    /// Gives a name its value. False if it has one.
    fn define(&mut self, name: &'a str, ty: Type, def: ValueDef) -> Option<Value> {
        // Numbers are no names, only the order of the text.
        let hint = (!name.bytes().all(|b| b.is_ascii_digit())).then(|| unescaped(name).into());
        let data = ValueData { ty, def, name: hint };
        match self.values.get(name) {
            Some(v) if self.open.remove(v).is_some() => {
                self.f.values[*v] = data;
                Some(*v)
            }
            Some(_) => None,
            None => {
                let v = self.f.values.push(data);
                self.values.insert(name, v);
                Some(v)
            }
        }
    }

    fn block(&mut self, label: u32, at: usize) -> Block {
        let (f, missing) = (&mut self.f, &mut self.missing);
        *self.blocks.entry(label).or_insert_with(|| {
            let b = f.blocks.push(BlockData::default());
            missing.insert(b, at);
            b
        })
    }
}

impl<'a> Parser<'a> {
    pub(super) fn function(&mut self) -> Read<()> {
        let at = self.t.here();
        let name = self.t.name("@")?;
        let void = self.void();
        let mut params = Vec::new();
        self.t.expect("(")?;
        if !self.t.eat(")") {
            loop {
                let at = self.t.here();
                let param = self.t.name("%")?;
                self.t.expect(":")?;
                let ty = self.read_type()?;
                params.push((param, ty, self.optional_decorations()?, at));
                if self.t.eat(")") {
                    break;
                }
                self.t.expect(",")?;
            }
        }
        let result = if self.t.eat("->") { self.read_type()? } else { void };
        let mut f = Function::new(unescaped(name), result, Span::default());
        f.control = self.control()?;
        let func = self.m.functions.push(Function::new(unescaped(name), result, Span::default()));
        if self.funcs.insert(name, func).is_some() || self.globals.contains_key(name) {
            return Err(self.t.error_at(at, format!("`@{name}` is defined twice")));
        }
        let mut b = Body {
            f,
            func,
            values: FxHashMap::default(),
            open: FxHashMap::default(),
            blocks: FxHashMap::default(),
            missing: FxHashMap::default(),
            void,
        };
        let has_body = self.t.eat("{");
        let entry = b.f.blocks.push(BlockData::default());
        for (i, (name, ty, decorations, at)) in params.into_iter().enumerate() {
            let v = self.define(&mut b, name, ty, ValueDef::Arg(entry, i as u16), at)?;
            decorations.into_iter().for_each(|d| b.f.decorate(v, d));
            b.f.blocks[entry].args.push(v);
            b.f.params.push(v);
        }
        if has_body {
            self.body(&mut b, entry)?;
        }
        self.m.functions[func] = b.f;
        Ok(())
    }

    fn define(&self, b: &mut Body<'a>, name: &'a str, ty: Type, def: ValueDef, at: usize) -> Read<Value> {
        b.define(name, ty, def).ok_or_else(|| self.t.error_at(at, format!("`%{name}` is defined twice")))
    }

    pub(super) fn optional_decorations(&mut self) -> Read<Decorations> {
        if self.t.peek() == Some(b'{') { self.decorations() } else { Ok(Decorations::new()) }
    }

    /// `"Inline|Pure"`.
    fn control(&mut self) -> Read<u32> {
        let at = self.t.here();
        let text = self.t.string()?;
        let mut mask = 0;
        for word in text.split('|').filter(|w| !w.is_empty()) {
            mask |= self.mask_part(spirv_spec::Kind::FunctionControl, word, at)?;
        }
        Ok(mask)
    }

    fn mask_part(&self, kind: spirv_spec::Kind, word: &str, at: usize) -> Read<u32> {
        let number = match word.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => word.parse().ok(),
        };
        let named = spirv_spec::enumerant_by_name(kind, word).map(|e| e.value());
        named.or(number).ok_or_else(|| self.t.error_at(at, format!("`{word}` is not known here")))
    }

    fn body(&mut self, b: &mut Body<'a>, entry: Block) -> Read<()> {
        let mut blocks = Vec::new();
        let mut current = entry;
        b.blocks.insert(0, entry);
        loop {
            if self.t.eat("}") {
                break;
            }
            if self.t.peek() == Some(b'^') {
                let at = self.t.here();
                current = self.label(b)?;
                if blocks.contains(&current) {
                    return Err(self.t.error_at(at, "the block is there twice"));
                }
                b.missing.remove(&current);
                blocks.push(current);
                if self.t.peek() == Some(b'(') {
                    self.args(b, current)?;
                }
                self.t.expect(":")?;
                continue;
            }
            if blocks.is_empty() && self.starts_block(b)? {
                blocks.push(current);
            }
            self.inst(b, current, 0)?;
        }
        if blocks.is_empty() {
            blocks.push(entry);
        }
        if blocks[0] != entry {
            return Err(self.t.error("the first block is `^bb0`"));
        }
        // The first mistake in the order of the text.
        if let Some((_, at)) = b.missing.iter().min_by_key(|m| m.1) {
            return Err(self.t.error_at(*at, "there is no such block"));
        }
        if let Some((v, at)) = b.open.iter().min_by_key(|o| o.1) {
            let name = b.values.iter().find(|n| n.1 == v).map_or("", |n| n.0);
            return Err(self.t.error_at(*at, format!("`%{name}` is not defined")));
        }
        b.f.body = Some(b.f.regions.push(RegionData { blocks: blocks.into() }));
        Ok(())
    }

    /// Whether what follows is an instruction, and not a constant, which stands outside of blocks.
    fn starts_block(&mut self, b: &mut Body<'a>) -> Read<bool> {
        let mut ahead = self.t;
        if ahead.eat("%") {
            ahead = self.t;
            ahead.name("%")?;
            if ahead.eat("=") {
                let _ = b;
                let constant = [
                    "spirv.Constant",
                    "spirv.SpecConstant",
                    "spirv.Undef",
                    "spirv.mlir.addressof",
                    "spirv.mlir.referenceof",
                ];
                return Ok(!constant.iter().any(|c| ahead.eat(c)));
            }
        }
        Ok(true)
    }

    fn label(&mut self, b: &mut Body<'a>) -> Read<Block> {
        let at = self.t.here();
        self.t.expect("^")?;
        if !self.t.eat_prefix("bb") {
            return Err(self.t.error("expected `bb` and a number"));
        }
        let label = self.t.small()?;
        Ok(b.block(label, at))
    }

    /// `(%a : i32, %b : f32)` of a block.
    pub(super) fn args(&mut self, b: &mut Body<'a>, block: Block) -> Read<()> {
        self.t.expect("(")?;
        loop {
            let at = self.t.here();
            let name = self.t.name("%")?;
            self.t.expect(":")?;
            let ty = self.read_type()?;
            self.arg(b, block, name, ty, at)?;
            if self.t.eat(")") {
                return Ok(());
            }
            self.t.expect(",")?;
        }
    }

    pub(super) fn arg(
        &mut self,
        b: &mut Body<'a>,
        block: Block,
        name: &'a str,
        ty: Type,
        at: usize,
    ) -> Read<()> {
        let Ok(index) = u16::try_from(b.f.blocks[block].args.len()) else {
            return Err(self.t.error_at(at, "a block has too many arguments"));
        };
        let v = self.define(b, name, ty, ValueDef::Arg(block, index), at)?;
        b.f.blocks[block].args.push(v);
        self.optional_decorations()?.into_iter().for_each(|d| b.f.decorate(v, d));
        Ok(())
    }

    pub(super) fn value(&mut self, b: &mut Body<'a>) -> Read<Value> {
        let at = self.t.here();
        let name = self.t.name("%")?;
        Ok(b.value(name, at))
    }

    /// Values with commas between, as long as there are any on this line.
    pub(super) fn values(&mut self, b: &mut Body<'a>, operands: &mut SmallVec<[Operand; 4]>) -> Read<()> {
        if self.t.skip() || self.t.peek() != Some(b'%') {
            return Ok(());
        }
        loop {
            operands.push(Operand::Id(self.value(b)?));
            if !self.t.eat(",") {
                return Ok(());
            }
        }
    }

    pub(super) fn inst(&mut self, b: &mut Body<'a>, block: Block, depth: usize) -> Read<()> {
        let mut results: Vec<(&'a str, usize)> = Vec::new();
        let mut decorated: Vec<(usize, Decorations)> = Vec::new();
        if self.t.peek() == Some(b'%') {
            loop {
                let at = self.t.here();
                results.push((self.t.name("%")?, at));
                if self.t.peek() == Some(b'{') {
                    decorated.push((results.len() - 1, self.decorations()?));
                }
                if !self.t.eat(",") {
                    break;
                }
            }
            self.t.expect("=")?;
        }
        let written_out = self.t.eat("written_out");
        let at = self.t.here();
        let word = self.t.word()?;
        let Some(name) = word.strip_prefix("spirv.") else {
            return Err(self.t.error_at(at, format!("expected an instruction, not `{word}`")));
        };
        if let (
            "Constant" | "SpecConstant" | "Undef" | "mlir.addressof" | "mlir.referenceof",
            [(result, at)],
        ) = (name, &results[..])
        {
            return self.constant_value(b, name, result, *at);
        }
        let structured = match name {
            "mlir.selection" => self.selection(b, block, depth, &results),
            "mlir.switch" => self.switch(b, block, depth, &results),
            "mlir.loop" => self.loop_op(b, block, depth, &results),
            _ if decorated.is_empty() => return self.plain(b, block, &results, word, at, written_out),
            _ => Err(self.t.error_at(at, "decorations of an instruction stand behind its operands")),
        };
        structured?;
        for (i, list) in decorated {
            if let Some(v) = b.values.get(results[i].0).copied() {
                list.into_iter().for_each(|d| b.f.decorate(v, d));
            }
        }
        Ok(())
    }

    /// An instruction that is no structured operation, behind its name.
    fn plain(
        &mut self,
        b: &mut Body<'a>,
        block: Block,
        results: &[(&'a str, usize)],
        word: &str,
        at: usize,
        written_out: bool,
    ) -> Read<()> {
        let name = word.strip_prefix("spirv.").unwrap_or(word);
        let op = match name {
            "resource.counter" => Opcode::Resource(ResourceOp::Counter),
            "resource.same" => Opcode::Resource(ResourceOp::Same),
            "resource.view" => Opcode::Resource(ResourceOp::View),
            "mlir.merge" => Opcode::Merge,
            "mlir.break" => Opcode::Break,
            "mlir.continue" => Opcode::Continue,
            "mlir.next" => Opcode::Next,
            "mlir.next_if" => Opcode::NextIf,
            "Op" => {
                self.t.expect("(")?;
                let number = self.t.small()?;
                self.t.expect(")")?;
                Opcode::Op(Op(number))
            }
            "ExtInst" => {
                let set = self.t.string()?;
                let Some(set) = self.m.ext_set(&set) else {
                    return Err(self.t.error_at(at, "there are too many sets of instructions"));
                };
                Opcode::Ext(set, self.t.small()?)
            }
            _ => {
                let found = match (name.strip_prefix("GL."), name.strip_prefix("CL.")) {
                    (Some(n), _) => names::extended(ExtSet::Glsl, n).map(|n| Opcode::Ext(ExtSet::Glsl, n)),
                    (_, Some(n)) => {
                        names::extended(ExtSet::OpenCl, n).map(|n| Opcode::Ext(ExtSet::OpenCl, n))
                    }
                    _ => names::op(name).map(Opcode::Op),
                };
                found.ok_or_else(|| self.t.error_at(at, format!("there is no instruction `{word}`")))?
            }
        };
        let mut data = InstData { written_out, ..InstData::bare(op, Span::default()) };
        if op == Opcode::Op(Op::Variable) {
            // In the dialect the type tells.
            data.operands.push(Operand::Literal(StorageClass::Function.0));
        }
        let calls = self.operands(b, &mut data)?;
        data.decorations = self.optional_decorations()?;
        let mut types = Vec::new();
        if !results.is_empty() {
            self.t.expect(":")?;
            types.push(self.read_type()?);
        } else if match op {
            Opcode::Ext(..) => true,
            Opcode::Op(op) => op.row().is_some_and(|r| r.has_result()),
            _ => false,
        } {
            types.push(b.void);
        }
        if results.len() > 1 {
            return Err(self.t.error_at(results[1].1, "the instruction has one result"));
        }
        let inst = self.append(b, block, data, &types, results)?;
        self.calls.extend(calls.into_iter().map(|(operand, name, at)| Call {
            func: b.func,
            inst,
            operand,
            name,
            at,
        }));
        Ok(())
    }

    /// Appends an instruction. Results without a name are those that are void.
    pub(super) fn append(
        &mut self,
        b: &mut Body<'a>,
        block: Block,
        data: InstData,
        types: &[Type],
        results: &[(&'a str, usize)],
    ) -> Read<Inst> {
        let inst = b.f.insts.push(data);
        for (i, ty) in (0..).zip(types) {
            let def = ValueDef::Result(inst, i);
            let v = match results.get(usize::from(i)) {
                Some((name, at)) => self.define(b, name, *ty, def, *at)?,
                None => b.f.values.push(ValueData { ty: *ty, def, name: None }),
            };
            b.f.insts[inst].results.push(v);
        }
        b.f.blocks[block].insts.push(inst);
        Ok(inst)
    }

    fn constant_value(&mut self, b: &mut Body<'a>, op: &str, name: &'a str, at: usize) -> Read<()> {
        let v = if op == "mlir.addressof" {
            let g = self.global_name()?;
            self.t.expect(":")?;
            let ty = self.read_type()?;
            b.f.global_value(g, ty)
        } else {
            let literal = if op == "Undef" { None } else { Some(self.literal(0)?) };
            self.t.expect(":")?;
            let type_at = self.t.here();
            let ty = self.read_type()?;
            let c = match literal {
                Some(l) => self.constant(ty, &l)?,
                None if matches!(self.m.ctx.types.kind(ty), TypeKind::Void | TypeKind::Function { .. }) => {
                    return Err(self.t.error_at(type_at, "the type has no values"));
                }
                None => self.m.ctx.constant(ty, ConstKind::Undef),
            };
            let v = b.f.const_value(c, ty);
            b.f.values[v].name = Some(unescaped(name).into());
            v
        };
        match b.values.get(name) {
            // Constants and addresses stand before all uses.
            Some(_) => Err(self.t.error_at(at, format!("`%{name}` is defined twice or used before"))),
            None => {
                b.values.insert(name, v);
                Ok(())
            }
        }
    }

    /// Operands and successors; the functions among them, which may not be known yet, are told.
    fn operands(&mut self, b: &mut Body<'a>, data: &mut InstData) -> Read<Vec<(usize, &'a str, usize)>> {
        let mut calls = Vec::new();
        if self.t.skip() {
            return Ok(calls);
        }
        loop {
            let at = self.t.here();
            // The storage class of a variable is not in the text, but counts.
            let index = data.operands.len() - usize::from(data.op == Opcode::Op(Op::Variable));
            let operand = match self.t.peek() {
                Some(b'%') => Operand::Id(self.value(b)?),
                Some(b'@') => {
                    calls.push((data.operands.len(), self.t.name("@")?, at));
                    Operand::Func(b.func)
                }
                Some(b'<') => Operand::Literal(self.enumerants(data.op, index)?),
                Some(b'^') => {
                    let block = self.label(b)?;
                    let mut args = SmallVec::new();
                    if self.t.eat("(") {
                        loop {
                            args.push(self.value(b)?);
                            if self.t.eat(")") {
                                break;
                            }
                            self.t.expect(",")?;
                        }
                    }
                    data.successors.push(Successor { block, args });
                    if !self.t.eat(",") {
                        return Ok(calls);
                    }
                    continue;
                }
                Some(c) if c.is_ascii_digit() => {
                    let n = self.t.number()?;
                    if data.op == Opcode::Op(Op::Switch) {
                        Operand::Wide(n)
                    } else {
                        let n = u32::try_from(n);
                        Operand::Literal(n.map_err(|_| self.t.error_at(at, "the number is too large"))?)
                    }
                }
                Some(c) if c == b'!' || c == b'(' || c.is_ascii_alphabetic() => {
                    if self.t.eat("wide") {
                        Operand::Wide(self.t.number()?)
                    } else {
                        Operand::Type(self.read_type()?)
                    }
                }
                _ if data.operands.is_empty() || index == 0 => return Ok(calls),
                _ => return Err(self.t.error("expected an operand")),
            };
            data.operands.push(operand);
            if !self.t.eat(",") {
                return Ok(calls);
            }
        }
    }

    /// `<Aligned|Volatile>`.
    fn enumerants(&mut self, op: Opcode, index: usize) -> Read<u32> {
        let at = self.t.here();
        self.t.expect("<")?;
        let Some(kind) = literal_kind(op, index) else {
            return Err(self.t.error_at(at, "no name is expected here"));
        };
        let mask = self.mask(kind)?;
        self.t.expect(">")?;
        Ok(mask)
    }

    /// `Volatile|Aligned`.
    pub(super) fn mask(&mut self, kind: spirv_spec::Kind) -> Read<u32> {
        let mut mask = 0;
        loop {
            let at = self.t.here();
            let word = self.t.word()?;
            mask |= self.mask_part(kind, word, at)?;
            if !self.t.eat("|") {
                return Ok(mask);
            }
        }
    }
}
