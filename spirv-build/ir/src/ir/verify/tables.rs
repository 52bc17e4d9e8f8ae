//! Rules 1 to 3: types, constants, globals, entry points, calls.

use super::Errors;
use crate::ir::entity::Entity;
use crate::ir::parts;
use crate::ir::walk::{self, MAX_NESTING};
use crate::ir::{
    ADDRESS_OPS, Const, ConstKind, ConstOperand, DecorationOperand, Decorations, Func, Function,
    ModeOperands, Module, Operand, ResourceClass, SPEC_OPS, StorageClass, Type, TypeKind,
};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};
use spirv_spec::{AddressingModel, Category, ExecutionMode, ExecutionModel, FPEncoding, Op, Quantifier};

pub(super) fn check(module: &Module, e: &mut Errors) {
    types(module, e);
    if !e.list.is_empty() {
        return;
    }
    constants(module, e);
    globals(module, e);
    functions(module, e);
    entry_points(module, e);
    decorations(module, e);
}

fn decorations(module: &Module, e: &mut Errors) {
    let mut check = |list: &Decorations, of_member: Option<Type>| {
        for d in list {
            let mut ids = 0;
            for o in &d.operands {
                let known = match o {
                    DecorationOperand::Const(c) => c.index() < module.ctx.consts.len(),
                    DecorationOperand::Global(g) => module.globals.get(*g).is_some(),
                    DecorationOperand::Literal(_) | DecorationOperand::Text(_) => continue,
                };
                ids += 1;
                e.require(known, "a decoration names an unknown constant or global");
            }
            e.require(ids == 0 || ids == d.operands.len(), "a decoration has ids beside other operands");
            if let Some(t) = of_member.filter(|_| ids > 0) {
                e.push(format!("a member of type {t} is decorated with an id"));
            }
        }
    };
    for (t, kind) in module.ctx.types.iter() {
        if let TypeKind::Struct(s) = kind {
            check(&s.decorations, None);
            s.members.iter().for_each(|m| check(&m.decorations, Some(t)));
        }
    }
    for (c, ..) in module.ctx.consts.iter() {
        module.ctx.consts.symbol(c).into_iter().for_each(|s| check(&s.decorations, None));
    }
    module.globals.iter().for_each(|(_, g)| check(&g.decorations, None));
    for (_, f) in module.functions.iter() {
        check(&f.decorations, None);
        f.insts.iter().for_each(|(_, data)| check(&data.decorations, None));
        f.decorated().for_each(|(_, list)| check(list, None));
    }
}

fn types(module: &Module, e: &mut Errors) {
    let table = &module.ctx.types;
    let mut made_of: SmallVec<[Type; 16]> = SmallVec::new();
    for (t, kind) in table.iter() {
        made_of.clear();
        parts(kind, &mut made_of);
        if made_of.iter().any(|p| p.index() >= t.index()) {
            e.push(format!("type {t} is made of a type that does not stand before it"));
            continue;
        }
        let of = |p: Type| table.kind(p);
        let is_object = |p: Type| !matches!(of(p), TypeKind::Void | TypeKind::Function { .. });
        let fits = match kind {
            TypeKind::Void
            | TypeKind::Bool
            | TypeKind::Sampler
            | TypeKind::Opaque(_)
            | TypeKind::Custom(_)
            | TypeKind::Function { .. } => true,
            TypeKind::Int { width, .. } => matches!(width, 8 | 16 | 32 | 64),
            TypeKind::Float { width } => matches!(width, 16 | 32 | 64),
            TypeKind::EncodedFloat { width, encoding } => {
                let needed = ENCODINGS.iter().find(|e| e.0 == *encoding).map(|e| e.1);
                *width >= 1 && *width <= 64 && needed.is_none_or(|n| n == *width)
            }
            TypeKind::Vector { elem, len } => {
                matches!(len, 2 | 3 | 4 | 8 | 16)
                    && matches!(
                        of(*elem),
                        TypeKind::Bool
                            | TypeKind::Int { .. }
                            | TypeKind::Float { .. }
                            | TypeKind::EncodedFloat { .. }
                    )
            }
            TypeKind::Matrix { column, columns } => {
                (2..=4).contains(columns)
                    && matches!(of(*column), TypeKind::Vector { elem, .. } if table.is_float(*elem))
            }
            TypeKind::Array { elem, len, .. } => *len >= 1 && is_object(*elem) && !is_unsized(of(*elem)),
            TypeKind::RuntimeArray { elem, .. } => is_object(*elem) && !is_unsized(of(*elem)),
            TypeKind::SpecArray { elem, len, .. } => {
                is_object(*elem) && !is_unsized(of(*elem)) && is_length(module, t, *len, 0)
            }
            TypeKind::Struct(s) => s
                .members
                .iter()
                .enumerate()
                .all(|(i, m)| is_object(m.ty) && (i + 1 == s.members.len() || !is_unsized(of(m.ty)))),
            TypeKind::Pointer { pointee, .. } => is_object(*pointee),
            TypeKind::Image(i) => {
                i.depth <= 2
                    && i.sampled <= 2
                    && matches!(
                        of(i.sampled_type),
                        TypeKind::Void | TypeKind::Int { .. } | TypeKind::Float { .. }
                    )
            }
            TypeKind::SampledImage(i) => matches!(of(*i), TypeKind::Image(_)),
        };
        if !fits {
            e.push(format!("type {t} cannot be made of these parts"));
        }
    }
}

