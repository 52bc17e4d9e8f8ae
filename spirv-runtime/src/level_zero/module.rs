//! Modules and kernels, made from an entry point's description.

use super::device::{Device, Shared};
use super::errors::name;
use super::launch::Set;
use crate::error::{Result, error};
use crate::gpu::{self, Commands};
use crate::kernel::{ClArg, ClEntry, ConstantValue, EntryDesc, ResourceKind, WaveSize};
use crate::spirv;
use level_zero_sys::*;
use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};

/// What modules need to be built with for buffers of 4 GiB and more.
const LARGE_BUFFERS: &CStr = c"-ze-opt-greater-than-4GB-buffer-required";
/// Bytes of a build log that an error shows.
const MAX_LOG: usize = 4000;

/// One row a capability that a device may lack: its number in SPIR-V, its name, the device's flag.
const CAPABILITIES: &[(u32, &str, ze_device_module_flags_t)] = &[
    (9, "Float16 (half)", ZE_DEVICE_MODULE_FLAG_FP16),
    (10, "Float64 (double)", ZE_DEVICE_MODULE_FLAG_FP64),
    (12, "Int64Atomics (atomics on 64-bit integers)", ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS),
];

/// What there is of an entry point for a device.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    code: &'static [u8],
    /// The parameters of the kernel.
    pub args: &'static [ClArg],
}

/// An entry point, loaded.
pub(crate) struct Kernel {
    shared: Arc<Shared>,
    pub(super) entry: &'static EntryDesc,
    pub(super) form: Form,
    /// The values of the specialization constants that the module has.
    constants: Vec<ConstantValue>,
    usual: Variant,
    /// For buffers of 4 GiB and more, made at the first launch with one: its addresses cost more.
    large: Mutex<Option<Arc<Variant>>>,
}

/// A kernel with its module.
pub(super) struct Variant {
    module: Module,
    pub raw: ze_kernel_handle_t,
    /// The arguments that were set last; touched under the stream's lock.
    pub set: Mutex<Vec<Set>>,
}

struct Module {
    shared: Arc<Shared>,
    raw: ze_module_handle_t,
}

// SAFETY: kernels and modules may be used from any thread, if not from several at once; all use is under the stream's
// lock.
unsafe impl Send for Variant {}
// SAFETY: as above.
unsafe impl Sync for Variant {}

impl Device {
    /// Loads an entry point.
    pub(crate) fn kernel(
        &self,
        entry: &'static EntryDesc,
        constants: &[ConstantValue],
    ) -> Result<Arc<Kernel>> {
        let shared = &self.shared;
        let form = form(entry, shared.max_image_side > 0)?;
        let module = spirv::Module::read(form.code)?;
        check_module(&module, &shared.module)?;
        check_parameters(entry, form.args, shared)?;
        module.check_entry(entry)?;
        check_wave(entry, &shared.compute)?;
        let own = module.shared_memory(entry.name, &[]);
        gpu::check_shared_memory(own.saturating_add(local_bytes(form.args)), limit_of_shared(shared))?;
        let ids = module.specialization_ids();
        let constants: Vec<_> = constants.iter().filter(|c| ids.contains(&c.id)).copied().collect();
        let usual = self.with_memory(|| Variant::new(shared, entry, form, &constants, None))?;
        let large = Mutex::new(None);
        Ok(Arc::new(Kernel { shared: shared.clone(), entry, form, constants, usual, large }))
    }
}

impl Kernel {
    /// Calls with the variant that these buffers need.
    pub(super) fn with_variant<T>(
        self: &Arc<Kernel>,
        large: bool,
        call: impl FnOnce(&Variant) -> Result<T>,
    ) -> Result<T> {
        if !large {
            return call(&self.usual);
        }
        let mut slot = self.large.lock().unwrap_or_else(PoisonError::into_inner);
        let variant = match &mut *slot {
            Some(variant) => variant,
            empty => {
                let variant =
                    Variant::new(&self.shared, self.entry, self.form, &self.constants, Some(LARGE_BUFFERS))?;
                empty.insert(Arc::new(variant))
            }
        };
        call(variant)
    }
}

