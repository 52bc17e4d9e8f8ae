//! Derivatives in compute kernels: which threads form the quads that they are taken over.

use super::TargetEnv;
use crate::ir::entity::Entity;
use crate::ir::walk;
use crate::ir::{EntryPoint, Module, Operand};
use spirv_spec::{Capability, ExecutionMode, ExecutionModel, Traits};

/// How threads form quads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DerivativeGroup {
    /// Two by two, by position in the group.
    Quads,
    /// Four after each other.
    Linear,
}

impl DerivativeGroup {
    /// What a module with such groups needs.
    pub fn capability(self) -> Capability {
        match self {
            DerivativeGroup::Quads => Capability::ComputeDerivativeGroupQuadsNV,
            DerivativeGroup::Linear => Capability::ComputeDerivativeGroupLinearNV,
        }
    }

    /// The execution mode of the entry point.
    pub fn mode(self) -> ExecutionMode {
        match self {
            DerivativeGroup::Quads => ExecutionMode::DerivativeGroupQuadsNV,
            DerivativeGroup::Linear => ExecutionMode::DerivativeGroupLinearNV,
        }
    }
}

/// The extension that brings them: the older one, unless only the newer may be used.
pub fn extension(target: &TargetEnv) -> &'static str {
    let newer = "SPV_KHR_compute_shader_derivatives";
    match &target.extensions {
        Some(list) if list.iter().any(|e| e == newer) => newer,
        _ => "SPV_NV_compute_shader_derivatives",
    }
}

/// Whether a capability is one of a [`DerivativeGroup`].
pub(super) fn is_group(c: Capability) -> bool {
    [DerivativeGroup::Quads, DerivativeGroup::Linear].iter().any(|g| g.capability() == c)
}

/// How an entry point that takes derivatives forms quads, as in Direct3D: two by two where the group is even in x and y. A
/// group that is no multiple of four threads is linear too; its last threads then have no neighbours.
pub fn group(module: &Module, entry: &EntryPoint) -> Option<DerivativeGroup> {
    if entry.model != ExecutionModel::GLCompute {
        return None;
    }
    // Hardly any module has one: most need no walk along the calls.
    if !module
        .functions
        .iter()
        .any(|(_, f)| f.insts.iter().any(|(_, i)| i.op.traits().has(Traits::DERIVATIVE)))
    {
        return None;
    }
    let (mut reached, mut stack) = (vec![false; module.functions.len()], vec![entry.func]);
    let mut found = false;
    while let Some(f) = stack.pop() {
        if reached.get_mut(f.index()).is_none_or(|r| std::mem::replace(r, true)) {
            continue;
        }
        let f = &module.functions[f];
        for inst in walk::insts(f) {
            let data = &f.insts[inst];
            found |= data.op.traits().has(Traits::DERIVATIVE);
            stack.extend(data.operands.iter().filter_map(|o| match o {
                Operand::Func(f) => Some(*f),
                _ => None,
            }));
        }
    }
    let [x, y, _] = entry.local_size;
    let quads = x % 2 == 0 && y % 2 == 0;
    found.then_some(if quads { DerivativeGroup::Quads } else { DerivativeGroup::Linear })
}
