//! Choosing and opening devices.

use crate::dimension::{D2, Dimension, ImageSize};
use crate::error::{Result, error};
use crate::format::PixelFormat;
use crate::process::Process;
use crate::queue::Queue;
use crate::sampler::{Sampler, SamplerOptions};
use crate::{Buffer, Element, Image, cpu};
use std::fmt;
use std::sync::Arc;

/// What a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// A GPU with memory of its own.
    DiscreteGpu,
    /// A GPU that shares the host's memory.
    IntegratedGpu,
    /// A GPU passed to a virtual machine.
    VirtualGpu,
    /// A driver that runs kernels on the CPU. Never chosen unless asked for: kernels' own CPU code is faster.
    Software,
    /// An accelerator of some other kind.
    Other,
    /// The CPU, running the kernels' native code.
    Cpu,
}

/// A device that could be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// What `SPIRV_DEVICE` and [`Device::from_name`] call it: `cpu`, `vulkan:0`, `level-zero:0`.
    pub id: String,
    /// What its driver calls it.
    pub name: String,
    /// What it is.
    pub kind: DeviceKind,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceKind::DiscreteGpu => "discrete GPU",
            DeviceKind::IntegratedGpu => "integrated GPU",
            DeviceKind::VirtualGpu => "virtual GPU",
            DeviceKind::Software => "software",
            DeviceKind::Other => "accelerator",
            DeviceKind::Cpu => "CPU",
        })
    }
}

/// `vulkan:0: AMD Radeon RX 7600 (discrete GPU)`.
impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.id, self.name, self.kind)
    }
}

#[derive(Clone)]
pub(crate) enum Backend {
    Cpu,
    #[cfg(feature = "vulkan")]
    Vulkan(Arc<crate::vulkan::Device>),
    #[cfg(feature = "level-zero")]
    LevelZero(Arc<crate::level_zero::Device>),
}

/// An open device. Cloning makes another handle to the same one; opening it twice does, too.
#[derive(Clone)]
pub struct Device {
    backend: Backend,
    info: Arc<DeviceInfo>,
    process: Process,
}

impl Device {
    /// The device that the environment variable `SPIRV_DEVICE` names (`cpu`, `vulkan`, `vulkan:1`, `level-zero:0`); without it
    /// the best GPU that Vulkan or Level Zero can open, or else the CPU. A software implementation of either is never
    /// chosen.
    ///
    /// # Errors
    /// `SPIRV_DEVICE` names a device that does not exist or cannot be opened, or `SPIRV_CPU_THREADS` is no number.
    pub fn best() -> Result<Device> {
        match std::env::var("SPIRV_DEVICE") {
            Ok(name) if !name.trim().is_empty() => Device::from_name(&name).map_err(|e| e.at("SPIRV_DEVICE")),
            _ => Device::best_gpu(device_infos()).or_else(|_| Device::checked_cpu()),
        }
    }

    /// The CPU, if the environment lets it be used.
    fn checked_cpu() -> Result<Device> {
        cpu::check()?;
        Ok(Device::cpu())
    }

    /// The CPU of this machine. Where `SPIRV_CPU_THREADS` is no number, loading kernels says so.
    pub fn cpu() -> Device {
        Device::new(Backend::Cpu, cpu_info())
    }

    fn new(backend: Backend, info: DeviceInfo) -> Device {
        Device { backend, info: Arc::new(info), process: Process::current() }
    }

    /// The Vulkan device with this index in [`Device::all`].
    ///
    /// # Errors
    /// There is no Vulkan on this machine, no such device, or it cannot be opened.
    pub fn vulkan(index: usize) -> Result<Device> {
        #[cfg(feature = "vulkan")]
        {
            let device = crate::vulkan::open(index)?;
            let info = DeviceInfo {
                id: format!("vulkan:{index}"),
                name: device.name().to_string(),
                kind: device.kind(),
            };
            Ok(Device::new(Backend::Vulkan(device), info))
        }
        #[cfg(not(feature = "vulkan"))]
        Err(error!(
            NoDevice,
            "there is no `vulkan:{index}`: spirv-runtime was built without its `vulkan` feature"
        ))
    }

    /// The Level Zero device with this index in [`Device::all`].
    ///
    /// # Errors
    /// There is no Level Zero on this machine, no such device, or it cannot be opened.
    pub fn level_zero(index: usize) -> Result<Device> {
        #[cfg(feature = "level-zero")]
        return crate::level_zero::open(index).map(|device| Device::on_level_zero(index, device));
        #[cfg(not(feature = "level-zero"))]
        Err(error!(
            NoDevice,
            "there is no `level-zero:{index}`: spirv-runtime was built without its `level-zero` feature"
        ))
    }

