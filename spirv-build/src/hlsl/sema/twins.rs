//! Types that are others by another name: `half` and `float` without 16-bit types, `min10float` and `min16float`.
//!
//! They are distinct where overloads or templates tell them apart, and only in programs that need it: those are checked once more,
//! with types of their own for the names (`Scalar::is_twin`), which then are taken out of the module.
use super::*;
use crate::hlsl::builtin::ScalarWord;

/// Checks a program; a second time where names of types turned out to count.
pub(super) fn check(
    ast: &Ast,
    names: &mut Interner,
    options: &Options,
    diags: &mut Diagnostics,
) -> Option<Module> {
    let start = diags.checkpoint();
    let mut sema = Sema::new(ast, names, options, diags);
    sema.program();
    // With 16-bit types also what is passed counts: `min16int` is then no `int16_t`.
    let passed = options.enable_16bit_types && sema.twin_words > 0 && sema.sets.iter().any(|s| s.len() > 1);
    if !sema.wants_twins && !passed {
        return sema.finish();
    }
    // Two functions or templates differ by types that are the same but for their names: once more, with names that count.
    diags.restore(start);
    let mut sema = Sema::new(ast, names, options, diags);
    sema.twins = true;
    sema.program();
    sema.finish().map(|mut module| {
        erase(&mut module);
        module
    })
}

impl Sema<'_> {
    fn program(&mut self) {
        self.check_joined_angles();
        for item in &self.ast.items {
            self.item(item, &[]);
        }
        self.check_uninstantiated();
        for d in std::mem::take(&mut self.of_instances) {
            self.diags.push(d);
        }
    }

    /// The scalar a word means under the options.
    pub(super) fn scalar_word(&mut self, word: ScalarWord) -> Scalar {
        use ScalarWord as W;
        let native = self.options.enable_16bit_types;
        let twin = match (word, native) {
            (W::Half, false) => Some(Scalar::Half),
            (W::Min10Float, false) => Some(Scalar::Min10Float),
            (W::Min12Int, false) => Some(Scalar::Min12Int),
            (W::Min16Float, true) => Some(Scalar::NativeMin16Float),
            (W::Min10Float, true) => Some(Scalar::NativeMin10Float),
            (W::Min16Int, true) => Some(Scalar::NativeMin16Int),
            (W::Min12Int, true) => Some(Scalar::NativeMin12Int),
            (W::Min16Uint, true) => Some(Scalar::NativeMin16Uint),
            _ => None,
        };
        if let Some(twin) = twin {
            self.twin_words += 1;
            if self.twins {
                return twin;
            }
        }
        match word {
            W::Bool => Scalar::Bool,
            W::Int => Scalar::I32,
            W::Uint => Scalar::U32,
            W::Float => Scalar::F32,
            W::Double => Scalar::F64,
            W::Int64 => Scalar::I64,
            W::Uint64 => Scalar::U64,
            W::Half if native => Scalar::F16,
            W::Half => Scalar::F32,
            W::Min16Float | W::Min10Float if native => Scalar::F16,
            W::Min16Float | W::Min10Float => Scalar::MinF16,
            W::Min16Int | W::Min12Int if native => Scalar::I16,
            W::Min16Int | W::Min12Int => Scalar::MinI16,
            W::Min16Uint if native => Scalar::U16,
            W::Min16Uint => Scalar::MinU16,
            W::Int16 => Scalar::I16,
            W::Uint16 => Scalar::U16,
            W::Float16 => Scalar::F16,
        }
    }
}

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
