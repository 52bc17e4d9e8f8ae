//! Inlines every call that the entry points reach, so that each entry function stands alone.
//!
//! Bodies are spliced in place; those that return early are rewritten before ([`super::merge_returns`]).

use super::absorb::absorb;
use super::merge_returns;
use super::{Changed, Pass};
use crate::analysis::Analyses;
use crate::diag::{Code, Finding, Findings};
use crate::ir::edit::Replacements;
use crate::ir::entity::{Entity, SecondaryMap};
use crate::ir::walk;
use crate::ir::{
    Block, Builder, CallSite, Func, Function, Inst, InstData, Module, Op, Opcode, Operand, Region,
    StorageClass, Type, TypeKind, Value, ValueDef,
};
use crate::source::Span;
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

/// Instructions that one entry function may grow to.
pub const MAX_INSTRUCTIONS: usize = 1 << 20;

/// Inlines all calls in the functions of the entry points and in what they call, and simplifies what they call first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inline {
    /// Functions with one call need not stay: their bodies are moved to it. Of what no entry point reaches then only the names stay, so
    /// that no pass spends time on it.
    pub only_entries: bool,
    /// Functions keep which calls were inlined into them ([`Function::call_sites`]).
    pub keeps_calls: bool,
}

impl Pass for Inline {
    fn name(&self) -> &'static str {
        "inline"
    }

    fn run(&self, module: &mut Module, _: &mut Analyses, findings: &mut Findings) -> Changed {
        match run(module, *self) {
            Ok(changed) => {
                let forgot = self.only_entries && forget_unreached(module);
                Changed::from(changed || forgot)
            }
            Err(error) => {
                findings.push(error.finding());
                Changed::Yes
            }
        }
    }
}

/// Why a module could not be inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Error {
    /// A function calls itself, directly or not.
    Recursion(Span),
    /// The call graph unfolds to more than [`MAX_INSTRUCTIONS`].
    TooLarge(Span),
}

impl Error {
    fn finding(self) -> Finding {
        let (span, what) = match self {
            Error::Recursion(span) => (span, "a function calls itself"),
            Error::TooLarge(span) => (span, "the kernel is too large once its calls are inlined"),
        };
        Finding::new(Code::TooMany, span, what).help("fewer calls, or smaller functions")
    }
}

/// Tells whether there was a call. After an error the module is unchanged in meaning, but partly inlined.
fn run(module: &mut Module, options: Inline) -> Result<bool, Error> {
    let mut changed = false;
    let mut done = FxHashSet::default();
    let mut open = FxHashSet::default();
    let mut sites = call_sites(module);
    for e in &module.entry_points {
        // It has a use of its own beside its calls.
        sites[e.func] += 1;
    }
    let movable = |callee: Func| options.only_entries && sites[callee] == 1;
    for i in 0..module.entry_points.len() {
        let root = module.entry_points[i].func;
        // Post-order over the call graph with an explicit stack: (function, callees still to visit).
        let mut stack: SmallVec<[_; 8]> = smallvec![(root, callees(&module.functions[root]))];
        open.insert(root);
        while let Some((func, todo)) = stack.last_mut() {
            let func = *func;
            match todo.pop() {
                Some((callee, span)) => {
                    if open.contains(&callee) {
                        return Err(Error::Recursion(span));
                    }
                    if !done.contains(&callee) {
                        open.insert(callee);
                        stack.push((callee, callees(&module.functions[callee])));
                    }
                }
                None => {
                    stack.pop();
                    open.remove(&func);
                    // What has one call keeps its own until it is where it ends up: down a chain of calls nothing is moved twice.
                    let moved = func != root && movable(func);
                    if done.insert(func) && !moved {
                        changed |= inline_calls(module, func, options.keeps_calls, movable)?;
                        if func != root && sites[func] > 1 {
                            // What is left is copied to each caller; a single one is simplified with its callee in it.
                            let f = &mut module.functions[func];
                            changed |= super::mem2reg::run_on(&mut module.ctx, f);
                            changed |= super::dce::run_on(f);
                        }
                    }
                }
            }
        }
    }
    Ok(changed)
}

