//! Changing functions in place.

use crate::ir::entity::SecondaryMap;
use crate::ir::{Block, Context, Function, Inst, InstData, Operand, Type, Value};

/// Values that others stand for.
pub type Replacements = SecondaryMap<Value, Option<Value>>;

impl Function {
    /// Lets each operand be another value.
    pub fn map_operands(&mut self, mut to: impl FnMut(Value) -> Value) {
        for (_, data) in self.insts.iter_mut() {
            for operand in &mut data.operands {
                if let Operand::Id(v) = operand {
                    *v = to(*v);
                }
            }
            for v in data.successors.iter_mut().flat_map(|s| s.args.iter_mut()) {
                *v = to(*v);
            }
        }
    }

    /// Puts other values where some are used. What replaces one may be replaced itself, in no circle.
    pub fn replace_all_uses(&mut self, with: &Replacements) {
        self.map_operands(|mut v| {
            while let Some(next) = with[v] {
                v = next;
            }
            v
        });
    }

    /// Lets another value be used wherever one is.
    pub fn replace_uses(&mut self, old: Value, new: Value) {
        self.map_operands(|v| if v == old { new } else { v });
    }
}

/// A place between two instructions of a block.
#[derive(Debug)]
pub struct Cursor<'a> {
    /// Types and constants.
    pub ctx: &'a mut Context,
    /// The function.
    pub f: &'a mut Function,
    block: Block,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the start of a block.
    pub fn at_start(ctx: &'a mut Context, f: &'a mut Function, block: Block) -> Cursor<'a> {
        Cursor { ctx, f, block, at: 0 }
    }

    /// The instruction behind the cursor.
    pub fn inst(&self) -> Option<Inst> {
        self.f.blocks[self.block].insts.get(self.at).copied()
    }

    /// Goes behind the next instruction; gives it.
    pub fn step(&mut self) -> Option<Inst> {
        let inst = self.inst()?;
        self.at += 1;
        Some(inst)
    }

    /// Puts an instruction before the cursor.
    pub fn insert(&mut self, data: InstData, results: &[Type]) -> Inst {
        let inst = self.f.make_inst(data, results);
        self.f.blocks[self.block].insts.insert(self.at, inst);
        self.at += 1;
        inst
    }

    /// Takes the instruction behind the cursor out of the block. Nothing may use its results any more.
    pub fn remove(&mut self) -> Option<Inst> {
        self.inst()?;
        Some(self.f.blocks[self.block].insts.remove(self.at))
    }
}
