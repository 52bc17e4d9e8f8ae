//! Arrays of textures and samplers as single resources, each with a binding of its own: all of them with
//! `-fspv-flatten-resource-arrays`; with dxc's numbers those that are members of structures.
//!
//! Runs on a module in which every index into such an array is constant: [`choose`] sees to that.

use super::{Changed, Pass, legalize_resources};
use crate::analysis::Analyses;
use crate::diag::{Finding, Findings};
use crate::ir::walk;
use crate::ir::{
    Function, Global, GlobalData, Inst, Interface, Module, Op, Opcode, ResourceClass, Type, TypeKind,
    TypeTable, Value, ValueDef,
};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Which arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flatten {
    /// None.
    #[default]
    Nothing,
    /// Members of structures that are global variables, unless they are used as a whole.
    Members,
    /// All.
    All,
}

impl Flatten {
    fn takes(self, i: &Interface) -> bool {
        self == Flatten::All || self == Flatten::Members && i.hlsl().part_of.is_some()
    }
}

/// Element type and length of a global that is flattened.
pub(crate) fn elements(types: &TypeTable, data: &GlobalData, which: Flatten) -> Option<(Type, u32)> {
    let class = data.interface.as_ref().filter(|i| which.takes(i))?.class;
    match types.kind(data.ty) {
        // Structures of buffers are not dxc's.
        TypeKind::Array { elem, .. }
            if which == Flatten::Members
                && matches!(types.kind(*elem), TypeKind::Image(i) if i.dim == crate::ir::Dim::DimBuffer) =>
        {
            None
        }
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
fn element(module: &Module, f: &Function, inst: Inst, which: Flatten) -> Option<(Global, Result<u32, Span>)> {
    let data = &f.insts[inst];
    let arrays = data.ids().filter_map(|v| match f.values.get(v)?.def {
        ValueDef::Global(g) => Some(g),
        _ => None,
    });
    let g = arrays.into_iter().find(|g| elements(&module.ctx.types, &module.globals[*g], which).is_some())?;
    let chain = matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain));
    let index = data.id(1).and_then(|v| f.as_const(v)).and_then(|c| module.ctx.consts.bits(c));
    let index = match index {
        Some(n) if chain && data.operands.len() == 2 => Ok(n as u32),
        _ => Err(data.span),
    };
    Some((g, index))
}

/// Elements of the largest array that is flattened: each is a variable with a name and a binding.
pub const MAX_ELEMENTS: u32 = 65536;

/// Arrays with more elements than [`MAX_ELEMENTS`].
pub fn too_long(module: &Module) -> Vec<(Span, u32)> {
    let long = |d: &GlobalData| Some((d.span, elements(&module.ctx.types, d, Flatten::All)?.1));
    module.globals.iter().filter_map(|(_, d)| long(d).filter(|l| l.1 > MAX_ELEMENTS)).collect()
}

/// Where an element is named by an index that is not constant.
pub fn unknown_indices(module: &Module) -> Vec<Span> {
    let all = module.functions.iter().flat_map(|(_, f)| walk::insts(f).map(move |i| (f, i)));
    all.filter_map(|(f, i)| element(module, f, i, Flatten::All)?.1.err()).collect()
}

/// Makes choices of the elements of what indices choose that are known at run time only.
pub fn choose(module: &mut Module, which: Flatten, findings: &mut Findings) {
    let ctx = &module.ctx;
    let taken: FxHashSet<Global> = module
        .globals
        .iter()
        .filter(|(_, d)| elements(&ctx.types, d, which).is_some())
        .map(|(g, _)| g)
        .collect();
    if !taken.is_empty()
        && let Err(refused) = legalize_resources::choose_elements(module, &taken)
    {
        findings.extend(refused.into_iter().map(Finding::from));
    }
}

/// Takes arrays of textures and samplers apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlattenArrays(pub Flatten);

impl Pass for FlattenArrays {
    fn name(&self) -> &'static str {
        "flatten"
    }

    fn run(&self, module: &mut Module, _: &mut Analyses, _: &mut Findings) -> Changed {
        run(module, self.0).into()
    }
}

/// Runs on a module whose resources have their numbers.
fn run(module: &mut Module, which: Flatten) -> bool {
    let mut found: Vec<Vec<(Inst, Global, u32)>> = Vec::new();
    let mut whole = FxHashSet::default();
    for (_, f) in module.functions.iter() {
        let mut chains = Vec::new();
        for i in walk::insts(f) {
            match element(module, f, i, which) {
                Some((g, Ok(n))) => chains.push((i, g, n)),
                Some((g, Err(_))) => {
                    whole.insert(g);
                }
                None => {}
            }
        }
        found.push(chains);
    }
    found.iter_mut().for_each(|chains| chains.retain(|c| !whole.contains(&c.1)));
    let parts = split(module, which, &whole);
    let changed = !parts.is_empty();
    let Module { ctx, functions, globals, .. } = module;
    for ((_, f), chains) in functions.iter_mut().zip(found) {
        // The address of what was the array is that of its first element now.
        for (_, v) in f.values.iter_mut() {
            if let ValueDef::Global(g) = v.def
                && parts.contains_key(&g)
            {
                v.ty = ctx.types.pointer(globals[g].ty, globals[g].storage);
            }
        }
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
        f.map_operands(|v| instead.get(&v).copied().unwrap_or(v));
    }
    changed
}

/// Makes the elements: the first takes the place of the array.
fn split(module: &mut Module, which: Flatten, whole: &FxHashSet<Global>) -> FxHashMap<Global, Vec<Global>> {
    let mut parts = FxHashMap::default();
    let arrays: Vec<(Global, Type, u32)> = module
        .globals
        .iter()
        .filter(|(g, _)| !whole.contains(g))
        .filter_map(|(g, data)| elements(&module.ctx.types, data, which).map(|(elem, len)| (g, elem, len)))
        .collect();
    for (g, elem, len) in arrays {
        let whole = module.globals[g].clone();
        let mut list = Vec::new();
        for n in 0..len {
            let mut data = GlobalData { name: format!("{}[{n}]", whole.name), ty: elem, ..whole.clone() };
            if let Some(i) = &mut data.interface {
                i.binding = i.binding.map(|(set, binding)| (set, binding.saturating_add(n)));
                if let Some(hlsl) = &mut i.hlsl {
                    hlsl.register =
                        hlsl.register.map(|(class, number, space)| (class, number.saturating_add(n), space));
                }
            }
            list.push(match n {
                0 => {
                    module.globals[g] = data;
                    g
                }
                _ => module.globals.push(data),
            });
        }
        for e in &mut module.entry_points {
            if let Some(at) = e.named.iter().position(|named| *named == g) {
                e.named.splice(at..=at, list.iter().copied());
            }
        }
        parts.insert(g, list);
    }
    parts
}
