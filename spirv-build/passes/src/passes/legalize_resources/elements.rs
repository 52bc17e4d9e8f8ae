//! Elements of arrays of resources that an index chooses at run time, as handles that are chosen by a switch.

use super::{MAX_CANDIDATES, Reason, Refused};
use crate::ir::{
    Builder, Function, Global, Inst, InstData, Module, Op, Opcode, Operand, Type, TypeKind, ValueDef, walk,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Replaces access chains with such indices, into one of `arrays`, by switches whose results are handles.
pub(super) fn choose(
    module: &mut Module,
    f: &mut Function,
    arrays: &FxHashSet<Global>,
    refused: &mut Vec<Refused>,
) -> bool {
    let mut changed = false;
    for (block, _) in walk::blocks(f) {
        let old = std::mem::take(&mut f.blocks[block].insts);
        for inst in old {
            let Some((len, ty)) = chosen(module, f, inst, arrays) else {
                f.blocks[block].insts.push(inst);
                continue;
            };
            let data = f.insts[inst].clone();
            if len as usize > MAX_CANDIDATES {
                refused.push(Refused { reason: Reason::TooMany, span: data.span });
                f.blocks[block].insts.push(inst);
                continue;
            }
            changed = true;
            let ids: SmallVec<[_; 4]> = data.ids().collect();
            let [base, index, ..] = ids[..] else { continue };
            let mut b = Builder::new(&mut module.ctx, f, block);
            b.span = data.span;
            let labels: Vec<(u64, u32)> = (1..len).map(|i| (u64::from(i), i)).collect();
            let (switch, blocks) = b.switch(index, &labels, len as usize - 1, &[]);
            for (n, branch) in blocks.into_iter().enumerate() {
                b.block = branch;
                let n = b.u32(n as u32);
                let mut chain =
                    InstData::new(Op::AccessChain, [Operand::Id(base), Operand::Id(n)], data.span);
                chain.operands.extend(ids[2..].iter().map(|v| Operand::Id(*v)));
                let chain = b.append(chain, &[ty]);
                let element = b.func.insts[chain].results[0];
                b.terminate(Opcode::Merge, &[element]);
            }
            // The result stays what it is called.
            let made = std::mem::replace(&mut f.insts[switch], InstData::bare(data.op, data.span));
            f.insts[inst] = InstData { results: data.results, ..made };
            if let Some(last) = f.blocks[block].insts.last_mut() {
                *last = inst;
            }
        }
    }
    changed
}

/// The length of the array and the type of the result, if an instruction is such an access chain.
fn chosen(module: &Module, f: &Function, inst: Inst, arrays: &FxHashSet<Global>) -> Option<(u32, Type)> {
    let data = &f.insts[inst];
    let (Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain), Some(base), Some(index)) =
        (data.op, data.id(0), data.id(1))
    else {
        return None;
    };
    let ValueDef::Global(g) = f.values[base].def else { return None };
    if !arrays.contains(&g) || f.as_const(index).is_some() {
        return None;
    }
    match module.ctx.types.kind(module.globals[g].ty) {
        TypeKind::Array { len, .. } => Some((*len, f.values[data.result()?].ty)),
        _ => None,
    }
}