/// The form of an entry point for a device with images, or for one without.
fn form(entry: &EntryDesc, has_images: bool) -> Result<Form> {
    let form = match entry.cl_memory {
        ClEntry::Kernel { .. } | ClEntry::Refused(_) if !has_images => entry.cl_memory,
        _ => entry.cl,
    };
    match form {
        ClEntry::Kernel { code, args } => Ok(Form { code, args }),
        ClEntry::Refused(reason) => Err(error!(
            Unsupported,
            "it has no form for {}: {reason}; run it on another device (SPIRV_DEVICE=cpu, SPIRV_DEVICE=vulkan)",
            if has_images { "Level Zero" } else { "this device" }
        )),
        ClEntry::Absent => Err(error!(
            Unsupported,
            "it has no module for Level Zero, because build.rs left that out (`level_zero(false)`); run it on another \
             device (SPIRV_DEVICE=cpu, SPIRV_DEVICE=vulkan)"
        )),
    }
}

impl Variant {
    fn new(
        shared: &Arc<Shared>,
        entry: &EntryDesc,
        form: Form,
        constants: &[ConstantValue],
        flags: Option<&CStr>,
    ) -> Result<Variant> {
        let module = Module::new(shared, form.code, constants, flags)?;
        let name = CString::new(entry.name)
            .map_err(|_| error!(Unsupported, "its name contains a null character"))?;
        let mut desc = ze_kernel_desc_t::new();
        desc.pKernelName = name.as_ptr();
        let mut raw = null_mut();
        // SAFETY: the name lives until the call returns.
        match unsafe { shared.api.zeKernelCreate(module.raw, &desc, &mut raw) } {
            ZE_RESULT_SUCCESS => {}
            ZE_RESULT_ERROR_INVALID_KERNEL_NAME => {
                return Err(error!(
                    Driver,
                    "its module for Level Zero has no kernel of this name; run `cargo clean` and build again"
                ));
            }
            other => return Err(shared.failed("zeKernelCreate", other)),
        }
        // Destroyed on drop from here on.
        let kernel = Variant { module, raw, set: Mutex::new(vec![Set::Nothing; form.args.len()]) };
        kernel.check(shared, entry, form.args)?;
        let [x, y, z] = entry.local_size;
        // SAFETY: the size is within the device's limits.
        let result = unsafe { shared.api.zeKernelSetGroupSize(kernel.raw, x, y, z) };
        shared.check("zeKernelSetGroupSize", result)?;
        let by_address = |r: &u32| {
            matches!(entry.kernel.resources[*r as usize].binding, crate::kernel::Binding::Address { .. })
        };
        if entry.resources.iter().any(by_address) {
            let all = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST
                | ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE
                | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
            // SAFETY: the kernel is valid. Each launch keeps the buffers whose addresses it is given.
            let result = unsafe { shared.api.zeKernelSetIndirectAccess(kernel.raw, all) };
            shared.check("zeKernelSetIndirectAccess", result)?;
        }
        Ok(kernel)
    }

    /// Whether the kernel is what the description says: drivers do not look at the arguments they are given.
    fn check(&self, shared: &Shared, entry: &EntryDesc, args: &[ClArg]) -> Result<()> {
        let mut properties = ze_kernel_properties_t::new();
        // SAFETY: the structure has its tag.
        let result = unsafe { shared.api.zeKernelGetProperties(self.raw, &mut properties) };
        shared.check("zeKernelGetProperties", result)?;
        let expected = args.len();
        if properties.numKernelArgs as usize != expected {
            return Err(error!(
                Driver,
                "the driver found {} parameters where the kernel has {expected}; its module and its interface do \
                 not belong together: run `cargo clean` and build again",
                properties.numKernelArgs
            ));
        }
        let declared =
            [properties.requiredGroupSizeX, properties.requiredGroupSizeY, properties.requiredGroupSizeZ];
        if declared != [0; 3] && declared != entry.local_size {
            return Err(error!(
                Driver,
                "its module has work-groups of {declared:?}, its interface of {:?}; run `cargo clean` and build again",
                entry.local_size
            ));
        }
        // One size is in the module. Of a range the driver chooses, and does not know of it.
        let lanes = properties.maxSubgroupSize;
        let outside = |w: &WaveSize| w.least != w.most && lanes != 0 && !(w.least..=w.most).contains(&lanes);
        if let Some(wave) = entry.wave.filter(outside) {
            return Err(error!(Unsupported, "it has {wave}, but the driver made its waves of {lanes}"));
        }
        // The driver's own, which may be more than the module's.
        let bytes = local_bytes(args) + u64::from(properties.localMemSize);
        gpu::check_shared_memory(bytes, limit_of_shared(shared))
    }
}

