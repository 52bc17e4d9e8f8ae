//! Texels: of images, and of typed buffers, which are rows of them.

use crate::analysis::leaves;
use crate::ir::{Dim, Global, ImageFormat, ImageType, Inst, Op, Opcode, TypeKind, Value, ValueDef};
use crate::spmd::build::{Build, Leaves, Result};
use crate::spmd::{Address, Arg, ImageRef, Kind, Memory, Shape, Size, Stmt, Texel};
use smallvec::smallvec;
use spirv_spec::ImageOperands;

/// What a memory model asks of an access, which the CPU does anyway.
pub(super) const MEMORY: ImageOperands = ImageOperands::NON_PRIVATE_TEXEL
    .union(ImageOperands::VOLATILE_TEXEL)
    .union(ImageOperands::MAKE_TEXEL_VISIBLE);

/// The same of a write.
const WRITE_MEMORY: ImageOperands = ImageOperands::NON_PRIVATE_TEXEL
    .union(ImageOperands::VOLATILE_TEXEL)
    .union(ImageOperands::MAKE_TEXEL_AVAILABLE);

/// The residency status of what was there.
pub const RESIDENT: u32 = 0;

pub(super) const ZERO: Arg = Arg::Const(Kind::Int, 0);

/// Typed buffers whose components are words: the format that is declared, and how many.
const WORD_FORMATS: &[(ImageFormat, u32)] = &[
    (ImageFormat::R32f, 1),
    (ImageFormat::Rg32f, 2),
    (ImageFormat::Rgba32f, 4),
    (ImageFormat::R32i, 1),
    (ImageFormat::Rg32i, 2),
    (ImageFormat::Rgba32i, 4),
    (ImageFormat::R32ui, 1),
    (ImageFormat::Rg32ui, 2),
    (ImageFormat::Rgba32ui, 4),
];

/// An image that an instruction uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Image<'a> {
    pub at: ImageRef,
    pub ty: &'a ImageType,
}

impl Image<'_> {
    /// Coordinates that lead to a texel, the layer aside.
    pub fn dims(self) -> usize {
        match self.ty.dim {
            Dim::Dim1D | Dim::DimBuffer => 1,
            Dim::Dim2D => 2,
            _ => 3,
        }
    }
}

