//! Who uses a value.

use crate::ir::entity::{Entity, SecondaryMap};
use crate::ir::{Function, Inst, Value, walk};

/// A use: an instruction. The operand is found by looking, since few instructions have many.
#[derive(Debug, Clone, Default)]
pub struct Uses {
    /// By value, where its users begin in `users`, and how many there are.
    of: SecondaryMap<Value, (u32, u32)>,
    users: Vec<Inst>,
}

impl Uses {
    /// Of all values of a function. An instruction that uses a value twice is there twice.
    pub fn of(f: &Function) -> Uses {
        let mut uses = Uses::default();
        let insts: Vec<Inst> = walk::insts(f).collect();
        let each = |visit: &mut dyn FnMut(Value, Inst)| {
            for &inst in &insts {
                let data = &f.insts[inst];
                data.ids().for_each(|v| visit(v, inst));
                data.successors.iter().flat_map(|s| &s.args).for_each(|v| visit(*v, inst));
            }
        };
        let of = &mut uses.of;
        each(&mut |v, _| of[v].1 += 1);
        let mut sum = 0;
        for v in f.values.keys().filter(|v| v.index() < f.values.len()) {
            let (begin, count) = &mut of[v];
            (*begin, sum) = (sum, sum + *count);
            *count = 0;
        }
        uses.users = vec![Inst::new(0); sum as usize];
        let users = &mut uses.users;
        each(&mut |v, inst| {
            let (begin, count) = &mut of[v];
            users[(*begin + *count) as usize] = inst;
            *count += 1;
        });
        uses
    }

    /// The users of a value, in the order of the blocks.
    pub fn users(&self, v: Value) -> &[Inst] {
        let (begin, count) = self.of[v];
        &self.users[begin as usize..][..count as usize]
    }
}
