//! Makes a small block of constants the push constants: the first that the source does not bind, if it names none itself.

use super::{Changed, Pass};
use crate::analysis::{Analyses, Preserved};
use crate::diag::Findings;
use crate::ir::{Module, Op, Opcode, ResourceClass, StorageClass, TypeKind, Value, ValueDef, walk};
use rustc_hash::FxHashSet;

/// Bytes of push constants that every Vulkan device has.
pub const PUSH_CONSTANT_BYTES: u32 = 128;

/// Chooses the push constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PushConstants {
    /// A block with a register has its place already.
    pub keep_registers: bool,
}

impl Pass for PushConstants {
    fn name(&self) -> &'static str {
        "push-constants"
    }

    fn run(&self, module: &mut Module, _: &mut Analyses, _: &mut Findings) -> Changed {
        choose(module, self.keep_registers).into()
    }

    fn preserves(&self) -> Preserved {
        Preserved::STRUCTURE.and(Preserved::USES)
    }
}

fn choose(module: &mut Module, keep_registers: bool) -> bool {
    let class = |c| module.globals.iter().any(|(_, g)| g.interface.as_ref().is_some_and(|i| i.class == c));
    if class(ResourceClass::PushConstant) {
        return false;
    }
    let types = &module.ctx.types;
    let chosen = module.globals.iter().find(|(_, g)| {
        let Some(i) = &g.interface else { return false };
        i.class == ResourceClass::ConstantBuffer
            && i.binding.is_none()
            && !(keep_registers && i.hlsl().register.is_some())
            && matches!(types.kind(g.ty), TypeKind::Struct(_))
            && types.size(g.ty).is_some_and(|n| n <= PUSH_CONSTANT_BYTES)
    });
    let Some((g, _)) = chosen else { return false };
    let data = &mut module.globals[g];
    data.storage = StorageClass::PushConstant;
    if let Some(i) = &mut data.interface {
        i.class = ResourceClass::PushConstant;
    }
    let Module { ctx, functions, .. } = module;
    for (_, f) in functions.iter_mut() {
        let mut pointers: FxHashSet<Value> =
            f.values.iter().filter(|(_, v)| v.def == ValueDef::Global(g)).map(|(v, _)| v).collect();
        if pointers.is_empty() {
            continue;
        }
        for inst in walk::insts(f).collect::<Vec<_>>() {
            let data = &f.insts[inst];
            let derives =
                matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject));
            if let (true, Some(base), Some(result)) = (derives, data.id(0), data.result())
                && pointers.contains(&base)
            {
                pointers.insert(result);
            }
        }
        for v in pointers {
            if let Some((pointee, _)) = ctx.types.pointee(f.values[v].ty) {
                f.values[v].ty = ctx.types.pointer(pointee, StorageClass::PushConstant);
            }
        }
    }
    true
}
