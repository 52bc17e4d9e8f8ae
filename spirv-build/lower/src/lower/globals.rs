//! Module-scope variables: resources, groupshared memory, statics, system values.

use super::Lower;
use super::types::{Form, scalar_kind};
use crate::hlsl::hir::{self, Const, GlobalKind, MatrixOrder, Resource, Scalar, SystemValue, TypeId};
use crate::hlsl::hir::{TextureShape, Type as Hlsl};
use crate::hlsl::layout::{Layout, Rules};
use crate::ir::{
    self, BufferAccess, BuiltIn, ConstKind, Declared, DecorationOperand, Dim, GlobalData, HlslResource,
    ImageFormat, ImageType, Interface, Member, ResourceClass, StorageClass, StructType, Type, TypeKind,
};
use crate::source::Span;
use std::sync::Arc;

/// What a global of the HIR became.
#[derive(Clone, Copy, Debug)]
pub(super) enum GlobalValue {
    /// A variable; its contents are in this form.
    Variable(ir::Global, Form),
    /// A resource object, or an array of them.
    Resource(ir::Global),
    /// A specialization constant.
    Spec(ir::Const),
    /// Could not be declared; an error was given.
    None,
}

impl Lower<'_> {
    pub(super) fn declare_globals(&mut self) {
        let hir = self.hir;
        for (i, g) in hir.module.globals.iter().enumerate() {
            let value = self.declare_global(g);
            if let GlobalValue::Variable(var, _) | GlobalValue::Resource(var) = value
                && let Some(interface) = &mut self.out.globals[var].interface
                && hir.module.in_main.contains(&hir::GlobalId(i as u32))
            {
                interface.hlsl.get_or_insert_default().in_main = true;
            }
            self.globals.push(value);
        }
    }

    /// Declares the static variables that hold resources: nothing, to begin with.
    pub(super) fn declare_handle_variables(&mut self) {
        let hir = self.hir.module;
        for (i, g) in hir.globals.iter().enumerate() {
            if !self.is_handle_variable(hir::GlobalId(i as u32)) {
                continue;
            }
            self.place = g.span;
            let ty = self.value_type(g.ty);
            let global = self.out.globals.push(GlobalData::new(&g.name, ty, StorageClass::Private, g.span));
            self.globals[i] = GlobalValue::Variable(global, Form::Value);
        }
    }

    /// The decorations that the source writes by number.
    pub(super) fn decorate_globals(&mut self) {
        let hir = self.hir;
        for (g, d) in &hir.module.decorations {
            let (GlobalValue::Variable(var, _) | GlobalValue::Resource(var)) = self.globals[g.index()] else {
                continue;
            };
            let d = decoration(&mut self.out.ctx, d);
            self.out.globals[var].decorations.add(d);
        }
    }

    fn declare_global(&mut self, g: &hir::Global) -> GlobalValue {
        let mut data = GlobalData::new(&g.name, self.out.ctx.types.u32(), StorageClass::Private, g.span);
        match &g.kind {
            GlobalKind::Resource(binding) => return self.resource(g, binding, data),
            GlobalKind::Group => return GlobalValue::None,
            GlobalKind::Opaque(binding) => {
                data.ty = self.value_type(g.ty);
                data.storage = StorageClass::UniformConstant;
                data.interface = Some(Interface {
                    binding: binding.vk.map(|(binding, set)| (set, binding)),
                    declared: Some(Arc::new(self.declared(g.ty, g.order, None, g.span))),
                    hlsl: Some(of_hlsl(binding)),
                    ..Interface::new(ResourceClass::Image, BufferAccess::Read)
                });
            }
            GlobalKind::Input(n) => {
                let Some(builtin) = BuiltIn::from_u32(*n) else {
                    self.unsupported(g.span, format!("system value {n}"), "check the number");
                    return GlobalValue::None;
                };
                data.ty = self.value_type(g.ty);
                data.storage = StorageClass::Input;
                let same =
                    self.out.globals.iter().find(|(_, o)| o.builtin() == Some(builtin) && o.ty == data.ty);
                if let Some((same, _)) = same {
                    return GlobalValue::Variable(same, Form::Value);
                }
                data.decorations.add(ir::Decoration::words(spirv_spec::Decoration::BuiltIn, &[*n]));
            }
            GlobalKind::PushConstant => {
                let rules = self.hir.module.layout.push;
                let Some(ty) = self.block(g.ty, rules, None, g.span) else { return GlobalValue::None };
                data.ty = ty;
                data.storage = StorageClass::PushConstant;
                data.interface = Some(Interface {
                    declared: Some(Arc::new(self.declared(g.ty, g.order, Some(rules), g.span))),
                    ..Interface::new(ResourceClass::PushConstant, BufferAccess::Read)
                });
                return GlobalValue::Variable(self.out.globals.push(data), Form::Memory(g.order, rules));
            }
            GlobalKind::SpecConstant(id) => {
                let ty = self.value_type(g.ty);
                let default = match &g.value {
                    Some(Const::Bool(b)) => u64::from(*b),
                    Some(value) => self.scalar_bits(value, g.ty),
                    None => 0,
                };
                let c = self.out.ctx.constant(ty, ConstKind::spec(*id, default));
                let declared =
                    Declared { spelling: self.types().name(g.ty), span: g.span, ..Declared::default() };
                self.out.ctx.consts.declare(c, &g.name).declared.get_or_insert(declared);
                return GlobalValue::Spec(c);
            }
            GlobalKind::GroupShared => {
                data.ty = self.value_type(g.ty);
                data.storage = StorageClass::Workgroup;
            }
            GlobalKind::Static => {
                // Declared when the types of all resources are known.
                if self.types().contains_resource(g.ty) {
                    return GlobalValue::None;
                }
                data.ty = self.value_type(g.ty);
                data.init = Some(match &g.value {
                    Some(value) => self.constant(value, g.ty, g.span),
                    None => self.out.ctx.constant(data.ty, ConstKind::Null),
                });
            }
        }
        if g.precise {
            data.decorations.mark(spirv_spec::Decoration::NoContraction);
        }
        GlobalValue::Variable(self.out.globals.push(data), Form::Value)
    }

    fn resource(&mut self, g: &hir::Global, b: &hir::Binding, mut data: GlobalData) -> GlobalValue {
        let Some(r) = self.types().resource(g.ty) else {
            self.internal(g.span, "a resource has no resource type");
            return GlobalValue::None;
        };
        let Some((ty, storage, class)) = self.resource_type((g.span, g.order), b, r) else {
            return GlobalValue::None;
        };
        let mut dims = Vec::new();
        let mut array = g.ty;
        loop {
            match self.hlsl(array) {
                Hlsl::Array(elem, n) => {
                    dims.push(Some(n));
                    array = elem;
                }
                Hlsl::UnsizedArray(elem) if dims.is_empty() => {
                    dims.push(None);
                    array = elem;
                }
                Hlsl::UnsizedArray(_) => {
                    let help = "only the outermost dimension may be open";
                    self.unsupported(g.span, "arrays of arrays of resources without a size", help);
                    return GlobalValue::None;
                }
                _ => break,
            }
        }
        // Vulkan has no arrays of arrays of descriptors: there is one array of all.
        let open = dims.first() == Some(&None);
        let all = dims.iter().flatten().try_fold(1u32, |all, n| all.checked_mul(*n));
        data.ty = match (dims.is_empty(), open, all) {
            (true, ..) => ty,
            (_, true, Some(_)) => {
                self.out.ctx.types.intern(TypeKind::RuntimeArray { elem: ty, stride: None })
            }
            (_, false, Some(len)) => {
                self.out.ctx.types.intern(TypeKind::Array { elem: ty, len, stride: None })
            }
            _ => {
                self.unsupported(g.span, "so large an array of resources", "make it smaller");
                return GlobalValue::None;
            }
        };
        data.storage = storage;
        let access = if r.is_writable() { BufferAccess::ReadWrite } else { BufferAccess::Read };
        let mut hlsl = of_hlsl(b);
        let mut declared = Declared { spelling: self.spelling(g, r), ..Declared::default() };
        match r {
            Resource::Texture { elem, .. } => {
                declared.scalar = self.component(elem).map(scalar_kind);
                hlsl.texel = self.types().component_count(elem).map(|n| n as u8);
                hlsl.format = b.image_format.as_deref().and_then(image_format);
            }
            Resource::Sampler { comparison } => hlsl.compares = comparison,
            Resource::Constant { elem } => {
                let rules = self.hir.module.layout.constant;
                declared.extent = self.declared(elem, g.order, Some(rules), g.span).extent;
                if let (Some(extent), Some(block)) = (&mut declared.extent, &b.block) {
                    extent.size = block.size;
                }
            }
            _ => {}
        }
        data.interface = Some(Interface {
            binding: b.vk.map(|(binding, set)| (set, binding)),
            declared: Some(Arc::new(declared)),
            hlsl: Some(hlsl),
            ..Interface::new(class, access)
        });
        if b.coherent {
            data.decorations.mark(spirv_spec::Decoration::Coherent);
        }
        GlobalValue::Resource(self.out.globals.push(data))
    }

    fn spelling(&self, g: &hir::Global, r: Resource) -> String {
        match r {
            Resource::Constant { elem } if self.types().name(elem) == g.name => "cbuffer".into(),
            _ => self.types().name(g.ty),
        }
    }

    /// The type of a resource object, by its place and order of matrices, and by its binding.
    pub(super) fn resource_type(
        &mut self,
        (span, order): (Span, MatrixOrder),
        b: &hir::Binding,
        r: Resource,
    ) -> Option<(Type, StorageClass, ResourceClass)> {
        let hir = self.hir;
        Some(match r {
            Resource::Structured { elem, .. } | Resource::Queue { elem, .. } => {
                let rules = hir.module.layout.storage;
                let stride = Layout::new(hir.types, rules).array_stride(elem, order) as u32;
                let inner = self.memory_type(elem, order, rules);
                let matrix = self.matrix_layout(elem, order, rules);
                let name = self.types().resource_name(r);
                let declared = self.declared(elem, order, Some(rules), Span::default());
                let tells =
                    declared.scalar.is_some() || declared.matrix.is_some() || declared.extent.is_some();
                let declared = tells.then(|| Arc::new(declared));
                (
                    self.buffer(name, inner, stride, (matrix, declared), !r.is_writable()),
                    StorageClass::StorageBuffer,
                    ResourceClass::StructuredBuffer,
                )
            }
            Resource::ByteAddress { writable } => {
                let word = self.out.ctx.types.u32();
                let name = self.types().resource_name(r);
                (
                    self.buffer(name, word, 4, (None, None), !writable),
                    StorageClass::StorageBuffer,
                    ResourceClass::ByteAddressBuffer,
                )
            }
            Resource::Constant { elem } => {
                let given = b.block.as_ref().map(|block| block.offsets.as_slice());
                let ty = self.block(elem, hir.module.layout.constant, given, span)?;
                (ty, StorageClass::Uniform, ResourceClass::ConstantBuffer)
            }
            Resource::TextureBuffer { elem } => {
                let ty = self.block(elem, hir.module.layout.storage, None, span)?;
                let TypeKind::Struct(mut st) = self.out.ctx.types.kind(ty).clone() else { return None };
                st.members.iter_mut().for_each(|m| m.decorations.mark(spirv_spec::Decoration::NonWritable));
                let ty = self.out.ctx.types.intern(TypeKind::Struct(st));
                (ty, StorageClass::StorageBuffer, ResourceClass::StructuredBuffer)
            }
            Resource::AccelerationStructure => {
                let ty = ir::OpaqueType {
                    op: ir::Op::TypeAccelerationStructureKHR,
                    types: Vec::new(),
                    words: Vec::new(),
                };
                let ty = self.out.ctx.types.intern(TypeKind::Opaque(ty));
                (ty, StorageClass::UniformConstant, ResourceClass::Image)
            }
            Resource::Texture { shape, elem, writable } => {
                let ty = self.image_type(span, b, shape, elem, writable)?;
                (ty, StorageClass::UniformConstant, ResourceClass::Image)
            }
            Resource::Sampler { .. } => {
                let ty = self.out.ctx.types.intern(TypeKind::Sampler);
                (ty, StorageClass::UniformConstant, ResourceClass::Sampler)
            }
        })
    }

    /// The block of a structure, with its members where they are said to be or where the rules have them.
    fn block(&mut self, ty: TypeId, rules: Rules, given: Option<&[u32]>, span: Span) -> Option<Type> {
        let Hlsl::Struct(s) = self.hlsl(ty) else {
            self.internal(span, "a block holds no structure");
            return None;
        };
        let by_rules = || Layout::new(self.hir.types, rules).members(s).0.iter().map(|o| *o as u32).collect();
        let offsets = given.map_or_else(by_rules, <[u32]>::to_vec);
        Some(self.layout_struct(s, &offsets, rules, true))
    }

    fn buffer(
        &mut self,
        name: String,
        elem: Type,
        stride: u32,
        (matrix, declared): (Option<ir::MatrixLayout>, Option<Arc<Declared>>),
        readonly: bool,
    ) -> Type {
        let array = self.out.ctx.types.intern(TypeKind::RuntimeArray { elem, stride: Some(stride) });
        let mut member = Member { offset: Some(0), matrix, declared, ..Member::new("", array) };
        if readonly {
            member.decorations.mark(spirv_spec::Decoration::NonWritable);
        }
        self.out.ctx.types.intern(TypeKind::Struct(StructType::block(name, vec![member])))
    }

    fn image_type(
        &mut self,
        span: Span,
        b: &hir::Binding,
        shape: TextureShape,
        elem: TypeId,
        writable: bool,
    ) -> Option<Type> {
        let wide = |s: &Scalar| matches!(s, Scalar::I64 | Scalar::U64);
        let scalar = self.component(elem).map(super::texture::texel_scalar);
        let scalar = scalar.filter(|s| s.bits() == 32 || wide(s));
        let Some(scalar) = scalar else {
            let name = self.types().name(elem);
            self.unsupported(
                span,
                format!("textures and typed buffers of `{name}`"),
                "use 32-bit components (`float4`, `int2`, `uint`) or 64-bit integers",
            );
            return None;
        };
        let components = self.types().component_count(elem).unwrap_or(4);
        let format = match &b.image_format {
            Some(name) if writable => match image_format(name) {
                Some(f) => f,
                None => {
                    self.unsupported(
                        span,
                        format!("image format `{name}`"),
                        "formats are named as in GLSL: `rgba8`, `r32f`, `rg16ui`",
                    );
                    return None;
                }
            },
            // Elements of typed buffers lie in memory as the kernel sees them, for any host.
            None if writable && (self.options.infer_image_formats || shape.dim == hir::Dim::Buffer) => {
                inferred_format(scalar, components)
            }
            _ => ImageFormat::Unknown,
        };
        let dim = match shape.dim {
            hir::Dim::Buffer => Dim::DimBuffer,
            hir::Dim::D1 => Dim::Dim1D,
            hir::Dim::D2 => Dim::Dim2D,
            hir::Dim::D3 => Dim::Dim3D,
            hir::Dim::Cube => Dim::DimCube,
        };
        let sampled_type = self.scalar_type(scalar);
        let image = self.out.ctx.types.intern(TypeKind::Image(ImageType {
            sampled_type,
            dim,
            depth: 2,
            arrayed: shape.arrayed,
            multisampled: shape.multisampled,
            sampled: if writable { 2 } else { 1 },
            format,
        }));
        Some(if shape.combined { self.out.ctx.types.intern(TypeKind::SampledImage(image)) } else { image })
    }

    /// The `Input` variable of a system value.
    pub(super) fn input(&mut self, value: SystemValue) -> ir::Global {
        if let Some(g) = self.inputs.get(&value) {
            return *g;
        }
        let builtin = match value {
            SystemValue::DispatchThreadId => BuiltIn::GlobalInvocationId,
            SystemValue::GroupId => BuiltIn::WorkgroupId,
            SystemValue::GroupThreadId => BuiltIn::LocalInvocationId,
            SystemValue::GroupIndex => BuiltIn::LocalInvocationIndex,
        };
        let g = self.builtin(builtin, value.components());
        self.inputs.insert(value, g);
        g
    }

    /// A new `Input` variable of `uint` or a vector of them.
    pub(super) fn builtin(&mut self, builtin: BuiltIn, components: u8) -> ir::Global {
        let ty = self.vector_type(Scalar::U32, components);
        let same = self.out.globals.iter().find(|(_, g)| g.builtin() == Some(builtin)).map(|(g, _)| g);
        same.unwrap_or_else(|| self.out.globals.push(GlobalData::system_value(builtin, ty)))
    }

    /// Form of the elements of a structured buffer that a global is.
    pub(super) fn element_form(&self, order: MatrixOrder) -> Form {
        Form::Memory(order, self.hir.module.layout.storage)
    }
}