/// Bits of the encodings of floats.
const ENCODINGS: &[(FPEncoding, u8)] = &[
    (FPEncoding::BFloat16KHR, 16),
    (FPEncoding::Float8E4M3EXT, 8),
    (FPEncoding::Float8E5M2EXT, 8),
    (FPEncoding::Float6E2M3EXT, 6),
    (FPEncoding::Float6E3M2EXT, 6),
    (FPEncoding::Float4E2M1EXT, 4),
    (FPEncoding::Float8UnsignedE8M0EXT, 8),
];

/// Whether a constant can be the length of an array: an integer, made of constants of earlier types.
fn is_length(module: &Module, t: Type, c: Const, depth: usize) -> bool {
    let consts = &module.ctx.consts;
    if c.index() >= consts.len() || consts.ty(c).index() >= t.index() || depth > MAX_NESTING {
        return false;
    }
    let int = matches!(module.ctx.types.kind(consts.ty(c)), TypeKind::Int { .. });
    (depth > 0 || int) && consts.kind(c).parts().all(|p| is_length(module, t, p, depth + 1))
}

fn is_unsized(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::RuntimeArray { .. } | TypeKind::SpecArray { .. })
}

fn constants(module: &Module, e: &mut Errors) {
    let types = &module.ctx.types;
    for (c, ty, kind) in module.ctx.consts.iter() {
        if ty.index() >= types.len() {
            e.push(format!("constant {c} has an unknown type"));
            continue;
        }
        let of = types.kind(ty);
        let fits = match kind {
            ConstKind::Bool(_) => matches!(of, TypeKind::Bool),
            ConstKind::Bits(bits) => match of {
                TypeKind::Int { width, .. }
                | TypeKind::Float { width }
                | TypeKind::EncodedFloat { width, .. } => *width == 64 || bits >> width == 0,
                _ => false,
            },
            ConstKind::Composite(list) => {
                let len = match of {
                    TypeKind::Vector { len, .. } => u32::from(*len),
                    TypeKind::Matrix { columns, .. } => u32::from(*columns),
                    TypeKind::Array { len, .. } => *len,
                    TypeKind::Struct(s) => s.members.len() as u32,
                    _ => u32::MAX,
                };
                list.len() as u32 == len
                    && list.iter().enumerate().all(|(i, p)| {
                        p.index() < c.index() && types.element(ty, i as u32) == Some(module.ctx.consts.ty(*p))
                    })
            }
            ConstKind::Null | ConstKind::Undef => {
                !matches!(of, TypeKind::Void | TypeKind::Function { .. } | TypeKind::RuntimeArray { .. })
            }
            ConstKind::Spec { .. } => {
                matches!(of, TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. })
            }
            ConstKind::Address(_) if module.addressing == AddressingModel::Logical => false,
            ConstKind::Address(g) => module
                .globals
                .get(*g)
                .is_some_and(|data| *of == TypeKind::Pointer { pointee: data.ty, storage: data.storage }),
            ConstKind::Computed(op, list) => {
                let earlier = kind.parts().all(|p| p.index() < c.index());
                let address = ADDRESS_OPS.contains(op)
                    && module.addressing != AddressingModel::Logical
                    && list.iter().all(|o| o.id().is_some())
                    && matches!(of, TypeKind::Pointer { .. } | TypeKind::Int { .. });
                let number = SPEC_OPS.contains(op)
                    && takes(*op, list)
                    && !matches!(of, TypeKind::Void | TypeKind::Function { .. });
                !list.is_empty() && earlier && (address || number)
            }
        };
        if !fits {
            e.push(format!("constant {c} does not have the form of its type"));
        }
    }
}

