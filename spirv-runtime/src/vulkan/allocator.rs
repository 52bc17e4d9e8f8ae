//! Memory of the device: blocks that are taken from the driver and given out in pieces.
//!
//! A block is of one memory type and holds either what lies in lines (buffers) or images, so that none has to keep a distance from
//! the other. What would take much of a block has memory of its own.

use spirv_vulkan_sys::{Device, Instance, vk};
use std::ffi::c_void;
use std::ptr::NonNull;

/// The first block of a kind is of this size; each further one is twice as large, up to the second.
const BLOCKS: [u64; 2] = [16 << 20, 256 << 20];
/// Places are multiples of this, so that memory that is mapped may be copied in whole cache lines.
const LEAST_ALIGNMENT: u64 = 64;

/// Who uses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryLocation {
    /// The device alone.
    GpuOnly,
    /// The host writes, the device reads.
    CpuToGpu,
    /// The device writes, the host reads.
    GpuToCpu,
}

impl MemoryLocation {
    /// What the memory had better have, and what it must have.
    fn wants(self) -> [vk::MemoryPropertyFlags; 2] {
        type Has = vk::MemoryPropertyFlags;
        let host = Has::HOST_VISIBLE | Has::HOST_COHERENT;
        match self {
            MemoryLocation::GpuOnly => [Has::DEVICE_LOCAL; 2],
            MemoryLocation::CpuToGpu => [host | Has::DEVICE_LOCAL, host],
            MemoryLocation::GpuToCpu => [host | Has::HOST_CACHED, host],
        }
    }
}

/// Why there is no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AllocationError {
    /// The call that failed.
    Call(&'static str, vk::Result),
    /// More than the device has.
    TooMuch,
    /// It has none of a fitting type.
    NoType,
}

/// A piece of memory, given back by [`Allocator::free`].
#[derive(Debug)]
pub(super) struct Allocation {
    kind: usize,
    memory: vk::DeviceMemory,
    offset: u64,
    size: u64,
    mapped: Option<NonNull<c_void>>,
    properties: vk::MemoryPropertyFlags,
}

// SAFETY: the pointer is to mapped memory, which any thread may reach.
unsafe impl Send for Allocation {}
// SAFETY: as above; whoever writes there sees to it that nobody else does.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// The memory that it is a piece of.
    pub fn memory(&self) -> vk::DeviceMemory {
        self.memory
    }

    /// Where it begins there.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where the host finds it, if it can.
    pub fn mapped_ptr(&self) -> Option<NonNull<c_void>> {
        self.mapped
    }

    /// What its memory has.
    pub fn memory_properties(&self) -> vk::MemoryPropertyFlags {
        self.properties
    }
}

/// Memory from the driver.
struct Block {
    memory: vk::DeviceMemory,
    size: u64,
    mapped: Option<NonNull<c_void>>,
    /// What is free: offset and size, in order, no two side by side.
    free: Vec<(u64, u64)>,
    /// Whether it is for one piece alone.
    own: bool,
}

impl Block {
    /// Takes a piece from the smallest place that has it.
    fn take(&mut self, size: u64, alignment: u64) -> Option<u64> {
        let fits = |&(start, room): &(u64, u64)| {
            let at = start.next_multiple_of(alignment);
            at.checked_add(size).is_some_and(|end| end <= start + room)
        };
        let places = self.free.iter().enumerate().filter(|p| fits(p.1));
        let (i, (start, room)) = places.min_by_key(|p| p.1.1).map(|(i, place)| (i, *place))?;
        let at = start.next_multiple_of(alignment);
        let rest = [(start, at - start), (at + size, start + room - at - size)];
        self.free.splice(i..=i, rest.into_iter().filter(|r| r.1 != 0));
        Some(at)
    }

