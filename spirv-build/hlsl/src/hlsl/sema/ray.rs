//! What is there without a declaration: constants and structures for rays and barriers.
use super::scope::Entity;
use super::{Checked, Refuse, Sema, Val};
use crate::diag::Code;
use crate::hlsl::builtin::KnownStruct;
use crate::hlsl::constants::{CONSTANTS, FORCE_OMM_2_STATE};
use crate::hlsl::hir::{Const, Field, Scalar, Type, TypeId};
use crate::source::Span;

impl Sema<'_> {
    pub(super) fn ray_constant(&mut self, name: &str, span: Span) -> Option<Val> {
        let &(_, value, minor) = CONSTANTS.iter().find(|c| c.0 == name)?;
        if minor != 0 && self.options.shader_model().is_none_or(|v| v < (6, minor)) {
            let text = format!("`{name}` came with shader model 6.{minor}");
            self.report_if_reached(Code::NewerConstant, span, text)
                .label("too new for the profile")
                .help(format!("compile with `-T cs_6_{minor}`"));
        }
        let uint = self.scalar_ty(Scalar::U32);
        Some(Val::Value(self.constant(Const::Int(value), uint, span)))
    }

    /// A structure that is there without a declaration.
    pub(super) fn known_struct(&mut self, which: KnownStruct) -> TypeId {
        if let Some(&(_, ty)) = self.known_structs.iter().find(|s| s.0 == which) {
            return ty;
        }
        let (title, fields) = which.fields();
        let s = self.new_struct(title.into(), Span::default());
        for (i, &(name, components)) in (0..).zip(fields) {
            let ty = self.types.vector(Scalar::F32, components);
            self.types.structs[s.index()].fields.push(Field::new(name, ty, Span::default()));
            let symbol = self.names.intern(name);
            let scope = self.structs[s.index()].scope;
            self.scopes.declare(scope, symbol, Entity::Field(s, i, None), Span::default());
        }
        self.structs[s.index()].complete = true;
        let ty = self.types.intern(Type::Struct(s));
        self.known_structs.push((which, ty));
        ty
    }

    /// Reports flags that a query may not have: those that force states of opacity micromaps need one that looks at such.
    pub(super) fn opacity_allowed(&mut self, flags: i64, span: Span) -> Checked<()> {
        if flags & FORCE_OMM_2_STATE == 0 {
            return Ok(());
        }
        let text = "`RAY_FLAG_FORCE_OMM_2_STATE` is for queries that look at opacity micromaps";
        self.report_if_reached(Code::NotSupported, span, text)
            .label("a query without `RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS`")
            .help("remove the flag: such queries are not supported yet")
            .refuse()
    }
}