/// Whether an instruction has so many operands, ids and literals where they are.
fn takes(op: Op, list: &[ConstOperand]) -> bool {
    let rows = op.row().map_or(&[][..], |r| r.operands());
    let row = |i: usize| rows.get(i).or(rows.last().filter(|r| r.quantifier == Quantifier::Any));
    let needed = rows.iter().filter(|r| r.quantifier == Quantifier::One).count();
    let fits = |(i, o): (usize, &ConstOperand)| {
        row(i).is_some_and(|r| (r.kind.category() == Category::Id) == o.id().is_some())
    };
    list.len() >= needed && list.iter().enumerate().all(fits)
}

/// One more than the last global that a constant has the address of, 0 for none. `None` for constants that are nested too
/// deeply.
fn addresses(module: &Module, c: Const, depth: usize) -> Option<usize> {
    if depth > MAX_NESTING {
        return None;
    }
    match module.ctx.consts.kind(c) {
        ConstKind::Address(g) => Some(g.index() + 1),
        kind => kind.parts().try_fold(0, |last, p| Some(last.max(addresses(module, p, depth + 1)?))),
    }
}

fn globals(module: &Module, e: &mut Errors) {
    for (index, g) in module.globals.iter() {
        e.span = g.span;
        if g.ty.index() >= module.ctx.types.len() {
            e.push(format!("global `{}` has an unknown type", g.name));
            continue;
        }
        e.require(g.storage != StorageClass::Function, "a global is in storage class Function");
        if let Some(c) = g.init {
            let known = c.index() < module.ctx.consts.len();
            e.require(known && module.ctx.consts.ty(c) == g.ty, "a global is initialised with another type");
            let earlier = !known || addresses(module, c, 0).is_some_and(|last| last <= index.index());
            e.require(earlier, "a global is initialised with the address of one that is declared after it");
            let physical = module.has_kernels();
            e.require(
                matches!(g.storage, StorageClass::Private | StorageClass::Output) || physical,
                "a global that is neither Private nor Output is initialised",
            );
        }
        super::interface::global(module, g, e);
        if let Some(of) = g.interface.as_ref().and_then(|i| i.view_of) {
            let buffer = (of.index() < index.index()).then(|| &module.globals[of]).filter(|b| {
                b.storage == StorageClass::StorageBuffer
                    && b.interface.as_ref().is_some_and(|i| i.view_of.is_none())
            });
            let fits = buffer.is_some() && g.storage == StorageClass::StorageBuffer;
            e.require(fits, "a view is not of a buffer that is declared before it");
        }
        let known = |other: crate::ir::Global| other.index() < module.globals.len();
        let counter = g.hlsl().counter.is_none_or(|c| known(c.var));
        e.require(counter, "the counter of a buffer is no global");
        let own = matches!(
            g.storage,
            StorageClass::Private | StorageClass::Workgroup | StorageClass::Input | StorageClass::Output
        );
        e.require(
            g.interface.as_ref().is_none_or(|i| i.class == ResourceClass::LocalMemory) || !own,
            "a resource is in a storage class that the host does not reach",
        );
    }
}

