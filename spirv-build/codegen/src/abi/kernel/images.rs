//! Images: parameters with an access qualifier, which are read and written by whole coordinates. Where images are memory,
//! [`texels`](super::texels) has the accesses.
//!
//! An image has one level, as the runtime makes them. What lies outside reads as zeros, and writes there are dropped:
//! OpenCL leaves both open where no sampler is used, so each access is checked against the image's size. The device
//! converts between the format in memory and the texels of the kernel.

use super::Lower;
use super::body::{Body, Mapped};
use super::texels::Texels;
use crate::ir::walk;
use crate::ir::{
    Function, Global, ImageFormat, ImageType, InstData, Op, Opcode, Operand, Type, TypeKind, Value, ValueDef,
    types::OpaqueType,
};
use rustc_hash::FxHashMap;
use spirv_spec::{AccessQualifier, Dim, ImageOperands, MemorySemantics, Scope};

/// Formats whose texels are from -1 to 1.
const SNORM: [ImageFormat; 6] = {
    use spirv_spec::image_format::*;
    [Rgba8Snorm, Rg8Snorm, R8Snorm, Rgba16Snorm, Rg16Snorm, R16Snorm]
};

impl Lower<'_> {
    /// The type of an image that kernels can have. An error says why they cannot.
    pub(super) fn plain_image(&self, g: Global) -> Result<&ImageType, &'static str> {
        let types = &self.old.ctx.types;
        let TypeKind::Image(image) = types.kind(self.old.globals[g].ty) else {
            return Err("arrays of images");
        };
        if image.dim != Dim::Dim2D || image.arrayed {
            return Err("images that are not of two dimensions");
        }
        if image.multisampled {
            return Err("multisampled images");
        }
        if types.width_of(image.sampled_type) != Some(32) {
            return Err("images whose texels have no 32 bits a component");
        }
        Ok(image)
    }

    /// The type of the parameter that is an image, by what the function does with images. An error says why there is none.
    pub(super) fn image_type(&mut self, used: &Used, g: Global) -> Result<Type, &'static str> {
        self.plain_image(g)?;
        let access = match used.get(&g).copied().unwrap_or_default() {
            (true, true) => AccessQualifier::ReadWrite,
            (false, true) => AccessQualifier::WriteOnly,
            _ => AccessQualifier::ReadOnly,
        };
        let void = self.new.ctx.types.void();
        let words = vec![Dim::Dim2D.0, 0, 0, 0, 0, 0, access.0];
        Ok(self.new.ctx.types.intern(TypeKind::Opaque(OpaqueType {
            op: Op::TypeImage,
            types: vec![void],
            words,
        })))
    }
}

/// By image: whether a function reads it, and whether it writes it.
pub(super) type Used = FxHashMap<Global, (bool, bool)>;

/// What a function does with its images.
pub(super) fn used(f: &Function) -> Used {
    let (mut images, mut out) = (FxHashMap::default(), Used::default());
    for inst in walk::insts(f) {
        let data = &f.insts[inst];
        let Some(of) = data.id(0) else { continue };
        let known = match f.values[of].def {
            ValueDef::Global(g) => Some(g),
            _ => images.get(&of).copied(),
        };
        let Some(image) = known else { continue };
        match data.op {
            Opcode::Op(Op::Load | Op::CopyObject) => images.extend(data.result().map(|v| (v, image))),
            Opcode::Op(Op::ImageRead | Op::ImageFetch) => out.entry(image).or_default().0 = true,
            Opcode::Op(Op::ImageWrite) => out.entry(image).or_default().1 = true,
            _ => {}
        }
    }
    out
}

/// The operands of an image instruction that come after a mask.
#[derive(Default)]
struct Extra {
    lod: Option<Value>,
    offset: Option<Value>,
}

/// What an image has become.
#[derive(Clone, Copy)]
enum Image {
    Object(Value),
    Memory(Texels),
}

impl Body<'_, '_> {
    /// Lowers an instruction on an image.
    pub fn image(&mut self, op: Op, data: &InstData) {
        let Some(old) = data.id(0) else { return };
        let image = match self.mapped(old) {
            Mapped::Texels(texels) => Image::Memory(texels),
            _ => Image::Object(self.value(old)),
        };
        let result = data.result().map(|v| self.old_ty(v)).map(|t| self.ty(t));
        let new = match (op, result) {
            (Op::ImageRead | Op::ImageFetch, Some(ty)) => self.read_image(image, data, ty),
            (Op::ImageWrite, _) => return self.write_image(image, data),
            (Op::ImageQuerySize, Some(_)) => Some(self.image_size(image)),
            (Op::ImageQuerySizeLod, Some(ty)) => {
                let size = self.image_size(image);
                match data.id(1).filter(|lod| !self.is_zero(*lod)) {
                    None => Some(size),
                    Some(lod) => {
                        let lod = self.value(lod);
                        self.at_level_0(lod, Some(ty), |_| Some(size))
                    }
                }
            }
            (Op::ImageQueryLevels, Some(_)) => Some(self.b().u32(1)),
            (Op::ImageTexelPointer, _) => {
                self.refuse("atomic operations on images");
                None
            }
            _ => {
                self.refuse(format!("images ({})", super::op_name(op)));
                None
            }
        };
        if let (Some(old), Some(new)) = (data.result(), new) {
            self.values.insert(old, Mapped::Value(new));
        }
    }