    #[cfg(feature = "level-zero")]
    fn on_level_zero(index: usize, device: Arc<crate::level_zero::Device>) -> Device {
        let info =
            DeviceInfo { id: format!("level-zero:{index}"), name: device.name().into(), kind: device.kind() };
        Device::new(Backend::LevelZero(device), info)
    }

    /// A Level Zero device of its own that goes the ways of older drivers (regular command lists) and discrete
    /// devices (staging).
    #[cfg(feature = "level-zero")]
    #[doc(hidden)]
    pub fn __level_zero_for_tests(index: usize, regular: bool, staged: bool) -> Result<Device> {
        let device = Arc::new(crate::level_zero::Device::new(index, regular, staged)?);
        Ok(Device::on_level_zero(index, device))
    }

    /// A Vulkan device of its own that goes the ways of older devices (fences) and discrete ones (staging).
    #[cfg(feature = "vulkan")]
    #[doc(hidden)]
    pub fn __vulkan_for_tests(index: usize, fences: bool, staged: bool) -> Result<Device> {
        let device = Arc::new(crate::vulkan::Device::new(index, fences, staged)?);
        let info =
            DeviceInfo { id: format!("vulkan:{index}"), name: device.name().into(), kind: device.kind() };
        Ok(Device::new(Backend::Vulkan(device), info))
    }

    /// The device with this name: `cpu`, `vulkan:1`, `level-zero:0`, or `vulkan` or `level-zero` for the best one of
    /// that kind (which may be a software one if there is no other).
    ///
    /// # Errors
    /// The name is malformed, or there is no such device, or it cannot be opened.
    pub fn from_name(name: &str) -> Result<Device> {
        let wanted = name.trim().to_ascii_lowercase();
        let unknown = || {
            let all: Vec<_> = Device::all().into_iter().map(|d| format!("`{}` ({})", d.id, d.name)).collect();
            error!(NoDevice, "there is no device `{name}`; this machine has {}", all.join(", "))
        };
        match wanted.split_once(':') {
            None if wanted == "cpu" => Device::checked_cpu(),
            None if wanted == "vulkan" => Device::best_gpu(vulkan_infos()).or_else(|_| Device::vulkan(0)),
            None if wanted == "level-zero" => {
                Device::best_gpu(level_zero_infos()).or_else(|_| Device::level_zero(0))
            }
            Some(("vulkan", index)) => Device::vulkan(index.parse().map_err(|_| unknown())?),
            Some(("level-zero", index)) => Device::level_zero(index.parse().map_err(|_| unknown())?),
            _ => Err(unknown()),
        }
    }

    /// The devices that could be opened: those of Vulkan, those of Level Zero, then the CPU. A GPU with drivers for
    /// both is there twice.
    pub fn all() -> Vec<DeviceInfo> {
        let mut all = device_infos();
        all.push(cpu_info());
        all
    }

    /// The first discrete GPU among these, else an integrated one, else a virtual one.
    fn best_gpu(infos: Vec<DeviceInfo>) -> Result<Device> {
        let order = [DeviceKind::DiscreteGpu, DeviceKind::IntegratedGpu, DeviceKind::VirtualGpu];
        let mut error = error!(NoDevice, "this machine has no GPU with a driver for Vulkan or Level Zero");
        for kind in order {
            for info in infos.iter().filter(|info| info.kind == kind) {
                match Device::from_name(&info.id) {
                    Ok(device) => return Ok(device),
                    Err(e) => error = e,
                }
            }
        }
        Err(error)
    }

    /// What the driver calls it.
    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// What `SPIRV_DEVICE` calls it: `cpu`, `vulkan:0`, `level-zero:0`.
    pub fn id(&self) -> &str {
        &self.info.id
    }

    /// What it is.
    pub fn kind(&self) -> DeviceKind {
        self.info.kind
    }

    /// A queue to launch kernels on.
    pub fn queue(&self) -> Queue {
        Queue::new(self.clone())
    }

