//! What is there without a declaration: constants and structures for rays and barriers.
use super::scope::Entity;
use super::{Checked, Refuse, Sema, Val, barrier};
use crate::diag::Code;
use crate::hlsl::builtin::KnownStruct;
use crate::hlsl::hir::{Const, Field, Scalar, Type, TypeId};
use crate::source::Span;

const FORCE_OMM_2_STATE: i64 = 0x400;

/// Constants that are there without a declaration.
const CONSTANTS: &[(&str, i64)] = &[
    ("RAY_FLAG_NONE", 0),
    ("RAY_FLAG_FORCE_OPAQUE", 1),
    ("RAY_FLAG_FORCE_NON_OPAQUE", 2),
    ("RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH", 4),
    ("RAY_FLAG_SKIP_CLOSEST_HIT_SHADER", 8),
    ("RAY_FLAG_CULL_BACK_FACING_TRIANGLES", 0x10),
    ("RAY_FLAG_CULL_FRONT_FACING_TRIANGLES", 0x20),
    ("RAY_FLAG_CULL_OPAQUE", 0x40),
    ("RAY_FLAG_CULL_NON_OPAQUE", 0x80),
    ("RAY_FLAG_SKIP_TRIANGLES", 0x100),
    ("RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES", 0x200),
    ("RAY_FLAG_FORCE_OMM_2_STATE", FORCE_OMM_2_STATE),
    ("RAYQUERY_FLAG_NONE", 0),
    ("RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS", 1),
    ("CANDIDATE_NON_OPAQUE_TRIANGLE", 0),
    ("CANDIDATE_PROCEDURAL_PRIMITIVE", 1),
    ("COMMITTED_NOTHING", 0),
    ("COMMITTED_TRIANGLE_HIT", 1),
    ("COMMITTED_PROCEDURAL_PRIMITIVE_HIT", 2),
];

/// Those that came with shader model 6.9.
const NEWER: &[&str] = &[
    "RAY_FLAG_FORCE_OMM_2_STATE",
    "RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS",
    "RAYTRACING_PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS",
    "REORDER_SCOPE",
];

impl Sema<'_> {
    pub(super) fn ray_constant(&mut self, name: &str, span: Span) -> Option<Val> {
        let &(_, value) = CONSTANTS
            .iter()
            .chain(barrier::CONSTANTS)
            .chain(crate::hlsl::stages::CONSTANTS)
            .find(|c| c.0 == name)?;
        if NEWER.contains(&name) && self.options.shader_model().is_none_or(|v| v < (6, 9)) {
            self.report_if_reached(Code::NewerConstant, span, format!("`{name}` came with shader model 6.9"))
                .label("too new for the profile")
                .help("compile with `-T cs_6_9`");
        }
        let uint = self.scalar_ty(Scalar::U32);
        Some(Val::Value(self.constant(Const::Int(value), uint, span)))
    }

    /// A structure that is there without a declaration.
    pub(super) fn known_struct(&mut self, which: KnownStruct) -> TypeId {
        if let Some(&(_, ty)) = self.known_structs.iter().find(|s| s.0 == which) {
            return ty;
        }
        let (title, fields): (&str, &[(&str, u8)]) = match which {
            KnownStruct::RayDesc => ("RayDesc", &[("Origin", 3), ("TMin", 1), ("Direction", 3), ("TMax", 1)]),
            KnownStruct::TriangleAttributes => {
                ("BuiltInTriangleIntersectionAttributes", &[("barycentrics", 2)])
            }
            KnownStruct::TrianglePositions => {
                ("BuiltInTrianglePositions", &[("p0", 3), ("p1", 3), ("p2", 3)])
            }
        };
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
