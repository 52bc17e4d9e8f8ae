//! Makes module-scope `Private` variables that an entry function writes function-scope variables of it, so that
//! `mem2reg` can promote them. Runs after `inline`: nothing else may see them.
//!
//! Variables that are only read stay: they are constant tables.

use super::pass::plain_pass;
use crate::ir::{
    Builder, Func, Function, Global, InstData, Module, Op, Opcode, Operand, StorageClass, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

plain_pass! {
    /// Makes `Private` variables that entry points write local ones.
    Localize, "localize", run
}

/// Runs on the functions of the entry points.
pub fn run(module: &mut Module) -> bool {
    let mut changed = false;
    for i in 0..module.entry_points.len() {
        let func = module.entry_points[i].func;
        let f = &module.functions[func];
        let roots = roots(module, f);
        let mut written: Vec<Global> = written(module, f, &roots).into_iter().collect();
        written.sort_unstable();
        if !written.is_empty() {
            localize(module, func, &written, &roots);
            changed = true;
        }
    }
    changed
}

/// Roots of pointers into `Private` globals: pointer value to global.
fn roots(module: &Module, f: &Function) -> FxHashMap<Value, Global> {
    let mut roots: FxHashMap<Value, Global> = FxHashMap::default();
    for (v, data) in f.values.iter() {
        if let ValueDef::Global(g) = data.def
            && module.globals[g].storage == StorageClass::Private
        {
            roots.insert(v, g);
        }
    }
    // A chain's base comes before it in the arena or is itself a root; repeat until nothing is new to be sure.
    loop {
        let before = roots.len();
        for (_, data) in f.insts.iter() {
            if let (Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain), Some(base), Some(result)) =
                (data.op, data.id(0), data.result())
                && let Some(&g) = roots.get(&base)
            {
                roots.insert(result, g);
            }
        }
        if roots.len() == before {
            return roots;
        }
    }
}

fn written(module: &Module, f: &Function, roots: &FxHashMap<Value, Global>) -> FxHashSet<Global> {
    let mut out = FxHashSet::default();
    for (_, block) in f.blocks.iter() {
        for &inst in &block.insts {
            let data = &f.insts[inst];
            for (i, v) in data.ids().enumerate() {
                let reads = match data.op {
                    Opcode::Op(Op::Load | Op::AccessChain | Op::InBoundsAccessChain) => i == 0,
                    _ => false,
                };
                if let (false, Some(&g)) = (reads, roots.get(&v)) {
                    out.insert(g);
                }
                // Without a value to begin with it is no table either.
                if let Some(&g) = roots.get(&v)
                    && module.globals[g].init.is_none()
                {
                    out.insert(g);
                }
            }
        }
    }
    out
}

fn localize(module: &mut Module, func: Func, written: &[Global], roots: &FxHashMap<Value, Global>) {
    let Some(entry) = module.functions[func].entry() else { return };
    let mut locals: FxHashMap<Global, Value> = FxHashMap::default();
    let mut stores = Vec::new();
    module.functions[func].gather_variables();
    for g in written {
        let data = module.globals[*g].clone();
        let mut b = Builder::new(&mut module.ctx, &mut module.functions[func], entry);
        b.span = data.span;
        let local = b.variable(data.ty, Some(&data.name));
        locals.insert(*g, local);
        if let Some(init) = data.init {
            let value = b.constant(init);
            let store = InstData::new(Op::Store, [Operand::Id(local), Operand::Id(value)], data.span);
            stores.push(b.func.make_inst(store, &[]));
        }
    }
    let f = &mut module.functions[func];
    f.place_variables();
    let insts = &f.blocks[entry].insts;
    let at = insts.iter().take_while(|i| f.insts[**i].op == Opcode::Op(Op::Variable)).count();
    // The first one is set last: each is put before those that were there.
    f.blocks[entry].insts.splice(at..at, stores.into_iter().rev());
    let mut address: FxHashMap<Value, Value> = FxHashMap::default();
    for (v, data) in f.values.iter_mut() {
        if let Some(local) = roots.get(&v).and_then(|g| locals.get(g)) {
            if let Some((pointee, _)) = module.ctx.types.pointee(data.ty) {
                data.ty = module.ctx.types.pointer(pointee, StorageClass::Function);
            }
            if let ValueDef::Global(_) = data.def {
                address.insert(v, *local);
            }
        }
    }
    f.map_operands(|v| address.get(&v).copied().unwrap_or(v));
}
