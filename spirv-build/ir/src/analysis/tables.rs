//! Constant tables: module-scope variables that nobody writes, so that what is loaded from them at known indices is known.

use crate::ir::entity::SecondaryMap;
use crate::ir::fold;
use crate::ir::{
    Const, Context, Function, Global, InstData, Module, Op, Opcode, StorageClass, Value, ValueDef, walk,
};
use smallvec::SmallVec;

/// Access chains that are followed from a pointer to its variable, at most.
const MAX_CHAINS: usize = 64;

/// The constant tables of a module.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    contents: SecondaryMap<Global, Option<Const>>,
}

impl Tables {
    /// Finds them.
    pub fn of(module: &Module) -> Tables {
        let mut tables = Tables::default();
        let mut any = false;
        for (g, data) in module.globals.iter() {
            if data.storage == StorageClass::Private && data.init.is_some() {
                tables.contents[g] = data.init;
                any = true;
            }
        }
        if !any {
            return tables;
        }
        for (_, f) in module.functions.iter() {
            for inst in walk::insts(f) {
                let data = &f.insts[inst];
                if matches!(data.op, Opcode::Op(Op::Load | Op::AccessChain | Op::InBoundsAccessChain)) {
                    continue;
                }
                let passed = data.successors.iter().flat_map(|s| s.args.iter().copied());
                for v in data.ids().chain(passed) {
                    match root(f, v) {
                        Root::Global(g) => tables.contents[g] = None,
                        Root::TooFar => return Tables::default(),
                        Root::Other => {}
                    }
                }
            }
        }
        tables
    }

    /// What is loaded through a pointer, if it is in a table and `known` has the constants of all indices.
    pub fn load(
        &self,
        ctx: &mut Context,
        f: &Function,
        pointer: Value,
        mut known: impl FnMut(&mut Context, Value) -> Option<Const>,
    ) -> Option<Const> {
        let (g, indices) = place(f, pointer)?;
        let mut at = self.contents[g]?;
        for index in indices {
            let index = known(ctx, index)?;
            let index = u32::try_from(ctx.consts.bits(index)?).ok()?;
            at = fold::part(ctx, at, index)?;
        }
        Some(at)
    }
}

/// Where chains of accesses lead back to.
enum Root {
    Global(Global),
    Other,
    /// More than [`MAX_CHAINS`] away.
    TooFar,
}

fn root(f: &Function, pointer: Value) -> Root {
    match back(f, pointer, |_| {}) {
        Some(at) => match f.values.get(at).map(|v| v.def) {
            Some(ValueDef::Global(g)) => Root::Global(g),
            _ => Root::Other,
        },
        None => Root::TooFar,
    }
}

/// The variable that a pointer is in, and the indices that lead to it.
pub fn place(f: &Function, pointer: Value) -> Option<(Global, SmallVec<[Value; 4]>)> {
    let mut chains: SmallVec<[SmallVec<[Value; 4]>; 2]> = SmallVec::new();
    let at = back(f, pointer, |chain| chains.push(chain.ids().skip(1).collect()))?;
    match f.values.get(at)?.def {
        ValueDef::Global(g) => Some((g, chains.into_iter().rev().flatten().collect())),
        _ => None,
    }
}

/// Goes back over chains of accesses to what the first of them starts from; None if that is too far.
fn back(f: &Function, pointer: Value, mut each: impl FnMut(&InstData)) -> Option<Value> {
    let mut at = pointer;
    for _ in 0..MAX_CHAINS {
        let chain = f.def_inst(at).map(|i| &f.insts[i]);
        let chain = chain.filter(|d| matches!(d.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain)));
        let Some((chain, from)) = chain.and_then(|d| Some((d, d.id(0)?))) else { return Some(at) };
        each(chain);
        at = from;
    }
    None
}
