//! Kernels: what a stub knows about one, loading it, launching it.

use crate::argument::{self, Arg, ArgKind};
use crate::buffer::Memory;
use crate::cpu::{self, abi::KernelFn};
use crate::device::{Backend, Device};
use crate::error::{Result, error};
#[cfg(any(feature = "vulkan", feature = "level-zero"))]
use crate::image::Texture;
use crate::queue::{Queue, Timing};
#[cfg(feature = "vulkan")]
use crate::sampler::State;
use std::borrow::Cow;
use std::sync::Arc;

/// A compiled kernel file.
#[derive(Debug)]
pub struct KernelDesc {
    /// Name of the kernel.
    pub name: &'static str,
    /// Source file, for messages.
    pub source: &'static str,
    /// The SPIR-V module, little-endian words. None if it was not compiled for Vulkan.
    pub spirv: Option<&'static [u8]>,
    /// Resources of the module; their index is the slot in the CPU ABI.
    pub resources: &'static [ResourceDesc],
}

/// An entry point of a kernel file.
#[derive(Debug)]
pub struct EntryDesc {
    /// The file.
    pub kernel: &'static KernelDesc,
    /// Name in the SPIR-V module.
    pub name: &'static str,
    /// Work-items in a work-group.
    pub local_size: [u32; 3],
    /// Indices of the resources that the launch arguments are, in increasing order.
    pub arguments: &'static [u32],
    /// Those of them that its code uses, in the same order.
    pub resources: &'static [u32],
    /// How many lanes its waves have, where the source says.
    pub wave: Option<WaveSize>,
    /// What it samples with what: resources that are an image and a sampler.
    pub samples: &'static [(u32, u32)],
    /// Its form for Level Zero.
    pub cl: ClEntry,
    /// The same for devices without images; absent if it uses none.
    pub cl_memory: ClEntry,
    /// Its form on the CPU.
    pub cpu: CpuEntry,
}

/// How many lanes the waves of an entry point have: powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaveSize {
    /// Fewest.
    pub least: u32,
    /// Most.
    pub most: u32,
    /// Which number is best.
    pub wanted: Option<u32>,
}

impl std::fmt::Display for WaveSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.least, self.most) {
            (n, most) if n == most => write!(f, "waves of {n} lanes"),
            (least, most) => write!(f, "waves of {least} to {most} lanes"),
        }
    }
}

/// The form of an entry point as a kernel of OpenCL's flavour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClEntry {
    /// None was made.
    Absent,
    /// A kernel.
    Kernel {
        /// The SPIR-V module that has it, little-endian words.
        code: &'static [u8],
        /// Its parameters.
        args: &'static [ClArg],
    },
    /// There is none, for this reason.
    Refused(&'static str),
}

/// The form of an entry point on the CPU.
#[derive(Debug)]
pub enum CpuEntry {
    /// It was not compiled for the CPU.
    Absent,
    /// Native code.
    Code(CpuCode),
    /// There is none, for this reason.
    Refused(&'static str),
}

/// A parameter of a kernel of OpenCL's flavour. Numbers but that of `Local` are indices into
/// [`KernelDesc::resources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClArg {
    /// The address of a buffer.
    Pointer(u32),
    /// The number of bytes of a buffer, 64 bits.
    Length(u32),
    /// The bytes of a block of constants, by value.
    Constants(u32),
    /// An image.
    Image(u32),
    /// The address of an image's texels, row by row without gaps.
    Texels(u32),
    /// An image's width, height, depth and the number of its format in SPIR-V, 32 bits each.
    Extent(u32),
    /// A scalar or vector by value, which is all of a block of constants.
    Scalar(u32),
    /// Memory of the work-group, of this many bytes.
    Local(u32),
    /// Memory of the work-group, of as many bytes as the launch says.
    Sized(u32),
}