impl Drop for Variant {
    fn drop(&mut self) {
        // SAFETY: commands hold the kernels they launch until they have completed. The module goes after this.
        unsafe { self.module.shared.api.zeKernelDestroy(self.raw) };
    }
}

impl Module {
    fn new(
        shared: &Arc<Shared>,
        bytes: &[u8],
        constants: &[ConstantValue],
        flags: Option<&CStr>,
    ) -> Result<Module> {
        let ids: Vec<u32> = constants.iter().map(|c| c.id).collect();
        let values: Vec<Vec<u8>> = constants.iter().map(ConstantValue::data).collect();
        let mut pointers: Vec<*const c_void> = values.iter().map(|v| v.as_ptr().cast()).collect();
        let chosen = ze_module_constants_t {
            numConstants: ids.len() as u32,
            pConstantIds: ids.as_ptr(),
            pConstantValues: pointers.as_mut_ptr(),
        };
        let mut desc = ze_module_desc_t::new();
        desc.format = ZE_MODULE_FORMAT_IL_SPIRV;
        desc.inputSize = bytes.len();
        desc.pInputModule = bytes.as_ptr();
        desc.pBuildFlags = flags.unwrap_or(c"").as_ptr();
        if !ids.is_empty() {
            desc.pConstants = &chosen;
        }
        let (mut raw, mut log) = (null_mut(), null_mut());
        // SAFETY: the module was compiled, and looks like one; it, the flags and the constants live until the call
        // returns; these have as many bytes as their types.
        let result =
            unsafe { shared.api.zeModuleCreate(shared.context, shared.raw, &desc, &mut raw, &mut log) };
        // Dropped, and so destroyed, if the log says that it is of no use.
        let module = (result == ZE_RESULT_SUCCESS).then(|| Module { shared: shared.clone(), raw });
        let text = read_log(shared, log);
        match module {
            Some(module) if !reports_an_error(&text) => Ok(module),
            Some(_) => Err(error!(
                Driver,
                "the driver made a module of it but reports errors; update the driver, or run the kernel on another \
                 device\n{}",
                shortened(&text)
            )),
            None if matches!(
                result,
                ZE_RESULT_ERROR_MODULE_BUILD_FAILURE | ZE_RESULT_ERROR_INVALID_NATIVE_BINARY
            ) =>
            {
                let text = if text.is_empty() { "its log is empty" } else { shortened(&text) };
                Err(error!(
                    Driver,
                    "the driver cannot compile it ({}); update the driver, or run the kernel on another device\n{text}",
                    name(result)
                ))
            }
            None => Err(shared.failed("zeModuleCreate", result)),
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: the kernel of this module is gone.
        unsafe { self.shared.api.zeModuleDestroy(self.raw) };
    }
}

/// The text of a build log, which is destroyed.
fn read_log(shared: &Shared, log: ze_module_build_log_handle_t) -> String {
    if log.is_null() {
        return String::new();
    }
    let mut size = 0;
    let mut bytes = Vec::new();
    // SAFETY: the log is valid; the buffer has the size that the driver asked for.
    unsafe {
        if shared.api.zeModuleBuildLogGetString(log, &mut size, null_mut()) == ZE_RESULT_SUCCESS && size > 0 {
            bytes = vec![0u8; size];
            shared.api.zeModuleBuildLogGetString(log, &mut size, bytes.as_mut_ptr().cast());
        }
        shared.api.zeModuleBuildLogDestroy(log);
    }
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_string()
}

fn shortened(text: &str) -> &str {
    let mut end = text.len().min(MAX_LOG);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Drivers have been seen to return a module along with a log of errors.
fn reports_an_error(log: &str) -> bool {
    log.lines().any(|line| {
        let line = line.trim().to_ascii_lowercase();
        ["error:", "fatal error", "internal compiler error"].iter().any(|e| line.contains(e))
    })
}

/// Bytes of memory of the work-group that are parameters.
fn local_bytes(args: &[ClArg]) -> u64 {
    args.iter().map(|arg| if let ClArg::Local(bytes) = arg { u64::from(*bytes) } else { 0 }).sum()
}

fn limit_of_shared(shared: &Shared) -> u32 {
    shared.compute.maxSharedLocalMemory
}

/// What a driver cannot compile is better said here.
fn check_module(module: &spirv::Module, device: &ze_device_module_properties_t) -> Result<()> {
    // 0x00010400 for 1.4 in modules, 0x00010004 in properties.
    let (major, minor) = (module.version() >> 16, module.version() >> 8 & 0xff);
    let supported = device.spirvVersionSupported;
    if make_version(major, minor) > supported {
        return Err(error!(
            Unsupported,
            "it is SPIR-V {}, the device takes versions up to {}.{}; update the driver",
            spirv::version_name(module.version()),
            supported >> 16,
            supported & 0xffff
        ));
    }
    for capability in module.capabilities() {
        if let Some((_, name, _)) = CAPABILITIES.iter().find(|c| c.0 == capability && device.flags & c.2 == 0)
        {
            return Err(error!(
                Unsupported,
                "it uses {name}, which the device does not have; run it on another device"
            ));
        }
    }
    Ok(())
}

/// Whether the device has waves of the size that the source says.
fn check_wave(entry: &EntryDesc, compute: &ze_device_compute_properties_t) -> Result<()> {
    let Some(wave) = entry.wave else { return Ok(()) };
    let there = compute.subGroupSizes.iter().take(compute.numSubGroupSizes as usize);
    let there: Vec<u32> = there.copied().collect();
    match there.iter().any(|n| (wave.least..=wave.most).contains(n)) {
        true => Ok(()),
        false => {
            let list: Vec<String> = there.iter().map(u32::to_string).collect();
            Err(error!(Unsupported, "it has {wave}, but those of the device have {}", list.join(" or ")))
        }
    }
}

/// Whether the parameters fit the resources, and the sizes the device.
fn check_parameters(entry: &EntryDesc, args: &[ClArg], shared: &Shared) -> Result<()> {
    let compute = &shared.compute;
    let limits = [compute.maxGroupSizeX, compute.maxGroupSizeY, compute.maxGroupSizeZ];
    gpu::check_local_size(entry.local_size, limits, compute.maxTotalGroupSize)?;
    let mut bytes = 0u64;
    for (i, arg) in args.iter().enumerate() {
        let (resource, size) = match *arg {
            ClArg::Local(0) => {
                return Err(error!(Driver, "parameter {i} is groupshared memory of no bytes"));
            }
            ClArg::Local(_) => continue,
            ClArg::Pointer(r) | ClArg::Length(r) | ClArg::Image(r) | ClArg::Texels(r) | ClArg::Sized(r) => {
                (r, 8)
            }
            ClArg::Extent(r) => (r, 16),
            ClArg::Constants(r) | ClArg::Scalar(r) => (r, 0),
        };
        let used = entry.resources.contains(&resource);
        let kind = entry.kernel.resources.get(resource as usize).filter(|_| used).map(|r| r.kind);
        bytes += match (arg, kind) {
            (
                ClArg::Pointer(_) | ClArg::Length(_),
                Some(ResourceKind::Buffer { .. } | ResourceKind::Bytes),
            ) => size,
            (ClArg::Constants(_) | ClArg::Scalar(_), Some(ResourceKind::Constants { size })) if size > 0 => {
                u64::from(size)
            }
            (ClArg::Sized(_) | ClArg::Length(_), Some(ResourceKind::Local { .. })) => size,
            // Only images on devices without images are memory.
            (ClArg::Texels(_) | ClArg::Extent(_), Some(ResourceKind::Image { .. }))
                if shared.max_image_side == 0 =>
            {
                size
            }
            (ClArg::Image(_), Some(ResourceKind::Image { .. })) if shared.max_image_side > 0 => size,
            (ClArg::Image(_), Some(ResourceKind::Image { .. })) => {
                return Err(error!(
                    Unsupported,
                    "it uses an image (`{}`), and the device has none; use a buffer, or run it on another device \
                     (SPIRV_DEVICE=cpu, SPIRV_DEVICE=vulkan)",
                    entry.kernel.resources[resource as usize].name
                ));
            }
            _ => {
                return Err(error!(
                    Driver,
                    "parameter {i} ({arg:?}) does not fit its resources; run `cargo clean` and build again"
                ));
            }
        };
    }
    let images = |written: bool| {
        let is = |r: &u32| entry.kernel.resources[*r as usize].writable == written;
        args.iter().filter(|arg| matches!(arg, ClArg::Image(r) if is(r))).count()
    };
    for (written, how, limit) in
        [(false, "read", shared.max_images[0]), (true, "written", shared.max_images[1])]
    {
        let n = images(written);
        if n > limit as usize {
            return Err(error!(
                Limit,
                "it uses {n} images that are {how}, the device has {limit}; use fewer, or buffers in their place"
            ));
        }
    }
    let limit = u64::from(shared.module.maxArgumentsSize);
    if bytes > limit {
        return Err(error!(
            Limit,
            "its parameters have {bytes} bytes, the device takes {limit}; put constants into a buffer"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{CpuEntry, KernelDesc};

    const OBJECTS: &[u8] = &[1];
    const MEMORY: &[u8] = &[2];
    static FILE: KernelDesc = KernelDesc { name: "k", source: "k.hlsl", spirv: None, resources: &[] };

    fn entry(cl: ClEntry, cl_memory: ClEntry) -> EntryDesc {
        let (kernel, name, local_size) = (&FILE, "main", [1, 1, 1]);
        EntryDesc {
            kernel,
            name,
            local_size,
            arguments: &[],
            resources: &[],
            samples: &[],
            cl,
            cl_memory,
            wave: None,
            cpu: CpuEntry::Absent,
        }
    }

    #[test]
    fn the_form_is_that_for_the_device() {
        let image = ClEntry::Kernel { code: OBJECTS, args: &[ClArg::Image(0)] };
        let memory = ClEntry::Kernel { code: MEMORY, args: &[ClArg::Texels(0)] };
        let code = |e: &EntryDesc, has_images| form(e, has_images).map(|f| (f.code, f.args[0])).unwrap();
        let both = entry(image, memory);
        assert_eq!(code(&both, true), (OBJECTS, ClArg::Image(0)));
        assert_eq!(code(&both, false), (MEMORY, ClArg::Texels(0)));
        // Without images in it, one form is for all.
        let pointer = ClEntry::Kernel { code: OBJECTS, args: &[ClArg::Pointer(0)] };
        let buffers = entry(pointer, ClEntry::Absent);
        assert_eq!(code(&buffers, true), code(&buffers, false));
        let why = |e: &EntryDesc, has_images| form(e, has_images).unwrap_err().to_string();
        let some = entry(image, ClEntry::Refused("k.hlsl:1:2: no such thing"));
        assert_eq!(code(&some, true).0, OBJECTS);
        assert!(why(&some, false).contains("no form for this device: k.hlsl:1:2: no such thing; run it"));
        let none = entry(ClEntry::Refused("k.hlsl:3:4: no other"), ClEntry::Absent);
        assert!(why(&none, true).contains("no form for Level Zero: k.hlsl:3:4: no other; run it"));
        assert!(why(&none, false).contains("k.hlsl:3:4: no other"));
    }

    fn device(flags: u32) -> ze_device_module_properties_t {
        let mut properties = ze_device_module_properties_t::new();
        properties.spirvVersionSupported = make_version(1, 2);
        properties.flags = flags;
        properties
    }

    /// A module with these capabilities and an empty function.
    fn module(version: u32, capabilities: &[u32]) -> spirv::Module {
        let capabilities = capabilities.iter().flat_map(|c| [2 << 16 | 17, *c]);
        let words = [0x0723_0203, version, 0, 8, 0].into_iter().chain(capabilities);
        let words = words.chain([5 << 16 | 54, 1, 2, 0, 3, 1 << 16 | 56]);
        spirv::Module::read(&words.flat_map(u32::to_le_bytes).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn versions_and_capabilities_are_checked() {
        let error = check_module(&module(0x10400, &[]), &device(0)).unwrap_err();
        assert!(error.to_string().contains("SPIR-V 1.4") && error.to_string().contains("1.2"), "{error}");
        assert!(check_module(&module(0x10200, &[6]), &device(0)).is_ok());
        let double = module(0x10000, &[6, 10]);
        let error = check_module(&double, &device(ZE_DEVICE_MODULE_FLAG_FP16)).unwrap_err();
        assert!(error.to_string().contains("Float64"), "{error}");
        assert!(check_module(&double, &device(ZE_DEVICE_MODULE_FLAG_FP64)).is_ok());
    }

    #[test]
    fn logs_are_read_for_errors() {
        assert!(reports_an_error("warning: x\nerror: undefined reference to `foo`"));
        assert!(reports_an_error("IGC: Internal Compiler Error: Segmentation violation"));
        assert!(!reports_an_error("warning: no errors were found"));
    }

    #[test]
    fn long_logs_are_cut_at_a_character() {
        let text = "ä".repeat(MAX_LOG);
        assert_eq!(shortened(&text).len(), MAX_LOG);
        assert_eq!(shortened(&text[..10]), &text[..10]);
    }
}
