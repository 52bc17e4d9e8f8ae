//! Functions: regions, blocks, instructions, values.

use crate::ir::constant::Const;
use crate::ir::declared::KernelArg;
use crate::ir::decoration::{Decoration, Decorations};
use crate::ir::entity::PrimaryMap;
use crate::ir::module::{Func, Global};
use crate::ir::opcode::Opcode;
use crate::ir::rare::Rare;
use crate::ir::types::Type;
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use spirv_spec::Op;
use std::sync::Arc;

crate::entity! {
    /// A value of a function: result, block argument, constant or address of a global.
    Value = "%";
    /// An instruction of a function.
    Inst = "inst";
    /// A block of a function.
    Block = "^bb";
    /// A region of a function.
    Region = "region";
}

/// Instructions that a function has room for from the start.
const EXPECTED_INSTS: usize = 32;
/// The same for blocks.
const EXPECTED_BLOCKS: usize = 6;

/// A function. It owns everything in it; entities of one function mean nothing in another.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Name (`OpName`; entry points are named in [`crate::ir::EntryPoint`]).
    pub name: String,
    /// Return type.
    pub result: Type,
    /// Parameters, which are the arguments of the entry block.
    pub params: Vec<Value>,
    /// What the source says of the parameters of a kernel, in order. Empty if it says nothing.
    pub args: Vec<KernelArg>,
    /// The body. Declarations (imports) have none.
    pub body: Option<Region>,
    /// `FunctionControl` mask.
    pub control: u32,
    /// Decorations of the function.
    pub decorations: Decorations,
    /// Where it was declared.
    pub span: Span,
    /// Values.
    pub values: PrimaryMap<Value, ValueData>,
    /// Instructions, some of which may be in no block any more.
    pub insts: PrimaryMap<Inst, InstData>,
    /// Blocks.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// Regions.
    pub regions: PrimaryMap<Region, RegionData>,
    /// Calls whose callee is here in their place. Filled only where inlining is told to.
    pub call_sites: Vec<CallSite>,
    /// Instructions that came by inlining: places in the list of calls.
    pub inlined: FxHashMap<Inst, u32>,
    /// Decorations of values that are no instruction's only result.
    value_decorations: FxHashMap<Value, Decorations>,
    const_values: FxHashMap<Const, Value>,
    global_values: FxHashMap<Global, Value>,
    /// How many variables the entry block starts with, as far as [`Function::add_variable`] was told.
    variables: usize,
    /// Variables that have no place yet, between [`Function::gather_variables`] and [`Function::place_variables`].
    gathered: Option<Vec<Inst>>,
}

/// A call that was inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallSite {
    /// The call.
    pub span: Span,
    /// The call that brought this one: a place in the same list.
    pub outer: Option<u32>,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueData {
    /// Type.
    pub ty: Type,
    /// Where it comes from.
    pub def: ValueDef,
    /// Name, for people (`OpName`). What is made of a value often takes its name over.
    pub name: Option<Arc<str>>,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueDef {
    /// Result of an instruction, by index.
    Result(Inst, u16),
    /// Argument of a block, by index.
    Arg(Block, u16),
    /// A constant; visible everywhere in the function.
    Const(Const),
    /// The address of a global; visible everywhere in the function.
    Global(Global),
}

/// A sequence of blocks. One block in structured operations.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RegionData {
    /// Blocks; the first is the entry.
    pub blocks: SmallVec<[Block; 2]>,
}

/// A sequence of instructions that ends in a terminator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockData {
    /// Arguments.
    pub args: Vec<Value>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
}

/// An operand, in the order of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operand {
    /// `<id>` of a value (scopes and memory semantics too: they are constants).
    Id(Value),
    /// One literal word: a literal, an enumerant, a mask.
    Literal(u32),
    /// A 64-bit literal (case values).
    Wide(u64),
    /// `<id>` of a function.
    Func(Func),
    /// `<id>` of a type.
    Type(Type),
}

/// A control-flow edge of a plain control-flow graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Successor {
    /// Target.
    pub block: Block,
    /// Values for the target's arguments.
    pub args: SmallVec<[Value; 2]>,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct InstData {
    /// What it does.
    pub op: Opcode,
    /// Operands in the order of the specification, without result type and result id.
    pub operands: SmallVec<[Operand; 4]>,
    /// Results: none or one; structured operations may have more.
    pub results: SmallVec<[Value; 1]>,
    /// Regions of structured operations.
    pub regions: SmallVec<[Region; 2]>,
    /// Edges of `Branch`, `BranchConditional` (true, false), `Switch` (default, cases) in a plain graph. The
    /// operands then hold the condition or selector and the case values only.
    pub successors: Rare<Successor>,
    /// Decorations of the result of an operation that is not structured; [`Function::decorations_of`] has those of any value.
    pub decorations: Decorations,
    /// Hints on a structured operation: a `SelectionControl` or `LoopControl` mask, and the mask's operand if it has one.
    pub control: (u32, Option<u32>),
    /// The source itself writes the instruction out: what is wrong with it is its author's mistake.
    pub written_out: bool,
    /// Source location.
    pub span: Span,
}

