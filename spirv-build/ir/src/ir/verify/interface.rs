//! Rule 2: what flows between the stages of a pipeline: variables in `Input` and `Output`, and their decorations.

use super::Errors;
use crate::ir::{
    Decorations, EntryPoint, Global, GlobalData, Module, StorageClass, StructType, Type, TypeKind,
};
use spirv_spec::{Decoration, ExecutionMode, ExecutionModel};

/// Decorations of what the rasteriser or a tessellator passes on.
const BETWEEN_STAGES: &[Decoration] = {
    use spirv_spec::decoration::*;
    &[Flat, NoPerspective, Centroid, Sample, Patch, PerVertexKHR, Component, Index]
};

/// Those that say how a value is interpolated.
const INTERPOLATION: &[Decoration] = {
    use spirv_spec::decoration::*;
    &[Flat, NoPerspective, Centroid, Sample]
};

fn is_interface(storage: StorageClass) -> bool {
    matches!(storage, StorageClass::Input | StorageClass::Output)
}

/// A global alone.
pub(super) fn global(module: &Module, g: &GlobalData, e: &mut Errors) {
    let block = block(module, g.ty);
    let members = block.iter().flat_map(|s| &s.members).map(|m| &m.decorations);
    let lists = || std::iter::once(&g.decorations).chain(members.clone());
    if !is_interface(g.storage) {
        let builtin = lists().any(|l| l.has(Decoration::BuiltIn));
        e.require(!builtin, "a global that is neither Input nor Output is a system value");
        let between = lists().any(|l| BETWEEN_STAGES.iter().any(|k| l.has(*k)));
        e.require(!between, "a global that is neither Input nor Output is decorated as one that is");
        return;
    }
    for list in lists() {
        let both = list.has(Decoration::BuiltIn) && list.has(Decoration::Location);
        e.require(!both, "a system value has a location");
        let alone = list.has(Decoration::Component) && !list.has(Decoration::Location);
        e.require(!alone || block.is_some(), "a component without location");
    }
    if let Some(s) = block {
        let builtins = s.members.iter().filter(|m| m.decorations.has(Decoration::BuiltIn)).count();
        let all = builtins == 0 || builtins == s.members.len();
        e.require(all, "a block has system values beside other members");
    }
}

/// The struct that a variable consists of, which may be an array of such: one for each vertex.
fn block(module: &Module, mut ty: Type) -> Option<&StructType> {
    let types = &module.ctx.types;
    while let TypeKind::Array { elem, .. } | TypeKind::RuntimeArray { elem, .. } = types.kind(ty) {
        ty = *elem;
    }
    types.structure(ty)
}

/// The variables that an entry point lists.
pub(super) fn entry_point(module: &Module, p: &EntryPoint, e: &mut Errors) {
    let mut listed: Vec<Global> = p.interface.clone();
    listed.sort_unstable();
    e.require(listed.windows(2).all(|w| w[0] != w[1]), "an entry point lists a global twice");
    if p.model == ExecutionModel::Fragment {
        let origins = [ExecutionMode::OriginUpperLeft, ExecutionMode::OriginLowerLeft];
        let count = p.modes.iter().filter(|m| origins.contains(&m.kind)).count();
        e.require(count == 1, "a fragment entry point does not say where its origin is");
    }
    let compute = matches!(p.model, ExecutionModel::GLCompute | ExecutionModel::Kernel);
    for g in &p.interface {
        let Some(data) = module.globals.get(*g).filter(|g| is_interface(g.storage)) else { continue };
        e.span = data.span;
        let output = data.storage == StorageClass::Output;
        if compute {
            e.require(!output, "a compute entry point has an output");
            e.require(
                output || data.builtin().is_some(),
                "an input of a compute entry point is no system value",
            );
        }
        let list = &data.decorations;
        let any = |kinds: &[Decoration]| kinds.iter().any(|k| list.has(*k));
        match (p.model, output) {
            (ExecutionModel::Vertex, false) => {
                e.require(!any(INTERPOLATION), "an input of a vertex entry point is interpolated");
            }
            (ExecutionModel::Fragment, true) => {
                e.require(!any(INTERPOLATION), "an output of a fragment entry point is interpolated");
            }
            (ExecutionModel::Fragment, false) => flat(module, data, list, e),
            _ => {}
        }
        let of_fragments = p.model == ExecutionModel::Fragment && output;
        e.require(
            of_fragments || !list.has(Decoration::Index),
            "an index on what is no output of a fragment",
        );
        let of_vertices = p.model == ExecutionModel::Fragment && !output;
        e.require(
            of_vertices || !list.has(Decoration::PerVertexKHR),
            "a value of each vertex on what is no input of a fragment",
        );
        let tessellates = match p.model {
            ExecutionModel::TessellationControl => output,
            ExecutionModel::TessellationEvaluation => !output,
            _ => false,
        };
        e.require(tessellates || !list.has(Decoration::Patch), "a patch outside tessellation");
    }
}

/// Integers and 64-bit floats are not interpolated.
fn flat(module: &Module, data: &GlobalData, list: &Decorations, e: &mut Errors) {
    let types = &module.ctx.types;
    let exact =
        matches!(types.kind(types.scalar_of(data.ty)), TypeKind::Int { .. } | TypeKind::Float { width: 64 });
    let apart =
        [Decoration::Flat, Decoration::PerVertexKHR, Decoration::BuiltIn].iter().any(|k| list.has(*k));
    e.require(!exact || apart, "an input of a fragment entry point cannot be interpolated and is not Flat");
}
