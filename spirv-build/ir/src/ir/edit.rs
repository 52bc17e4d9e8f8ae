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
    /// `repeats` what continues that loop counts, too, at whatever depth; `except` does not.
    pub fn is_left_inside(&self, block: Block, repeats: bool, except: Option<Inst>) -> bool {
        // Block, whether its end counts, and whether a break in it is out of what is asked about.
        let mut stack: Vec<(Block, bool, bool)> = vec![(block, false, true)];
        while let Some((block, nested, breaks)) = stack.pop() {
            for &inst in &self.blocks[block].insts {
                let data = &self.insts[inst];
                let inner = match data.op {
                    _ if Some(inst) == except => continue,
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

/// Rebuilds blocks whose structured operations may become something else.
pub trait Rebuild {
    /// The function.
    fn function(&mut self) -> &mut Function;

    /// Appends a structured operation, or what it becomes, once its own blocks are rebuilt; tells whether it goes on behind it. If
    /// not, what was appended ends with a terminator, and the block with it.
    fn structured(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool;

    /// Rebuilds a block.
    fn block(&mut self, block: Block) {
        let f = self.function();
        if !f.blocks[block].insts.iter().any(|i| f.insts[*i].op.is_structured()) {
            return;
        }
        let old = std::mem::take(&mut f.blocks[block].insts);
        let mut new = Vec::with_capacity(old.len());
        for inst in old {
            if !self.function().insts[inst].op.is_structured() {
                new.push(inst);
            } else if !self.structured(inst, &mut new) {
                break;
            }
        }
        self.function().blocks[block].insts = new;
    }

    /// Rebuilds the blocks of an operation.
    fn blocks_of(&mut self, inst: Inst) {
        for region in self.function().insts[inst].regions.clone() {
            let block = self.function().block_of(region);
            self.block(block);
        }
    }
}

impl Function {
    /// Appends what a region holds in place of its operation, whose results become what is passed. `ends` says which terminators
    /// go on behind it; tells whether the region's does.
    pub fn splice(
        &mut self,
        inst: Inst,
        block: Block,
        ends: impl Fn(Opcode) -> bool,
        results: &mut Replacements,
        out: &mut Vec<Inst>,
    ) -> bool {
        let mut insts = std::mem::take(&mut self.blocks[block].insts);
        let Some(&last) = insts.last() else { return true };
        let goes_on = ends(self.insts[last].op);
        if goes_on {
            insts.pop();
            for (result, value) in self.insts[inst].results.iter().zip(self.insts[last].ids()) {
                results[*result] = Some(value);
            }
        }
        out.append(&mut insts);
        goes_on
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
