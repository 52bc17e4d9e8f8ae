//! Types that are others by another name: `half` and `float` without 16-bit types, `min10float` and `min16float`.
//!
//! They are distinct where overloads or templates tell them apart, and only in programs that need it: those are checked once more,
//! with types of their own for the names (`Scalar::is_twin`), which then are taken out of the module.
use super::*;

/// Takes twins out of a module. What converts between a type and itself goes away.
pub(super) fn erase(module: &mut Module) {
    let map = module.types.without_twins();
    let of = |id: &mut TypeId| *id = map.get(id.index()).copied().unwrap_or(*id);
    for g in &mut module.globals {
        of(&mut g.ty);
    }
    for input in module.entry_points.iter_mut().flat_map(|e| &mut e.inputs) {
        of(&mut input.ty);
    }
    for f in &mut module.functions {
        of(&mut f.ret);
        f.locals.iter_mut().for_each(|l| of(&mut l.ty));
        f.places.iter_mut().for_each(|p| of(&mut p.ty));
        for e in &mut f.exprs {
            of(&mut e.ty);
            if let ExprKind::Spirv(_, args) = &mut e.kind {
                for arg in args {
                    if let SpirvArg::Type(ty) = arg {
                        of(ty);
                    }
                }
            }
        }
        // An operand stands before what uses it.
        for i in 0..f.exprs.len() {
            if let ExprKind::Convert(Conversion::Cast, operand) = f.exprs[i].kind
                && f.exprs[operand.index()].ty == f.exprs[i].ty
            {
                f.exprs[i].kind = f.exprs[operand.index()].kind.clone();
            }
        }
    }
}
