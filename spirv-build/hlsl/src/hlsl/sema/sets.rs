//! Large overload sets: which of their functions a call or a declaration can mean, without a look at all of them.
use super::scope::Overload;
use super::{ParamInfo, Sema, Val};
use crate::diag::Code;
use crate::hlsl::hir::{FunctionId, ParamMode, TypeId};
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Functions of a name up to which all are looked at.
const SMALL: usize = 16;

/// Function templates that a name may have: what they take is only known once they are tried.
pub const MAX_TEMPLATES_OF_NAME: usize = 256;

/// What types have in common that convert to each other at no price.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Class {
    /// Numbers, and arrays of them, with so many elements.
    Elements(u64),
    /// All others are different.
    Type(TypeId),
}

type Classes = SmallVec<[Class; 4]>;

/// The functions of one overload set by what they take.
#[derive(Default)]
pub(super) struct Taken {
    /// How many of the set are known here.
    upto: usize,
    functions: FxHashMap<Classes, Vec<FunctionId>>,
}

/// The parameters of functions of one overload set, each once.
pub(super) type Signatures = FxHashMap<(u32, SmallVec<[(TypeId, ParamMode); 4]>), FunctionId>;

impl Sema<'_> {
    fn class(&self, ty: TypeId) -> Class {
        match self.types.component_of(ty) {
            Some(_) => Class::Elements(self.types.elements(ty)),
            None => Class::Type(ty),
        }
    }

    /// The functions of a large set that may take these arguments at no price. There may be others that take them at some.
    /// None: all have to be looked at.
    pub(super) fn likely(&mut self, set: u32, args: &[Val]) -> Option<Vec<FunctionId>> {
        let all = &self.sets[set as usize];
        let Some(Overload::Function(first)) = all.iter().find(|o| matches!(o, Overload::Function(_))) else {
            return None;
        };
        if all.len() <= SMALL || self.is_of_library(*first) {
            return None;
        }
        let mut taken = self.taken.remove(&set).unwrap_or_default();
        for o in &self.sets[set as usize][taken.upto..] {
            let Overload::Function(f) = *o else { continue };
            // The last parameters may have default values, which a definition may still give.
            let mut classes = Classes::new();
            taken.functions.entry(classes.clone()).or_default().push(f);
            for p in &self.funcs[f.index()].params {
                classes.push(self.class(p.ty));
                taken.functions.entry(classes.clone()).or_default().push(f);
            }
        }
        taken.upto = self.sets[set as usize].len();
        let given: Classes = args.iter().map(|&a| self.class(self.val_ty(a))).collect();
        let found = taken.functions.get(&given).cloned();
        self.taken.insert(set, taken);
        found
    }

    /// The function of a set that has just these parameters.
    pub(super) fn same_parameters(&mut self, set: u32, params: &[ParamInfo]) -> Option<FunctionId> {
        self.signatures.get(&key(set, params)).copied()
    }

    /// Puts a function into a set.
    pub(super) fn add_function(&mut self, set: u32, id: FunctionId) {
        let key = key(set, &self.funcs[id.index()].params);
        self.signatures.insert(key, id);
        self.sets[set as usize].push(Overload::Function(id));
    }

    /// Puts a function template into a set, if there are not too many.
    pub(super) fn add_template(&mut self, set: u32, template: u32, span: Span) {
        let list = &mut self.sets[set as usize];
        let templates =
            list.iter().filter(|o| matches!(o, Overload::Template(_))).take(MAX_TEMPLATES_OF_NAME);
        if templates.count() < MAX_TEMPLATES_OF_NAME {
            list.push(Overload::Template(template));
            return;
        }
        self.report(Code::TooMany, span, "too many function templates of one name")
            .label(format!("more than {MAX_TEMPLATES_OF_NAME}"))
            .help("give them several names, or make them specialisations of one");
    }
}

fn key(set: u32, params: &[ParamInfo]) -> (u32, SmallVec<[(TypeId, ParamMode); 4]>) {
    (set, params.iter().map(|p| (p.ty, p.mode)).collect())
}