/// Whether a call passes a pointer into a variable, or into a buffer, which logical addressing does not allow.
pub fn is_needed(module: &Module) -> bool {
    let into = |f: &Function, v: Value| {
        let TypeKind::Pointer { storage, .. } = *module.ctx.types.kind(f.values[v].ty) else { return false };
        let whole = match f.def_inst(v) {
            Some(inst) => f.insts[inst].op == Opcode::Op(Op::Variable),
            None => true,
        };
        match storage {
            StorageClass::UniformConstant | StorageClass::PhysicalStorageBuffer => false,
            StorageClass::StorageBuffer => true,
            _ => !whole,
        }
    };
    let call = |i: &InstData| i.op == Opcode::Op(Op::FunctionCall);
    let calls = |f: &Function| f.insts.iter().any(|(_, i)| call(i) && i.ids().any(|v| into(f, v)));
    module.functions.iter().any(|(_, f)| calls(f))
}

/// Leaves of functions that no entry point reaches only their names.
fn forget_unreached(module: &mut Module) -> bool {
    let reached = walk::reached(module);
    let mut changed = false;
    for (_, f) in module.functions.iter_mut().filter(|(func, _)| !reached[func.index()]) {
        changed |= f.body.is_some();
        *f = Function::new(std::mem::take(&mut f.name), f.result, f.span);
    }
    changed
}

/// How often each function is called, from anywhere in the module.
fn call_sites(module: &Module) -> SecondaryMap<Func, u32> {
    let mut sites = SecondaryMap::default();
    for (_, f) in module.functions.iter() {
        for (callee, _) in callees(f) {
            sites[callee] += 1;
        }
    }
    sites
}

fn callees(f: &Function) -> SmallVec<[(Func, Span); 8]> {
    let mut out = SmallVec::new();
    for (_, block) in f.blocks.iter() {
        for &inst in &block.insts {
            if let (Opcode::Op(Op::FunctionCall), Some(Operand::Func(callee))) =
                (f.insts[inst].op, f.insts[inst].operands.first())
            {
                out.push((*callee, f.insts[inst].span));
            }
        }
    }
    out
}

