//! Handles that are values become resources that are known where they are used.
//!
//! Logical addressing has no variables of resources. A handle, the address of a resource, may be a value in the IR: what a variable of
//! a resource type holds once `mem2reg` made it a value, the result of a selection, what a loop carries around. Here each such value is
//! replaced by numbers: which of the resources that it may be (if there are several) and the indices to find it with. What uses
//! it is done once for each candidate, in the branch of a switch on that number; nothing is left of it where there is only one.
//!
//! Needs inlined calls, and variables of handles promoted: see `inline`, `sroa`, `mem2reg`.

mod aggregates;
mod branches;
mod candidates;
mod elements;
mod joins;

pub(crate) use aggregates::has_handles;
pub use aggregates::split;
pub(crate) use candidates::is_handle;

use super::{Changed, Pass};
use crate::analysis::Analyses;
use crate::analysis::joins::Joins;
use crate::analysis::tables::Tables;
use crate::diag::{Code, Finding, Findings};
use crate::ir::entity::{Entity, SecondaryMap};
use crate::ir::{Context, Function, Global, Module, Op, Opcode, StorageClass, Type, Value, walk};
use crate::source::Span;
use branches::Branches;
use candidates::Candidates;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Resources that one handle may be.
pub const MAX_CANDIDATES: usize = 64;
/// Branches that all choices of a function may have.
pub const MAX_BRANCHES: usize = 4096;

/// Why a handle cannot be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It is chosen from these variables, and the choice is not asked for.
    Chosen(Vec<String>),
    /// Nothing was assigned to it on any way.
    Unassigned,
    /// It comes from where it cannot be followed.
    Lost,
    /// The candidates are of several types.
    Types,
    /// It is assigned to a resource that the host binds.
    Assigned,
    /// Past [`MAX_CANDIDATES`] or [`MAX_BRANCHES`].
    TooMany,
}

/// A handle that cannot be replaced, and where it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Why.
    pub reason: Reason,
    /// The use.
    pub span: Span,
}

/// The pass. `select` lets handles be chosen from several variables at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LegalizeResources {
    /// See [`run`].
    pub select: bool,
}

super::pass::plain_pass! {
    /// The pass that makes variables of their own of the parts of variables that hold handles: see [`split`].
    SplitHandles, "split-handles", split
}

impl Pass for LegalizeResources {
    fn name(&self) -> &'static str {
        "legalize-resources"
    }

    fn run(&self, module: &mut Module, _: &mut Analyses, findings: &mut Findings) -> Changed {
        match run(module, self.select) {
            Ok(changed) => changed.into(),
            Err(refused) => {
                findings.extend(refused.into_iter().map(Finding::from));
                Changed::Yes
            }
        }
    }
}

impl From<Refused> for Finding {
    fn from(refused: Refused) -> Finding {
        let (code, text, help) = match refused.reason {
            Reason::Chosen(names) => {
                let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
                (
                    Code::ResourceChoice,
                    format!("the resource is chosen at run time from {}", names.join(", ")),
                    "choose between what is read or written, or between elements of one array; \
                     `-fselect-resources` makes each use a choice",
                )
            }
            Reason::Unassigned => (
                Code::NotSupported,
                "a variable that no resource was assigned to".to_string(),
                "assign it one of that kind first, even if this is read under a condition that is never true",
            ),
            Reason::Lost | Reason::Types => (
                Code::NotSupported,
                "choosing a resource at run time".to_string(),
                "name the resource directly, or choose between values that were read from it",
            ),
            Reason::Assigned => (
                Code::NotSupported,
                "assigning to this variable that holds a resource".to_string(),
                "the host binds it: assign to a variable of the function, or one that is `static`",
            ),
            Reason::TooMany => (
                Code::TooMany,
                "too many resources to choose from at run time".to_string(),
                "choose between fewer resources, or use an array of them with an index",
            ),
        };
        Finding::new(code, refused.span, text).help(help)
    }
}

/// Runs on every function. `select` lets handles be chosen from several variables at run time, which Direct3D has not; from
/// the elements of one array they always may.
///
/// # Errors
/// Handles that cannot be replaced; the module is then of no use.
pub fn run(module: &mut Module, select: bool) -> Result<bool, Vec<Refused>> {
    let mut changed = false;
    let mut refused = Vec::new();
    // Where memory has addresses, they are values in the result, too.
    if module.has_kernels() {
        return Ok(false);
    }
    forget_callees(module);
    let apart = FxHashSet::default();
    let tables = Tables::of(module);
    for func in module.functions.keys() {
        let void = module.ctx.types.void();
        let mut f = std::mem::replace(&mut module.functions[func], Function::new("", void, Span::default()));
        changed |= run_on(module, &mut f, (select, &apart, &tables), &mut refused);
        module.functions[func] = f;
    }
    if refused.is_empty() { Ok(changed) } else { Err(refused) }
}

