//! Keeps floating-point operations apart whose result reaches something precise.
//!
//! What is precise is marked `NoContraction`: a variable, a parameter, the pointer to a member that is (what is stored through it), a
//! function (what it returns). As in dxc, all arithmetic that reaches one within the function counts: through variables that are
//! not precise themselves, but not through calls, other memory, or the conditions of branches. The marks go to the instructions;
//! what computes several steps in one instruction is taken apart, so that none of them is contracted with the next.

use super::expand;
use super::{Changed, Pass};
use crate::analysis::{Analyses, Preserved, joins::Joins};
use crate::diag::Findings;
use crate::ir::{
    Function, Inst, Module, Op, Opcode, Operand, StorageClass, TypeTable, Value, ValueDef, walk,
};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_spec::Decoration as Kind;

/// Instructions that a target may make one of with others.
pub(super) const CONTRACTED: &[Op] =
    &[Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FRem, Op::FNegate, Op::Dot, Op::VectorTimesScalar];

/// What is precise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// What is marked.
    Marked,
    /// All.
    All,
    /// All, but what is one instruction may stay one: the program wrote it so.
    Instructions,
}

/// The pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Precise(pub What);

impl Pass for Precise {
    fn name(&self) -> &'static str {
        "precise"
    }

    fn run(&self, module: &mut Module, _: &mut Analyses, _: &mut Findings) -> Changed {
        let funcs: Vec<_> = module.functions.keys().collect();
        let mut changed = false;
        // Calls ask what the parameters of others are, so that the marks of all go last.
        let mut found = Vec::with_capacity(funcs.len());
        for func in &funcs {
            let f = &module.functions[*func];
            found.push(match self.0 {
                What::Marked => Flow::of(module, f),
                What::All | What::Instructions => walk::insts(f).collect(),
            });
        }
        for (func, insts) in funcs.into_iter().zip(found) {
            let f = &mut module.functions[func];
            changed |= unmark(f);
            let mut several = FxHashSet::default();
            for inst in insts {
                let data = &mut f.insts[inst];
                if is_contracted(data.op) {
                    changed |= !data.decorations.has(Kind::NoContraction);
                    data.decorations.mark(Kind::NoContraction);
                } else if self.0 != What::Instructions
                    && expand::is_lacking(expand::Target::Precise, data.op)
                    && !data.decorations.has(Kind::NoContraction)
                {
                    several.insert(inst);
                }
            }
            changed |= expand::take_apart(&mut module.ctx, f, &several);
        }
        for (_, global) in module.globals.iter_mut() {
            changed |= global.decorations.has(Kind::NoContraction);
            global.decorations.remove(Kind::NoContraction);
        }
        changed.into()
    }

    fn preserves(&self) -> Preserved {
        Preserved::STRUCTURE
    }
}

/// Whether `NoContraction` says something of an instruction itself.
fn is_contracted(op: Opcode) -> bool {
    matches!(op, Opcode::Op(op) if CONTRACTED.contains(&op))
}

/// Takes the marks off what computes nothing.
fn unmark(f: &mut Function) -> bool {
    let mut changed = f.decorations.has(Kind::NoContraction);
    f.decorations.remove(Kind::NoContraction);
    for at in 0..f.params.len() {
        let param = f.params[at];
        changed |= is_marked(f, param);
        f.undecorate(param, Kind::NoContraction);
    }
    for (_, data) in f.insts.iter_mut() {
        if matches!(data.op, Opcode::Op(Op::Variable | Op::AccessChain)) {
            changed |= data.decorations.has(Kind::NoContraction);
            data.decorations.remove(Kind::NoContraction);
        }
    }
    changed
}

fn is_marked(f: &Function, v: Value) -> bool {
    f.decorations_of(v).has(Kind::NoContraction)
}

/// What reaches something precise in a function.
struct Flow<'a> {
    f: &'a Function,
    types: &'a TypeTable,
    joins: Joins,
    /// Variables and parameters whose contents must be precise.
    precise: FxHashSet<Value>,
    /// What is stored in others.
    stored: FxHashMap<Value, Vec<Value>>,
    work: Vec<Value>,
}

