//! Appending instructions to blocks.

use crate::ir::constant::{Const, ConstKind};
use crate::ir::function::{Block, Function, Inst, InstData, Operand, Region, Value};
use crate::ir::module::{Context, Func, Global};
use crate::ir::opcode::Opcode;
use crate::ir::types::{Type, TypeKind};
use crate::source::Span;
use smallvec::SmallVec;
use spirv_spec::{Op, StorageClass};
use std::sync::Arc;

/// Appends to one block of a function at a time.
#[derive(Debug)]
pub struct Builder<'a> {
    /// Types and constants of the module.
    pub ctx: &'a mut Context,
    /// The function.
    pub func: &'a mut Function,
    /// Where instructions go.
    pub block: Block,
    /// Source location that new instructions get.
    pub span: Span,
}

impl<'a> Builder<'a> {
    /// A builder at the end of `block`.
    pub fn new(ctx: &'a mut Context, func: &'a mut Function, block: Block) -> Builder<'a> {
        let span = func.span;
        Builder { ctx, func, block, span }
    }

    /// Appends an instruction without result.
    pub fn push(&mut self, op: impl Into<Opcode>, operands: &[Operand]) -> Inst {
        let mut data = InstData::bare(op.into(), self.span);
        data.operands = SmallVec::from_slice(operands);
        self.append(data, &[])
    }

    /// Appends an instruction with a result of type `ty`.
    pub fn value(&mut self, op: impl Into<Opcode>, ty: Type, operands: &[Operand]) -> Value {
        let mut data = InstData::bare(op.into(), self.span);
        data.operands = SmallVec::from_slice(operands);
        let inst = self.append(data, &[ty]);
        self.func.insts[inst].results[0]
    }

    /// Appends an instruction whose operands are all values.
    pub fn op(&mut self, op: impl Into<Opcode>, ty: Type, operands: &[Value]) -> Value {
        let mut data = InstData::bare(op.into(), self.span);
        data.operands.extend(operands.iter().map(|v| Operand::Id(*v)));
        let inst = self.append(data, &[ty]);
        self.func.insts[inst].results[0]
    }

    /// Appends any instruction.
    pub fn append(&mut self, data: InstData, results: &[Type]) -> Inst {
        let inst = self.func.make_inst(data, results);
        self.func.blocks[self.block].insts.push(inst);
        inst
    }

    /// Whether the block already ends in a terminator; nothing may be appended then.
    pub fn terminated(&self) -> bool {
        self.func.terminator(self.block).is_some()
    }

    /// Appends a terminator that passes values (`Merge`, `Break`, `Continue`, `Next`).
    pub fn terminate(&mut self, op: impl Into<Opcode>, values: &[Value]) {
        let mut data = InstData::bare(op.into(), self.span);
        data.operands.extend(values.iter().map(|v| Operand::Id(*v)));
        self.append(data, &[]);
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.func.values[value].ty
    }

    /// The kind of a value's type.
    pub fn kind(&self, value: Value) -> &TypeKind {
        self.ctx.types.kind(self.ty(value))
    }

    /// The value of a constant.
    pub fn constant(&mut self, c: Const) -> Value {
        let ty = self.ctx.consts.ty(c);
        self.func.const_value(c, ty)
    }

    /// A 32-bit unsigned integer constant.
    pub fn u32(&mut self, value: u32) -> Value {
        let c = self.ctx.u32(value);
        self.constant(c)
    }

    /// A 32-bit signed integer constant.
    pub fn i32(&mut self, value: i32) -> Value {
        let c = self.ctx.i32(value);
        self.constant(c)
    }

    /// A 32-bit float constant.
    pub fn f32(&mut self, value: f32) -> Value {
        let c = self.ctx.f32(value);
        self.constant(c)
    }

    /// A bool constant.
    pub fn bool(&mut self, value: bool) -> Value {
        let ty = self.ctx.types.bool();
        let c = self.ctx.constant(ty, ConstKind::Bool(value));
        self.constant(c)
    }

    /// `OpUndef`.
    pub fn undef(&mut self, ty: Type) -> Value {
        let c = self.ctx.constant(ty, ConstKind::Undef);
        self.constant(c)
    }

    /// `OpConstantNull`.
    pub fn null(&mut self, ty: Type) -> Value {
        let c = self.ctx.constant(ty, ConstKind::Null);
        self.constant(c)
    }

    /// Address of a global with object type `ty`.
    pub fn address_of(&mut self, global: Global, ty: Type, storage: StorageClass) -> Value {
        let ptr = self.ctx.types.pointer(ty, storage);
        self.func.global_value(global, ptr)
    }

    /// A function-scope variable, placed at the start of the function's entry block whatever the current block is.
    pub fn variable(&mut self, ty: Type, name: Option<&str>) -> Value {
        self.variable_named(ty, name.map(Arc::from))
    }

    /// The same for a name that something else may have, too.
    pub fn variable_named(&mut self, ty: Type, name: Option<Arc<str>>) -> Value {
        let ptr = self.ctx.types.pointer(ty, StorageClass::Function);
        let data = InstData::new(Op::Variable, [Operand::Literal(StorageClass::Function.0)], self.span);
        let inst = self.func.make_inst(data, &[ptr]);
        let value = self.func.insts[inst].results[0];
        self.func.values[value].name = name;
        self.func.add_variable(inst);
        value
    }

    /// `OpLoad` through a pointer. The result has the pointee's type.
    pub fn load(&mut self, pointer: Value) -> Value {
        let ty = self.ctx.types.pointee(self.ty(pointer)).map_or(self.ty(pointer), |p| p.0);
        self.op(Op::Load, ty, &[pointer])
    }

    /// `OpStore`.
    pub fn store(&mut self, pointer: Value, value: Value) {
        self.push(Op::Store, &[Operand::Id(pointer), Operand::Id(value)]);
    }

    /// `OpAccessChain`; `ty` is the type of the object it leads to.
    pub fn access_chain(&mut self, base: Value, ty: Type, indices: &[Value]) -> Value {
        if indices.is_empty() {
            return base;
        }
        let storage = self.ctx.types.pointee(self.ty(base)).map_or(StorageClass::Function, |p| p.1);
        let ptr = self.ctx.types.pointer(ty, storage);
        let mut data = InstData::new(Op::AccessChain, [Operand::Id(base)], self.span);
        data.operands.extend(indices.iter().map(|v| Operand::Id(*v)));
        let inst = self.append(data, &[ptr]);
        self.func.insts[inst].results[0]
    }

    /// `OpCompositeExtract` at the given indices; `ty` is the type found there.
    pub fn extract(&mut self, composite: Value, ty: Type, indices: &[u32]) -> Value {
        let mut data = InstData::new(Op::CompositeExtract, [Operand::Id(composite)], self.span);
        data.operands.extend(indices.iter().map(|i| Operand::Literal(*i)));
        let inst = self.append(data, &[ty]);
        self.func.insts[inst].results[0]
    }

    /// `OpFunctionCall`.
    pub fn call(&mut self, func: Func, result: Type, args: &[Value]) -> Value {
        let mut data = InstData::new(Op::FunctionCall, [Operand::Func(func)], self.span);
        data.operands.extend(args.iter().map(|v| Operand::Id(*v)));
        let inst = self.append(data, &[result]);
        self.func.insts[inst].results[0]
    }

    /// Starts a selection: appends it with empty regions and returns it with the blocks of then and else. Results
    /// of the given types. Fill the blocks (each must end in a terminator), then go on in the current block.
    pub fn selection(&mut self, condition: Value, results: &[Type]) -> (Inst, Block, Block) {
        let (then_region, then_block) = self.func.make_region();
        let (else_region, else_block) = self.func.make_region();
        let mut data = InstData::new(Opcode::Selection, [Operand::Id(condition)], self.span);
        data.regions.extend([then_region, else_region]);
        (self.append(data, results), then_block, else_block)
    }

    /// Makes an instruction that stands in no block conditional: it becomes a selection that does what it did where the condition
    /// holds, and gives zeros elsewhere. Its results stay what they were. Appends the selection.
    pub fn only_if(&mut self, condition: Value, inst: Inst) {
        let data = self.func.insts[inst].clone();
        let results = data.results.clone();
        let types: SmallVec<[Type; 1]> = results.iter().map(|v| self.ty(*v)).collect();
        let mut selection = InstData::new(Opcode::Selection, [Operand::Id(condition)], data.span);
        let (then_region, then_block) = self.func.make_region();
        let (else_region, else_block) = self.func.make_region();
        let outer = std::mem::replace(&mut self.block, then_block);
        let done = self.append(InstData { results: SmallVec::new(), ..data }, &types);
        let values = self.func.insts[done].results.clone();
        self.terminate(Opcode::Merge, &values);
        self.block = else_block;
        let zeros: SmallVec<[Value; 1]> = types.iter().map(|t| self.null(*t)).collect();
        self.terminate(Opcode::Merge, &zeros);
        self.block = outer;
        selection.regions.extend([then_region, else_region]);
        selection.results = results;
        self.func.insts[inst] = selection;
        self.func.blocks[outer].insts.push(inst);
    }

    /// Starts a loop: appends it with empty regions and returns it with the blocks of body and continuing.
    /// `init` gives the body's arguments and their types; add the continuing block's arguments with
    /// [`Function::add_arg`].
    pub fn loop_op(&mut self, init: &[Value], results: &[Type]) -> (Inst, Block, Block) {
        let (body_region, body_block) = self.func.make_region();
        let (cont_region, cont_block) = self.func.make_region();
        for v in init {
            let ty = self.ty(*v);
            self.func.add_arg(body_block, ty);
        }
        let mut data = InstData::new(Opcode::Loop, [], self.span);
        data.operands.extend(init.iter().map(|v| Operand::Id(*v)));
        data.regions.extend([body_region, cont_region]);
        (self.append(data, results), body_block, cont_block)
    }

    /// Starts a switch: appends it with `cases` empty regions besides the default's, in order. `labels` are pairs of
    /// a case value and the index of its region (0 is the default).
    pub fn switch(
        &mut self,
        selector: Value,
        labels: &[(u64, u32)],
        cases: usize,
        results: &[Type],
    ) -> (Inst, Vec<Block>) {
        let mut data = InstData::new(Opcode::Switch, [Operand::Id(selector)], self.span);
        for (value, region) in labels {
            data.operands.extend([Operand::Wide(*value), Operand::Literal(*region)]);
        }
        let regions: Vec<(Region, Block)> = (0..=cases).map(|_| self.func.make_region()).collect();
        data.regions.extend(regions.iter().map(|r| r.0));
        (self.append(data, results), regions.into_iter().map(|r| r.1).collect())
    }
}
