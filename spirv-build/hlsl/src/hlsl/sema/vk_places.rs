//! What attributes of `vk` may stand at, and which exclude each other.
use super::Sema;
use crate::diag::Code;
use crate::diag::suggest::closest;
use crate::hlsl::ast;
use crate::hlsl::attributes::{self, For};
use crate::hlsl::hir::{Scalar, StructId, Type, TypeId};
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
    /// What declares nothing that has attributes.
    Nothing,
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
            Self::Nothing => "a statement",
        }
    }
}

impl<'a> Sema<'a> {
    /// Reports attributes with a namespace that are not known, mean nothing at what they stand at, or exclude each other.
    pub(super) fn check_vk_places(&mut self, attrs: &'a [ast::Attribute], at: At) {
        if attrs.is_empty() {
            return;
        }
        for a in attrs {
            let Some(scope) = a.scope else { continue };
            let name = self.text(a.name.text).to_string();
            match attributes::find(&name).filter(|_| self.is_vk(a)) {
                None => self.unknown_attr(scope, &name, a.span),
                Some(&(_, target, _)) if !self.vk_fits(target, at) => {
                    let text = format!("`vk::{name}` does not fit {}", at.name());
                    self.report(Code::BadVkAttribute, a.span, text)
                        .label("means nothing here")
                        .help(format!("it is for {}", target.name()));
                }
                Some(_) => {}
            }
        }
        if !matches!(at, At::Global(_) | At::Nothing) {
            self.storage_class(attrs, at);
        }
        for &(first, second) in attributes::EXCLUSIVE {
            let (Some(x), Some(y)) = (self.find_vk(attrs, first), self.find_vk(attrs, second)) else {
                continue;
            };
            let text = format!("`vk::{first}` and `vk::{second}` exclude each other");
            self.report(Code::BadVkAttribute, y.span, text)
                .label("one of them")
                .secondary(x.span, "the other")
                .help("keep one of them");
        }
    }

    fn unknown_attr(&mut self, scope: ast::Name, name: &str, span: Span) {
        let scope = &self.text(scope.text).to_string();
        let like_scope = closest(scope, attributes::SCOPES.iter().copied());
        let like = match attributes::find(name) {
            Some(_) => like_scope.map(|_| name),
            None => closest(name, attributes::VK.iter().map(|r| r.0)),
        };
        let text = format!("attribute `{scope}::{name}` is ignored");
        let d = self.report(Code::UnknownAttribute, span, text);
        if let Some(like) = like {
            d.help(format!("did you mean `{}::{like}`?", like_scope.unwrap_or(scope)));
        }
    }

    /// The storage class that attributes give a variable: one that a declaration of HLSL stands for.
    pub(super) fn storage_class(&mut self, attrs: &'a [ast::Attribute], at: At) -> Option<StorageClass> {
        use StorageClass as C;
        let (a, v) = self.vk_ints(attrs, "ext_storage_class")?;
        let (classes, help): (&[C], _) = match at {
            At::Global(_) => (
                &[C::Input, C::Workgroup, C::Private],
                "variables outside functions are of class Input (1), Workgroup (4) or Private (6)",
            ),
            At::Local | At::Parameter => (&[C::Function], "variables of functions are of class Function (7)"),
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
        let At::Global(ty) = at else {
            return match target {
                _ if at == At::Nothing => true,
                For::Bound | For::StructVariable => at == At::Block,
                // A member that is a resource becomes a variable of its own.
                For::Format | For::Member => at == At::Member,
                For::Parameter => at == At::Parameter,
                For::Function => at == At::Function,
                For::Stage => matches!(at, At::Member | At::Parameter | At::Function),
                For::Variable | For::Counter | For::TextureOrSampler => false,
                For::Anything => true,
            };
        };
        let ty = self.types.innermost(ty);
        let kind = self.types.get(ty);
        let resource = if let Type::Resource(r) = kind { Some(r) } else { None };
        self.is_error(ty)
            || target.fits(resource).unwrap_or(match target {
                // What else can be bound is another declaration's business to refuse.
                For::Bound => {
                    let loose = matches!(
                        kind,
                        Type::Scalar(_)
                            | Type::Vector(..)
                            | Type::Matrix(..)
                            | Type::Struct(_)
                            | Type::Enum(_)
                    );
                    self.types.contains_resource(ty) || self.types.is_opaque(ty) || !loose
                }
                For::StructVariable | For::Variable | For::Anything => true,
                _ => false,
            })
    }

    /// `[[vk::offset(n)]]` of the members from `first` on.
    pub(super) fn place_by_hand(&mut self, attrs: &'a [ast::Attribute], id: StructId, first: usize) {
        let Some((a, v)) = self.vk_ints(attrs, "offset") else { return };
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
