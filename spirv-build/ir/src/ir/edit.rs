//! Changing functions in place.

use crate::ir::entity::SecondaryMap;
use crate::ir::{Block, Function, Inst, InstData, Module, Opcode, Operand, Type, Value, walk};

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

    /// Whether something nested in a block leaves the innermost loop or switch around it; the block's own end does not count. With
    /// `repeats` what continues that loop counts, too, at whatever depth.
    pub fn is_left_inside(&self, block: Block, repeats: bool) -> bool {
        // Block, whether its end counts, and whether a break in it is out of what is asked about.
        let mut stack: Vec<(Block, bool, bool)> = vec![(block, false, true)];
        while let Some((block, nested, breaks)) = stack.pop() {
            for &inst in &self.blocks[block].insts {
                let data = &self.insts[inst];
                let inner = match data.op {
                    Opcode::Break if nested && breaks => return true,
                    Opcode::Continue if nested && repeats => return true,
                    Opcode::Selection => breaks,
                    Opcode::Switch if repeats => false,
                    _ => continue,
                };
                stack.extend(data.regions.iter().map(|r| (self.block_of(*r), true, inner)));
            }
        }
        false
    }

    /// Lets another value be used wherever one is.
    pub fn replace_uses(&mut self, old: Value, new: Value) {
        self.map_operands(|v| if v == old { new } else { v });
    }
}

/// A place between two instructions of a block whose instructions are gone through once: what is in front of it is done, and what is
/// put there takes no time for what is behind. The block is empty until [`Cursor::finish`].
#[derive(Debug)]
pub struct Cursor {
    block: Block,
    done: Vec<Inst>,
    rest: std::vec::IntoIter<Inst>,
}

impl Cursor {
    /// At the start of a block.
    pub fn at_start(f: &mut Function, block: Block) -> Cursor {
        let old = std::mem::take(&mut f.blocks[block].insts);
        Cursor { block, done: Vec::with_capacity(old.len()), rest: old.into_iter() }
    }

    /// Takes the next instruction out of the block.
    pub fn take(&mut self) -> Option<Inst> {
        self.rest.next()
    }

    /// Puts an instruction before the cursor.
    pub fn insert(&mut self, inst: Inst) {
        self.done.push(inst);
    }

    /// Makes an instruction before the cursor.
    pub fn make(&mut self, f: &mut Function, data: InstData, results: &[Type]) -> Inst {
        let inst = f.make_inst(data, results);
        self.done.push(inst);
        inst
    }

    /// Puts back what is behind the cursor, too.
    pub fn finish(mut self, f: &mut Function) {
        self.done.extend(self.rest);
        f.blocks[self.block].insts = self.done;
    }
}

/// Fills the interface of each entry point with what it reaches through calls; tells whether that is new.
pub fn list_interfaces(module: &mut Module) -> bool {
    let mut changed = false;
    for e in 0..module.entry_points.len() {
        let reached = walk::globals_reached(module, module.entry_points[e].func);
        let old = std::mem::replace(&mut module.entry_points[e].interface, reached);
        changed |= old != module.entry_points[e].interface;
    }
    changed
}
