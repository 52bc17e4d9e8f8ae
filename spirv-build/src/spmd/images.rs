//! Texels.

use crate::ir::{Dim, Global, Inst, Op, Opcode, TypeKind, Value, ValueDef};
use crate::spmd::build::{Build, Leaves, Result};
use crate::spmd::{Arg, Kind, Shape, Stmt, leaves};
use spirv::ImageOperands;

/// What a memory model asks of an access, which the CPU does anyway.
const MEMORY: ImageOperands = ImageOperands::NON_PRIVATE_TEXEL
    .union(ImageOperands::VOLATILE_TEXEL)
    .union(ImageOperands::MAKE_TEXEL_VISIBLE);

/// The same of a write.
const WRITE_MEMORY: ImageOperands = ImageOperands::NON_PRIVATE_TEXEL
    .union(ImageOperands::VOLATILE_TEXEL)
    .union(ImageOperands::MAKE_TEXEL_AVAILABLE);

/// The residency status of what was there.
pub const RESIDENT: u32 = 0;

impl Build<'_> {
    fn image(&mut self, v: Value) -> Result<u32> {
        let f = self.f();
        match *self.input.ctx.types.kind(f.values[v].ty) {
            TypeKind::Image(i) if i.dim == Dim::Dim2D && !i.arrayed && !i.multisampled => {
                if leaves::scalar(self.input.ctx, i.sampled_type).is_none_or(|s| s.kind.is_wide()) {
                    return self.unsupported("an image of 64-bit texels");
                }
            }
            _ => return self.unsupported("an image that is not two-dimensional"),
        }
        let Some(load) = f.def_inst(v) else { return self.unsupported("an image chosen at run time") };
        let global = match f.insts[load].id(0).map(|p| f.values[p].def) {
            Some(ValueDef::Global(g)) => g,
            _ => return self.unsupported("an image chosen at run time or from an array"),
        };
        self.slot(global)
    }

    fn slot(&mut self, g: Global) -> Result<u32> {
        match self.slots.get(&g) {
            Some(slot) => Ok(*slot),
            None => self.unsupported("this resource"),
        }
    }

    fn coords(&mut self, v: Value) -> Result<[Arg; 2]> {
        let leaves = self.args(v)?;
        match leaves[..] {
            [x, y, ..] => Ok([x, y]),
            _ => self.unsupported("coordinates of one component for a two-dimensional image"),
        }
    }

    pub fn image_read(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(image), Some(coord), Some(result)) = (data.id(0), data.id(1), data.result()) else {
            return Ok(());
        };
        let segment = self.open();
        let slot = self.image(image)?;
        let mut coords = self.coords(coord)?;
        let mut kinds = self.kinds_of(result)?;
        // All memory of the CPU is there.
        let mut leaves = Leaves::new();
        if matches!(data.op, Opcode::Op(Op::ImageSparseFetch | Op::ImageSparseRead)) {
            kinds.remove(0);
            leaves.push(Arg::Const(Kind::Int, RESIDENT));
        }
        let mut mask = self.mask;
        let given = ImageOperands::from_bits_retain(data.literal(2).unwrap_or(0));
        let mut more = data.ids().skip(2);
        if given.contains(ImageOperands::LOD) {
            // There is one level: any other reads as zero.
            let Some(lod) = more.next() else { return Ok(()) };
            let lod = self.arg(lod)?;
            if lod != Arg::Const(Kind::Int, 0) {
                let zero = self.op("ieq", &[lod, Arg::Const(Kind::Int, 0)]);
                let dst = self.leaf(Kind::Bool, Shape::Varying, Some(segment));
                self.push(Stmt::MaskAnd { dst, a: mask, b: zero, not: false });
                mask = Arg::Leaf(dst);
            }
        }
        let offset = ImageOperands::CONST_OFFSET | ImageOperands::OFFSET;
        if given.intersects(offset) {
            let Some(by) = more.next() else { return Ok(()) };
            let by = self.coords(by)?;
            for (at, by) in coords.iter_mut().zip(by) {
                *at = self.op("iadd", &[*at, by]);
            }
        }
        if !(given - offset - ImageOperands::LOD - MEMORY).is_empty() {
            return self.unsupported("an image read with sample or bias");
        }
        let kind = kinds.first().copied().unwrap_or(Kind::Float);
        let dst = [(); 4].map(|()| self.leaf(kind, Shape::Varying, Some(segment)));
        self.push(Stmt::ImageLoad { dst, slot, coords, mask });
        leaves.extend(dst.iter().take(kinds.len()).map(|l| Arg::Leaf(*l)));
        self.values.insert(result, leaves);
        Ok(())
    }

    pub fn image_write(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(image), Some(coord), Some(texel)) = (data.id(0), data.id(1), data.id(2)) else {
            return Ok(());
        };
        let given = ImageOperands::from_bits_retain(data.literal(3).unwrap_or(0));
        if !(given - WRITE_MEMORY).is_empty() {
            return self.unsupported("an image write with a level or sample");
        }
        self.open();
        let slot = self.image(image)?;
        let coords = self.coords(coord)?;
        let texel = self.args(texel)?;
        let Some(&first) = texel.first() else { return Ok(()) };
        let kind = self.kind(first);
        let zero = Arg::Const(kind, 0);
        let src = [0, 1, 2, 3].map(|i| texel.get(i).copied().unwrap_or(zero));
        let mask = self.mask;
        self.push(Stmt::ImageStore { slot, coords, src, kind, mask });
        Ok(())
    }

    pub fn image_size(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(image), Some(result)) = (data.id(0), data.result()) else { return Ok(()) };
        let slot = self.image(image)?;
        let n = self.kinds_of(result)?.len() as u32;
        let mut leaves: Leaves = (0..n).map(|what| self.size(slot, what)).collect();
        // There is one level: any other has no size.
        if let Some(lod) = data.id(1) {
            let lod = self.arg(lod)?;
            if lod != Arg::Const(Kind::Int, 0) {
                let none = Arg::Const(Kind::Int, 0);
                let first = self.op("ieq", &[lod, none]);
                leaves = leaves.into_iter().map(|size| self.op("isel", &[first, size, none])).collect();
            }
        }
        self.values.insert(result, leaves);
        Ok(())
    }
}