impl InstData {
    /// An instruction with operands and nothing else.
    pub fn new(op: impl Into<Opcode>, operands: impl IntoIterator<Item = Operand>, span: Span) -> InstData {
        InstData { operands: operands.into_iter().collect(), ..InstData::bare(op.into(), span) }
    }

    /// An instruction with nothing.
    pub fn bare(op: Opcode, span: Span) -> InstData {
        InstData {
            op,
            operands: SmallVec::new(),
            results: SmallVec::new(),
            regions: SmallVec::new(),
            successors: Rare::new(),
            decorations: Decorations::new(),
            control: (0, None),
            written_out: false,
            span,
        }
    }

    /// The value operands, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = Value> + '_ {
        self.operands.iter().filter_map(|o| match o {
            Operand::Id(v) => Some(*v),
            _ => None,
        })
    }

    /// Operand `index`, if it is a value.
    pub fn id(&self, index: usize) -> Option<Value> {
        match self.operands.get(index) {
            Some(Operand::Id(v)) => Some(*v),
            _ => None,
        }
    }

    /// Operand `index`, if it is a literal word.
    pub fn literal(&self, index: usize) -> Option<u32> {
        match self.operands.get(index) {
            Some(Operand::Literal(n)) => Some(*n),
            _ => None,
        }
    }

    /// Whether the access must happen though nothing seems to need it: memory or image operands that say `Volatile`.
    pub fn is_volatile(&self) -> bool {
        let Opcode::Op(op) = self.op else { return false };
        if !self.operands.iter().any(|o| matches!(o, Operand::Literal(_))) {
            return false;
        }
        let mut at = 0;
        for operand in op.row().map_or(&[][..], |row| row.operands()) {
            let bit = match operand.kind {
                spirv_spec::Kind::MemoryAccess => spirv_spec::MemoryAccess::VOLATILE.bits(),
                spirv_spec::Kind::ImageOperands => spirv_spec::ImageOperands::VOLATILE_TEXEL.bits(),
                _ => 0,
            };
            match self.operands.get(at) {
                Some(Operand::Literal(mask)) if mask & bit != 0 => return true,
                // A copy has a second mask, behind what the first asks for.
                Some(Operand::Literal(mask)) if bit != 0 => {
                    let parameters =
                        spirv_spec::enumerants(operand.kind, *mask).map(|e| e.parameters().len());
                    at += 1 + parameters.sum::<usize>();
                }
                _ => at += 1,
            }
        }
        false
    }

    /// The only result.
    pub fn result(&self) -> Option<Value> {
        match self.results[..] {
            [v] => Some(v),
            _ => None,
        }
    }
}

impl Function {
    /// A function without body.
    pub fn new(name: impl Into<String>, result: Type, span: Span) -> Function {
        Function {
            name: name.into(),
            result,
            params: Vec::new(),
            args: Vec::new(),
            body: None,
            control: 0,
            decorations: Decorations::new(),
            value_decorations: FxHashMap::default(),
            span,
            values: PrimaryMap::default(),
            insts: PrimaryMap::default(),
            blocks: PrimaryMap::default(),
            regions: PrimaryMap::default(),
            call_sites: Vec::new(),
            inlined: FxHashMap::default(),
            const_values: FxHashMap::default(),
            global_values: FxHashMap::default(),
            variables: 0,
            gathered: None,
        }
    }

    /// Makes room for so many instructions.
    pub fn reserve(&mut self, insts: usize) {
        self.insts.reserve(insts);
        self.values.reserve(insts);
    }

    /// Makes the body: one empty block whose arguments are the parameters.
    pub fn make_body(&mut self, params: &[Type]) -> Block {
        // Instructions are large: growing from nothing would move the first ones again and again.
        self.insts.reserve(EXPECTED_INSTS);
        self.values.reserve(2 * EXPECTED_INSTS);
        self.blocks.reserve(EXPECTED_BLOCKS);
        self.regions.reserve(EXPECTED_BLOCKS);
        let (region, block) = self.make_region();
        self.blocks[block].insts.reserve(EXPECTED_INSTS);
        self.body = Some(region);
        for &ty in params {
            let arg = self.add_arg(block, ty);
            self.params.push(arg);
        }
        block
    }

    /// Gives a declaration its parameters; they are arguments of a block that is in no region.
    pub fn declare_params(&mut self, params: &[Type]) {
        let block = self.blocks.push(BlockData::default());
        for &ty in params {
            let arg = self.add_arg(block, ty);
            self.params.push(arg);
        }
    }

    /// A region of one empty block.
    pub fn make_region(&mut self) -> (Region, Block) {
        let block = self.blocks.push(BlockData::default());
        (self.regions.push(RegionData { blocks: smallvec![block] }), block)
    }

    /// Adds an argument to a block.
    pub fn add_arg(&mut self, block: Block, ty: Type) -> Value {
        let index = self.blocks[block].args.len() as u16;
        let value = self.values.push(ValueData { ty, def: ValueDef::Arg(block, index), name: None });
        self.blocks[block].args.push(value);
        value
    }

