//! Texels.

use crate::ir::{Dim, Global, Inst, Op, Opcode, TypeKind, Value, ValueDef};
use crate::spmd::build::{Build, Leaves, Result};
use crate::spmd::{Arg, Kind, Shape, Stmt};

/// The residency status of what was there.
pub const RESIDENT: u32 = 0;

impl Build<'_> {
    fn image(&mut self, v: Value) -> Result<u32> {
        let f = self.f();
        match *self.input.ctx.types.kind(f.values[v].ty) {
            TypeKind::Image(i) if i.dim == Dim::Dim2D && !i.arrayed && !i.multisampled => {}
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
        let coords = self.coords(coord)?;
        let mut kinds = self.kinds_of(result)?;
        // All memory of the CPU is there.
        let mut leaves = Leaves::new();
        if matches!(data.op, Opcode::Op(Op::ImageSparseFetch | Op::ImageSparseRead)) {
            kinds.remove(0);
            leaves.push(Arg::Const(Kind::Int, RESIDENT));
        }
        let mut mask = self.mask;
        match data.literal(2) {
            None | Some(0) => {}
            Some(mask_bits) if mask_bits == spirv::ImageOperands::LOD.bits() => {
                // There is one level: any other reads as zero.
                let Some(lod) = data.id(3) else { return Ok(()) };
                let lod = self.arg(lod)?;
                if lod != Arg::Const(Kind::Int, 0) {
                    let zero = self.op("ieq", &[lod, Arg::Const(Kind::Int, 0)]);
                    let dst = self.leaf(Kind::Bool, Shape::Varying, Some(segment));
                    self.push(Stmt::MaskAnd { dst, a: mask, b: zero, not: false });
                    mask = Arg::Leaf(dst);
                }
            }
            Some(_) => return self.unsupported("an image read with offset, sample or bias"),
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
        let leaves = (0..n).map(|what| self.size(slot, what)).collect();
        self.values.insert(result, leaves);
        Ok(())
    }
}
