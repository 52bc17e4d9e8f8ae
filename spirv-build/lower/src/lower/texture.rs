//! Textures and typed buffers: loads, stores, queries.

use super::function::Body;
use crate::hlsl::hir::{self, ExprId, PlaceId, Query, Resource, Scalar, TypeId};
use crate::ir::{Op, Operand, Type, TypeKind, Value};
use spirv_spec::ImageOperands;

/// The scalar that images have for elements of this one: Vulkan has none of 16 bits, and no `bool`.
pub(super) fn texel_scalar(s: Scalar) -> Scalar {
    match s {
        Scalar::F16 => Scalar::F32,
        Scalar::I16 => Scalar::I32,
        Scalar::U16 => Scalar::U32,
        Scalar::Bool => Scalar::U32,
        s => s,
    }
}

/// Image operands that say which sample is meant.
fn sample_operands(sample: Option<Value>) -> Vec<Operand> {
    let mask = Operand::Literal(ImageOperands::SAMPLE.bits());
    sample.map_or(Vec::new(), |s| vec![mask, Operand::Id(s)])
}

impl Body<'_, '_> {
    /// The vector of four components that an image instruction moves.
    fn texel_type(&mut self, elem: TypeId) -> Type {
        let s = self.l.component(elem).unwrap_or(Scalar::F32);
        self.l.vector_type(texel_scalar(s), 4)
    }

    /// The components of a texel that an element has, in its type.
    pub(super) fn of_texel(&mut self, all: Value, elem: TypeId) -> Value {
        let n = self.l.types().component_count(elem).unwrap_or(4);
        let s = self.l.component(elem).unwrap_or(Scalar::F32);
        let part = self.first_components(all, n as u8);
        self.cast(part, texel_scalar(s), s)
    }

    pub(super) fn read_texel(
        &mut self,
        image: Value,
        coord: Value,
        sample: Option<Value>,
        status: Option<PlaceId>,
        ty: TypeId,
    ) -> Value {
        let texel = self.texel_type(ty);
        let image = self.b().load(image);
        let mut operands = vec![Operand::Id(image), Operand::Id(coord)];
        operands.extend(sample_operands(sample));
        let all = self.read_image(Op::ImageRead, texel, &operands, status);
        self.of_texel(all, ty)
    }

    /// The image at a pointer, without the sampler that may come with it.
    fn load_image(&mut self, ptr: Value) -> Value {
        let object = self.b().load(ptr);
        match *self.l.out.ctx.types.kind(self.ty(object)) {
            TypeKind::SampledImage(image) => self.op(Op::Image, image, &[object]),
            _ => object,
        }
    }

    pub(super) fn write_texel(
        &mut self,
        image: Value,
        (coord, sample): (Value, Option<Value>),
        value: Value,
        ty: TypeId,
    ) {
        let texel = self.texel_type(ty);
        let image = self.b().load(image);
        let s = self.l.component(ty).unwrap_or(Scalar::F32);
        let value = self.cast(value, s, texel_scalar(s));
        let n = self.l.out.ctx.types.len_of(self.ty(value));
        // The texel needs at least as many components as the format has, which need not be known.
        let all = if n == 4 {
            value
        } else {
            let scalar = self.l.out.ctx.types.scalar_of(texel);
            let mut parts: Vec<Value> = (0..n).map(|i| self.shuffle(value, &[i])).collect();
            let fill = self.bits(scalar, 0);
            parts.resize(4, fill);
            self.op(Op::CompositeConstruct, texel, &parts)
        };
        let mut operands = vec![Operand::Id(image), Operand::Id(coord), Operand::Id(all)];
        operands.extend(sample_operands(sample));
        self.b().push(Op::ImageWrite, &operands);
    }

    #[inline(never)]
    pub(super) fn texture_load(
        &mut self,
        resource: PlaceId,
        coord: ExprId,
        [lod, sample, offset]: [Option<ExprId>; 3],
        status: Option<PlaceId>,
        ty: TypeId,
    ) -> Value {
        let span = self.span;
        let Some((image, resource_type)) = self.resource(resource) else { return self.undef(ty) };
        let Some(Resource::Texture { writable, .. }) = self.l.types().resource(resource_type) else {
            self.l.internal(span, "a texel of what is no texture");
            return self.undef(ty);
        };
        let mut coord = self.expr(coord);
        let lod = lod.map(|e| self.expr(e));
        let sample = sample.map(|e| self.expr(e));
        let offset = offset.map(|e| self.expr(e));
        self.span = span;
        if writable {
            return self.read_texel(image, coord, sample, status, ty);
        }
        let (mut mask, mut extra) = (ImageOperands::NONE, Vec::new());
        if let Some(lod) = lod {
            mask |= ImageOperands::LOD;
            extra.push(Operand::Id(lod));
        }
        match offset {
            Some(o) if self.func.as_const(o).is_some() => {
                mask |= ImageOperands::CONST_OFFSET;
                extra.push(Operand::Id(o));
            }
            // An offset that is not constant is allowed in gathers only: it is added instead.
            Some(o) => coord = self.add_offset(coord, o),
            None => {}
        }
        if let Some(s) = sample {
            mask |= ImageOperands::SAMPLE;
            extra.push(Operand::Id(s));
        }
        let texel = self.texel_type(ty);
        let image = self.load_image(image);
        let mut operands = vec![Operand::Id(image), Operand::Id(coord)];
        if mask != ImageOperands::NONE {
            operands.push(Operand::Literal(mask.bits()));
            operands.extend(extra);
        }
        let all = self.read_image(Op::ImageFetch, texel, &operands, status);
        self.of_texel(all, ty)
    }

