//! Keeps accesses by physical address inside the buffers that a launch passed: what is read beyond them is 0, what is written
//! elsewhere than in one that may be written is dropped. Devices do that by themselves for descriptors, not for addresses.
//!
//! Runs on shaders that `abi::shader` made, for Vulkan alone: the CPU checks addresses as it uses them.

use super::pass::plain_pass;
use crate::ir::walk;
use crate::ir::{
    Block, BufferAccess, Builder, Function, Global, Inst, Module, Op, Opcode, StorageClass, TypeKind, Value,
};

plain_pass! {
    /// Checks accesses by address.
    GuardAddresses, "guard-addresses", run
}

/// Runs on all entry points.
fn run(module: &mut Module) -> bool {
    for i in 0..module.entry_points.len() {
        let func = module.entry_points[i].func;
        let interface = |g: Global| module.globals[g].interface.as_ref();
        let writable = |g: Global| interface(g).is_some_and(|i| i.access == BufferAccess::ReadWrite);
        let blocks = walk::globals_reached(module, func).into_iter().filter_map(|b| Some((b, interface(b)?)));
        // Without buffers no address is one that may be used.
        let buffers: Vec<(Global, u32, bool)> = blocks
            .flat_map(|(block, i)| i.addresses.iter().map(move |(g, offset)| (block, *offset, writable(*g))))
            .collect();
        entry(module, func, &buffers);
    }
    true
}

fn entry(module: &mut Module, func: crate::ir::Func, buffers: &[(Global, u32, bool)]) {
    let Module { ctx, globals, functions, .. } = module;
    let f = &mut functions[func];
    let Some(first) = f.entry() else { return };
    let accesses: Vec<(Block, Inst)> = walk::blocks(f)
        .into_iter()
        .flat_map(|(b, _)| f.blocks[b].insts.iter().map(move |i| (b, *i)).collect::<Vec<_>>())
        .filter(|(_, i)| is_access(ctx, f, *i))
        .collect();
    if accesses.is_empty() {
        return;
    }
    // Addresses and sizes, once, behind the variables.
    let old = std::mem::take(&mut f.blocks[first].insts);
    let (variables, rest): (Vec<Inst>, Vec<Inst>) =
        old.into_iter().partition(|i| f.insts[*i].op == Opcode::Op(Op::Variable));
    f.blocks[first].insts = variables;
    let word = ctx.types.int(64, false);
    let mut ranges = Vec::new();
    for (block, offset, writable) in buffers {
        let data = &globals[*block];
        let TypeKind::Struct(s) = ctx.types.kind(data.ty) else { continue };
        let member = |at: u32| s.members.iter().position(|m| m.offset == Some(at)).map(|n| n as u32);
        let (Some(address), Some(size)) = (member(*offset), member(offset + 8)) else { continue };
        let mut b = Builder::new(ctx, f, first);
        let base = b.address_of(*block, data.ty, data.storage);
        let mut load = |n: u32| {
            let n = b.u32(n);
            let p = b.access_chain(base, word, &[n]);
            b.load(p)
        };
        ranges.push((load(address), load(size), *writable));
    }
    f.blocks[first].insts.extend(rest);
    for (block, inst) in accesses {
        guard_access(ctx, f, block, inst, &ranges);
    }
}

/// Whether an instruction reads or writes at a physical address.
fn is_access(ctx: &crate::ir::Context, f: &Function, i: Inst) -> bool {
    let d = &f.insts[i];
    let Opcode::Op(op) = d.op else { return false };
    let memory = matches!(op, Op::Load | Op::Store) || op.is_atomic();
    let physical = d.id(0).and_then(|p| ctx.types.pointee(f.values[p].ty));
    memory && physical.is_some_and(|(_, s)| s == StorageClass::PhysicalStorageBuffer)
}

/// Puts an access into a selection.
fn guard_access(
    ctx: &mut crate::ir::Context,
    f: &mut Function,
    block: Block,
    inst: Inst,
    ranges: &[(Value, Value, bool)],
) {
    let d = f.insts[inst].clone();
    let Some(p) = d.id(0) else { return };
    let number = f.def_inst(p).and_then(|i| f.insts[i].id(0));
    let size = ctx.types.pointee(f.values[p].ty).and_then(|(t, _)| ctx.types.size(t));
    let (Some(number), Some(size)) = (number, size) else { return };
    let at = f.blocks[block].insts.iter().position(|i| *i == inst).unwrap_or(0);
    let rest = f.blocks[block].insts.split_off(at);
    let (truth, word) = (ctx.types.bool(), ctx.types.int(64, false));
    let bytes = ctx.constant(word, crate::ir::ConstKind::Bits(u64::from(size)));
    let mut b = Builder::new(ctx, f, block);
    let bytes = b.constant(bytes);
    let mut inside = None;
    // Atomic operations write; a load with that name alone does not.
    let writes = !matches!(d.op, Opcode::Op(Op::Load | Op::AtomicLoad));
    for (base, length, _) in ranges.iter().filter(|r| r.2 || !writes) {
        // Below the base the difference wraps around and is larger than any length.
        let offset = b.op(Op::ISub, word, &[number, *base]);
        let begins = b.op(Op::ULessThan, truth, &[offset, *length]);
        let left = b.op(Op::ISub, word, &[*length, offset]);
        let ends = b.op(Op::UGreaterThanEqual, truth, &[left, bytes]);
        let fits = b.op(Op::LogicalAnd, truth, &[begins, ends]);
        inside = Some(match inside {
            None => fits,
            Some(inside) => b.op(Op::LogicalOr, truth, &[inside, fits]),
        });
    }
    let inside = inside.unwrap_or_else(|| b.bool(false));
    b.only_if(inside, inst);
    f.blocks[block].insts.extend(rest.into_iter().skip(1));
}