/// Tells whether there was one.
fn inline_calls(
    module: &mut Module,
    func: Func,
    keeps_calls: bool,
    movable: impl Fn(Func) -> bool,
) -> Result<bool, Error> {
    let mut changed = false;
    let (mut insts, mut values) = (0, 0);
    for (callee, span) in callees(&module.functions[func]) {
        insts += module.functions[callee].insts.len();
        values += module.functions[callee].values.len();
        if insts > MAX_INSTRUCTIONS {
            return Err(Error::TooLarge(span));
        }
    }
    let f = &mut module.functions[func];
    f.insts.reserve(insts);
    f.values.reserve(values);
    f.gather_variables();
    let mut alias = Replacements::default();
    let mut aliases = Vec::new();
    // Blocks of bodies come behind those that there were.
    let mut at = 0;
    while at < module.functions[func].blocks.len() {
        let block = Block::new(at);
        at += 1;
        let has_call = |f: &Function| {
            f.blocks[block].insts.iter().any(|i| f.insts[*i].op == Opcode::Op(Op::FunctionCall))
        };
        if !has_call(&module.functions[func]) {
            continue;
        }
        let old = std::mem::take(&mut module.functions[func].blocks[block].insts);
        module.functions[func].blocks[block].insts.reserve(old.len());
        // What is still to be looked at, innermost body last.
        let mut todo = vec![old.into_iter()];
        while let Some(rest) = todo.last_mut() {
            let Some(inst) = rest.next() else {
                todo.pop();
                continue;
            };
            let data = &module.functions[func].insts[inst];
            let callee = match (data.op, data.operands.first()) {
                (Opcode::Op(Op::FunctionCall), Some(Operand::Func(callee))) => *callee,
                _ => {
                    module.functions[func].blocks[block].insts.push(inst);
                    continue;
                }
            };
            if callee == func {
                return Err(Error::Recursion(data.span));
            }
            if module.functions[callee].body.is_none() {
                module.functions[func].blocks[block].insts.push(inst);
                continue;
            }
            changed = true;
            let span = data.span;
            let outer = module.functions[func].inlined.get(&inst).copied();
            let (args, result): (Vec<Value>, _) = (data.ids().collect(), data.result());
            // The callee is taken out of the module while the caller borrows it.
            let placeholder = Function::new("", module.functions[callee].result, span);
            let mut body = std::mem::replace(&mut module.functions[callee], placeholder);
            merge_returns::run_on(&mut module.ctx, &mut body);
            let caller = &mut module.functions[func];
            let top = body.entry().map_or(0, |entry| body.blocks[entry].insts.len());
            caller.blocks[block].insts.reserve(top);
            let moves = movable(callee);
            let returned = if moves && !keeps_calls {
                let name = body.name.clone();
                let (returned, moved) = absorb(caller, body, &args);
                module.functions[callee].name = name;
                todo.push(moved.into_iter());
                returned
            } else {
                let mut builder = Builder::new(&mut module.ctx, caller, block);
                builder.span = span;
                let site = keeps_calls.then(|| keep_calls(builder.func, &body, span, outer));
                let before = builder.func.blocks[block].insts.len();
                let returned = splice(&mut builder, &body, &args, site);
                if moves {
                    todo.push(builder.func.blocks[block].insts.split_off(before).into_iter());
                }
                module.functions[callee] = body;
                returned
            };
            let size = module.functions[func].insts.len();
            if let (Some(result), Some(value)) = (result, returned) {
                alias[result] = Some(value);
                aliases.push(result);
            }
            if size > MAX_INSTRUCTIONS {
                return Err(Error::TooLarge(span));
            }
        }
    }
    module.functions[func].place_variables();
    // A result may be that of another call, which was looked at later: from the last one on each stands for what is none.
    for result in aliases.iter().rev() {
        if let Some(end) = alias[*result].and_then(|to| alias[to]) {
            alias[*result] = Some(end);
        }
    }
    if !aliases.is_empty() {
        module.functions[func].replace_all_uses(&alias);
    }
    Ok(changed)
}

/// Notes a call that is inlined, and those that were inlined into its callee. `outer` is the one that it came with. Gives the
/// first one's place.
fn keep_calls(caller: &mut Function, callee: &Function, span: Span, outer: Option<u32>) -> u32 {
    let site = caller.call_sites.len() as u32;
    caller.call_sites.push(CallSite { span, outer });
    let moved = |c: &CallSite| CallSite { outer: Some(c.outer.map_or(site, |o| site + 1 + o)), ..*c };
    caller.call_sites.extend(callee.call_sites.iter().map(moved));
    site
}

/// Copies a callee's body to where the builder stands; gives the returned value. `site` is where the call is kept, if it is.
fn splice(b: &mut Builder<'_>, callee: &Function, args: &[Value], site: Option<u32>) -> Option<Value> {
    let entry = callee.entry()?;
    let mut copy = Copy { map: vec![None; callee.values.len()], callee, site, returned: None };
    for (param, arg) in callee.params.iter().zip(args) {
        copy.map[param.index()] = Some(*arg);
    }
    copy.block(b, entry);
    copy.returned
}

struct Copy<'a> {
    /// Callee's values to the caller's.
    map: Vec<Option<Value>>,
    callee: &'a Function,
    site: Option<u32>,
    returned: Option<Value>,
}

