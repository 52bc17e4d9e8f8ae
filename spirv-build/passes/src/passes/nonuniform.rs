//! Spreads `NonUniform` from the indices that the source marks to what is reached through them.
//!
//! Vulkan wants it on the operands that say which descriptor is used: pointers into arrays of descriptors, what is loaded from
//! there, and combinations of that. A number that is computed of a marked one is marked as well. What is not an index of a
//! descriptor in the end keeps no mark.

use super::pass::plain_pass;
use crate::analysis::Preserved;
use crate::ir::walk;
use crate::ir::{Function, Module, Op, Opcode, StorageClass, TypeKind, Value};
use rustc_hash::FxHashSet;
use spirv_spec::{Decoration, Traits};

/// Operations whose result is marked when an operand is.
fn passes_on(op: Opcode) -> bool {
    op.traits().has(Traits::FOLDABLE)
        || matches!(
            op,
            Opcode::Op(
                Op::AccessChain
                    | Op::InBoundsAccessChain
                    | Op::Load
                    | Op::SampledImage
                    | Op::Image
                    | Op::ImageTexelPointer
            )
        )
}

plain_pass! {
    /// Marks what is reached through marked indices.
    NonUniform, "nonuniform", run, Preserved::ALL
}

/// Runs on every function.
fn run(module: &mut Module) -> bool {
    let mut changed = false;
    let Module { ctx, functions, .. } = module;
    for (_, f) in functions.iter_mut() {
        let mut marked = seeds(f);
        if marked.is_empty() {
            continue;
        }
        let insts: Vec<_> = walk::insts(f).collect();
        loop {
            let before = marked.len();
            for &i in &insts {
                let data = &f.insts[i];
                let Some(result) = data.result() else { continue };
                if !passes_on(data.op) || !data.ids().any(|v| marked.contains(&v)) {
                    continue;
                }
                // What is read from memory through a marked pointer is data, unless it is a descriptor.
                let descriptor = matches!(
                    ctx.types.kind(f.values[result].ty),
                    TypeKind::Image(_) | TypeKind::Sampler | TypeKind::SampledImage(_) | TypeKind::Opaque(_)
                );
                if data.op != Opcode::Op(Op::Load) || descriptor {
                    marked.insert(result);
                }
            }
            if marked.len() == before {
                break;
            }
        }
        for i in insts {
            let Some(result) = f.insts[i].result() else { continue };
            let kind = ctx.types.kind(f.values[result].ty);
            let wanted = match kind {
                TypeKind::Pointer { storage, .. } => matches!(
                    *storage,
                    StorageClass::StorageBuffer
                        | StorageClass::Uniform
                        | StorageClass::UniformConstant
                        | StorageClass::Image
                ),
                TypeKind::Image(_) | TypeKind::Sampler | TypeKind::SampledImage(_) | TypeKind::Opaque(_) => {
                    true
                }
                _ => f.insts[i].op == Opcode::Op(Op::CopyObject),
            };
            let data = &mut f.insts[i];
            if wanted && marked.contains(&result) && !data.decorations.has(Decoration::NonUniform) {
                data.decorations.mark(Decoration::NonUniform);
                changed = true;
            }
        }
    }
    changed
}

fn seeds(f: &Function) -> FxHashSet<Value> {
    walk::insts(f)
        .filter(|i| f.insts[*i].decorations.has(Decoration::NonUniform))
        .filter_map(|i| f.insts[i].result())
        .collect()
}
