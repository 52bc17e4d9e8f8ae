//! Which part of host code writes an instruction.

use super::arith::DIRECT;
use super::function::{Body, Text};
use crate::ir::{ExtSet, InstData, Op, Opcode, TypeKind};

impl<'a> Body<'_, 'a> {
    /// Writes an instruction of host code. The result is what stands for its value.
    pub fn host(&mut self, data: &'a InstData) -> Option<Text> {
        let op = match data.op {
            Opcode::Op(op) => op,
            Opcode::Ext(ExtSet::Glsl, n) => return self.glsl(n, data),
            Opcode::Ext(ExtSet::OpenCl, n) => return self.opencl(n, data),
            // Says nothing about values.
            Opcode::Ext(ExtSet::DebugPrintf, _) => return None,
            _ => return None,
        };
        if let Some((_, form)) = DIRECT.iter().find(|r| r.0 == op) {
            return self.checked(data, |b| b.direct(*form, data));
        }
        match op {
            Op::Nop | Op::LifetimeStart | Op::LifetimeStop => None,
            Op::Variable => self.variable(data),
            Op::Load => self.load(data),
            Op::Store => {
                self.store(data);
                None
            }
            Op::CopyMemory => {
                self.copy_memory(data);
                None
            }
            Op::CopyMemorySized => {
                self.copy_bytes(data);
                None
            }
            Op::AccessChain | Op::InBoundsAccessChain => self.access_chain(data, false),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.access_chain(data, true),
            Op::ArrayLength => self.array_length(data),
            Op::CopyObject => {
                let v = data.id(0)?;
                if let (Some(place), Some(r)) = (self.places.get(&v).copied(), data.result()) {
                    self.places.insert(r, place);
                }
                if let (Some(bytes), Some(r)) = (self.buffers.get(&v).cloned(), data.result()) {
                    self.buffers.insert(r, bytes);
                }
                Some(self.value(v))
            }
            Op::FunctionCall => self.call(data),
            Op::CompositeConstruct => {
                self.checked(data, |b| b.repeated(data).or_else(|| b.composite_construct(data)))
            }
            Op::CompositeExtract => self.checked(data, |b| b.composite_extract(data)),
            Op::CompositeInsert => self.checked(data, |b| b.composite_insert(data)),
            Op::VectorShuffle => self.checked(data, |b| b.vector_shuffle(data)),
            Op::VectorExtractDynamic | Op::VectorInsertDynamic => {
                self.checked(data, |b| b.vector_dynamic(op, data))
            }
            Op::VectorTimesScalar => self.checked(data, |b| b.scaled_vector(data)),
            Op::FConvert | Op::SConvert | Op::UConvert | Op::SatConvertSToU | Op::SatConvertUToS => {
                self.resize_cast(op, data)
            }
            Op::Bitcast => self.checked(data, |b| b.bitcast(data)),
            Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::PtrEqual
            | Op::PtrNotEqual
            | Op::PtrDiff
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::GenericCastToPtrExplicit => self.checked(data, |b| b.pointers(op, data)),
            Op::ControlBarrier | Op::MemoryBarrier => {
                self.barrier(op, data);
                None
            }
            Op::SampledImage | Op::Image => self.sampled_image(op, data),
            Op::Undef => {
                let ty = data.result().map(|v| self.type_of(v))?;
                (*self.kind(ty) != TypeKind::Void).then(|| "undef".into())
            }
            _ => {
                if let Some(done) = self.atomic(op, data) {
                    return done;
                }
                if Self::is_hook(op) {
                    return self.hook(op, data);
                }
                self.checked(data, |b| b.arithmetic(op, data))
            }
        }
    }

    /// An instruction that gives a value, or is refused.
    fn checked(&mut self, data: &'a InstData, write: impl FnOnce(&mut Self) -> Option<Text>) -> Option<Text> {
        let before = self.x.refused.len();
        let done = write(self);
        if done.is_none() && self.x.refused.len() == before {
            self.refuse_inst(data);
        }
        done
    }
}