/// What HLSL says of where a resource is bound.
fn of_hlsl(b: &hir::Binding) -> Box<HlslResource> {
    Box::new(HlslResource {
        register: b.register.map(|r| (r.class, r.number, r.space)),
        space: b.space,
        part_of: b.part_of,
        heap: b.heap.map(|heap| match heap {
            hir::HeapKind::Resource => ir::Heap::Resources,
            hir::HeapKind::Sampler => ir::Heap::Samplers,
        }),
        ..HlslResource::default()
    })
}

/// A decoration as the module has it.
pub(super) fn decoration(ctx: &mut ir::Context, d: &hir::Decoration) -> ir::Decoration {
    let operands = match &d.operands {
        hir::DecorationOperands::Literals(list) => {
            list.iter().map(|n| DecorationOperand::Literal(*n)).collect()
        }
        hir::DecorationOperands::Texts(list) => {
            list.iter().map(|t| DecorationOperand::Text(t.as_str().into())).collect()
        }
        hir::DecorationOperands::Numbers(list) => {
            list.iter().map(|n| DecorationOperand::Const(ctx.u32(*n))).collect()
        }
    };
    ir::Decoration { kind: spirv_spec::Decoration(d.kind), operands }
}

/// A format by its name in GLSL, which is SPIR-V's in small letters, but for one.
fn image_format(name: &str) -> Option<ImageFormat> {
    let glsl = |f: ImageFormat| Some(f.name()?.to_ascii_lowercase().replace("r11fg11fb10f", "r11g11b10f"));
    (0..).map(ImageFormat).map_while(|f| Some((f, glsl(f)?))).find(|(_, n)| n == name).map(|(f, _)| f)
}

/// The format that an element type suggests.
fn inferred_format(s: Scalar, components: u32) -> ImageFormat {
    use spirv_spec::image_format::*;
    let row = if s.bits() == 64 {
        [if s.is_signed_int() { R64i } else { R64ui }, Unknown, Unknown, Unknown]
    } else if s.is_float() {
        [R32f, Rg32f, Unknown, Rgba32f]
    } else if s.is_signed_int() {
        [R32i, Rg32i, Unknown, Rgba32i]
    } else {
        [R32ui, Rg32ui, Unknown, Rgba32ui]
    };
    row[(components as usize).clamp(1, 4) - 1]
}
