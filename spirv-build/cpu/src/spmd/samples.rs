//! Samples: filtered texels by coordinates from 0 to 1.

use crate::ir::{Dim, Inst, Op, Opcode, Value};
use crate::spmd::build::{Build, Leaves, Result};
use crate::spmd::images::{MEMORY, RESIDENT, ZERO};
use crate::spmd::inst::describe;
use crate::spmd::{Arg, ImageRef, Kind, Leaf, Shape, Stmt};
use smallvec::{SmallVec, smallvec};
use spirv_spec::ImageOperands;

/// A sample of an image, by coordinates from 0 to 1.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Components; those of a comparison are all but the first unused.
    pub dst: [Leaf; 4],
    /// Which image.
    pub image: ImageRef,
    /// Slot of the sampler.
    pub sampler: u32,
    /// Coordinates that are filtered: 1 to 3; 4 for a cube, which has the three of a direction.
    pub dims: u32,
    /// Whether it is an array.
    pub arrayed: bool,
    /// Coordinates, zero for those that the image does not have.
    pub coords: [Arg; 3],
    /// Layer of an array, or cube.
    pub layer: Arg,
    /// Texels that are added to the coordinates: one offset, or one for each texel of a gather.
    pub offsets: SmallVec<[[Arg; 3]; 1]>,
    /// What texels are compared with.
    pub reference: Option<Arg>,
    /// From which level.
    pub level: SampleLevel,
    /// Lanes that sample.
    pub mask: Arg,
}

/// The level that is sampled.
#[derive(Debug, Clone, Copy)]
pub enum SampleLevel {
    /// This one.
    Given(Arg),
    /// What the derivatives of the coordinates ask for, and no less than the last.
    Gradients([Arg; 3], [Arg; 3], Option<Arg>),
    /// One component of the four texels around a place of the first level.
    Gather(u32),
}

/// Samples that name their level, and gathers: rows of operation, whether it compares, gathers, reports residency.
const SAMPLES: &[(Op, bool, bool, bool)] = &[
    (Op::ImageSampleExplicitLod, false, false, false),
    (Op::ImageSampleDrefExplicitLod, true, false, false),
    (Op::ImageGather, false, true, false),
    (Op::ImageDrefGather, true, true, false),
    (Op::ImageSparseSampleExplicitLod, false, false, true),
    (Op::ImageSparseSampleDrefExplicitLod, true, false, true),
    (Op::ImageSparseGather, false, true, true),
    (Op::ImageSparseDrefGather, true, true, true),
];

/// Whether an operation samples without derivatives of its own.
pub fn is_sample(op: Op) -> bool {
    SAMPLES.iter().any(|row| row.0 == op)
}

const FLOAT_ZERO: Arg = Arg::Const(Kind::Float, 0);

