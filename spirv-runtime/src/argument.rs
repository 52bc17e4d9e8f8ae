//! Arguments of launches, and whether they are what a kernel needs. Stubs only make arguments that are; this is what keeps
//! `Loaded::launch` safe without them, and says what types cannot.

use crate::buffer::Memory;
use crate::device::Device;
use crate::error::{Error, Result, error};
use crate::image::{ImageFacts, Texture};
use crate::kernel::{EntryDesc, ResourceDesc, ResourceKind};
use crate::queue::Queue;
use crate::sampler::{SamplerOptions, State};

/// An argument of a launch.
#[derive(Clone)]
pub struct Arg<'a>(pub(crate) ArgKind<'a>);

impl std::fmt::Debug for Arg<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            ArgKind::Buffer { .. } => "Arg(buffer)",
            ArgKind::Image { .. } => "Arg(image)",
            ArgKind::Images(_) => "Arg(images)",
            ArgKind::Sampler { .. } => "Arg(sampler)",
            ArgKind::Constants(_) => "Arg(constants)",
            ArgKind::Length(_) => "Arg(length)",
        })
    }
}

#[derive(Clone)]
pub(crate) enum ArgKind<'a> {
    Buffer {
        device: &'a Device,
        memory: &'a Memory,
        bytes: usize,
        writable: bool,
    },
    Image {
        device: &'a Device,
        texture: &'a Texture,
        facts: ImageFacts,
        writable: bool,
    },
    /// An array of images.
    Images(Vec<ArgKind<'a>>),
    Sampler {
        device: &'a Device,
        state: &'a State,
        options: &'a SamplerOptions,
    },
    Constants(&'a [u8]),
    /// Elements of memory of the work-group.
    Length(usize),
}

impl<'a> Arg<'a> {
    pub(crate) fn buffer(device: &'a Device, memory: &'a Memory, bytes: usize, writable: bool) -> Arg<'a> {
        Arg(ArgKind::Buffer { device, memory, bytes, writable })
    }

    pub(crate) fn image(
        device: &'a Device,
        texture: &'a Texture,
        facts: ImageFacts,
        writable: bool,
    ) -> Arg<'a> {
        Arg(ArgKind::Image { device, texture, facts, writable })
    }

    /// An array of images.
    pub fn images(list: Vec<Arg<'a>>) -> Arg<'a> {
        Arg(ArgKind::Images(list.into_iter().map(|image| image.0).collect()))
    }

    pub(crate) fn sampler(device: &'a Device, state: &'a State, options: &'a SamplerOptions) -> Arg<'a> {
        Arg(ArgKind::Sampler { device, state, options })
    }

    /// A block of constants, laid out as the kernel has it.
    pub fn constants(bytes: &'a [u8]) -> Arg<'a> {
        Arg(ArgKind::Constants(bytes))
    }

    /// The number of elements of memory of the work-group.
    pub fn length(elements: usize) -> Arg<'static> {
        Arg(ArgKind::Length(elements))
    }
}

/// Whether the arguments are what an entry point needs.
pub(crate) fn check(queue: &Queue, entry: &EntryDesc, args: &[Arg<'_>]) -> Result<()> {
    let resource = |slot: &u32| &entry.kernel.resources[*slot as usize];
    for (slot, arg) in entry.arguments.iter().zip(args) {
        let resource = resource(slot);
        check_one(queue, resource, &arg.0).map_err(|e| e.at(format_args!("argument `{}`", resource.name)))?;
    }
    let of = |slot: &u32| entry.arguments.iter().position(|r| r == slot).and_then(|i| args.get(i));
    for (image, sampler) in entry.samples {
        if let (Some(Arg(texels)), Some(Arg(by))) = (of(image), of(sampler)) {
            let list = match texels {
                ArgKind::Images(list) => list.as_slice(),
                one => std::slice::from_ref(one),
            };
            let names = format!("arguments `{}` and `{}`", resource(image).name, resource(sampler).name);
            for texels in list {
                check_sample(texels, by).map_err(|e| e.at(&names))?;
            }
        }
    }
    Ok(())
}

fn check_one(queue: &Queue, resource: &ResourceDesc, arg: &ArgKind<'_>) -> Result<()> {
    let (device, writable) = match (arg, resource.kind) {
        (ArgKind::Constants(bytes), ResourceKind::Constants { size }) if bytes.len() == size as usize => {
            return Ok(());
        }
        (ArgKind::Length(0), ResourceKind::Local { .. }) => {
            return Err(error!(InvalidArgument, "local memory has at least one element"));
        }
        (ArgKind::Length(_), ResourceKind::Local { .. }) => return Ok(()),
        (ArgKind::Buffer { device, writable, .. }, ResourceKind::Buffer { .. }) => (*device, *writable),
        (ArgKind::Buffer { device, bytes, writable, .. }, ResourceKind::Texels { stride, .. }) => {
            check_texels(*bytes, stride as usize)?;
            (*device, *writable)
        }
        (ArgKind::Buffer { device, bytes, writable, .. }, ResourceKind::Bytes) => {
            if bytes % 4 != 0 {
                return Err(error!(
                    InvalidArgument,
                    "the kernel uses it as 32-bit words, but its {bytes} bytes are no multiple of 4"
                ));
            }
            (*device, *writable)
        }
        (ArgKind::Images(list), ResourceKind::Image { dimension, storage, format, count: Some(n) })
            if list.len() == n as usize =>
        {
            let kind = ResourceKind::Image { dimension, storage, format, count: None };
            let ResourceDesc { name, writable, binding, .. } = *resource;
            let one = ResourceDesc { name, writable, binding, kind };
            return list.iter().try_for_each(|image| check_one(queue, &one, image));
        }
        (
            ArgKind::Image { device, writable, texture, facts, .. },
            ResourceKind::Image { dimension, storage, format, count: None },
        ) => {
            check_image(texture, facts, dimension, storage, format)?;
            (*device, *writable)
        }
        (ArgKind::Sampler { device, options, .. }, ResourceKind::Sampler { compares }) => {
            if options.compare.is_some() != compares {
                let why = match compares {
                    true => {
                        "the kernel compares with it; make it with `compare: Some(CompareFunction::Less)`"
                    }
                    false => "the kernel does not compare with it; make it with `compare: None`",
                };
                return Err(error!(InvalidArgument, "{why}"));
            }
            (*device, false)
        }
        _ => return Err(error!(InvalidArgument, "it is not of the kind that the kernel declares")),
    };
    if resource.writable && !writable {
        return Err(error!(InvalidArgument, "the kernel writes it, but it is borrowed for reading only"));
    }
    queue.device().check_same(device, "it")
}

fn check_texels(bytes: usize, stride: usize) -> Result<()> {
    if bytes == 0 {
        return Err(error!(InvalidArgument, "a typed buffer has at least one element"));
    }
    if stride == 0 || !bytes.is_multiple_of(stride) {
        return Err(error!(
            InvalidArgument,
            "the kernel has texels of {stride} bytes, but its {bytes} bytes are no multiple of that"
        ));
    }
    Ok(())
}

fn check_image(
    texture: &Texture,
    facts: &ImageFacts,
    dimension: &str,
    storage: bool,
    declared: Option<&str>,
) -> Result<(), Error> {
    let ImageFacts { format, dimension: own, depth, .. } = *facts;
    if own != dimension {
        return Err(error!(InvalidArgument, "the kernel declares dimension {dimension}, but it is of {own}"));
    }
    if let Some(declared) = declared.filter(|d| *d != format) {
        return Err(error!(
            InvalidArgument,
            "the kernel declares format {declared}, but its texels are {format}"
        ));
    }
    let writable = match texture {
        Texture::Cpu(_) => !depth,
        #[cfg(feature = "vulkan")]
        Texture::Vulkan(image) => image.storage() && !depth,
        #[cfg(feature = "level-zero")]
        Texture::LevelZero(_) => true,
    };
    if storage && !writable {
        return Err(error!(
            Unsupported,
            "the device cannot use images of format {format} as RWTexture; take another format"
        ));
    }
    Ok(())
}

/// Whether an image can be sampled with a sampler.
fn check_sample(image: &ArgKind<'_>, sampler: &ArgKind<'_>) -> Result<()> {
    let (ArgKind::Image { texture, facts, .. }, ArgKind::Sampler { options, .. }) = (image, sampler) else {
        return Ok(());
    };
    if options.compare.is_some() && !facts.depth {
        return Err(error!(
            InvalidArgument,
            "devices compare depths only, not texels of format {}; make the image Depth32Float or Depth16Unorm",
            facts.format
        ));
    }
    if !facts.floats && (options.filters() || options.has_border()) {
        return Err(error!(
            InvalidArgument,
            "integers are not filtered and have no border; take `Filter::Nearest` and another address mode"
        ));
    }
    let filters = match texture {
        Texture::Cpu(_) => true,
        #[cfg(feature = "vulkan")]
        Texture::Vulkan(image) => image.filters(),
        #[cfg(feature = "level-zero")]
        Texture::LevelZero(_) => true,
    };
    // What is filtered where a sampler compares are the results.
    if options.filters() && options.compare.is_none() && !filters {
        return Err(error!(
            Unsupported,
            "the device does not filter texels of format {}; take another format, or `Filter::Nearest`",
            facts.format
        ));
    }
    Ok(())
}