impl<'a> Build<'a> {
    /// The image that a value is, as it is read from its variable.
    pub(super) fn image(&mut self, v: Value) -> Result<Image<'a>> {
        let f = self.f();
        let TypeKind::Image(ty) = self.input.ctx.types.kind(f.values[v].ty) else {
            return self.unsupported("an image of this kind");
        };
        let known = matches!(ty.dim, Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::DimCube | Dim::DimBuffer);
        if !known {
            return self.unsupported("an image of this dimension");
        }
        if ty.multisampled {
            return self.unsupported("a multisampled image");
        }
        if leaves::scalar(self.input.ctx, ty.sampled_type).is_none_or(|s| s.kind.is_wide()) {
            return self.unsupported("an image of 64-bit texels");
        }
        Ok(Image { at: self.image_ref(v)?, ty })
    }

    /// The variable that an image was loaded from, or which one of an array.
    fn image_ref(&mut self, v: Value) -> Result<ImageRef> {
        let f = self.f();
        let chosen = "an image chosen at run time";
        let chain = f.def_inst(v).and_then(|load| f.insts[load].id(0)).and_then(|p| f.def_inst(p));
        let Some(chain) = chain else {
            return Ok(ImageRef { slot: self.loaded_slot(v, chosen)?, element: None });
        };
        let data = &f.insts[chain];
        let ids: smallvec::SmallVec<[Value; 3]> = data.ids().collect();
        let indexes = matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain));
        match ids[..] {
            [from, index] if indexes => match f.values[from].def {
                ValueDef::Global(g) => Ok(ImageRef { slot: self.slot(g)?, element: Some(self.arg(index)?) }),
                _ => self.unsupported(chosen),
            },
            _ => self.unsupported(chosen),
        }
    }

    /// The slot of the resource that a value was loaded from.
    pub(super) fn loaded_slot(&mut self, v: Value, otherwise: &str) -> Result<u32> {
        let f = self.f();
        let from = f.def_inst(v).and_then(|load| f.insts[load].id(0));
        match from.map(|p| f.values[p].def) {
            Some(ValueDef::Global(g)) => self.slot(g),
            _ => self.unsupported(otherwise),
        }
    }

    fn slot(&mut self, g: Global) -> Result<u32> {
        match self.slots.get(&g) {
            Some(slot) => Ok(*slot),
            None => self.unsupported("this resource"),
        }
    }

    /// Where integer coordinates lead.
    fn texel(&mut self, image: Image<'_>, v: Value) -> Result<Texel> {
        let given = self.args(v)?;
        let (dims, arrayed) = (image.dims(), image.ty.arrayed);
        if given.len() < dims + usize::from(arrayed) {
            return self.unsupported("fewer coordinates than the image has");
        }
        let mut coords = [ZERO; 3];
        coords[..dims].copy_from_slice(&given[..dims]);
        if arrayed {
            // A cube has its three coordinates in samples only.
            let Some(layer) = coords.get_mut(2).filter(|_| dims < 3) else {
                return self.unsupported("texels of a cube by their number");
            };
            *layer = given[dims];
        }
        Ok(Texel { coords, deep: dims == 3 || arrayed })
    }

    pub fn image_read(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(image), Some(coord), Some(result)) = (data.id(0), data.id(1), data.result()) else {
            return Ok(());
        };
        let segment = self.open();
        let image = self.image(image)?;
        let mut at = self.texel(image, coord)?;
        let mut kinds = self.kinds_of(result)?;
        // All memory of the CPU is there.
        let mut leaves = Leaves::new();
        if matches!(data.op, Opcode::Op(Op::ImageSparseFetch | Op::ImageSparseRead)) {
            kinds.remove(0);
            leaves.push(Arg::Const(Kind::Int, RESIDENT));
        }
        let given = ImageOperands(data.literal(2).unwrap_or(0));
        let mut more = data.ids().skip(2);
        let mut level = None;
        if given.contains(ImageOperands::LOD) {
            let Some(lod) = more.next() else { return Ok(()) };
            level = Some(self.arg(lod)?).filter(|l| *l != ZERO);
        }
        let offset = ImageOperands::CONST_OFFSET | ImageOperands::OFFSET;
        if given.intersects(offset) {
            let Some(by) = more.next() else { return Ok(()) };
            let by = self.args(by)?;
            for (c, by) in at.coords.iter_mut().zip(by).take(image.dims()) {
                *c = self.op("iadd", &[*c, by]);
            }
        }
        if !(given - offset - ImageOperands::LOD - MEMORY).is_empty() {
            return self.unsupported("an image read with sample or bias");
        }
        if image.ty.dim == Dim::DimBuffer
            && image.at.element.is_none()
            && let Some(words) = self.buffer_words(image)
        {
            let texel = self.buffer_read(image.at.slot, words, at.coords[0], &kinds);
            leaves.extend(texel);
            self.values.insert(result, leaves);
            return Ok(());
        }
        let kind = kinds.first().copied().unwrap_or(Kind::Float);
        let dst = [(); 4].map(|()| self.leaf(kind, Shape::Varying, Some(segment)));
        let mask = self.mask;
        self.push(Stmt::ImageLoad { dst, image: image.at, at, level, mask });
        leaves.extend(dst.iter().take(kinds.len()).map(|l| Arg::Leaf(*l)));
        self.values.insert(result, leaves);
        Ok(())
    }

    /// The words of a typed buffer's element, where its format is known here and is made of whole ones. Else the slot has
    /// the format, and the buffer is an image of one row.
    fn buffer_words(&self, image: Image<'_>) -> Option<u32> {
        WORD_FORMATS.iter().find(|w| w.0 == image.ty.format).map(|w| w.1)
    }

    /// Reads an element of words like that of any buffer. Components that are not there are 0, 0 and 1.
    fn buffer_read(&mut self, slot: u32, words: u32, index: Arg, kinds: &[Kind]) -> Leaves {
        let home = self.open();
        let mask = self.mask;
        let mut out = Leaves::new();
        for (c, kind) in (0..).zip(kinds) {
            if c >= words {
                let one = if *kind == Kind::Float { 1f32.to_bits() } else { 1 };
                out.push(Arg::Const(*kind, if c == 3 { one } else { 0 }));
                continue;
            }
            let dst = self.leaf(*kind, Shape::Varying, Some(home));
            let address = word_of(slot, words, c, index);
            self.push(Stmt::Load { dst, address, bytes: 4, mask });
            out.push(Arg::Leaf(dst));
        }
        out
    }

    pub fn image_write(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(image), Some(coord), Some(texel)) = (data.id(0), data.id(1), data.id(2)) else {
            return Ok(());
        };
        let given = ImageOperands(data.literal(3).unwrap_or(0));
        if !(given - WRITE_MEMORY).is_empty() {
            return self.unsupported("an image write with a level or sample");
        }
        self.open();
        let image = self.image(image)?;
        let at = self.texel(image, coord)?;
        let texel = self.args(texel)?;
        let Some(&first) = texel.first() else { return Ok(()) };
        let kind = self.kind(first);
        let mask = self.mask;
        if image.ty.dim == Dim::DimBuffer
            && image.at.element.is_none()
            && let Some(words) = self.buffer_words(image)
        {
            for (c, src) in (0..words).zip(texel) {
                let address = word_of(image.at.slot, words, c, at.coords[0]);
                self.push(Stmt::Store { address, bytes: 4, src, kind, mask });
            }
            return Ok(());
        }
        let zero = Arg::Const(kind, 0);
        let src = [0, 1, 2, 3].map(|i| texel.get(i).copied().unwrap_or(zero));
        self.push(Stmt::ImageStore { image: image.at, at, src, kind, mask });
        Ok(())
    }

    pub fn image_size(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(image), Some(result)) = (data.id(0), data.result()) else { return Ok(()) };
        let image = self.image(image)?;
        let mut sizes = match image.ty.dim {
            Dim::Dim1D | Dim::DimBuffer => vec![Size::Width],
            Dim::Dim3D => vec![Size::Width, Size::Height, Size::Depth],
            _ => vec![Size::Width, Size::Height],
        };
        if image.ty.arrayed {
            sizes.push(if image.ty.dim == Dim::DimCube { Size::Cubes } else { Size::Depth });
        }
        let level = match data.id(1) {
            Some(lod) => Some(self.arg(lod)?).filter(|l| *l != ZERO),
            None => None,
        };
        let level = level.or(image.at.element.map(|_| ZERO));
        let leaves = match level {
            None => sizes.into_iter().map(|what| self.size(image.at.slot, what)).collect(),
            Some(level) => {
                let home = Some(self.open());
                let mask = self.mask;
                let mut of = |what| {
                    let dst = self.leaf(Kind::Int, Shape::Varying, home);
                    self.push(Stmt::LevelSize { dst, image: image.at, what, level, mask });
                    Arg::Leaf(dst)
                };
                sizes.into_iter().map(&mut of).collect::<Leaves>()
            }
        };
        self.values.insert(result, leaves);
        Ok(())
    }

    pub fn image_levels(&mut self, inst: Inst) -> Result<()> {
        let data = &self.f().insts[inst];
        let (Some(image), Some(result)) = (data.id(0), data.result()) else { return Ok(()) };
        let image = self.image(image)?;
        if image.at.element.is_some() {
            return self.unsupported("the number of levels of an image from an array");
        }
        let levels = self.size(image.at.slot, Size::Levels);
        self.values.insert(result, smallvec![levels]);
        Ok(())
    }

    /// Where the texel is that a pointer leads to, and the lanes for which it is there. None for other pointers.
    pub(super) fn texel_address(&mut self, pointer: Value) -> Result<Option<(Address, Arg)>> {
        let f = self.f();
        let Some(inst) = f.def_inst(pointer).filter(|i| f.insts[*i].op == Opcode::Op(Op::ImageTexelPointer))
        else {
            return Ok(None);
        };
        let data = &f.insts[inst];
        let (Some(from), Some(coord)) = (data.id(0), data.id(1)) else {
            return self.unsupported("this pointer to a texel");
        };
        let ValueDef::Global(g) = f.values[from].def else {
            return self.unsupported("atomic operations on an image chosen at run time or from an array");
        };
        let TypeKind::Image(ty) = self.input.ctx.types.kind(self.input.globals[g].ty) else {
            return self.unsupported("this pointer to a texel");
        };
        if self.input.ctx.types.width_of(ty.sampled_type) != Some(32)
            || !matches!(ty.format, ImageFormat::R32i | ImageFormat::R32ui | ImageFormat::R32f)
        {
            return self.unsupported("atomic operations on texels that are not declared to be words (`[[vk::image_format(\"r32ui\")]]`)");
        }
        let slot = self.slot(g)?;
        let image = Image { at: ImageRef { slot, element: None }, ty };
        let at = self.texel(image, coord)?;
        if ty.dim == Dim::DimBuffer {
            return Ok(Some((word_of(slot, 1, 0, at.coords[0]), self.mask)));
        }
        // Rows have gaps at their ends: the coordinates are checked, not the address.
        let segment = self.open();
        let mut mask = self.mask;
        let bounds = [Size::Width, Size::Height, Size::Depth];
        let mut index = at.coords[0];
        for (i, (c, bound)) in at.coords.into_iter().zip(bounds).enumerate() {
            if i == 2 && !at.deep || i == 1 && image.dims() == 1 {
                continue;
            }
            let bound = self.size(slot, bound);
            let inside = self.op("ult", &[c, bound]);
            let dst = self.leaf(Kind::Bool, Shape::Varying, Some(segment));
            self.push(Stmt::MaskAnd { dst, a: mask, b: inside, not: false });
            mask = Arg::Leaf(dst);
            let pitch = match i {
                1 => self.size(slot, Size::RowWords),
                2 => self.size(slot, Size::SliceWords),
                _ => continue,
            };
            let before = self.op("imul", &[c, pitch]);
            index = self.op("iadd", &[index, before]);
        }
        Ok(Some((word_of(slot, 1, 0, index), mask)))
    }
}

/// A word of an element of a typed buffer.
fn word_of(slot: u32, words: u32, component: u32, index: Arg) -> Address {
    Address { memory: Memory::Resource(slot), konst: component * 4, index: Some((index, words * 4)) }
}