/// Native code of an entry point.
#[derive(Debug)]
pub struct CpuCode {
    /// Bytes of scratch memory that a thread needs.
    pub scratch: u32,
    /// Instruction sets and functions, best first.
    pub functions: &'static [(&'static str, KernelFn)],
}

/// The value of a specialization constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstantValue {
    /// Its number.
    pub id: u32,
    /// Bytes of its type in SPIR-V; a truth value has four.
    pub bytes: u32,
    /// Its bits; integers with a sign are extended.
    pub bits: u64,
}

impl ConstantValue {
    /// Its bytes, as far as the type has them.
    #[cfg(any(feature = "vulkan", feature = "level-zero"))]
    pub(crate) fn data(&self) -> Vec<u8> {
        match self.bytes {
            2 => (self.bits as u16).to_ne_bytes().to_vec(),
            8 => self.bits.to_ne_bytes().to_vec(),
            _ => (self.bits as u32).to_ne_bytes().to_vec(),
        }
    }
}

/// A resource of a kernel file.
#[derive(Debug)]
pub struct ResourceDesc {
    /// Name in the kernel.
    pub name: &'static str,
    /// Whether the kernel may write it.
    pub writable: bool,
    /// Where Vulkan finds it.
    pub binding: Binding,
    /// What it is.
    pub kind: ResourceKind,
}

/// How a resource reaches a Vulkan pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// A descriptor.
    Descriptor {
        /// Descriptor set.
        set: u32,
        /// Binding number in the set.
        binding: u32,
    },
    /// Bytes of the push constants.
    PushConstant {
        /// First byte.
        offset: u32,
        /// Number of bytes.
        size: u32,
    },
    /// By the buffer's address, which lies with its size in bytes behind it (64 bits each) in a block of constants.
    Address {
        /// The block: index into [`KernelDesc::resources`].
        block: u32,
        /// First byte of the address in it.
        offset: u32,
    },
    /// By a specialization constant: the number of words of an array of the work-group.
    Length {
        /// Its number.
        id: u32,
        /// Bytes of a word.
        unit: u32,
    },
}

/// What a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceKind {
    /// An array of elements, this many bytes apart.
    Buffer {
        /// Bytes of an element.
        stride: u32,
    },
    /// Bytes, used as 32-bit words.
    Bytes,
    /// A block of constants of this many bytes.
    Constants {
        /// Number of bytes.
        size: u32,
    },
    /// An image.
    Image {
        /// The name of its dimension's type.
        dimension: &'static str,
        /// A storage image, otherwise a sampled one.
        storage: bool,
        /// The name of the format that the kernel declares.
        format: Option<&'static str>,
        /// How many there are, in an array of resources.
        count: Option<u32>,
    },
    /// A typed buffer: texels in a row.
    Texels {
        /// Bytes of a texel.
        stride: u32,
        /// Its format's number in SPIR-V; for three components, which SPIR-V does not have, in the CPU's ABI.
        code: u32,
        /// Its format's number in Vulkan.
        vulkan: i32,
        /// A storage texel buffer, otherwise a uniform one.
        storage: bool,
    },
    /// A sampler.
    Sampler {
        /// Whether it compares.
        compares: bool,
    },
    /// Memory of the work-group: the launch says how many elements.
    Local {
        /// Bytes of an element.
        stride: u32,
    },
}

/// A kernel loaded on a device.
#[derive(Clone)]
pub struct Loaded {
    device: Device,
    entry: &'static EntryDesc,
    constants: Arc<[ConstantValue]>,
    code: Code,
}

impl std::fmt::Debug for Loaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernel({} on {}, {})", self.entry.label(), self.device.id(), self.code_name())
    }
}

#[derive(Clone)]
enum Code {
    Cpu(cpu::Code),
    #[cfg(feature = "vulkan")]
    Vulkan(Arc<crate::vulkan::Pipeline>),
    #[cfg(feature = "level-zero")]
    LevelZero(Arc<crate::level_zero::Kernel>),
}