impl Build<'_> {
    pub fn sample(&mut self, inst: Inst, op: Op) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let row = SAMPLES.iter().find(|row| row.0 == op);
        let (Some(&(_, compares, gathers, sparse)), Some(result)) = (row, data.result()) else {
            return self.unsupported(describe(op.into()));
        };
        let ids: Vec<Value> = data.ids().collect();
        let [both, coord, ..] = ids[..] else { return self.unsupported(describe(op.into())) };
        let made = f.def_inst(both).filter(|i| f.insts[*i].op == Opcode::Op(Op::SampledImage));
        let parts = made.and_then(|i| Some((f.insts[i].id(0)?, f.insts[i].id(1)?)));
        let Some((image, sampler)) = parts else {
            return self.unsupported("an image that comes with its sampler");
        };
        let segment = self.open();
        let image = self.image(image)?;
        let sampler = self.loaded_slot(sampler, "a sampler chosen at run time or from an array")?;
        let dims = image.dims();
        let given = self.args(coord)?;
        let arrayed = image.ty.arrayed;
        if given.len() < dims + usize::from(arrayed) {
            return self.unsupported("fewer coordinates than the image has");
        }
        let mut coords = [FLOAT_ZERO; 3];
        coords[..dims].copy_from_slice(&given[..dims]);
        let layer = if arrayed { given[dims] } else { FLOAT_ZERO };

        // Reference or component, then a mask of operands and those.
        let own = 2 + usize::from(compares || gathers);
        let reference = if compares { Some(self.arg(ids[2])?) } else { None };
        let operands = ImageOperands(data.literal(own).unwrap_or(0));
        let mut more = ids[own.min(ids.len())..].iter().copied();
        let mut next = |b: &mut Self, bit: ImageOperands| -> Result<Option<Leaves>> {
            match more.next() {
                Some(v) if operands.contains(bit) => Ok(Some(b.args(v)?)),
                _ => Ok(None),
            }
        };
        let bits = [
            ImageOperands::LOD,
            ImageOperands::GRAD,
            ImageOperands::CONST_OFFSET,
            ImageOperands::OFFSET,
            ImageOperands::CONST_OFFSETS,
            ImageOperands::MIN_LOD,
        ];
        let known = bits.iter().fold(MEMORY, |all, bit| all | *bit);
        if !(operands - known).is_empty() {
            return self.unsupported("a sample with these operands");
        }
        let mut level = SampleLevel::Given(FLOAT_ZERO);
        let mut offsets: SmallVec<[[Arg; 3]; 1]> = smallvec![[ZERO; 3]];
        if gathers {
            let component = match (compares, ids.get(2)) {
                (false, Some(&c)) => match self.arg(c)? {
                    Arg::Const(Kind::Int, c) if c < 4 => c,
                    _ => return self.unsupported("a component to gather that is chosen at run time"),
                },
                _ => 0,
            };
            level = SampleLevel::Gather(component);
        }
        // In the order of their bits.
        let lod = if operands.contains(bits[0]) { next(self, bits[0])? } else { None };
        if let (false, Some(lod)) = (gathers, &lod) {
            level = SampleLevel::Given(lod[0]);
        } else if let Some(lod) = &lod
            && !matches!(lod[0], Arg::Const(_, 0))
        {
            return self.unsupported("a gather from a level");
        }
        if operands.contains(bits[1])
            && let (Some(x), Some(y)) = (next(self, bits[1])?, next(self, bits[1])?)
        {
            level = SampleLevel::Gradients(three(&x, FLOAT_ZERO), three(&y, FLOAT_ZERO), None);
        }
        for bit in &bits[2..4] {
            if operands.contains(*bit)
                && let Some(by) = next(self, *bit)?
            {
                offsets = smallvec![three(&by, ZERO)];
            }
        }
        if operands.contains(bits[4])
            && let Some(by) = next(self, bits[4])?
        {
            // Four vectors of two, one after the other.
            offsets = by.chunks(2).map(|by| three(by, ZERO)).collect();
        }
        if operands.contains(bits[5])
            && let Some(least) = next(self, bits[5])?
        {
            match &mut level {
                SampleLevel::Gradients(_, _, min) => *min = Some(least[0]),
                _ => return self.unsupported("a lowest level without derivatives"),
            }
        }

        let mut kinds = self.kinds_of(result)?;
        let mut leaves = Leaves::new();
        if sparse {
            kinds.remove(0);
            leaves.push(Arg::Const(Kind::Int, RESIDENT));
        }
        let kind = kinds.first().copied().unwrap_or(Kind::Float);
        let dst = [(); 4].map(|()| self.leaf(kind, Shape::Varying, Some(segment)));
        leaves.extend(dst.iter().take(kinds.len()).map(|l| Arg::Leaf(*l)));
        let dims = if image.ty.dim == Dim::DimCube { 4 } else { dims as u32 };
        let (image, mask) = (image.at, self.mask);
        self.p.samples = true;
        self.push(Stmt::Sample(Box::new(Sample {
            dst,
            image,
            sampler,
            dims,
            arrayed,
            coords,
            layer,
            offsets,
            reference,
            level,
            mask,
        })));
        self.values.insert(result, leaves);
        Ok(())
    }
}

/// Three components, with `zero` for those that are not there.
fn three(of: &[Arg], zero: Arg) -> [Arg; 3] {
    [0, 1, 2].map(|i| of.get(i).copied().unwrap_or(zero))
}
