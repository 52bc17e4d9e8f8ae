//! Appending launches.

use super::device::Shared;
use super::image::{Image, Texels};
use super::memory::Buffer;
use super::module::{Kernel, Variant};
use super::transfer::Queue;
use crate::error::{Result, error};
use crate::gpu::{self, Commands};
use crate::kernel::{ClArg, EntryDesc, ResourceKind};
use level_zero_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Buffers from this size on need kernels with addresses for them.
const LARGE: usize = 1 << 32;

/// An argument of a launch.
pub(crate) type Bound<'a> = gpu::Bound<'a, Buffer, Image>;

/// What a parameter was set to last.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Set {
    Nothing,
    /// The buffer with this number.
    Pointer(u64),
    /// The image with this number.
    Image(u64),
    Bytes(Vec<u8>),
    Local(u32),
}

impl Queue {
    /// Appends a launch; with an event for its time if told so and the device has timestamps.
    pub(crate) fn launch(
        &self,
        kernel: &Arc<Kernel>,
        groups: [u32; 3],
        arguments: &[Bound<'_>],
        profile: bool,
    ) -> Result<Option<Arc<Timer>>> {
        let shared = &self.device.shared;
        let compute = &shared.compute;
        gpu::check_groups(groups, [compute.maxGroupCountX, compute.maxGroupCountY, compute.maxGroupCountZ])?;
        let large = arguments.iter().any(|a| match a {
            Bound::Buffer(buffer) => buffer.bytes >= LARGE,
            Bound::Image(image) => matches!(&image.texels, Texels::Memory(buffer) if buffer.bytes >= LARGE),
            Bound::Images(_) | Bound::Sampler(_) | Bound::Constants(_) | Bound::Length(_) => false,
        });
        self.device.throttle()?;
        self.device.with_memory(|| {
            let timer = if profile { Timer::new(shared)? } else { None };
            kernel.with_variant(large, |variant| self.append(kernel, variant, groups, arguments, timer))
        })
    }

    fn append(
        &self,
        kernel: &Arc<Kernel>,
        variant: &Variant,
        groups: [u32; 3],
        arguments: &[Bound<'_>],
        timer: Option<Timer>,
    ) -> Result<Option<Arc<Timer>>> {
        let shared = &self.device.shared;
        let mut stream = self.device.stream();
        for argument in arguments {
            match argument {
                Bound::Buffer(buffer) => stream.check_writer(buffer.last_write())?,
                Bound::Image(image) => stream.check_writer(image.last_write())?,
                Bound::Images(_) | Bound::Sampler(_) | Bound::Constants(_) | Bound::Length(_) => {}
            }
        }
        set_arguments(shared, kernel, variant, arguments)?;
        let (list, command) = stream.begin(shared)?;
        let count =
            ze_group_count_t { groupCountX: groups[0], groupCountY: groups[1], groupCountZ: groups[2] };
        let event = timer.as_ref().map_or(null_mut(), |t| t.event);
        // SAFETY: all arguments are set; groups and their number are within the limits; what the kernel uses is
        // kept by the stream, and so is the event.
        let result = unsafe {
            shared.api.zeCommandListAppendLaunchKernel(list, variant.raw, &count, event, 0, null_mut())
        };
        shared.check("zeCommandListAppendLaunchKernel", result)?;
        let (mut kept, mut images) = (Vec::new(), Vec::new());
        for (index, argument) in kernel.entry.resources.iter().zip(arguments) {
            let writable = kernel.entry.kernel.resources[*index as usize].writable;
            match argument {
                Bound::Buffer(buffer) => {
                    buffer.used(writable, command);
                    kept.push(Arc::clone(buffer));
                }
                Bound::Image(image) => {
                    image.used(writable, command);
                    images.push(Arc::clone(image));
                }
                Bound::Images(_) | Bound::Sampler(_) | Bound::Constants(_) | Bound::Length(_) => {}
            }
        }
        let timer = timer.map(|mut t| {
            t.command = command;
            Arc::new(t)
        });
        stream.keep(0, (kernel.clone(), kept, images, timer.clone()));
        stream.submit_if_long(shared)?;
        self.ran(command);
        Ok(timer)
    }
}

/// Sets the arguments that differ from the last launch's.
fn set_arguments(shared: &Shared, kernel: &Kernel, variant: &Variant, arguments: &[Bound<'_>]) -> Result<()> {
    let entry = kernel.entry;
    let mut set = variant.set.lock().unwrap_or_else(PoisonError::into_inner);
    for (i, parameter) in kernel.form.args.iter().enumerate() {
        let of = |resource: &u32| {
            let position = entry.resources.iter().position(|r| r == resource);
            position.and_then(|p| arguments.get(p))
        };
        let length;
        let (value, size, pointer): (Set, usize, *const c_void);
        let address;
        let handle;
        let argument = parameter_resource(parameter).and_then(of);
        match (parameter, argument) {
            (ClArg::Pointer(_), Some(Bound::Buffer(buffer))) => {
                address = buffer.pointer();
                (value, size, pointer) = (Set::Pointer(buffer.id), 8, (&raw const address).cast());
            }
            (ClArg::Length(_), Some(Bound::Buffer(buffer))) => {
                length = (buffer.bytes as u64).to_ne_bytes();
                (value, size, pointer) = (Set::Bytes(length.to_vec()), 8, length.as_ptr().cast());
            }
            (ClArg::Length(r), Some(Bound::Length(elements))) => {
                length = u64::from(local_bytes(shared, entry, *r, *elements)?).to_ne_bytes();
                (value, size, pointer) = (Set::Bytes(length.to_vec()), 8, length.as_ptr().cast());
            }
            (ClArg::Constants(_) | ClArg::Scalar(_), Some(Bound::Constants(bytes))) => {
                (value, size, pointer) = (Set::Bytes(bytes.to_vec()), bytes.len(), bytes.as_ptr().cast());
            }
            (ClArg::Image(_) | ClArg::Texels(_), Some(Bound::Image(image))) => match &image.texels {
                Texels::Object(raw) => {
                    handle = *raw;
                    (value, size, pointer) =
                        (Set::Image(image.id), size_of_val(&handle), (&raw const handle).cast());
                }
                Texels::Memory(buffer) => {
                    address = buffer.pointer();
                    (value, size, pointer) = (Set::Pointer(buffer.id), 8, (&raw const address).cast());
                }
            },
            (ClArg::Extent(_), Some(Bound::Image(image))) => {
                let bytes: Vec<u8> = image.extent.iter().flat_map(|n| n.to_ne_bytes()).collect();
                (value, size, pointer) =
                    (Set::Bytes(bytes), size_of_val(&image.extent), image.extent.as_ptr().cast());
            }
            (ClArg::Sized(r), Some(Bound::Length(elements))) => {
                let bytes = local_bytes(shared, entry, *r, *elements)?;
                (value, size, pointer) = (Set::Local(bytes), bytes as usize, null());
            }
            (ClArg::Local(bytes), _) => {
                (value, size, pointer) = (Set::Local(*bytes), *bytes as usize, null());
            }
            // Refused when the kernel was loaded.
            _ => return Err(error!(Driver, "parameter {i} does not fit its argument")),
        }
        if set[i] == value {
            continue;
        }
        // SAFETY: index and size are those of the kernel's parameter, and the value lives until the call returns.
        let result = unsafe { shared.api.zeKernelSetArgumentValue(variant.raw, i as u32, size, pointer) };
        if result != ZE_RESULT_SUCCESS {
            set[i] = Set::Nothing;
            let name = parameter_resource(parameter)
                .map_or("groupshared memory", |r| entry.kernel.resources[*r as usize].name);
            return Err(shared
                .failed("zeKernelSetArgumentValue", result)
                .at(format_args!("parameter {i} ({size} bytes, `{name}`)")));
        }
        set[i] = value;
    }
    Ok(())
}

/// Bytes of local memory of which a launch wants so many elements.
fn local_bytes(shared: &Shared, entry: &EntryDesc, resource: u32, elements: usize) -> Result<u32> {
    let desc = &entry.kernel.resources[resource as usize];
    let stride = match desc.kind {
        ResourceKind::Local { stride } => stride as usize,
        _ => 1,
    };
    let (bytes, limit) = (elements.saturating_mul(stride), shared.compute.maxSharedLocalMemory);
    match u32::try_from(bytes).ok().filter(|n| *n <= limit) {
        Some(bytes) => Ok(bytes),
        None => Err(error!(
            Limit,
            "{bytes} bytes of local memory exceed the {limit} that the device has; make `{}` smaller",
            desc.name
        )),
    }
}

/// The resource that a parameter carries.
fn parameter_resource(parameter: &ClArg) -> Option<&u32> {
    match parameter {
        ClArg::Pointer(r)
        | ClArg::Length(r)
        | ClArg::Constants(r)
        | ClArg::Scalar(r)
        | ClArg::Image(r)
        | ClArg::Texels(r)
        | ClArg::Extent(r)
        | ClArg::Sized(r) => Some(r),
        ClArg::Local(_) => None,
    }
}

/// An event that has the time of a launch.
pub(crate) struct Timer {
    owner: EventPool,
    event: ze_event_handle_t,
    /// The launch's number.
    pub(super) command: u64,
}

struct EventPool {
    shared: Arc<Shared>,
    raw: ze_event_pool_handle_t,
}

// SAFETY: events may be used from several threads.
unsafe impl Send for Timer {}
// SAFETY: as above.
unsafe impl Sync for Timer {}

impl Timer {
    /// None if the device has no timestamps.
    fn new(shared: &Arc<Shared>) -> Result<Option<Timer>> {
        if shared.timestamp_bits == 0 {
            return Ok(None);
        }
        let api = &shared.api;
        let mut desc = ze_event_pool_desc_t::new();
        desc.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
        desc.count = 1;
        let mut device = shared.raw;
        let mut raw = null_mut();
        // SAFETY: the device is the context's.
        let result = unsafe { api.zeEventPoolCreate(shared.context, &desc, 1, &mut device, &mut raw) };
        shared.check("zeEventPoolCreate", result)?;
        let owner = EventPool { shared: shared.clone(), raw };
        let mut desc = ze_event_desc_t::new();
        desc.signal = ZE_EVENT_SCOPE_FLAG_HOST;
        desc.wait = ZE_EVENT_SCOPE_FLAG_HOST;
        let mut event = null_mut();
        // SAFETY: the pool has room for one.
        shared.check("zeEventCreate", unsafe { api.zeEventCreate(owner.raw, &desc, &mut event) })?;
        Ok(Some(Timer { owner, event, command: 0 }))
    }

    /// The time of the launch, which has completed.
    pub(super) fn elapsed(&self) -> Option<Duration> {
        let shared = &self.owner.shared;
        let zero = ze_kernel_timestamp_data_t { kernelStart: 0, kernelEnd: 0 };
        let mut times = ze_kernel_timestamp_result_t { global: zero, context: zero };
        // SAFETY: the event is valid, and of a pool with timestamps.
        let result = unsafe { shared.api.zeEventQueryKernelTimestamp(self.event, &mut times) };
        if result != ZE_RESULT_SUCCESS {
            return None;
        }
        // The counter has fewer than 64 bits and may have wrapped around, once.
        let mask = u64::MAX >> (64 - shared.timestamp_bits.clamp(1, 64));
        let ticks = times.global.kernelEnd.wrapping_sub(times.global.kernelStart) & mask;
        Some(Duration::from_nanos((ticks as f64 * shared.nanoseconds_per_tick) as u64))
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: the command that signals the event holds this struct until it has completed. A timer whose launch
        // failed has no event in use.
        unsafe { self.owner.shared.api.zeEventDestroy(self.event) };
    }
}

impl Drop for EventPool {
    fn drop(&mut self) {
        // SAFETY: its one event is gone, or was never made.
        unsafe { self.shared.api.zeEventPoolDestroy(self.raw) };
    }
}
