//! Ray queries: `RayQuery<flags>`, its methods and constants. A method is an instruction on the variable.
use super::convert::How;
use super::scope::Entity;
use super::{Sema, Val, barrier};
use crate::diag::Code;
use crate::diag::suggest;
use crate::hlsl::ast;
use crate::hlsl::builtin::KnownStruct;
use crate::hlsl::hir::{
    BinaryOp, Const, ExprId, ExprKind, Field, Intrinsic, MatrixOrder, PlaceId, Resource, Scalar, SpirvArg,
    SpirvOp, Type, TypeId, Types, UnaryOp,
};
use crate::source::Span;
use spirv_spec::Op;

/// What a method gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    Nothing,
    Bool,
    /// The opposite of what the instruction says.
    NotBool,
    Uint,
    Float,
    Float2,
    Float3,
    /// A matrix of four rows and three columns, as the instruction gives it.
    Matrix4x3,
    /// The same, transposed.
    Matrix3x4,
}

/// A row: name behind `Candidate` or `Committed` (or whole), instruction, result.
type Row = (&'static str, Op, Gives);

/// About an intersection: which one is the instruction's second operand.
const INTERSECTION: &[Row] = {
    use Gives::*;
    &[
        ("Type", Op::RayQueryGetIntersectionTypeKHR, Uint),
        ("Status", Op::RayQueryGetIntersectionTypeKHR, Uint),
        ("RayT", Op::RayQueryGetIntersectionTKHR, Float),
        ("TriangleRayT", Op::RayQueryGetIntersectionTKHR, Float),
        ("InstanceID", Op::RayQueryGetIntersectionInstanceCustomIndexKHR, Uint),
        ("InstanceIndex", Op::RayQueryGetIntersectionInstanceIdKHR, Uint),
        (
            "InstanceContributionToHitGroupIndex",
            Op::RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR,
            Uint,
        ),
        ("GeometryIndex", Op::RayQueryGetIntersectionGeometryIndexKHR, Uint),
        ("PrimitiveIndex", Op::RayQueryGetIntersectionPrimitiveIndexKHR, Uint),
        ("TriangleBarycentrics", Op::RayQueryGetIntersectionBarycentricsKHR, Float2),
        ("TriangleFrontFace", Op::RayQueryGetIntersectionFrontFaceKHR, Bool),
        ("ObjectRayDirection", Op::RayQueryGetIntersectionObjectRayDirectionKHR, Float3),
        ("ObjectRayOrigin", Op::RayQueryGetIntersectionObjectRayOriginKHR, Float3),
        ("ObjectToWorld3x4", Op::RayQueryGetIntersectionObjectToWorldKHR, Matrix3x4),
        ("ObjectToWorld4x3", Op::RayQueryGetIntersectionObjectToWorldKHR, Matrix4x3),
        ("WorldToObject3x4", Op::RayQueryGetIntersectionWorldToObjectKHR, Matrix3x4),
        ("WorldToObject4x3", Op::RayQueryGetIntersectionWorldToObjectKHR, Matrix4x3),
    ]
};

/// About the query.
const QUERY: &[Row] = {
    use Gives::*;
    &[
        ("Proceed", Op::RayQueryProceedKHR, Bool),
        ("Abort", Op::RayQueryTerminateKHR, Nothing),
        ("CommitNonOpaqueTriangleHit", Op::RayQueryConfirmIntersectionKHR, Nothing),
        ("CandidateProceduralPrimitiveNonOpaque", Op::RayQueryGetIntersectionCandidateAABBOpaqueKHR, NotBool),
        ("RayFlags", Op::RayQueryGetRayFlagsKHR, Uint),
        ("RayTMin", Op::RayQueryGetRayTMinKHR, Float),
        ("WorldRayDirection", Op::RayQueryGetWorldRayDirectionKHR, Float3),
        ("WorldRayOrigin", Op::RayQueryGetWorldRayOriginKHR, Float3),
    ]
};

/// Those that take arguments.
const OTHERS: &[&str] = &["TraceRayInline", "CommitProceduralPrimitiveHit"];

/// Known, but nothing for them yet.
const UNSUPPORTED: &[&str] = &[
    "CandidateClusterID",
    "CandidateTriangleObjectPositions",
    "CommittedClusterID",
    "CommittedTriangleObjectPositions",
];

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
            self.types.structs[s.index()].fields.push(Field {
                name: name.into(),
                ty,
                order: MatrixOrder::ColumnMajor,
                semantic: None,
                packoffset: None,
                vk_offset: None,
                decorations: Vec::new(),
                precise: false,
                bits: Vec::new(),
                span: Span::default(),
            });
            let symbol = self.names.intern(name);
            let scope = self.structs[s.index()].scope;
            self.scopes.declare(scope, symbol, Entity::Field(s, i, None), Span::default());
        }
        self.structs[s.index()].complete = true;
        let ty = self.types.intern(Type::Struct(s));
        self.known_structs.push((which, ty));
        ty
    }

    /// A method of a ray query.
    pub(super) fn ray_method(
        &mut self,
        object: Val,
        flags: u32,
        name: ast::Name,
        args: &[Val],
        span: Span,
    ) -> Val {
        let text = self.text(name.text).to_string();
        let query = match object {
            Val::Place(p) => p,
            Val::Value(_) => {
                self.report(Code::NotAssignable, name.span, "a ray query must be a variable");
                return Val::Value(self.error_value(span));
            }
        };
        if args.iter().any(|&a| self.is_error(self.val_ty(a))) {
            return Val::Value(self.error_value(span));
        }
        if let Some(local) = self.root_local(query) {
            self.f.locals[local.index()].written = true;
        }
        let found = QUERY.iter().find(|r| r.0 == text).map(|r| (r, None)).or_else(|| {
            let which = [("Candidate", 0), ("Committed", 1)];
            which.into_iter().find_map(|(prefix, n)| {
                let rest = text.strip_prefix(prefix)?;
                let fits = |r: &&Row| {
                    r.0 == rest
                        && match rest {
                            "Type" | "TriangleRayT" => n == 0,
                            "Status" | "RayT" => n == 1,
                            _ => true,
                        }
                };
                INTERSECTION.iter().find(fits).map(|r| (r, Some(n)))
            })
        });
        if let Some((&(_, code, gives), which)) = found {
            if !args.is_empty() {
                return self.wrong_count(&text, "no", args.len(), span);
            }
            let mut operands = vec![SpirvArg::Reference(query)];
            if let Some(n) = which {
                let uint = self.scalar_ty(Scalar::U32);
                let n = self.constant(Const::Int(n), uint, span);
                operands.push(SpirvArg::Value(n));
            }
            return Val::Value(self.ray_instruction(code, operands, gives, span));
        }
        match text.as_str() {
            "CommitProceduralPrimitiveHit" => {
                let [t] = args else { return self.wrong_count(&text, "1", args.len(), span) };
                let float = self.scalar_ty(Scalar::F32);
                let t = self.load(*t);
                let t = self.convert(t, float, How::Implicit, "the distance");
                if self.is_error(self.ty(t)) {
                    return Val::Value(t);
                }
                let operands = vec![SpirvArg::Reference(query), SpirvArg::Value(t)];
                Val::Value(self.ray_instruction(
                    Op::RayQueryGenerateIntersectionKHR,
                    operands,
                    Gives::Nothing,
                    span,
                ))
            }
            "TraceRayInline" => self.trace(query, flags, args, span),
            text if UNSUPPORTED.contains(&text) => {
                self.unsupported(name.span, &format!("method `{text}`"));
                Val::Value(self.error_value(span))
            }
            _ => {
                let shown = self.type_name(self.val_ty(object));
                let names = INTERSECTION
                    .iter()
                    .flat_map(|r| ["Candidate", "Committed"].map(|p| format!("{p}{}", r.0)));
                let rest = QUERY.iter().map(|r| r.0).chain(OTHERS.iter().copied()).map(String::from);
                let names: Vec<String> = names.chain(rest).collect();
                let like = suggest::closest(&text, names.iter().map(String::as_str)).map(String::from);
                let d = self.report(Code::NoMethod, name.span, format!("`{shown}` has no method `{text}`"));
                if let Some(like) = like {
                    d.help(format!("did you mean `{like}`?"));
                }
                Val::Value(self.error_value(span))
            }
        }
    }

    fn ray_instruction(&mut self, code: Op, operands: Vec<SpirvArg>, gives: Gives, span: Span) -> ExprId {
        let ty = match gives {
            Gives::Nothing => Types::VOID,
            Gives::Bool | Gives::NotBool => self.scalar_ty(Scalar::Bool),
            Gives::Uint => self.scalar_ty(Scalar::U32),
            Gives::Float => self.scalar_ty(Scalar::F32),
            Gives::Float2 => self.types.vector(Scalar::F32, 2),
            Gives::Float3 => self.types.vector(Scalar::F32, 3),
            Gives::Matrix4x3 | Gives::Matrix3x4 => self.types.intern(Type::Matrix(Scalar::F32, 4, 3)),
        };
        let op = SpirvOp { code: u32::from(code.0), glsl: false };
        let e = self.node(ExprKind::Spirv(op, operands), ty, span);
        match gives {
            Gives::NotBool => self.node(ExprKind::Unary(UnaryOp::Not, e), ty, span),
            Gives::Matrix3x4 => {
                let ty = self.types.intern(Type::Matrix(Scalar::F32, 3, 4));
                self.node(ExprKind::Intrinsic(Intrinsic::Transpose, vec![e]), ty, span)
            }
            _ => e,
        }
    }

    /// `TraceRayInline(structure, flags, mask, ray)`
    /// Whether a query may have flags: those that force states of opacity micromaps need a query that looks at such.
    pub(super) fn opacity_allowed(&mut self, flags: i64, span: Span) -> bool {
        let allowed = flags & FORCE_OMM_2_STATE == 0;
        if !allowed {
            let text = "`RAY_FLAG_FORCE_OMM_2_STATE` is for queries that look at opacity micromaps";
            self.report_if_reached(Code::NotSupported, span, text)
                .label("a query without `RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS`")
                .help("remove the flag: such queries are not supported yet");
        }
        allowed
    }

    fn trace(&mut self, query: PlaceId, flags: u32, args: &[Val], span: Span) -> Val {
        let &[structure, ray_flags, mask, ray] = args else {
            return self.wrong_count("TraceRayInline", "4", args.len(), span);
        };
        let acceleration = self.types.intern(Type::Resource(Resource::AccelerationStructure));
        let uint = self.scalar_ty(Scalar::U32);
        let desc = self.known_struct(KnownStruct::RayDesc);
        let structure = self.load(structure);
        let structure =
            self.convert(structure, acceleration, How::Implicit, "argument 1 of `TraceRayInline`");
        let mut numbers = Vec::new();
        for (v, what) in
            [(ray_flags, "argument 2 of `TraceRayInline`"), (mask, "argument 3 of `TraceRayInline`")]
        {
            let e = self.load(v);
            numbers.push(self.convert(e, uint, How::Implicit, what));
        }
        // The flags of the type are added to those of the call.
        let own = self.constant(Const::Int(i64::from(flags)), uint, span);
        numbers[0] = self.arith(BinaryOp::BitOr, numbers[0], own, span);
        let ray = self.load(ray);
        let ray = self.convert(ray, desc, How::Implicit, "argument 4 of `TraceRayInline`");
        if self.is_error(self.ty(ray)) || self.is_error(self.ty(structure)) {
            return Val::Value(self.error_value(span));
        }
        if numbers.iter().any(|&e| self.is_error(self.ty(e))) {
            return Val::Value(self.error_value(span));
        }
        if let Some(Const::Int(given)) = self.const_of(numbers[0]) {
            let given = *given;
            if !self.opacity_allowed(given, span) {
                return Val::Value(self.error_value(span));
            }
        }
        let mut before = Vec::new();
        let ray = self.repeatable(Val::Value(ray), &mut before);
        let mut operands = vec![SpirvArg::Reference(query), SpirvArg::Value(structure)];
        operands.extend(numbers.into_iter().map(SpirvArg::Value));
        // Origin, least distance, direction, largest distance: the order of the fields.
        for i in 0..4 {
            let whole = self.copy_val(ray);
            let part = self.part(whole, i, span);
            operands.push(SpirvArg::Value(self.load(part)));
        }
        let e = self.ray_instruction(Op::RayQueryInitializeKHR, operands, Gives::Nothing, span);
        Val::Value(self.sequence(before, e))
    }
}
