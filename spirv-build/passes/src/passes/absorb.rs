//! Moves the body of a function into its only caller: what [`super::inline`] would copy, without the copy.

use crate::ir::entity::Entity;
use crate::ir::{
    Block, BlockData, Function, Inst, InstData, Op, Opcode, Operand, Region, RegionData, Value, ValueData,
    ValueDef,
};

/// Moves a callee's body into the caller; gives the value it returns, and the instructions that belong where it is called. The
/// callee must return where its body ends and nowhere else.
pub(super) fn absorb(caller: &mut Function, callee: Function, args: &[Value]) -> (Option<Value>, Vec<Inst>) {
    let Some(entry) = callee.entry() else { return (None, Vec::new()) };
    let Function { params, values, insts, mut blocks, regions, .. } = callee;
    let body = std::mem::take(&mut blocks[entry]).insts;
    // Instructions, blocks and regions keep their order behind the caller's own.
    let (first_inst, first_block, first_region) =
        (caller.insts.len(), caller.blocks.len(), caller.regions.len());
    let moved_inst = |inst: Inst| Inst::new(inst.index() + first_inst);
    let moved_block = |block: Block| Block::new(block.index() + first_block);

    let mut map: Vec<Value> = Vec::with_capacity(values.len());
    for (value, data) in values {
        let def = match data.def {
            ValueDef::Result(inst, i) => ValueDef::Result(moved_inst(inst), i),
            ValueDef::Arg(of, i) if of == entry => {
                let index = usize::from(i);
                debug_assert!(params.get(index) == Some(&value));
                if let Some(arg) = args.get(index) {
                    map.push(*arg);
                    continue;
                }
                ValueDef::Arg(moved_block(of), i)
            }
            ValueDef::Arg(of, i) => ValueDef::Arg(moved_block(of), i),
            ValueDef::Const(c) => {
                map.push(caller.const_value(c, data.ty));
                continue;
            }
            ValueDef::Global(g) => {
                map.push(caller.global_value(g, data.ty));
                continue;
            }
        };
        map.push(caller.values.push(ValueData { def, ..data }));
    }
    let at = |v: &mut Value| *v = map[v.index()];

    for (_, mut data) in insts {
        for operand in &mut data.operands {
            if let Operand::Id(v) = operand {
                at(v);
            }
        }
        data.results.iter_mut().for_each(at);
        data.regions.iter_mut().for_each(|r| *r = Region::new(r.index() + first_region));
        data.successors.iter_mut().for_each(|s| {
            s.block = moved_block(s.block);
            s.args.iter_mut().for_each(at);
        });
        caller.insts.push(data);
    }
    for (_, BlockData { mut args, mut insts }) in blocks {
        args.iter_mut().for_each(at);
        insts.iter_mut().for_each(|i| *i = moved_inst(*i));
        caller.blocks.push(BlockData { args, insts });
    }
    for (_, RegionData { mut blocks }) in regions {
        blocks.iter_mut().for_each(|b| *b = moved_block(*b));
        caller.regions.push(RegionData { blocks });
    }

    let (mut returned, mut moved) = (None, Vec::with_capacity(body.len()));
    for inst in body.into_iter().map(moved_inst) {
        match caller.insts[inst].op {
            Opcode::Op(Op::Variable) => {
                let data = &mut caller.insts[inst];
                let (pointer, init, span) = (data.results[0], data.id(1), data.span);
                data.operands.truncate(1);
                caller.add_variable(inst);
                if let Some(init) = init {
                    // It is set each time that control comes here.
                    let store = InstData::new(Op::Store, [Operand::Id(pointer), Operand::Id(init)], span);
                    moved.push(caller.make_inst(store, &[]));
                }
            }
            Opcode::Op(Op::Return | Op::ReturnValue) => returned = caller.insts[inst].id(0),
            _ => moved.push(inst),
        }
    }
    (returned, moved)
}
