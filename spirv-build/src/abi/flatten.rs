//! `-fspv-flatten-resource-arrays`: arrays of textures and samplers as single resources, each with a binding of its own.
//!
//! Runs on a module in which every index into such an array is constant: the lowering sees to that.

use crate::ir::walk;
use crate::ir::{
    Function, Global, GlobalData, Inst, Module, Op, Opcode, Operand, ResourceClass, Type, TypeKind,
    TypeTable, Value, ValueDef,
};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Element type and length of a global that is flattened.
pub(super) fn elements(types: &TypeTable, data: &GlobalData) -> Option<(Type, u32)> {
    let class = data.interface.as_ref()?.class;
    match types.kind(data.ty) {
        TypeKind::Array { elem, len, .. }
            if matches!(class, ResourceClass::Image | ResourceClass::Sampler) =>
        {
            Some((*elem, *len))
        }
        _ => None,
    }
}

/// The element that an instruction leads to: instruction, array, index. None for others, an error for an index that is not
/// known.
fn element(module: &Module, f: &Function, inst: Inst) -> Option<Result<(Global, u32), Span>> {
    let data = &f.insts[inst];
    let arrays = data.ids().filter_map(|v| match f.values.get(v)?.def {
        ValueDef::Global(g) => Some(g),
        _ => None,
    });
    let g = arrays.into_iter().find(|g| elements(&module.ctx.types, &module.globals[*g]).is_some())?;
    let chain = matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain));
    let index = data.id(1).and_then(|v| f.as_const(v)).and_then(|c| module.ctx.consts.bits(c));
    Some(match index {
        Some(n) if chain && data.operands.len() == 2 => Ok((g, n as u32)),
        _ => Err(data.span),
    })
}

/// Elements of the largest array that is flattened: each is a variable with a name and a binding.
pub const MAX_ELEMENTS: u32 = 65536;

/// Arrays with more elements than [`MAX_ELEMENTS`].
pub fn too_long(module: &Module) -> Vec<(Span, u32)> {
    let long = |d: &GlobalData| Some((d.span, elements(&module.ctx.types, d)?.1));
    module.globals.iter().filter_map(|(_, d)| long(d).filter(|l| l.1 > MAX_ELEMENTS)).collect()
}

/// Where an element is named by an index that is not constant.
pub fn unknown_indices(module: &Module) -> Vec<Span> {
    let all = module.functions.iter().flat_map(|(_, f)| walk::insts(f).map(move |i| (f, i)));
    all.filter_map(|(f, i)| element(module, f, i)?.err()).collect()
}

/// Runs on a module whose resources have their numbers.
pub(super) fn run(module: &mut Module) {
    let mut found: Vec<Vec<(Inst, Global, u32)>> = Vec::new();
    for (_, f) in module.functions.iter() {
        let chains = walk::insts(f).filter_map(|i| match element(module, f, i)? {
            Ok((g, n)) => Some((i, g, n)),
            Err(_) => None,
        });
        found.push(chains.collect());
    }
    let parts = split(module);
    let Module { ctx, functions, globals, .. } = module;
    for ((_, f), chains) in functions.iter_mut().zip(found) {
        let mut instead: FxHashMap<Value, Value> = FxHashMap::default();
        for (inst, g, n) in &chains {
            let list = &parts[g];
            // An index beyond the end is of no element; any will do.
            let element = list[(*n as usize).min(list.len() - 1)];
            let ty = ctx.types.pointer(globals[element].ty, globals[element].storage);
            let value = f.global_value(element, ty);
            instead.extend(f.insts[*inst].result().map(|r| (r, value)));
        }
        if chains.is_empty() {
            continue;
        }
        let gone: FxHashSet<Inst> = chains.iter().map(|c| c.0).collect();
        for (block, _) in walk::blocks(f) {
            f.blocks[block].insts.retain(|i| !gone.contains(i));
        }
        for inst in walk::insts(f).collect::<Vec<_>>() {
            for o in &mut f.insts[inst].operands {
                if let Operand::Id(v) = o
                    && let Some(new) = instead.get(v)
                {
                    *o = Operand::Id(*new);
                }
            }
        }
    }
}

/// Makes the elements: the first takes the place of the array.
fn split(module: &mut Module) -> FxHashMap<Global, Vec<Global>> {
    let mut parts = FxHashMap::default();
    let arrays: Vec<(Global, Type, u32)> = module
        .globals
        .iter()
        .filter_map(|(g, data)| elements(&module.ctx.types, data).map(|(elem, len)| (g, elem, len)))
        .collect();
    for (g, elem, len) in arrays {
        let whole = module.globals[g].clone();
        let mut list = Vec::new();
        for n in 0..len {
            let mut data = GlobalData { name: format!("{}[{n}]", whole.name), ty: elem, ..whole.clone() };
            if let Some(i) = &mut data.interface {
                i.binding = i.binding.map(|(set, binding)| (set, binding.saturating_add(n)));
                i.register =
                    i.register.map(|(class, number, space)| (class, number.saturating_add(n), space));
            }
            list.push(match n {
                0 => {
                    module.globals[g] = data;
                    g
                }
                _ => module.globals.push(data),
            });
        }
        parts.insert(g, list);
    }
    parts
}