    fn is_zero(&self, old: Value) -> bool {
        self.old.as_const(old).and_then(|c| self.l.old.ctx.consts.bits(c)) == Some(0)
    }

    /// Width and height.
    fn image_size(&mut self, image: Image) -> Value {
        let image = match image {
            Image::Object(image) => image,
            Image::Memory(texels) => return self.texel_extent(texels),
        };
        let uint = self.l.new.ctx.types.u32();
        let size = self.l.new.ctx.types.vector(uint, 2);
        let level = self.b().u32(0);
        self.b().op(Op::ImageQuerySizeLod, size, &[image, level])
    }

    /// Runs `access` where the level is the one that there is.
    fn at_level_0(
        &mut self,
        lod: Value,
        result: Option<Type>,
        access: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Option<Value> {
        let truth = self.l.new.ctx.types.bool();
        let ty = self.f.values[lod].ty;
        let zero = self.b().null(ty);
        let first = self.b().op(Op::IEqual, truth, &[lod, zero]);
        self.only_if(first, result, access)
    }

    /// Runs `access` where the coordinates are inside the image.
    fn inside_image(
        &mut self,
        image: Image,
        coord: Value,
        result: Option<Type>,
        access: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Option<Value> {
        let size = self.image_size(image);
        self.inside(size, coord, result, access)
    }

    /// Runs `access` where the coordinates are less than the size.
    pub fn inside(
        &mut self,
        size: Value,
        coord: Value,
        result: Option<Type>,
        access: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Option<Value> {
        let truth = self.l.new.ctx.types.bool();
        let truths = self.l.new.ctx.types.vector(truth, 2);
        // A negative coordinate is a large one without signs.
        let less = self.b().op(Op::ULessThan, truths, &[coord, size]);
        let inside = self.b().op(Op::All, truth, &[less]);
        self.only_if(inside, result, access)
    }

    fn extra(&mut self, data: &InstData, at: usize) -> Option<Extra> {
        let mut extra = Extra::default();
        let Some(mask) = data.literal(at) else { return Some(extra) };
        let mut ids = data.operands[at + 1..].iter().filter_map(|o| match o {
            Operand::Id(v) => Some(*v),
            _ => None,
        });
        let known = ImageOperands::LOD | ImageOperands::CONST_OFFSET | ImageOperands::OFFSET;
        if mask & !known.bits() != 0 {
            self.refuse("samples of images");
            return None;
        }
        if mask & ImageOperands::LOD.bits() != 0 {
            extra.lod = ids.next().filter(|lod| !self.is_zero(*lod)).map(|v| self.value(v));
        }
        extra.offset = ids.next().map(|v| self.value(v));
        Some(extra)
    }

    fn read_image(&mut self, image: Image, data: &InstData, ty: Type) -> Option<Value> {
        let mut coord = self.value(data.id(1)?);
        let extra = self.extra(data, 2)?;
        if let Some(offset) = extra.offset {
            let ty = self.f.values[coord].ty;
            coord = self.b().op(Op::IAdd, ty, &[coord, offset]);
        }
        let read = move |s: &mut Self| match image {
            Image::Object(object) => s.inside_image(image, coord, Some(ty), |s| {
                Some(s.b().op(Op::ImageRead, ty, &[object, coord]))
            }),
            Image::Memory(texels) => Some(s.load_texel(texels, coord)),
        };
        match extra.lod {
            Some(lod) => self.at_level_0(lod, Some(ty), read),
            None => read(self),
        }
    }

    /// Of two bit patterns that mean -1 OpenCL takes the lower one for what is less, Vulkan always the other.
    fn at_least_minus_one(&mut self, texel: Value) -> Value {
        let ty = self.f.values[texel].ty;
        let truth = self.l.new.ctx.types.bool();
        let truths = self.l.new.ctx.types.vector(truth, self.l.new.ctx.types.len_of(ty));
        let minus_one = self.splat(ty, u64::from((-1f32).to_bits()));
        let less = self.b().op(Op::FOrdLessThan, truths, &[texel, minus_one]);
        self.b().op(Op::Select, ty, &[less, minus_one, texel])
    }

    fn write_image(&mut self, image: Image, data: &InstData) {
        let (Some(coord), Some(texel)) = (data.id(1), data.id(2)) else { return };
        let is_snorm = data.id(0).is_some_and(|v| match self.old_kind(v) {
            TypeKind::Image(image) => SNORM.contains(&image.format),
            _ => false,
        });
        let (coord, mut texel) = (self.value(coord), self.value(texel));
        let object = match image {
            Image::Object(object) => object,
            Image::Memory(texels) => return self.store_texel(texels, coord, texel),
        };
        if is_snorm {
            texel = self.at_least_minus_one(texel);
        }
        self.inside_image(image, coord, None, |s| {
            s.b().push(Op::ImageWrite, &[object, coord, texel].map(Operand::Id));
            None
        });
        let ty = self.f.values[object].ty;
        let read_write = AccessQualifier::ReadWrite.0;
        if matches!(self.l.new.ctx.types.kind(ty), TypeKind::Opaque(o) if o.words.last() == Some(&read_write))
        {
            // Without it the item itself need not read what it wrote.
            let semantics = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::IMAGE_MEMORY;
            let scope = self.b().u32(Scope::Invocation.0);
            let semantics = self.b().u32(semantics.bits());
            self.b().push(Op::MemoryBarrier, &[scope, semantics].map(Operand::Id));
        }
    }
}