    /// Decorations of a value.
    pub fn decorations_of(&self, v: Value) -> &Decorations {
        match self.values[v].def {
            ValueDef::Result(inst, _) if !self.insts[inst].op.is_structured() => {
                &self.insts[inst].decorations
            }
            _ => self.value_decorations.get(&v).unwrap_or(Decorations::none()),
        }
    }

    /// The parameters, block arguments and results of structured operations that are decorated, in no order.
    pub fn decorated(&self) -> impl Iterator<Item = (Value, &Decorations)> {
        self.value_decorations.iter().map(|(v, list)| (*v, list))
    }

    /// Decorates a value.
    pub fn decorate(&mut self, v: Value, d: Decoration) {
        match self.values[v].def {
            ValueDef::Result(inst, _) if !self.insts[inst].op.is_structured() => {
                self.insts[inst].decorations.add(d);
            }
            _ => self.value_decorations.entry(v).or_default().add(d),
        }
    }

    /// Takes all decorations of a kind off a value.
    pub fn undecorate(&mut self, v: Value, kind: spirv_spec::Decoration) {
        match self.values[v].def {
            ValueDef::Result(inst, _) if !self.insts[inst].op.is_structured() => {
                self.insts[inst].decorations.remove(kind);
            }
            _ => {
                if let Some(list) = self.value_decorations.get_mut(&v) {
                    list.remove(kind);
                    if list.is_empty() {
                        self.value_decorations.remove(&v);
                    }
                }
            }
        }
    }

    /// Makes an instruction that is in no block yet, with results of these types.
    pub fn make_inst(&mut self, data: InstData, results: &[Type]) -> Inst {
        let inst = self.insts.push(data);
        for (i, &ty) in results.iter().enumerate() {
            let def = ValueDef::Result(inst, i as u16);
            let value = self.values.push(ValueData { ty, def, name: None });
            self.insts[inst].results.push(value);
        }
        inst
    }

    /// The value that stands for a constant. `ty` is the constant's type.
    pub fn const_value(&mut self, c: Const, ty: Type) -> Value {
        let values = &mut self.values;
        *self
            .const_values
            .entry(c)
            .or_insert_with(|| values.push(ValueData { ty, def: ValueDef::Const(c), name: None }))
    }

    /// The value that is a global's address. `ty` is the pointer type.
    pub fn global_value(&mut self, g: Global, ty: Type) -> Value {
        let values = &mut self.values;
        *self
            .global_values
            .entry(g)
            .or_insert_with(|| values.push(ValueData { ty, def: ValueDef::Global(g), name: None }))
    }

    /// Puts a variable behind those at the start of the entry block.
    pub fn add_variable(&mut self, inst: Inst) {
        if let Some(gathered) = &mut self.gathered {
            return gathered.push(inst);
        }
        let Some(entry) = self.entry() else { return };
        let is_variable = |i: &Inst| self.insts[*i].op == Opcode::Op(Op::Variable);
        let insts = &mut self.blocks[entry].insts;
        // Variables stand together: where one still stands at the known end, only what is behind it must be looked at.
        let known = Some(self.variables).filter(|n| *n > 0 && insts.get(n - 1).is_some_and(is_variable));
        let from = known.unwrap_or(0);
        let at = from + insts[from..].iter().take_while(|i| is_variable(i)).count();
        insts.insert(at, inst);
        self.variables = at + 1;
    }

    /// Puts variables that are added from now on nowhere, until [`Function::place_variables`]: for who adds many.
    pub fn gather_variables(&mut self) {
        self.gathered.get_or_insert_default();
    }

    /// Puts the variables that were gathered where the others are.
    pub fn place_variables(&mut self) {
        let (Some(gathered), Some(entry)) = (self.gathered.take(), self.entry()) else { return };
        let insts = &mut self.blocks[entry].insts;
        let at = insts.iter().take_while(|i| self.insts[**i].op == Opcode::Op(Op::Variable)).count();
        self.variables = at + gathered.len();
        insts.splice(at..at, gathered);
    }

    /// The block of a region that has one.
    pub fn block_of(&self, region: Region) -> Block {
        self.regions[region].blocks[0]
    }

    /// Entry block of the body.
    pub fn entry(&self) -> Option<Block> {
        self.body.map(|r| self.block_of(r))
    }

    /// The instruction that ends a block.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        self.blocks[block].insts.last().copied().filter(|i| self.insts[*i].op.is_terminator())
    }

    /// The constant that a value is.
    pub fn as_const(&self, value: Value) -> Option<Const> {
        match self.values[value].def {
            ValueDef::Const(c) => Some(c),
            _ => None,
        }
    }

    /// The instruction whose result a value is.
    pub fn def_inst(&self, value: Value) -> Option<Inst> {
        match self.values[value].def {
            ValueDef::Result(inst, _) => Some(inst),
            _ => None,
        }
    }
}
