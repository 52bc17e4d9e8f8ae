//! The Vulkan memory model: memory that threads share says so at each access.
//!
//! Without it, accesses are private: barriers do not order them, and nothing is coherent. So every access to memory that a
//! thread can share with others is not private here, and one to what is `globallycoherent` makes its value available or visible
//! to the queue family. Barriers make available and visible what they order.

use super::pass::plain_pass;
use crate::analysis::Preserved;
use crate::ir::{Builder, Function, Global, Module, Op, Opcode, Operand, StorageClass, TypeKind, Value};
use crate::ir::{Inst, ValueDef, walk};
use rustc_hash::FxHashSet;
use spirv_spec::{Decoration, ImageOperands, MemoryAccess, MemorySemantics, Scope};

plain_pass! {
    /// Says at accesses to memory that threads share what the Vulkan memory model asks for.
    MemoryModel, "memory-model", run, Preserved::STRUCTURE
}

/// Runs on modules that have this memory model.
fn run(module: &mut Module) -> bool {
    if module.memory != spirv_spec::MemoryModel::Vulkan {
        return false;
    }
    let coherent: FxHashSet<Global> = module
        .globals
        .iter()
        .filter(|(_, g)| g.decorations.has(Decoration::Coherent))
        .map(|(g, _)| g)
        .collect();
    let Module { ctx, functions, globals, .. } = module;
    // The decoration belongs to the other memory model.
    for (_, g) in globals.iter_mut() {
        g.decorations.remove(Decoration::Coherent);
    }
    for (_, f) in functions.iter_mut().filter(|(_, f)| f.body.is_some()) {
        let Some(entry) = f.entry() else { continue };
        let queue = Builder::new(ctx, f, entry).u32(Scope::QueueFamily.0);
        for inst in walk::insts(f).collect::<Vec<_>>() {
            let Opcode::Op(op) = f.insts[inst].op else { continue };
            match op {
                Op::Load | Op::Store => {
                    let shared = f.insts[inst].id(0).is_some_and(|p| {
                        matches!(
                            *ctx.types.kind(f.values[p].ty),
                            TypeKind::Pointer {
                                storage: StorageClass::Workgroup
                                    | StorageClass::StorageBuffer
                                    | StorageClass::PhysicalStorageBuffer,
                                ..
                            }
                        )
                    });
                    if shared {
                        let of = f.insts[inst].id(0).and_then(|p| root(f, p));
                        access(f, inst, op, of.is_some_and(|g| coherent.contains(&g)).then_some(queue));
                    }
                }
                Op::ImageRead | Op::ImageSparseRead | Op::ImageWrite => {
                    let image = f.insts[inst].id(0).and_then(|v| f.def_inst(v));
                    let of = image.and_then(|i| f.insts[i].id(0)).and_then(|p| root(f, p));
                    texel(f, inst, op, of.is_some_and(|g| coherent.contains(&g)).then_some(queue));
                }
                Op::ControlBarrier | Op::MemoryBarrier => {
                    let last = f.insts[inst].operands.len() - 1;
                    let old =
                        f.insts[inst].id(last).and_then(|v| f.as_const(v)).and_then(|c| ctx.consts.bits(c));
                    let Some(old) = old.filter(|n| *n != 0) else { continue };
                    let more = MemorySemantics::MAKE_AVAILABLE | MemorySemantics::MAKE_VISIBLE;
                    let value = Builder::new(ctx, f, entry).u32(old as u32 | more.bits());
                    f.insts[inst].operands[last] = Operand::Id(value);
                }
                _ => {}
            }
        }
    }
    true
}

/// The global that a pointer leads into.
fn root(f: &Function, mut pointer: Value) -> Option<Global> {
    loop {
        match f.values[pointer].def {
            ValueDef::Global(g) => return Some(g),
            ValueDef::Result(i, _)
                if matches!(f.insts[i].op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain)) =>
            {
                pointer = f.insts[i].id(0)?;
            }
            _ => return None,
        }
    }
}

/// Adds to the memory operands of a load or store, which may have an alignment already.
fn access(f: &mut Function, inst: Inst, op: Op, scope: Option<Value>) {
    let at = if op == Op::Load { 1 } else { 2 };
    let operands = &mut f.insts[inst].operands;
    if operands.len() == at {
        operands.push(Operand::Literal(0));
    }
    let Operand::Literal(mask) = &mut operands[at] else { return };
    let own = match (op, scope) {
        (_, None) => MemoryAccess::NONE,
        (Op::Load, _) => MemoryAccess::MAKE_POINTER_VISIBLE,
        _ => MemoryAccess::MAKE_POINTER_AVAILABLE,
    };
    if *mask & (MemoryAccess::MAKE_POINTER_VISIBLE | MemoryAccess::MAKE_POINTER_AVAILABLE).bits() != 0 {
        // The source wrote it out.
        return;
    }
    *mask |= (own | MemoryAccess::NON_PRIVATE_POINTER).bits();
    operands.extend(scope.map(Operand::Id));
}

/// The same for the operands of an image instruction. Their values stand in the order of the bits, and these are last but for
/// those that a storage image has not.
fn texel(f: &mut Function, inst: Inst, op: Op, scope: Option<Value>) {
    let at = if op == Op::ImageWrite { 3 } else { 2 };
    let operands = &mut f.insts[inst].operands;
    if operands.len() == at {
        operands.push(Operand::Literal(0));
    }
    let Operand::Literal(mask) = &mut operands[at] else { return };
    let own = match (op, scope) {
        (_, None) => ImageOperands::NONE,
        (Op::ImageWrite, _) => ImageOperands::MAKE_TEXEL_AVAILABLE,
        _ => ImageOperands::MAKE_TEXEL_VISIBLE,
    };
    *mask |= (own | ImageOperands::NON_PRIVATE_TEXEL).bits();
    operands.extend(scope.map(Operand::Id));
}
