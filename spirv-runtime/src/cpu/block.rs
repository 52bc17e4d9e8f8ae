//! Zeroed, aligned blocks of host memory.

use super::abi::Slot;
use crate::error::{Result, error};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Alignment that kernel code may rely on: a cache line, and the widest vector register.
pub(super) const ALIGN: usize = 64;
/// Blocks of at least this many bytes start on a page of their own.
const LARGE: usize = 64 << 10;
const PAGE: usize = 4096;

/// A zeroed block, owned. It is no reference to its bytes: kernels and host use them through the raw pointer, and who may
/// do so when is said where that is done.
#[derive(Debug)]
pub(super) struct Block {
    data: NonNull<u8>,
    /// Bytes from `data` on.
    len: usize,
    /// What was allocated: more than that, so that `data` is aligned.
    base: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block owns its memory, and has no access to it of its own.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

#[repr(align(64))]
struct Aligned;

impl Block {
    /// Memory that nobody has touched: the system hands out pages of zeros when they are first used. With more than the
    /// least alignment the allocator would clear it by hand, so that the block aligns itself.
    pub fn zeroed(bytes: usize) -> Result<Block> {
        let too_large = || error!(OutOfMemory, "{bytes} bytes exceed the address space");
        let dangling = NonNull::<Aligned>::dangling().cast();
        if bytes == 0 {
            // No memory, but as well aligned as any.
            return Ok(Block { data: dangling, len: 0, base: dangling, layout: Layout::new::<()>() });
        }
        let align = if bytes >= LARGE { PAGE } else { ALIGN };
        let room = bytes.checked_add(align - 1).ok_or_else(too_large)?;
        let layout = Layout::from_size_align(room, 1).map_err(|_| too_large())?;
        // SAFETY: the layout has a non-zero size.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) })
            .ok_or_else(|| error!(OutOfMemory, "the host has no {bytes} bytes of memory left"))?;
        let skip = base.as_ptr().align_offset(align);
        // SAFETY: less than `align` bytes are skipped, and there are so many more than asked for.
        let data = unsafe { base.add(skip) };
        Ok(Block { data, len: bytes, base, layout })
    }

    /// A block of these bytes, each part on a cache line of its own; `bytes` is what that takes.
    pub fn of<'a>(bytes: usize, parts: impl Iterator<Item = &'a [u8]>) -> Result<Block> {
        let block = Block::zeroed(bytes)?;
        let mut at = 0;
        for part in parts {
            assert!(at + part.len() <= bytes);
            // SAFETY: the bytes are there, and nobody else has the block.
            unsafe { block.as_ptr().add(at).copy_from_nonoverlapping(part.as_ptr(), part.len()) };
            at += part.len().next_multiple_of(ALIGN);
        }
        Ok(block)
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn as_ptr(&self) -> *mut u8 {
        self.data.as_ptr()
    }

    pub fn slot(&self) -> Slot {
        Slot { data: self.as_ptr(), bytes: self.len as u64, ..Slot::UNUSED }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.len != 0 {
            // SAFETY: allocated in `zeroed` with this layout.
            unsafe { dealloc(self.base.as_ptr(), self.layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_zeroed_and_aligned() {
        for bytes in [0, 1, 63, 64, LARGE - 1, LARGE, LARGE + 1] {
            let block = Block::zeroed(bytes).unwrap();
            let align = if bytes >= LARGE { PAGE } else { ALIGN };
            assert_eq!(block.as_ptr() as usize % align, 0, "{bytes} bytes");
            // SAFETY: the block has so many bytes, which nobody writes.
            let all = unsafe { std::slice::from_raw_parts(block.as_ptr(), block.len()) };
            assert_eq!(all, vec![0; bytes]);
        }
        assert!(Block::zeroed(usize::MAX).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn large_blocks_are_not_touched() {
        let resident = || {
            let status = std::fs::read_to_string("/proc/self/statm").unwrap();
            status.split(' ').nth(1).and_then(|n| n.parse::<usize>().ok()).unwrap() * 4096
        };
        let before = resident();
        let block = Block::zeroed(1 << 30).unwrap();
        // Other tests use memory at the same time, but not a gigabyte.
        assert!(resident().saturating_sub(before) < 1 << 29, "a new block is resident");
        drop(block);
    }
}
