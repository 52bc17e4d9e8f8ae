//! How the structured operations of a function are nested, and which terminators pass values where.

use crate::ir::entity::Entity;
use crate::ir::{Block, Function, Inst, Opcode};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// What surrounds an instruction, and who passes values to the results and arguments of a structured operation.
#[derive(Debug, Clone)]
pub struct Structure {
    parent: SmallVec<[Option<Inst>; 64]>,
    merges: FxHashMap<Inst, SmallVec<[(Inst, usize); 2]>>,
    continues: FxHashMap<Inst, SmallVec<[Inst; 2]>>,
    nexts: FxHashMap<Inst, Inst>,
    owner: FxHashMap<Block, Inst>,
}

impl Structure {
    /// Of a function whose control flow is structured; of a plain graph it knows that nothing is nested.
    pub fn of(f: &Function) -> Structure {
        let mut s = Structure {
            parent: smallvec![None; f.insts.len()],
            merges: FxHashMap::default(),
            continues: FxHashMap::default(),
            nexts: FxHashMap::default(),
            owner: FxHashMap::default(),
        };
        let Some(body) = f.body else { return s };
        // (block, innermost structured instruction, innermost loop or switch, innermost loop)
        type Around = (Option<Inst>, Option<Inst>, Option<Inst>);
        let mut stack: SmallVec<[(Block, Around); 8]> =
            f.regions[body].blocks.iter().map(|b| (*b, (None, None, None))).collect();
        while let Some((block, (parent, breakable, innermost_loop))) = stack.pop() {
            s.owner.extend(parent.map(|p| (block, p)));
            for &inst in &f.blocks[block].insts {
                let data = &f.insts[inst];
                s.parent[inst.index()] = parent;
                match data.op {
                    Opcode::Merge => {
                        if let Some(p) = parent {
                            s.merges.entry(p).or_default().push((inst, 0));
                        }
                    }
                    Opcode::Break => {
                        if let Some(p) = breakable {
                            s.merges.entry(p).or_default().push((inst, 0));
                        }
                    }
                    Opcode::Continue => {
                        if let Some(p) = innermost_loop {
                            s.continues.entry(p).or_default().push(inst);
                        }
                    }
                    Opcode::Next => {
                        if let Some(p) = parent {
                            s.nexts.insert(p, inst);
                        }
                    }
                    Opcode::NextIf => {
                        if let Some(p) = parent {
                            s.nexts.insert(p, inst);
                            s.merges.entry(p).or_default().push((inst, 1 + f.insts[p].operands.len()));
                        }
                    }
                    Opcode::Selection => {
                        for &r in &data.regions {
                            stack.push((f.block_of(r), (Some(inst), breakable, innermost_loop)));
                        }
                    }
                    Opcode::Switch => {
                        for &r in &data.regions {
                            stack.push((f.block_of(r), (Some(inst), Some(inst), innermost_loop)));
                        }
                    }
                    Opcode::Loop => {
                        for &r in &data.regions {
                            stack.push((f.block_of(r), (Some(inst), Some(inst), Some(inst))));
                        }
                    }
                    _ => {}
                }
            }
        }
        s
    }

    /// The structured operation that an instruction stands in.
    pub fn parent(&self, inst: Inst) -> Option<Inst> {
        self.parent.get(inst.index()).copied().flatten()
    }

    /// The structured operation that a block is of.
    pub fn owner(&self, block: Block) -> Option<Inst> {
        self.owner.get(&block).copied()
    }

    /// The terminators that pass values to the results of a structured operation, each with how many operands come before these.
    pub fn merges(&self, inst: Inst) -> &[(Inst, usize)] {
        self.merges.get(&inst).map_or(&[], |list| list)
    }

    /// The terminators that pass values to the continuing region of a loop.
    pub fn continues(&self, inst: Inst) -> &[Inst] {
        self.continues.get(&inst).map_or(&[], |list| list)
    }

    /// The `Next` or `NextIf` of a loop.
    pub fn next(&self, inst: Inst) -> Option<Inst> {
        self.nexts.get(&inst).copied()
    }
}
