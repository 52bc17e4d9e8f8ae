//! What attributes of `vk` may stand at, and which exclude each other.
use super::Sema;
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::hir::{Dim, Resource, Scalar, StructId, Type, TypeId, Types};
use crate::hlsl::layout::Layout;
use crate::source::Span;
use spirv_spec::StorageClass;

/// What an attribute stands at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum At {
    /// A global variable of this type.
    Global(TypeId),
    /// A `cbuffer` or `tbuffer`.
    Block,
    Member,
    /// A member of a `cbuffer`.
    BlockMember,
    Parameter,
    Function,
    Local,
}

impl At {
    fn name(self) -> &'static str {
        match self {
            Self::Global(_) => "this variable",
            Self::Block => "a buffer",
            Self::Member => "a member",
            Self::BlockMember => "a member of a buffer; `packoffset` places those",
            Self::Parameter => "a parameter",
            Self::Function => "a function",
            Self::Local => "a local variable",
        }
    }
}

/// What an attribute is for.
#[derive(Clone, Copy)]
enum For {
    /// What the host binds.
    Bound,
    /// Buffers with a counter.
    Counter,
    /// Typed buffers and textures that can be written.
    Format,
    /// A structure as a global variable.
    StructVariable,
    /// A global variable.
    Variable,
    Member,
    Parameter,
    Function,
    /// What goes from one stage to the next.
    Stage,
    TextureOrSampler,
}

/// A row each: attribute, what it is for.
const RULES: &[(&str, For)] = &[
    ("binding", For::Bound),
    ("set", For::Bound),
    ("counter_binding", For::Counter),
    ("image_format", For::Format),
    ("push_constant", For::StructVariable),
    ("shader_record_nv", For::StructVariable),
    ("shader_record_ext", For::StructVariable),
    ("constant_id", For::Variable),
    ("offset", For::Member),
    ("location", For::Stage),
    ("index", For::Stage),
    ("builtin", For::Stage),
    ("combinedImageSampler", For::TextureOrSampler),
    ("spvexecutionmode", For::Function),
    ("ext_instruction", For::Function),
    ("ext_type_def", For::Function),
    ("ext_literal", For::Parameter),
    ("ext_reference", For::Parameter),
];

/// Pairs that exclude each other.
const EXCLUSIVE: &[(&str, &str)] = &[
    ("push_constant", "binding"),
    ("push_constant", "constant_id"),
    ("push_constant", "shader_record_ext"),
    ("push_constant", "shader_record_nv"),
    ("shader_record_ext", "binding"),
    ("shader_record_nv", "binding"),
    ("ext_builtin_input", "ext_builtin_output"),
];

impl For {
    fn name(self) -> &'static str {
        match self {
            Self::Bound => "resources and buffers at the top level",
            Self::Counter => "`RWStructuredBuffer`, `AppendStructuredBuffer` and `ConsumeStructuredBuffer`",
            Self::Format => "typed buffers, and textures that can be written",
            Self::StructVariable => "global variables that are structures",
            Self::Variable => "global variables",
            Self::Member => "members of structures",
            Self::Parameter => "parameters",
            Self::Function => "functions",
            Self::Stage => "what goes from one shader stage to the next",
            Self::TextureOrSampler => "textures and samplers",
        }
    }
}

impl<'a> Sema<'a> {
    /// Reports attributes of `vk` that mean nothing at what they stand at, or exclude each other.
    pub(super) fn check_vk_places(&mut self, attrs: &'a [ast::Attribute], at: At) {
        if attrs.is_empty() {
            return;
        }
        for a in attrs.iter().filter(|a| a.scope.is_some()) {
            if !self.is_vk(a) {
                continue;
            }
            let name = self.text(a.name.text).to_string();
            let Some(&(_, target)) = RULES.iter().find(|r| r.0 == name) else { continue };
            if !self.vk_fits(target, at) {
                self.report(Code::BadVkAttribute, a.span, format!("`vk::{name}` does not fit {}", at.name()))
                    .label("means nothing here")
                    .help(format!("it is for {}", target.name()));
            }
        }
        if !matches!(at, At::Global(_)) {
            self.storage_class(attrs, at);
        }
        for &(first, second) in EXCLUSIVE {
            if let (Some(x), Some(y)) = (self.find_vk(attrs, first), self.find_vk(attrs, second)) {
                let (x, y) = (x.span, y.span);
                self.report(
                    Code::BadVkAttribute,
                    y,
                    format!("`vk::{first}` and `vk::{second}` exclude each other"),
                )
                .label("one of them")
                .secondary(x, "the other")
                .help("keep one of them");
            }
        }
    }

    /// The storage class that attributes give a variable: one that a declaration of HLSL stands for.
    pub(super) fn storage_class(&mut self, attrs: &'a [ast::Attribute], at: At) -> Option<StorageClass> {
        let a = self.find_vk(attrs, "ext_storage_class")?;
        let v = self.attr_ints(a, 1..=1, Code::BadVkAttribute)?;
        let (classes, help): (&[StorageClass], _) = match at {
            At::Global(_) => (
                &[StorageClass::Input, StorageClass::Workgroup, StorageClass::Private],
                "variables outside functions are of class Input (1), Workgroup (4) or Private (6)",
            ),
            At::Local | At::Parameter => {
                (&[StorageClass::Function], "variables of functions are of class Function (7)")
            }
            _ => (&[], "it is for variables"),
        };
        let class = classes.iter().find(|c| i64::from(c.0) == v[0]).copied();
        if class.is_none() {
            let message = format!("storage class {} on {} is not supported", v[0], at.name());
            self.report(Code::NotSupported, a.span, message).help(help);
        }
        class
    }

