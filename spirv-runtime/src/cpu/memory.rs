//! Memory of the CPU device: zeroed, aligned blocks.

use super::abi::Slot;
use crate::error::{Result, error};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Alignment that kernel code may rely on: a cache line, and the widest vector register.
pub(super) const ALIGN: usize = 64;
/// Blocks of at least this many bytes start on a page of their own.
const LARGE: usize = 64 << 10;
const PAGE: usize = 4096;

/// A zeroed block. Kernels write it through the raw pointer; that nobody else looks at it meanwhile follows from
/// the stubs, which take `&mut` for what they write, and from launches that return when they have run.
#[derive(Debug)]
pub(crate) struct Block {
    data: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block owns its memory, and access to it follows the borrows of the `Buffer` or `Image` that owns it.
unsafe impl Send for Block {}
// SAFETY: as above; through a shared borrow it is only read.
unsafe impl Sync for Block {}

impl Block {
    pub(crate) fn zeroed(bytes: usize) -> Result<Block> {
        let align = if bytes >= LARGE { PAGE } else { ALIGN };
        let layout = Layout::from_size_align(bytes, align)
            .map_err(|_| error!(OutOfMemory, "{bytes} bytes exceed the address space"))?;
        if bytes == 0 {
            // No memory, but as well aligned as any.
            return Ok(Block { data: NonNull::<Aligned>::dangling().cast(), layout });
        }
        // SAFETY: the layout has a non-zero size.
        let data = NonNull::new(unsafe { alloc_zeroed(layout) })
            .ok_or_else(|| error!(OutOfMemory, "the host has no {bytes} bytes of memory left"))?;
        Ok(Block { data, layout })
    }

    pub(crate) fn len(&self) -> usize {
        self.layout.size()
    }

    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.data.as_ptr()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: `data` is valid for `len` initialised bytes (zeroed, then only overwritten), and no kernel
        // writes them while the owner is borrowed.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.len()) }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and the exclusive borrow makes this the only access.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.len()) }
    }

    pub(crate) fn slot(&self) -> Slot {
        Slot { data: self.as_ptr(), bytes: self.len() as u64, ..Slot::UNUSED }
    }
}

#[repr(align(64))]
struct Aligned;

impl Drop for Block {
    fn drop(&mut self) {
        if self.layout.size() != 0 {
            // SAFETY: allocated in `zeroed` with this layout.
            unsafe { dealloc(self.data.as_ptr(), self.layout) }
        }
    }
}

/// One level of an image, in rows that start on a cache line.
#[derive(Debug)]
pub(crate) struct Texture {
    block: Block,
    /// Width, height, and slices or layers.
    extent: [u32; 3],
    row_bytes: usize,
    row_pitch: u32,
    slice_pitch: u32,
    format: u32,
}

impl Texture {
    pub(crate) fn zeroed(extent: [u32; 3], texel: usize, format: u32) -> Result<Texture> {
        let [width, height, depth] = extent;
        let too_large = || {
            error!(
                Limit,
                "{width}x{height}x{depth} texels of {texel} bytes exceed what the CPU device can address"
            )
        };
        let row_bytes = (width as usize).checked_mul(texel).ok_or_else(too_large)?;
        let row_pitch = row_bytes.checked_next_multiple_of(ALIGN).ok_or_else(too_large)?;
        let slice_pitch = row_pitch.checked_mul(height as usize).ok_or_else(too_large)?;
        // Atomic operations count words.
        let bytes = slice_pitch.checked_mul(depth as usize).ok_or_else(too_large)?;
        u32::try_from(bytes / 4).map_err(|_| too_large())?;
        let row_pitch = u32::try_from(row_pitch).map_err(|_| too_large())?;
        // Nothing is a slice away from the only one.
        let slice_pitch = match depth {
            1 => u32::try_from(slice_pitch).unwrap_or(u32::MAX),
            _ => u32::try_from(slice_pitch).map_err(|_| too_large())?,
        };
        Ok(Texture { block: Block::zeroed(bytes)?, extent, row_bytes, row_pitch, slice_pitch, format })
    }

    /// Copies tightly packed rows in; `bytes` has the image's size.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let pitch = self.row_pitch as usize;
        let rows = self.block.bytes_mut().chunks_exact_mut(pitch);
        for (row, from) in rows.zip(bytes.chunks_exact(self.row_bytes)) {
            row[..self.row_bytes].copy_from_slice(from);
        }
    }

    /// Copies the rows out, tightly packed; `bytes` has the image's size.
    pub(crate) fn read(&self, bytes: &mut [u8]) {
        let rows = self.block.bytes().chunks_exact(self.row_pitch as usize);
        for (row, to) in rows.zip(bytes.chunks_exact_mut(self.row_bytes)) {
            to.copy_from_slice(&row[..self.row_bytes]);
        }
    }

    /// The slot of this level, as that of an image of one.
    pub(crate) fn slot(&self) -> Slot {
        let [width, height, depth] = self.extent;
        Slot {
            width,
            height,
            depth,
            row_pitch: self.row_pitch,
            slice_pitch: self.slice_pitch,
            format: self.format,
            level_count: 1,
            ..self.block.slot()
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
            assert_eq!(block.bytes(), vec![0; bytes]);
        }
        assert!(Block::zeroed(usize::MAX).is_err());
    }

    #[test]
    fn images_keep_their_rows() {
        let mut image = Texture::zeroed([5, 3, 1], 3, 0).unwrap();
        let texels: Vec<u8> = (0..45).collect();
        image.write(&texels);
        let mut back = vec![0; 45];
        image.read(&mut back);
        assert_eq!(back, texels);
        let slot = image.slot();
        assert_eq!((slot.width, slot.height, slot.depth, slot.row_pitch, slot.bytes), (5, 3, 1, 64, 192));
    }

    #[test]
    fn sizes_that_overflow_are_errors() {
        assert!(Texture::zeroed([u32::MAX, u32::MAX, 1], 16, 0).is_err());
    }
}
