//! Memory of the CPU device, with the launches that use it.
//!
//! The host reads the bytes when the last job that writes them is done, and writes them when all jobs that use them are.
//! No job can come in between: to make one takes a borrow of the buffer or image, which is exclusive where the job writes.

use super::abi::Slot;
use super::block::{ALIGN, Block};
use super::job::Job;
use super::locked::{Key, Locked};
use super::pool::Pool;
use crate::error::{Error, Result, error};
use crate::process::Process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Readers up to which a list of them is not looked through for those that are done.
const FEW: usize = 8;

/// The jobs that used some memory last.
#[derive(Default)]
pub(super) struct Usage {
    pub writer: Option<Arc<Job>>,
    /// Since then.
    readers: Vec<Arc<Job>>,
    /// How many readers there may be before the list is looked through.
    many: usize,
}

impl Usage {
    /// The jobs that a use of this memory comes after; whether they write it.
    pub fn conflicts(&self, write: bool) -> impl Iterator<Item = (&Arc<Job>, bool)> {
        let readers = self.readers.iter().filter(move |_| write).map(|job| (job, false));
        self.writer.iter().map(|job| (job, true)).chain(readers).filter(|(job, _)| !job.is_done())
    }

    pub fn used(&mut self, write: bool, job: &Arc<Job>) {
        if write {
            self.writer = Some(job.clone());
            self.readers.clear();
        } else {
            if self.readers.len() >= self.many.max(FEW) {
                self.readers.retain(|job| !job.is_done());
                self.many = self.readers.len() * 2;
            }
            self.readers.push(job.clone());
        }
    }

    /// Why the bytes are not what the last launch was to write, if its job is done: told once.
    pub fn failure(&mut self, late: bool) -> Option<Error> {
        let error = self.writer.as_ref().filter(|job| job.is_done())?.failure(late);
        if error.is_some() {
            self.writer = None;
        }
        error
    }
}

/// A block with its users: what jobs keep.
pub(crate) struct Shared {
    block: Block,
    usage: Locked<Usage>,
    /// Its owner was dropped.
    orphan: AtomicBool,
    process: Process,
}

impl Shared {
    pub(super) fn usage<'a>(&'a self, key: &'a mut Key) -> &'a mut Usage {
        self.usage.get(key)
    }

    pub(super) fn is_orphan(&self) -> bool {
        self.orphan.load(Ordering::Relaxed)
    }
}

/// Memory that a buffer or a level of an image owns.
pub(crate) struct Memory(Arc<Shared>);

impl Memory {
    pub fn zeroed(bytes: usize) -> Result<Memory> {
        Ok(Memory(Arc::new(Shared {
            block: Block::zeroed(bytes)?,
            usage: Locked::default(),
            orphan: AtomicBool::new(false),
            process: Process::current(),
        })))
    }

    pub fn len(&self) -> usize {
        self.0.block.len()
    }

    /// For the job that uses it.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    pub fn slot(&self) -> Slot {
        self.0.block.slot()
    }

    /// Copies the bytes out, once they are written.
    pub fn read(&self, to: &mut [u8]) -> Result<()> {
        self.settle()?;
        self.read_part(0, to);
        Ok(())
    }

    /// Replaces the bytes, once nothing uses the old ones.
    pub fn write(&mut self, from: &[u8]) -> Result<()> {
        // SAFETY: an exclusive borrow; written after it was cleared.
        unsafe {
            self.clear()?;
            self.write_part(0, from);
        }
        Ok(())
    }

    /// Waits until everything has run that uses it, or until then; whether it has.
    pub fn wait_until(&self, until: Option<Instant>) -> Result<bool> {
        self.0.process.check()?;
        Ok(Pool::existing().is_none_or(|pool| pool.wait_for_users(&self.0, until)))
    }

    /// Waits for the job that writes it; an error if that failed.
    fn settle(&self) -> Result<()> {
        self.0.process.check()?;
        Pool::existing().map_or(Ok(()), |pool| pool.wait_for_writer(&self.0))
    }

    /// Waits for all jobs, and forgets them: nothing is left of what they wrote.
    ///
    /// # Safety
    /// The buffer, image or level that this is the memory of is borrowed exclusively.
    unsafe fn clear(&self) -> Result<()> {
        self.wait_until(None)?;
        if let Some(pool) = Pool::existing() {
            pool.forget_users(&self.0);
        }
        Ok(())
    }

    fn read_part(&self, at: usize, to: &mut [u8]) {
        assert!(at + to.len() <= self.len());
        // SAFETY: the bytes are there and initialised (zeroed, then only overwritten). No job writes them: `settle` has
        // waited for the last one, and to make another takes an exclusive borrow of this memory.
        unsafe { to.as_mut_ptr().copy_from_nonoverlapping(self.0.block.as_ptr().add(at), to.len()) }
    }

    /// # Safety
    /// As for `clear`, which was called before, within the same borrow.
    unsafe fn write_part(&self, at: usize, from: &[u8]) {
        assert!(at + from.len() <= self.len());
        // SAFETY: the bytes are there. No job uses them: `clear` has waited for all, and to make another takes a borrow.
        unsafe { self.0.block.as_ptr().add(at).copy_from_nonoverlapping(from.as_ptr(), from.len()) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // In a child of `fork` the locks may be held for good.
        if !self.0.process.is_current() {
            return;
        }
        self.0.orphan.store(true, Ordering::Relaxed);
        if let Some(pool) = Pool::existing() {
            pool.abandon(&self.0);
        }
    }
}

/// One level of an image, in rows that start on a cache line. A clone is the same memory: the image has one as well as
/// the level.
#[derive(Clone)]
pub(crate) struct Texture {
    memory: Arc<Memory>,
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
        let memory = Arc::new(Memory::zeroed(bytes)?);
        Ok(Texture { memory, extent, row_bytes, row_pitch, slice_pitch, format })
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Copies tightly packed rows in, once nothing uses the old ones; `bytes` has the image's size.
    ///
    /// # Safety
    /// The image or the level is borrowed exclusively.
    pub(crate) unsafe fn write(&self, bytes: &[u8]) -> Result<()> {
        // SAFETY: the caller's word.
        unsafe { self.memory.clear() }?;
        for (row, from) in bytes.chunks_exact(self.row_bytes).enumerate() {
            // SAFETY: as above; it was cleared.
            unsafe { self.memory.write_part(row * self.row_pitch as usize, from) };
        }
        Ok(())
    }

    /// Copies the rows out, tightly packed, once they are written; `bytes` has the image's size.
    pub(crate) fn read(&self, bytes: &mut [u8]) -> Result<()> {
        self.memory.settle()?;
        for (row, to) in bytes.chunks_exact_mut(self.row_bytes).enumerate() {
            self.memory.read_part(row * self.row_pitch as usize, to);
        }
        Ok(())
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
            ..self.memory.slot()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_keep_their_rows() {
        let image = Texture::zeroed([5, 3, 1], 3, 0).unwrap();
        let texels: Vec<u8> = (0..45).collect();
        // SAFETY: nobody else has the image.
        unsafe { image.write(&texels) }.unwrap();
        let mut back = vec![0; 45];
        image.read(&mut back).unwrap();
        assert_eq!(back, texels);
        let slot = image.slot();
        assert_eq!((slot.width, slot.height, slot.depth, slot.row_pitch, slot.bytes), (5, 3, 1, 64, 192));
    }

    #[test]
    fn sizes_that_overflow_are_errors() {
        assert!(Texture::zeroed([u32::MAX, u32::MAX, 1], 16, 0).is_err());
    }
}