impl Loaded {
    /// Loads the entry point.
    ///
    /// # Errors
    /// The kernel has no code for the device, or the device cannot run it.
    pub fn new(device: &Device, entry: &'static EntryDesc) -> Result<Loaded> {
        Loaded::with(device, entry, &[])
    }

    /// Loads the entry point with values for its specialization constants: none for the defaults on a GPU, else all, in the order
    /// of the kernel's interface.
    ///
    /// # Errors
    /// As [`Loaded::new`].
    pub fn with(device: &Device, entry: &'static EntryDesc, constants: &[ConstantValue]) -> Result<Loaded> {
        device.check_process()?;
        let constants: Arc<[ConstantValue]> = constants.into();
        let code = match device.backend() {
            Backend::Cpu => cpu::load(entry).map(Code::Cpu),
            #[cfg(feature = "vulkan")]
            Backend::Vulkan(vulkan) => vulkan.pipeline(entry, &constants).map(Code::Vulkan),
            #[cfg(feature = "level-zero")]
            Backend::LevelZero(device) => device.kernel(entry, &constants).map(Code::LevelZero),
        };
        let place =
            || format!("kernel `{}` ({}) on device `{}`", entry.label(), entry.kernel.source, device.name());
        Ok(Loaded { device: device.clone(), entry, constants, code: code.map_err(|e| e.at(place()))? })
    }