    /// Takes a piece back.
    fn give(&mut self, offset: u64, size: u64) {
        let i = self.free.partition_point(|place| place.0 < offset);
        self.free.insert(i, (offset, size));
        for i in [i + 1, i] {
            if let (Some(before), Some(&(start, room))) = (i.checked_sub(1), self.free.get(i))
                && self.free[before].0 + self.free[before].1 == start
            {
                self.free[before].1 += room;
                self.free.remove(i);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.free == [(0, self.size)]
    }
}

/// The blocks of a device.
pub(super) struct Allocator {
    device: Device,
    types: Vec<vk::MemoryType>,
    heaps: Vec<u64>,
    /// Whether memory has addresses.
    addresses: bool,
    /// Twice for each memory type: for what lies in lines, for images.
    blocks: Vec<Vec<Block>>,
}

// SAFETY: the pointers are to mapped memory, which any thread may reach.
unsafe impl Send for Allocator {}

impl Allocator {
    pub fn new(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        device: Device,
        addresses: bool,
    ) -> Allocator {
        // SAFETY: the device comes from this instance.
        let all = unsafe { instance.get_physical_device_memory_properties(physical) };
        let types = all.memory_types[..all.memory_type_count as usize].to_vec();
        let heaps = all.memory_heaps[..all.memory_heap_count as usize].iter().map(|h| h.size).collect();
        let blocks = (0..types.len() * 2).map(|_| Vec::new()).collect();
        Allocator { device, types, heaps, addresses, blocks }
    }

    /// Memory for a buffer (`linear`) or an image.
    pub fn allocate(
        &mut self,
        needs: vk::MemoryRequirements,
        location: MemoryLocation,
        linear: bool,
    ) -> Result<Allocation, AllocationError> {
        let [wanted, least] = location.wants();
        let of = |flags| {
            let fits = |(i, ty): &(usize, &vk::MemoryType)| {
                needs.memory_type_bits & 1 << i != 0 && ty.property_flags.contains(flags)
            };
            self.types.iter().enumerate().find(fits).map(|found| found.0)
        };
        let (first, second) = (of(wanted), of(least));
        let Some(ty) = first.or(second) else { return Err(AllocationError::NoType) };
        let found = self.take(ty, needs, linear);
        match second.filter(|other| *other != ty) {
            // What the device shares with the host may be little.
            Some(other) if found.is_err() => self.take(other, needs, linear).or(found),
            _ => found,
        }
    }

    fn take(
        &mut self,
        ty: usize,
        needs: vk::MemoryRequirements,
        linear: bool,
    ) -> Result<Allocation, AllocationError> {
        let vk::MemoryType { property_flags: properties, heap_index } = self.types[ty];
        let heap = self.heaps[heap_index as usize];
        if needs.size > heap {
            return Err(AllocationError::TooMuch);
        }
        let kind = ty * 2 + usize::from(!linear);
        let (size, alignment) = (needs.size, needs.alignment.max(LEAST_ALIGNMENT));
        let piece = |block: &Block, offset: u64| Allocation {
            kind,
            memory: block.memory,
            offset,
            size,
            // SAFETY: the piece lies in the block, all of which is mapped.
            mapped: block.mapped.map(|to| unsafe { to.byte_add(offset as usize) }),
            properties,
        };
        for block in &mut self.blocks[kind] {
            if let Some(offset) = block.take(size, alignment) {
                return Ok(piece(block, offset));
            }
        }
        let shared = self.blocks[kind].iter().filter(|b| !b.own).count() as u32;
        let usual = (BLOCKS[0] << shared.min(8)).min(BLOCKS[1]);
        let own = size > usual / 2;
        let mut block = self.block(ty, if own { size } else { usual }, own)?;
        let offset = block.take(size, alignment).ok_or(AllocationError::TooMuch)?;
        let allocation = piece(&block, offset);
        self.blocks[kind].push(block);
        Ok(allocation)
    }

    /// A new block, mapped if it can be.
    fn block(&self, ty: usize, size: u64, own: bool) -> Result<Block, AllocationError> {
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut info = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(ty as u32);
        if self.addresses {
            info = info.push_next(&mut flags);
        }
        // SAFETY: the type is one of the device's; with the feature memory may have addresses.
        let memory = unsafe { self.device.allocate_memory(&info) }
            .map_err(|e| AllocationError::Call("vkAllocateMemory", e))?;
        let mut block = Block { memory, size, mapped: None, free: vec![(0, size)], own };
        if self.types[ty].property_flags.contains(vk::MemoryPropertyFlags::HOST_VISIBLE) {
            // SAFETY: the memory is new and can be mapped.
            let mapped = unsafe { self.device.map_memory(memory) };
            block.mapped = NonNull::new(mapped.map_err(|e| {
                // SAFETY: nothing lies there.
                unsafe { self.device.free_memory(memory) };
                AllocationError::Call("vkMapMemory", e)
            })?);
        }
        Ok(block)
    }

    /// Takes memory back that nothing uses any more. One empty block of each kind is kept.
    pub fn free(&mut self, allocation: Allocation) {
        let blocks = &mut self.blocks[allocation.kind];
        let Some(i) = blocks.iter().position(|b| b.memory == allocation.memory) else { return };
        blocks[i].give(allocation.offset, allocation.size);
        let another = blocks.iter().filter(|b| !b.own).count() > 1;
        if blocks[i].is_empty() && (blocks[i].own || another) {
            let block = blocks.swap_remove(i);
            // SAFETY: all its pieces were given back, by those who know that nothing uses them.
            unsafe { self.device.free_memory(block.memory) };
        }
    }
}

impl Drop for Allocator {
    fn drop(&mut self) {
        for block in self.blocks.iter().flatten() {
            // SAFETY: everything made from the device is gone.
            unsafe { self.device.free_memory(block.memory) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(size: u64) -> Block {
        let memory = vk::DeviceMemory::null();
        Block { memory, size, mapped: None, free: vec![(0, size)], own: false }
    }

    #[test]
    fn pieces_are_aligned_and_apart() {
        let mut b = block(1024);
        assert_eq!(b.take(100, 64), Some(0));
        assert_eq!(b.take(100, 256), Some(256));
        assert_eq!(b.free, [(100, 156), (356, 668)]);
        // The smallest place that has it.
        assert_eq!(b.take(64, 64), Some(128));
        assert_eq!(b.take(64, 64), Some(192));
        assert_eq!(b.take(1024, 64), None);
        assert_eq!(b.take(u64::MAX, 64), None);
    }

    #[test]
    fn what_is_given_back_becomes_one_again() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut b = block(300);
            let pieces = [0, 1, 2].map(|_| b.take(100, 1).unwrap());
            assert!(b.free.is_empty());
            for i in order {
                assert!(!b.is_empty());
                b.give(pieces[i], 100);
            }
            assert!(b.is_empty(), "{order:?}: {:?}", b.free);
        }
    }
}