/// Makes choices of the elements of arrays where indices choose them that are known at run time only: then every index into one
/// of these arrays is constant.
///
/// # Errors
/// Choices of more than [`MAX_CANDIDATES`].
pub fn choose_elements(module: &mut Module, arrays: &FxHashSet<Global>) -> Result<(), Vec<Refused>> {
    let mut refused = Vec::new();
    let tables = Tables::of(module);
    for func in module.functions.keys() {
        let void = module.ctx.types.void();
        let mut f = std::mem::replace(&mut module.functions[func], Function::new("", void, Span::default()));
        if elements::choose(module, &mut f, arrays, &mut refused) {
            run_on(module, &mut f, (true, arrays, &tables), &mut refused);
        }
        module.functions[func] = f;
    }
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}

/// Whether handles are values in a module: it cannot be written as it is.
pub fn is_needed(module: &Module) -> bool {
    if module.has_kernels() {
        return false;
    }
    let ctx = &module.ctx;
    let holds = |ty: Type| candidates::is_handle(ctx, ty) || has_handles(ctx, ty);
    let held = |f: &Function| {
        let variables = f.values.iter().filter_map(|(_, v)| ctx.types.pointee(v.ty));
        let mut variables =
            variables.filter(|p| matches!(p.1, StorageClass::Function | StorageClass::Private));
        let calls = f.params.iter().map(|v| f.values[*v].ty).chain([f.result]).any(holds);
        calls || variables.any(|p| holds(p.0)) || branches::has_forms(f, ctx)
    };
    module.functions.iter().any(|(_, f)| held(f))
}

/// Leaves of functions that take or return handles only their names: what they do is where they were called.
fn forget_callees(module: &mut Module) {
    let reached = walk::reached(module);
    let void = module.ctx.types.void();
    for (func, f) in module.functions.iter_mut() {
        let mut types = f.params.iter().map(|v| f.values[*v].ty).chain([f.result]);
        let ctx = &module.ctx;
        let handles = |ty: Type| {
            let ty = ctx.types.pointee(ty).filter(|p| p.1 == StorageClass::Function).map_or(ty, |p| p.0);
            candidates::is_handle(ctx, ty) || has_handles(ctx, ty)
        };
        if !reached[func.index()] && types.any(handles) {
            *f = Function::new(std::mem::take(&mut f.name), void, f.span);
        }
    }
}

fn run_on(
    module: &mut Module,
    f: &mut Function,
    (select, apart, tables): (bool, &FxHashSet<Global>, &Tables),
    refused: &mut Vec<Refused>,
) -> bool {
    aggregates::forward(&mut module.ctx, f);
    let mut joins = Joins::of(f);
    if joins.order.iter().any(|v| candidates::is_handle(&module.ctx, f.values[*v].ty)) {
        // Which of them a constant chooses is no choice. Floats decide nothing here.
        if super::sccp::run_on(&mut module.ctx, f, tables, false) {
            joins = Joins::of(f);
        }
    }
    refuse_lost(f, &module.ctx, refused);
    let found = Candidates::find(f, &module.ctx, &module.globals, &joins, apart);
    if found.of.is_empty() && !branches::has_forms(f, &module.ctx) {
        return false;
    }
    let choices = joins::replace(module, f, &found);
    Branches { module, f, found: &found, choices, select, refused, branches: 0, derived: Default::default() }
        .run();
    true
}

/// Refuses uses of handles that come out of variables or composites that could not be taken apart: nothing that can be written is
/// equal to them.
fn refuse_lost(f: &Function, ctx: &Context, refused: &mut Vec<Refused>) {
    let mut lost: SecondaryMap<Value, bool> = SecondaryMap::default();
    let mut any = false;
    for (block, _) in walk::blocks(f) {
        for &inst in &f.blocks[block].insts {
            let data = &f.insts[inst];
            let is_handle = data.result().is_some_and(|v| candidates::is_handle(ctx, f.values[v].ty));
            if is_handle {
                let follows = matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain))
                    || branches::is_form(f, ctx, data);
                let is_lost = match data.id(0) {
                    _ if data.op.is_structured() => false,
                    Some(base) if follows => lost[base],
                    _ => true,
                };
                lost[data.results[0]] = is_lost;
                any |= is_lost;
            } else if any && data.ids().any(|v| lost[v]) && data.op != Opcode::Op(Op::Store) {
                let one = Refused { reason: Reason::Lost, span: data.span };
                if !refused.contains(&one) {
                    refused.push(one);
                }
            }
        }
    }
}

/// What stands for a handle.
#[derive(Debug, Clone, Default)]
struct Choice {
    /// The number of the candidate, if there are several.
    which: Option<Value>,
    /// Values of the indices that are not constant; candidates share them.
    slots: SmallVec<[Value; 2]>,
}

/// By the value that was the handle.
type Choices = FxHashMap<Value, Choice>;
