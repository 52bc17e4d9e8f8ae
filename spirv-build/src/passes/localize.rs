//! Makes module-scope `Private` variables that an entry function writes function-scope variables of it, so that
//! `mem2reg` can promote them. Runs after `inline`: nothing else may see them.
//!
//! Variables that are only read stay: they are constant tables.

use crate::ir::{
    Builder, Function, Global, InstData, Module, Op, Opcode, Operand, StorageClass, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs on the functions of the entry points.
pub fn run(module: &mut Module) -> bool {
    let mut changed = false;
    for i in 0..module.entry_points.len() {
        let func = module.entry_points[i].func;
        let f = &module.functions[func];
        let mut written: Vec<Global> = written(module, f).into_iter().collect();
        written.sort_unstable();
        for g in written {
            localize(module, func, g);
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

fn written(module: &Module, f: &Function) -> FxHashSet<Global> {
    let roots = roots(module, f);
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

fn localize(module: &mut Module, func: crate::ir::Func, g: Global) {
    let roots = roots(module, &module.functions[func]);
    let data = module.globals[g].clone();
    let f = &mut module.functions[func];
    let Some(entry) = f.entry() else { return };
    let mut b = Builder::new(&mut module.ctx, f, entry);
    b.span = data.span;
    let local = b.variable(data.ty, Some(&data.name));
    if let Some(init) = data.init {
        let value = b.constant(init);
        let store = InstData::new(Op::Store, [Operand::Id(local), Operand::Id(value)], data.span);
        let store = b.func.make_inst(store, &[]);
        let at = b.func.blocks[entry]
            .insts
            .iter()
            .take_while(|i| b.func.insts[**i].op == Opcode::Op(Op::Variable))
            .count();
        b.func.blocks[entry].insts.insert(at, store);
    }
    for (v, root) in &roots {
        if *root != g {
            continue;
        }
        let ty = b.func.values[*v].ty;
        if let Some((pointee, _)) = b.ctx.types.pointee(ty) {
            b.func.values[*v].ty = b.ctx.types.pointer(pointee, StorageClass::Function);
        }
    }
    let address: Vec<Value> = b
        .func
        .values
        .iter()
        .filter(|(_, d)| matches!(d.def, ValueDef::Global(x) if x == g))
        .map(|(v, _)| v)
        .collect();
    for (_, data) in b.func.insts.iter_mut() {
        for operand in &mut data.operands {
            if matches!(operand, Operand::Id(v) if address.contains(v)) {
                *operand = Operand::Id(local);
            }
        }
    }
}