    /// A buffer of `len` zeros.
    ///
    /// # Errors
    /// It exceeds the device's memory or its limit for buffers.
    pub fn buffer<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        self.check_process()?;
        Buffer::new(self, len, None).map_err(|e| self.while_making("a buffer", e))
    }

    /// A buffer that holds a copy of `data`.
    ///
    /// # Errors
    /// It exceeds the device's memory or its limit for buffers.
    pub fn buffer_from<T: Element>(&self, data: &[T]) -> Result<Buffer<T>> {
        self.check_process()?;
        Buffer::new(self, data.len(), Some(data)).map_err(|e| self.while_making("a buffer", e))
    }

    /// An image of zeros, of two dimensions and one level.
    ///
    /// # Errors
    /// It is empty, or exceeds the device's memory or limits, or the device has no such format.
    pub fn image<F: PixelFormat>(&self, width: u32, height: u32) -> Result<Image<F>> {
        self.image_of(D2::size(width, height))
    }

    /// An image of these texels, row by row.
    ///
    /// # Errors
    /// There are not `width * height` texels, or as for [`Device::image`].
    pub fn image_from<F: PixelFormat>(
        &self,
        width: u32,
        height: u32,
        texels: &[F::Texel],
    ) -> Result<Image<F>> {
        self.image_of_texels(D2::size(width, height), texels)
    }

    /// An image of zeros: `device.image_of::<Rgba8Unorm, _>(D3::size(64, 64, 32))`.
    ///
    /// # Errors
    /// As for [`Device::image`], or there are not so many levels, or the device has no such images.
    pub fn image_of<F: PixelFormat, D: Dimension>(&self, size: ImageSize<D>) -> Result<Image<F, D>> {
        self.check_process()?;
        Image::new(self, size, None).map_err(|e| self.while_making("an image", e))
    }

    /// An image whose first level has these texels, row by row, slice by slice and layer by layer; other levels are zeros.
    ///
    /// # Errors
    /// There are not as many texels as the first level has, or as for [`Device::image_of`].
    pub fn image_of_texels<F: PixelFormat, D: Dimension>(
        &self,
        size: ImageSize<D>,
        texels: &[F::Texel],
    ) -> Result<Image<F, D>> {
        self.check_process()?;
        Image::new(self, size, Some(texels)).map_err(|e| self.while_making("an image", e))
    }

    /// A sampler.
    ///
    /// # Errors
    /// The levels are no range, or the device does not sample images.
    pub fn sampler(&self, options: SamplerOptions) -> Result<Sampler> {
        self.check_process()?;
        Sampler::new(self, options).map_err(|e| self.while_making("a sampler", e))
    }

    fn while_making(&self, what: &str, error: crate::Error) -> crate::Error {
        error.at(format_args!("{what} on device `{}`", self.name()))
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Waits until everything has run that was launched on a GPU, for no longer than this; whether it has.
    #[cfg(any(feature = "vulkan", feature = "level-zero"))]
    pub(crate) fn wait_timeout(&self, timeout: std::time::Duration) -> Result<bool> {
        use crate::gpu::{Commands, nanoseconds};
        match &self.backend {
            // Each queue and each memory there knows what it waits for.
            Backend::Cpu => Ok(true),
            #[cfg(feature = "vulkan")]
            Backend::Vulkan(device) => device.wait_for(u64::MAX, nanoseconds(timeout)),
            #[cfg(feature = "level-zero")]
            Backend::LevelZero(device) => device.wait_for(u64::MAX, nanoseconds(timeout)),
        }
    }

    /// An error in a child that `fork` made of the process that opened the device.
    pub(crate) fn check_process(&self) -> Result<()> {
        self.process.check().map_err(|e| e.at(format_args!("device `{}`", self.name())))
    }

    fn same(&self, other: &Device) -> bool {
        match (&self.backend, &other.backend) {
            (Backend::Cpu, Backend::Cpu) => true,
            #[cfg(feature = "vulkan")]
            (Backend::Vulkan(a), Backend::Vulkan(b)) => Arc::ptr_eq(a, b),
            #[cfg(feature = "level-zero")]
            (Backend::LevelZero(a), Backend::LevelZero(b)) => Arc::ptr_eq(a, b),
            #[cfg(any(feature = "vulkan", feature = "level-zero"))]
            _ => false,
        }
    }

    /// An error unless `other`, the device of `what`, is this one.
    pub(crate) fn check_same(&self, other: &Device, what: &str) -> Result<()> {
        if self.same(other) {
            return Ok(());
        }
        Err(error!(
            WrongDevice,
            "{what} is on device `{}` ({}), the queue on `{}` ({}); make both from one `Device`",
            other.name(),
            other.id(),
            self.name(),
            self.id()
        ))
    }
}

fn cpu_info() -> DeviceInfo {
    DeviceInfo { id: "cpu".into(), name: cpu::name(), kind: DeviceKind::Cpu }
}

fn vulkan_infos() -> Vec<DeviceInfo> {
    #[cfg(feature = "vulkan")]
    return crate::vulkan::list();
    #[cfg(not(feature = "vulkan"))]
    Vec::new()
}

fn level_zero_infos() -> Vec<DeviceInfo> {
    #[cfg(feature = "level-zero")]
    return crate::level_zero::list();
    #[cfg(not(feature = "level-zero"))]
    Vec::new()
}

/// All but the CPU.
fn device_infos() -> Vec<DeviceInfo> {
    let mut all = vulkan_infos();
    all.extend(level_zero_infos());
    all
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({}: {})", self.id(), self.name())
    }
}