impl Copy<'_> {
    fn value(&mut self, b: &mut Builder<'_>, v: Value) -> Value {
        if let Some(v) = self.map[v.index()] {
            return v;
        }
        let data = &self.callee.values[v];
        let new = match data.def {
            ValueDef::Const(c) => b.func.const_value(c, data.ty),
            ValueDef::Global(g) => b.func.global_value(g, data.ty),
            // Not reached in a module that verifies: definitions come before uses.
            ValueDef::Result(..) | ValueDef::Arg(..) => b.undef(data.ty),
        };
        self.map[v.index()] = Some(new);
        new
    }

    /// Notes which call brought an instruction.
    fn keep(&self, b: &mut Builder<'_>, old: Inst, new: Inst) {
        if let Some(site) = self.site {
            let inner = self.callee.inlined.get(&old).map_or(site, |i| site + 1 + i);
            b.func.inlined.insert(new, inner);
        }
    }

    /// Copies the instructions of a block to the builder's block.
    fn block(&mut self, b: &mut Builder<'_>, block: Block) {
        let callee = self.callee;
        for &inst in &callee.blocks[block].insts {
            let data = &callee.insts[inst];
            b.span = data.span;
            match data.op {
                Opcode::Op(Op::Return | Op::ReturnValue) => {
                    self.returned = data.id(0).map(|v| self.value(b, v));
                    return;
                }
                Opcode::Op(Op::Variable) => {
                    let ptr = callee.values[data.results[0]].ty;
                    let Some((pointee, _)) = b.ctx.types.pointee(ptr) else { continue };
                    let name = callee.values[data.results[0]].name.clone();
                    let new = b.variable_named(pointee, name);
                    if let Some(made) = b.func.def_inst(new) {
                        self.keep(b, inst, made);
                    }
                    if let Some(init) = data.id(1) {
                        let init = self.value(b, init);
                        b.store(new, init);
                    }
                    self.map[data.results[0].index()] = Some(new);
                }
                _ => {
                    let new = self.inst(b, data);
                    self.keep(b, inst, new);
                    debug_assert!(b.func.insts[new].results.len() == data.results.len());
                }
            }
        }
    }

    fn inst(&mut self, b: &mut Builder<'_>, data: &InstData) -> Inst {
        let mut new = InstData::bare(data.op, data.span);
        if !data.decorations.is_empty() {
            new.decorations = data.decorations.clone();
        }
        new.control = data.control;
        new.operands.reserve(data.operands.len());
        for operand in &data.operands {
            new.operands.push(match *operand {
                Operand::Id(v) => Operand::Id(self.value(b, v)),
                other => other,
            });
        }
        let types: SmallVec<[Type; 4]> = data.results.iter().map(|v| self.callee.values[*v].ty).collect();
        let inst = b.append(new, &types);
        for (i, old) in data.results.iter().enumerate() {
            let new = b.func.insts[inst].results[i];
            b.func.values[new].name.clone_from(&self.callee.values[*old].name);
            if data.op.is_structured() {
                self.decorations(b, *old, new);
            }
            self.map[old.index()] = Some(new);
        }
        for &region in &data.regions {
            let region = self.region(b, region);
            b.func.insts[inst].regions.push(region);
        }
        inst
    }

    /// Decorates the copy of a block argument or of a result of a structured operation.
    fn decorations(&self, b: &mut Builder<'_>, old: Value, new: Value) {
        self.callee.decorations_of(old).iter().for_each(|d| b.func.decorate(new, d.clone()));
    }

    fn region(&mut self, b: &mut Builder<'_>, region: Region) -> Region {
        let from = self.callee.block_of(region);
        let (new, block) = b.func.make_region();
        for &arg in &self.callee.blocks[from].args {
            let ty = self.callee.values[arg].ty;
            let value = b.func.add_arg(block, ty);
            b.func.values[value].name = self.callee.values[arg].name.clone();
            self.decorations(b, arg, value);
            self.map[arg.index()] = Some(value);
        }
        let outer = std::mem::replace(&mut b.block, block);
        self.block(b, from);
        b.block = outer;
        new
    }
}