    /// Adds an offset to the coordinates, the layer excepted.
    fn add_offset(&mut self, coord: Value, offset: Value) -> Value {
        let (ty, offset_type) = (self.ty(coord), self.ty(offset));
        let types = &mut self.l.out.ctx.types;
        let (n, m, scalar) = (types.len_of(ty), types.len_of(offset_type), types.scalar_of(ty));
        let same = types.vector(scalar, m);
        let offset = if offset_type == same { offset } else { self.op(Op::Bitcast, same, &[offset]) };
        let mut parts: Vec<Value> = (0..m).map(|i| self.shuffle(offset, &[i])).collect();
        let zero = self.bits(scalar, 0);
        parts.resize(usize::from(n), zero);
        let offset = if n == 1 { parts[0] } else { self.op(Op::CompositeConstruct, ty, &parts) };
        self.op(Op::IAdd, ty, &[coord, offset])
    }

    #[inline(never)]
    pub(super) fn query(&mut self, resource: PlaceId, query: Query, lod: Option<ExprId>) -> Value {
        let span = self.span;
        let uint = self.l.scalar_type(Scalar::U32);
        let Some((ptr, ty)) = self.resource(resource) else { return self.b().u32(0) };
        let lod = lod.map(|e| self.expr(e));
        self.span = span;
        match self.l.types().resource(ty) {
            Some(Resource::Structured { .. } | Resource::Queue { .. } | Resource::ByteAddress { .. }) => {
                if query == Query::Stride {
                    return self.stride(ptr);
                }
                let operands = [Operand::Id(ptr), Operand::Literal(0)];
                let n = self.value(Op::ArrayLength, uint, &operands);
                if query != Query::Bytes {
                    return n;
                }
                self.word_op(Op::IMul, n, 4)
            }
            Some(Resource::Texture { shape, writable, .. }) => {
                let image = self.load_image(ptr);
                self.image_query(image, shape, writable, query, lod)
            }
            _ => {
                self.l.internal(span, "a query of what has no size");
                self.b().u32(0)
            }
        }
    }

    /// Bytes from one element of a structured buffer to the next.
    fn stride(&mut self, ptr: Value) -> Value {
        let block = self.l.pointee(self.ty(ptr));
        let types = &self.l.out.ctx.types;
        let stride = match types.element(block, 0).map(|t| types.kind(t)) {
            Some(TypeKind::RuntimeArray { stride, .. }) => stride.unwrap_or(0),
            _ => 0,
        };
        self.b().u32(stride)
    }

    fn image_query(
        &mut self,
        image: Value,
        shape: hir::TextureShape,
        writable: bool,
        query: Query,
        lod: Option<Value>,
    ) -> Value {
        let uint = self.l.scalar_type(Scalar::U32);
        match query {
            Query::Levels => return self.op(Op::ImageQueryLevels, uint, &[image]),
            Query::Samples => return self.op(Op::ImageQuerySamples, uint, &[image]),
            _ => {}
        }
        let dims = match shape.dim {
            hir::Dim::Buffer | hir::Dim::D1 => 1,
            hir::Dim::D2 | hir::Dim::Cube => 2,
            hir::Dim::D3 => 3,
        };
        let size = self.l.vector_type(Scalar::U32, dims + u8::from(shape.arrayed));
        let all = if shape.has_mips() && !writable {
            let lod = match lod {
                Some(lod) => lod,
                None => self.b().u32(0),
            };
            self.op(Op::ImageQuerySizeLod, size, &[image, lod])
        } else {
            self.op(Op::ImageQuerySize, size, &[image])
        };
        let at = match query {
            Query::Height => 1,
            Query::Depth => 2,
            Query::Layers => dims,
            _ => 0,
        };
        self.shuffle(all, &[at])
    }
}
