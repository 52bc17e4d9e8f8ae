//! The arguments of a launch as kernel code takes them.

use super::abi::Slot;
use super::block::{ALIGN, Block};
use super::{Resources, Texture};
use crate::argument::{Arg, ArgKind};
use crate::buffer;
use crate::error::{Result, error};
use crate::image;
use crate::kernel::{Binding, ConstantValue, EntryDesc, ResourceKind};
use crate::sampler::State;

/// Most local memory that one argument may ask for.
const MAX_LOCAL_BYTES: usize = 64 << 20;

/// What a launch with these arguments uses; they were checked against the entry point.
pub(crate) fn resources(entry: &EntryDesc, args: &[Arg<'_>], chosen: &[ConstantValue]) -> Result<Resources> {
    let chosen: Vec<u8> = chosen.iter().flat_map(|c| c.bits.to_ne_bytes()).collect();
    let mut all = Resources {
        slots: vec![Slot::UNUSED; entry.kernel.resources.len() + 1],
        levels: Vec::new(),
        constants: constants(args, &chosen)?,
        memory: Vec::with_capacity(args.len()),
        local: 0,
    };
    let mut constants_end = 0;
    for (index, Arg(arg)) in entry.resources.iter().zip(args) {
        let resource = &entry.kernel.resources[*index as usize];
        let writable = resource.writable;
        all.slots[*index as usize] = match arg {
            ArgKind::Buffer { memory: buffer::Memory::Cpu(memory), bytes, .. } => {
                all.memory.push((memory.shared().clone(), writable));
                match resource.kind {
                    // Elements beyond 2^32 have no number.
                    ResourceKind::Texels { stride, code, .. } => Slot {
                        width: u32::try_from(bytes / stride as usize).unwrap_or(u32::MAX),
                        height: 1,
                        depth: 1,
                        format: code,
                        level_count: 1,
                        ..memory.slot()
                    },
                    _ => memory.slot(),
                }
            }
            ArgKind::Image { texture: image::Texture::Cpu(levels), .. } => {
                image_slot(levels, writable, &mut all)?
            }
            ArgKind::Images(list) => {
                let mut elements = Vec::with_capacity(list.len());
                for image in list {
                    match image {
                        ArgKind::Image { texture: image::Texture::Cpu(levels), .. } => {
                            elements.push(image_slot(levels, writable, &mut all)?);
                        }
                        _ => return Err(error!(WrongDevice, "an argument is not on the CPU")),
                    }
                }
                // Moving the list leaves its memory where it is.
                let slot =
                    Slot { level_count: elements.len() as u32, levels: elements.as_ptr(), ..Slot::UNUSED };
                all.levels.push(elements);
                slot
            }
            ArgKind::Sampler { state: State::Cpu(_), .. } | ArgKind::Constants(_) => {
                let bytes = constant_bytes(arg).map_or(0, <[u8]>::len);
                let data = all.constants.as_ptr().wrapping_add(constants_end);
                constants_end += bytes.next_multiple_of(ALIGN);
                Slot { data, bytes: bytes as u64, ..Slot::UNUSED }
            }
            // Memory of each thread, behind its scratch memory.
            ArgKind::Length(elements) => {
                let unit = match resource.binding {
                    Binding::Length { unit, .. } => unit as usize,
                    _ => 0,
                };
                let bytes = elements.checked_mul(unit).filter(|bytes| *bytes <= MAX_LOCAL_BYTES);
                let Some(bytes) = bytes else {
                    return Err(error!(
                        Limit,
                        "{elements} elements of local memory exceed the CPU device's {MAX_LOCAL_BYTES} bytes"
                    ));
                };
                all.local += bytes.next_multiple_of(ALIGN);
                Slot { bytes: bytes as u64, ..Slot::UNUSED }
            }
            // There is nothing else where there are no other devices.
            #[allow(unreachable_patterns)]
            _ => return Err(error!(WrongDevice, "an argument is not on the CPU")),
        };
    }
    if let (false, Some(slot)) = (chosen.is_empty(), all.slots.last_mut()) {
        let data = all.constants.as_ptr().wrapping_add(constants_end);
        *slot = Slot { data, bytes: chosen.len() as u64, ..Slot::UNUSED };
    }
    Ok(all)
}

/// The slot of an image with these levels.
fn image_slot(levels: &[Texture], writable: bool, all: &mut Resources) -> Result<Slot> {
    all.memory.extend(levels.iter().map(|level| (level.memory().shared().clone(), writable)));
    let slots: Vec<Slot> = levels.iter().map(Texture::slot).collect();
    let first = *slots.first().ok_or_else(|| error!(InvalidArgument, "an image without levels"))?;
    let image = Slot { level_count: slots.len() as u32, levels: slots.as_ptr(), ..first };
    all.levels.push(slots);
    Ok(image)
}

/// What kernel code takes by value.
fn constant_bytes<'a>(arg: &'a ArgKind<'_>) -> Option<&'a [u8]> {
    match arg {
        ArgKind::Constants(bytes) => Some(bytes),
        ArgKind::Sampler { state: State::Cpu(sampler), .. } => Some(sampler.bytes()),
        _ => None,
    }
}

/// The bytes of all such arguments, each on a cache line of its own, and behind them what was chosen when the kernel was loaded.
fn constants(args: &[Arg<'_>], chosen: &[u8]) -> Result<Block> {
    let chosen = Some(chosen).filter(|bytes| !bytes.is_empty());
    let all = || args.iter().filter_map(|arg| constant_bytes(&arg.0)).chain(chosen);
    Block::of(all().map(|bytes| bytes.len().next_multiple_of(ALIGN)).sum(), all())
}