    fn vk_fits(&self, target: For, at: At) -> bool {
        let ty = match at {
            At::Global(ty) => self.types.innermost(ty),
            _ => Types::VOID,
        };
        let global = matches!(at, At::Global(_));
        if global && self.is_error(ty) {
            return true;
        }
        let resource = match self.types.get(ty) {
            Type::Resource(r) => Some(r),
            _ => None,
        };
        match target {
            For::Bound => {
                let bound = self.types.contains_resource(ty) || self.types.is_opaque(ty);
                // What else can be bound is another declaration's business to refuse.
                at == At::Block || global && (bound || !self.is_loose(ty))
            }
            For::Counter => {
                matches!(resource, Some(Resource::Structured { writable: true, .. } | Resource::Queue { .. }))
            }
            // A member that is a resource becomes a variable of its own.
            For::Format if at == At::Member => true,
            For::Format => match resource {
                Some(Resource::Texture { shape, writable, .. }) => writable || shape.dim == Dim::Buffer,
                _ => false,
            },
            For::StructVariable => global || at == At::Block,
            For::Variable => global,
            For::Member => at == At::Member,
            For::Parameter => at == At::Parameter,
            For::Function => at == At::Function,
            For::Stage => matches!(at, At::Member | At::Parameter | At::Function),
            For::TextureOrSampler => {
                matches!(resource, Some(Resource::Texture { .. } | Resource::Sampler { .. }))
            }
        }
    }

    /// `[[vk::offset(n)]]` of the members from `first` on.
    pub(super) fn place_by_hand(&mut self, attrs: &'a [ast::Attribute], id: StructId, first: usize) {
        let Some(a) = self.find_vk(attrs, "offset") else { return };
        let Some(v) = self.attr_ints(a, 1..=1, Code::BadVkAttribute) else { return };
        let fields = self.types.structure(id).fields.get(first..).unwrap_or(&[]);
        let Some(field) = fields.first() else { return };
        let unit = self
            .types
            .component(self.types.innermost(field.ty))
            .map_or(1, |s| i64::from(s.bits().max(8)) / 8);
        let unit = if unit == 0 { 4 } else { unit };
        let offset = u32::try_from(v[0]).ok().filter(|n| i64::from(*n) % unit == 0);
        let Some(offset) = offset else {
            self.report(Code::BadVkAttribute, a.span, format!("a member cannot lie at {}", v[0]))
                .label(format!("not a multiple of {unit}"))
                .help(
                    "an offset is a number of bytes, and a multiple of the size of the member's components",
                );
            return;
        };
        let rules = self.options.layout.storage;
        for f in &mut self.types.structs[id.index()].fields[first..] {
            f.vk_offset = Some(offset);
        }
        let layout = Layout::new(&self.types, rules);
        let (offsets, _) = layout.members(id);
        let fields = &self.types.structure(id).fields;
        let ranges: Vec<(u64, u64)> = offsets
            .iter()
            .zip(fields)
            .map(|(&from, f)| (from, from.saturating_add(layout.extent(f.ty, f.order).size)))
            .collect();
        let mine = ranges[first];
        let before = ranges[..first].iter().position(|r| r.0 < mine.1 && mine.0 < r.1);
        let (second, other) = (fields.get(first + 1).map(|f| f.span), before.map(|i| fields[i].span));
        if let Some(other) = other.or(second) {
            self.report(Code::BadVkAttribute, a.span, "members of the structure overlap")
                .label("at this offset")
                .secondary(other, "with this one")
                .help("choose an offset behind the other member");
        }
    }

    /// Whether a global variable of this type is a loose uniform, which lies in a buffer with others.
    fn is_loose(&self, ty: TypeId) -> bool {
        matches!(
            self.types.get(ty),
            Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..) | Type::Struct(_) | Type::Enum(_)
        )
    }

    /// Reports a format whose numbers are of another kind than a texel's: `rgba8ui` for `float4`.
    pub(super) fn check_image_format(&mut self, format: &str, elem: TypeId, span: Span) {
        let Some(scalar) = self.types.component(elem) else { return };
        let wide = format.contains("64");
        let unsigned = format.ends_with("ui");
        let signed = !unsigned && format.ends_with('i');
        let fits = match (unsigned, signed) {
            _ if format == "unknown" => true,
            // Truth values are read as unsigned integers.
            (true, _) => scalar.is_unsigned_int() || scalar == Scalar::Bool,
            (_, true) => scalar.is_signed_int(),
            _ => scalar.is_float(),
        };
        let fits = fits && (format == "unknown" || wide == (scalar.bits() == 64));
        if !fits {
            let name = self.type_name(elem);
            let kind = match (unsigned, signed) {
                (true, _) => "unsigned integers",
                (_, true) => "signed integers",
                _ => "floating-point numbers",
            };
            let bits = if wide { " of 64 bits" } else { "" };
            self.report(
                Code::BadVkAttribute,
                span,
                format!("image format `{format}` does not fit texels of `{name}`"),
            )
            .label(format!("holds {kind}{bits}"))
            .help("change the format, or the element type of the texture");
        }
    }
}