    /// The device that it was loaded on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// What runs it: the instruction set on the CPU, otherwise `vulkan` or `level-zero`.
    pub fn code_name(&self) -> &'static str {
        match &self.code {
            Code::Cpu(code) => code.isa(),
            #[cfg(feature = "vulkan")]
            Code::Vulkan(_) => "vulkan",
            #[cfg(feature = "level-zero")]
            Code::LevelZero(_) => "level-zero",
        }
    }

    /// Launches at least `threads` work-items with these arguments, in order. Those that the code does not use are checked, and
    /// that is all: no device is given them, and nothing waits for who uses them.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind); the text names kernel, argument and device.
    pub fn launch(&self, queue: &Queue, threads: [u32; 3], args: &[Arg<'_>]) -> Result<()> {
        self.launch_checked(queue, threads, args).map_err(|e| {
            e.at(format_args!("launching kernel `{}` on device `{}`", self.entry.label(), self.device.name()))
        })
    }

    fn launch_checked(&self, queue: &Queue, threads: [u32; 3], args: &[Arg<'_>]) -> Result<()> {
        self.device.check_process()?;
        queue.device().check_same(&self.device, "the kernel")?;
        if args.len() != self.entry.arguments.len() {
            return Err(error!(
                InvalidArgument,
                "{} arguments for {} resources",
                args.len(),
                self.entry.arguments.len()
            ));
        }
        argument::check(queue, self.entry, args)?;
        let args = &*self.used(args);
        let groups = groups(threads, self.entry.local_size)?;
        if groups.contains(&0) {
            return Ok(());
        }
        match &self.code {
            Code::Cpu(code) => {
                // The address of a buffer is the number of its slot, from 1, so that none is null; offsets into it are
                // added to that.
                let filled = self.addresses(args, |slot, _| (u64::from(slot) + 1) << CPU_SLOT_SHIFT)?;
                let resources = cpu::resources(self.entry, &filled.args(args), &self.constants)?;
                let timed = queue.profiling();
                // SAFETY: `resources` are those of the entry point, which the code is of.
                let job = unsafe { code.job(groups, resources, timed) }?;
                queue.cpu()?.launch(job.clone())?;
                if timed {
                    queue.set_timing(Some(Timing::Cpu(job)));
                }
            }
            #[cfg(feature = "vulkan")]
            Code::Vulkan(pipeline) => {
                let filled = self.addresses(args, |_, memory| match memory {
                    Memory::Vulkan(buffer) => buffer.address(),
                    _ => 0,
                })?;
                let args = filled.args(args);
                let resources = self.vulkan_resources(&args)?;
                let timing = queue.vulkan()?.launch(pipeline, groups, &resources, queue.profiling())?;
                if queue.profiling() {
                    queue.set_timing(timing.map(Timing::Vulkan));
                }
            }
            #[cfg(feature = "level-zero")]
            Code::LevelZero(kernel) => {
                let filled = self.addresses(args, |_, memory| match memory {
                    Memory::LevelZero(buffer) => buffer.pointer() as u64,
                    _ => 0,
                })?;
                let args = filled.args(args);
                let resources = self.level_zero_resources(&args)?;
                let timing = queue.level_zero()?.launch(kernel, groups, &resources, queue.profiling())?;
                if queue.profiling() {
                    queue.set_timing(timing.map(Timing::LevelZero));
                }
            }
        }
        Ok(())
    }

    /// The arguments that the code uses.
    fn used<'a>(&self, args: &'a [Arg<'a>]) -> Cow<'a, [Arg<'a>]> {
        if self.entry.resources.len() == self.entry.arguments.len() {
            return Cow::Borrowed(args);
        }
        let given = self.entry.arguments.iter().zip(args);
        given.filter(|(r, _)| self.entry.resources.contains(r)).map(|(_, arg)| arg.clone()).collect()
    }

    /// Blocks of constants with the addresses of buffers in them, as far as the kernel has such.
    fn addresses(&self, args: &[Arg<'_>], address_of: impl Fn(u32, &Memory) -> u64) -> Result<Filled> {
        let used = &self.entry.resources;
        let mut filled = Filled { blocks: Vec::new() };
        for (slot, Arg(arg)) in used.iter().zip(args) {
            let Binding::Address { block, offset } = self.entry.kernel.resources[*slot as usize].binding
            else {
                continue;
            };
            let missing =
                || error!(InvalidArgument, "the block that its address belongs into is no argument");
            let at = used.iter().position(|r| *r == block).ok_or_else(missing)?;
            let (Some(Arg(ArgKind::Constants(bytes))), ArgKind::Buffer { memory, bytes: size, .. }) =
                (args.get(at), arg)
            else {
                return Err(missing());
            };
            let index = filled.blocks.iter().position(|b| b.0 == at).unwrap_or_else(|| {
                filled.blocks.push((at, bytes.to_vec()));
                filled.blocks.len() - 1
            });
            let both = [address_of(*slot, memory), *size as u64];
            let room = filled.blocks[index].1.get_mut(offset as usize..).and_then(|b| b.get_mut(..16));
            let room = room.ok_or_else(missing)?;
            room[..8].copy_from_slice(&both[0].to_ne_bytes());
            room[8..].copy_from_slice(&both[1].to_ne_bytes());
        }
        Ok(filled)
    }

    #[cfg(feature = "vulkan")]
    fn vulkan_resources<'a>(&self, args: &'a [Arg<'_>]) -> Result<Vec<crate::vulkan::Bound<'a>>> {
        use crate::vulkan::Bound;
        args.iter()
            .map(|Arg(arg)| match arg {
                ArgKind::Buffer { memory: Memory::Vulkan(buffer), .. } => Ok(Bound::Buffer(buffer)),
                ArgKind::Image { texture: Texture::Vulkan(image), .. } => Ok(Bound::Image(image)),
                ArgKind::Sampler { state: State::Vulkan(sampler), .. } => Ok(Bound::Sampler(sampler)),
                ArgKind::Images(list) => {
                    let images = list.iter().map(|image| match image {
                        ArgKind::Image { texture: Texture::Vulkan(image), .. } => Ok(&**image),
                        _ => Err(error!(WrongDevice, "an argument is not on Vulkan")),
                    });
                    Ok(Bound::Images(images.collect::<Result<_>>()?))
                }
                ArgKind::Constants(bytes) => Ok(Bound::Constants(bytes)),
                ArgKind::Length(elements) => Ok(Bound::Length(*elements)),
                _ => Err(error!(WrongDevice, "an argument is not on Vulkan")),
            })
            .collect()
    }

    #[cfg(feature = "level-zero")]
    fn level_zero_resources<'a>(&self, args: &'a [Arg<'_>]) -> Result<Vec<crate::level_zero::Bound<'a>>> {
        use crate::level_zero::Bound;
        args.iter()
            .map(|Arg(arg)| match arg {
                ArgKind::Buffer { memory: Memory::LevelZero(buffer), .. } => Ok(Bound::Buffer(buffer)),
                ArgKind::Image { texture: Texture::LevelZero(image), .. } => Ok(Bound::Image(image)),
                ArgKind::Constants(bytes) => Ok(Bound::Constants(bytes)),
                ArgKind::Length(elements) => Ok(Bound::Length(*elements)),
                _ => Err(error!(WrongDevice, "an argument is not on Level Zero")),
            })
            .collect()
    }
}

/// Where the number of a slot is in an address on the CPU.
const CPU_SLOT_SHIFT: u32 = 48;

/// Copies of blocks of constants: index of the argument, bytes.
struct Filled {
    blocks: Vec<(usize, Vec<u8>)>,
}

impl Filled {
    /// The arguments with these blocks in place of what the caller gave.
    fn args<'a>(&'a self, args: &'a [Arg<'a>]) -> Cow<'a, [Arg<'a>]> {
        if self.blocks.is_empty() {
            return Cow::Borrowed(args);
        }
        let new = |(i, Arg(arg)): (usize, &'a Arg<'a>)| {
            Arg(match self.blocks.iter().find(|b| b.0 == i) {
                Some((_, bytes)) => ArgKind::Constants(bytes),
                None => arg.clone(),
            })
        };
        args.iter().enumerate().map(new).collect()
    }
}

/// Whether a device launches so many work-groups at once.
pub(crate) fn check_groups(groups: [u32; 3], limits: [u32; 3]) -> Result<()> {
    let Some(i) = (0..3).find(|i| groups[*i] > limits[*i]) else { return Ok(()) };
    Err(error!(
        Limit,
        "{} work-groups in {} exceed the device's {}; split the launch or enlarge [numthreads]",
        groups[i],
        ["x", "y", "z"][i],
        limits[i]
    ))
}

impl EntryDesc {
    /// How messages call it.
    pub(crate) fn label(&self) -> String {
        format!("{}::{}", self.kernel.name, self.name)
    }
}

/// The work-groups that cover `threads`.
fn groups(threads: [u32; 3], local_size: [u32; 3]) -> Result<[u32; 3]> {
    let mut groups = [0; 3];
    for (i, axis) in ["x", "y", "z"].iter().enumerate() {
        let local = local_size[i].max(1);
        groups[i] = threads[i].div_ceil(local);
        // The last thread's index must fit 32 bits, or the kernel would see the first ones twice.
        if u64::from(groups[i]) * u64::from(local) > 1 << 32 {
            return Err(error!(
                Limit,
                "{} threads in {axis}, rounded up to work-groups of {local}, exceed 2^32; split the launch",
                threads[i]
            ));
        }
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_rounded_up_to_groups() {
        assert_eq!(groups([1, 1, 1], [64, 1, 1]).unwrap(), [1, 1, 1]);
        assert_eq!(groups([65, 13, 0], [64, 8, 1]).unwrap(), [2, 2, 0]);
        assert_eq!(groups([u32::MAX, 1, 1], [64, 1, 1]).unwrap(), [1 << 26, 1, 1]);
    }

    #[test]
    fn indices_that_wrap_are_refused() {
        let error = groups([u32::MAX - 1, 1, 1], [48, 1, 1]).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Limit);
        assert!(error.to_string().contains("in x"), "{error}");
    }
}