impl<'a> Flow<'a> {
    /// The instructions that give precise results.
    fn of(module: &'a Module, f: &'a Function) -> Vec<Inst> {
        let mut flow = Flow {
            f,
            types: &module.ctx.types,
            joins: Joins::of(f),
            precise: FxHashSet::default(),
            stored: FxHashMap::default(),
            work: Vec::new(),
        };
        for (v, data) in f.values.iter() {
            let marked = match data.def {
                ValueDef::Global(g) => module.globals[g].decorations.has(Kind::NoContraction),
                _ => is_marked(f, v) && module.ctx.types.pointee(data.ty).is_some(),
            };
            if marked {
                flow.precise.insert(v);
            }
        }
        for inst in walk::insts(f) {
            flow.inst(module, inst);
        }
        flow.run()
    }

    /// Notes where values go.
    fn inst(&mut self, module: &Module, inst: Inst) {
        let data = &self.f.insts[inst];
        match data.op {
            Opcode::Op(Op::Store) => {
                let (Some(ptr), Some(value)) = (data.id(0), data.id(1)) else { return };
                let (root, precise) = self.root(ptr);
                match precise || self.precise.contains(&root) {
                    true => self.work.push(value),
                    false => self.stored.entry(root).or_default().push(value),
                }
            }
            Opcode::Op(Op::ReturnValue) if self.f.decorations.has(Kind::NoContraction) => {
                self.work.extend(data.id(0));
            }
            Opcode::Op(Op::FunctionCall) => {
                let Some(&Operand::Func(callee)) = data.operands.first() else { return };
                let callee = &module.functions[callee];
                for (param, arg) in callee.params.iter().zip(data.ids()) {
                    if !is_marked(callee, *param) {
                        continue;
                    }
                    match module.ctx.types.pointee(self.f.values[arg].ty) {
                        Some(_) => self.demand(arg),
                        None => self.work.push(arg),
                    }
                }
            }
            _ => {}
        }
    }

    /// What a pointer points into, and whether something precise lies on the way there.
    fn root(&self, mut ptr: Value) -> (Value, bool) {
        let mut precise = false;
        loop {
            precise |= self.precise.contains(&ptr);
            match self.f.def_inst(ptr).map(|i| &self.f.insts[i]) {
                Some(data) if matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain)) => {
                    let Some(base) = data.id(0) else { return (ptr, precise) };
                    ptr = base;
                }
                _ => return (ptr, precise),
            }
        }
    }

    /// What lies where a pointer points must be precise.
    fn demand(&mut self, ptr: Value) {
        let (root, _) = self.root(ptr);
        let storage = self.types.pointee(self.f.values[root].ty).map(|p| p.1);
        let is_own =
            matches!(storage, Some(StorageClass::Function | StorageClass::Private | StorageClass::Workgroup));
        if is_own && self.precise.insert(root) {
            self.work.extend(self.stored.remove(&root).unwrap_or_default());
        }
    }

    fn run(mut self) -> Vec<Inst> {
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        while let Some(v) = self.work.pop() {
            if !seen.insert(v) {
                continue;
            }
            let f = self.f;
            let def = match f.values[v].def {
                ValueDef::Result(inst, _) if !f.insts[inst].op.is_structured() => inst,
                ValueDef::Const(_) | ValueDef::Global(_) => continue,
                _ => {
                    self.work.extend(self.joins.incoming(v));
                    continue;
                }
            };
            let data = &f.insts[def];
            match data.op {
                Opcode::Op(Op::Load) => {
                    if let Some(ptr) = data.id(0) {
                        self.demand(ptr);
                    }
                }
                // Not the condition.
                Opcode::Op(Op::Select) => self.work.extend(data.ids().skip(1)),
                op if op.traits().is_pure() => {
                    found.push(def);
                    self.work.extend(data.ids());
                }
                _ => {}
            }
        }
        found
    }
}
