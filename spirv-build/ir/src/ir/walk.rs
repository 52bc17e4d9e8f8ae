//! Visiting what a function consists of, without recursion and whatever state the function is in.

use crate::ir::entity::Entity;
use crate::ir::{Block, ConstKind, Func, Function, Global, Inst, InstData, Module, Operand, ValueDef};
use smallvec::{SmallVec, smallvec};

/// How deep structured operations may be nested in each other. Whatever produces IR reports an error instead of going
/// deeper; whatever consumes it may recurse.
pub const MAX_NESTING: usize = 512;

/// Blocks of a function in the order of the text, each with its nesting depth (0: the function's own). A block that is
/// reached twice, which verified functions have not, is visited once.
pub fn blocks(f: &Function) -> SmallVec<[(Block, usize); 16]> {
    let mut order = SmallVec::new();
    let Some(body) = f.body.and_then(|r| f.regions.get(r)) else { return order };
    order.reserve(f.blocks.len());
    let mut seen: SmallVec<[bool; 64]> = smallvec![false; f.blocks.len()];
    let mut stack: SmallVec<[(Block, usize); 16]> = SmallVec::new();
    stack.extend(body.blocks.iter().rev().map(|b| (*b, 0)));
    while let Some((block, depth)) = stack.pop() {
        let Some(data) = f.blocks.get(block) else { continue };
        if std::mem::replace(&mut seen[block.index()], true) {
            continue;
        }
        order.push((block, depth));
        let around = |i: &InstData| !i.regions.is_empty();
        for inst in data.insts.iter().rev().filter_map(|i| f.insts.get(*i)).filter(|i| around(i)) {
            for region in inst.regions.iter().rev().filter_map(|r| f.regions.get(*r)) {
                stack.extend(region.blocks.iter().rev().map(|b| (*b, depth + 1)));
            }
        }
    }
    order
}

/// Instructions of a function: block by block, those of nested blocks after those of the block that holds them.
pub fn insts(f: &Function) -> impl Iterator<Item = Inst> + '_ {
    blocks(f)
        .into_iter()
        .flat_map(|(b, _)| f.blocks[b].insts.iter().copied())
        .filter(|i| f.insts.get(*i).is_some())
}

/// By function: whether an entry point reaches it through calls. In a module without entry points all count.
pub fn reached(module: &Module) -> SmallVec<[bool; 32]> {
    let mut reached: SmallVec<[bool; 32]> = smallvec![module.entry_points.is_empty(); module.functions.len()];
    let is_exported =
        |f: &Function| f.decorations.linkage().is_some_and(|l| l.1 == spirv_spec::LinkageType::Export);
    let exported = module.functions.iter().filter(|(_, f)| is_exported(f)).map(|(f, _)| f);
    let mut stack: SmallVec<[Func; 16]> =
        module.entry_points.iter().map(|e| e.func).chain(exported).collect();
    while let Some(func) = stack.pop() {
        let Some(f) = module.functions.get(func) else { continue };
        if std::mem::replace(&mut reached[func.index()], true) {
            continue;
        }
        // Most call nothing: that is seen without an order.
        let names_functions = |i: &InstData| i.operands.iter().any(|o| matches!(o, Operand::Func(_)));
        if !f.insts.iter().any(|(_, i)| names_functions(i)) {
            continue;
        }
        for inst in insts(f) {
            stack.extend(f.insts[inst].operands.iter().filter_map(|o| match o {
                Operand::Func(callee) => Some(*callee),
                _ => None,
            }));
        }
    }
    reached
}

/// The globals that a function reaches, through calls too, as declared.
pub fn globals_reached(module: &Module, func: Func) -> Vec<Global> {
    let mut seen: SmallVec<[bool; 64]> = smallvec![false; module.functions.len()];
    let mut globals: SmallVec<[bool; 64]> = smallvec![false; module.globals.len()];
    let mut stack: SmallVec<[Func; 16]> = smallvec![func];
    while let Some(f) = stack.pop() {
        if seen.get_mut(f.index()).is_none_or(|r| std::mem::replace(r, true)) {
            continue;
        }
        let (used, calls) = mentions(&module.functions[f]);
        used.iter().for_each(|g| globals[g.index()] = true);
        stack.extend(calls);
    }
    module.globals.keys().filter(|g| globals[g.index()]).collect()
}

/// Globals whose address a function takes, and functions that it calls.
fn mentions(f: &Function) -> (SmallVec<[Global; 32]>, SmallVec<[Func; 16]>) {
    let (mut globals, mut calls) = (SmallVec::new(), SmallVec::new());
    for inst in insts(f) {
        let data = &f.insts[inst];
        let passed = data.successors.iter().flat_map(|s| s.args.iter().copied());
        globals.extend(data.ids().chain(passed).filter_map(|v| match f.values.get(v)?.def {
            ValueDef::Global(g) => Some(g),
            _ => None,
        }));
        calls.extend(data.operands.iter().filter_map(|o| match o {
            Operand::Func(f) => Some(*f),
            _ => None,
        }));
    }
    (globals, calls)
}

/// Whether a function, or what initialises the variables that it reaches, uses a constant whose value is computed when the program
/// is specialised.
pub fn uses_computed(module: &Module, func: Func) -> bool {
    let consts = &module.ctx.consts;
    if !consts.iter().any(|(_, _, kind)| matches!(kind, ConstKind::Computed(..))) {
        return false;
    }
    let f = &module.functions[func];
    f.values.iter().any(|(_, v)| matches!(v.def, ValueDef::Const(c) if consts.is_computed(c)))
        || globals_reached(module, func)
            .into_iter()
            .any(|g| module.globals[g].init.is_some_and(|c| consts.is_computed(c)))
}