fn functions(module: &Module, e: &mut Errors) {
    for (_, f) in module.functions.iter() {
        e.span = f.span;
        e.require(f.result.index() < module.ctx.types.len(), "a function returns an unknown type");
        e.require(
            f.values.iter().all(|(_, v)| v.ty.index() < module.ctx.types.len()),
            "a value has an unknown type",
        );
    }
}

fn entry_points(module: &Module, e: &mut Errors) {
    let mut names = FxHashSet::default();
    for p in &module.entry_points {
        let Some(f) = module.functions.get(p.func) else {
            e.push(format!("entry point `{}` has no function", p.name));
            continue;
        };
        e.span = f.span;
        e.require(f.body.is_some(), "an entry point has no body");
        let kernel = p.model == ExecutionModel::Kernel;
        e.require(f.params.is_empty() || kernel, "an entry point takes parameters");
        let void =
            f.result.index() < module.ctx.types.len() && *module.ctx.types.kind(f.result) == TypeKind::Void;
        e.require(void, "an entry point returns a value");
        let elsewhere = kernel || !has_group(p.model) || p.mode(ExecutionMode::LocalSizeId).is_some();
        let unsaid = p.local_size == [0; 3];
        e.require(
            unsaid && elsewhere || p.local_size.iter().all(|n| *n > 0),
            "a work-group has no work-items",
        );
        e.require(
            unsaid || kernel || has_group(p.model),
            "an entry point without work-group has the size of one",
        );
        let known = |c: &Const| c.index() < module.ctx.consts.len();
        for m in &p.modes {
            let fits = match &m.operands {
                ModeOperands::Words(_) => true,
                ModeOperands::Consts(list) => list.iter().all(known),
            };
            e.require(fits, "an execution mode names an unknown constant");
        }
        e.require(names.insert(&p.name), "two entry points have the same name");
        e.require(
            p.interface.iter().chain(&p.named).all(|g| module.globals.get(*g).is_some()),
            "an entry point lists an unknown global",
        );
        super::interface::entry_point(module, p, e);
    }
}

/// Whether what runs such entry points comes in work-groups.
fn has_group(model: ExecutionModel) -> bool {
    use ExecutionModel as M;
    matches!(model, M::GLCompute | M::Kernel | M::TaskNV | M::MeshNV | M::TaskEXT | M::MeshEXT)
}

fn is_func(o: &Operand) -> bool {
    matches!(o, Operand::Func(_))
}

/// No function calls itself.
pub(super) fn recursion(module: &Module, e: &mut Errors) {
    // Once calls are inlined there are none.
    let names = |f: &Function| f.insts.iter().any(|(_, i)| i.operands.iter().any(is_func));
    if !module.functions.iter().any(|(_, f)| names(f)) {
        return;
    }
    let calls: Vec<SmallVec<[Func; 4]>> = module
        .functions
        .iter()
        .map(|(_, f)| {
            let operands = walk::insts(f).flat_map(|i| f.insts[i].operands.iter());
            operands.filter_map(|o| if let Operand::Func(f) = o { Some(*f) } else { None }).collect()
        })
        .collect();
    // 0 not seen, 1 being visited, 2 done.
    let mut state: SmallVec<[u8; 64]> = smallvec![0; calls.len()];
    for root in module.functions.keys() {
        let mut stack: SmallVec<[_; 16]> = smallvec![(root, 0)];
        while let Some((f, next)) = stack.pop() {
            if next == 0 {
                if state[f.index()] != 0 {
                    continue;
                }
                state[f.index()] = 1;
            }
            let Some(callee) = calls[f.index()].get(next) else {
                state[f.index()] = 2;
                continue;
            };
            stack.push((f, next + 1));
            if state[callee.index()] == 1 {
                e.span = module.functions[*callee].span;
                e.func = Some(*callee);
                e.push(format!("function `{}` calls itself", module.functions[*callee].name));
                return;
            }
            stack.push((*callee, 0));
        }
    }
}
