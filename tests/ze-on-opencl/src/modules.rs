//! Modules and kernels.

use crate::images::{max_side, opencl_image};
use crate::memory::is_live;
use crate::opencl::{self, Handle};
use crate::spirv::{self, Entry, Parameter};
use crate::worker::launch;
use level_zero_sys::*;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most work-items of a group.
pub const MAX_GROUP: u32 = 1024;
/// What a native binary begins with; the rest is the SPIR-V.
const NATIVE: &[u8; 8] = b"ZEOCLBIN";

struct Module {
    program: Handle,
    entries: Vec<(CString, Entry)>,
    il: Vec<u8>,
}

// SAFETY: programs may be used from several threads.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(opencl) = opencl::get() {
            // SAFETY: the kernels of the module held it.
            unsafe { (opencl.core.clReleaseProgram)(self.program) };
        }
    }
}

/// A value that a parameter was set to: its bytes, or a size for memory of the work-group.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Bytes(Vec<u8>),
    Local(usize),
}

/// A kernel with its arguments.
pub struct Kernel {
    _module: Arc<Module>,
    raw: Handle,
    entry: Entry,
    required: [usize; 3],
    state: Mutex<State>,
    /// Held while OpenCL's kernel has the arguments of a launch.
    launching: Mutex<()>,
}

#[derive(Clone)]
struct State {
    values: Vec<Option<Value>>,
    size: [usize; 3],
    offset: [usize; 3],
    access: ze_kernel_indirect_access_flags_t,
}

// SAFETY: OpenCL's kernel is used under `launching` only.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Drop for Kernel {
    fn drop(&mut self) {
        if let Some(opencl) = opencl::get() {
            // SAFETY: commands that launch it held it.
            unsafe { (opencl.core.clReleaseKernel)(self.raw) };
        }
    }
}

/// A launch with the arguments of the time when it was appended.
pub struct Launch {
    kernel: Arc<Kernel>,
    state: State,
}

impl Kernel {
    /// # Safety
    /// The handle is valid.
    pub unsafe fn of(handle: ze_kernel_handle_t) -> Arc<Kernel> {
        let kernel: *const Kernel = handle.cast_const().cast();
        // SAFETY: handles of kernels come from `Arc::into_raw`.
        unsafe {
            Arc::increment_strong_count(kernel);
            Arc::from_raw(kernel)
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A launch as things stand; an error if an argument was never set.
    pub fn launch(self: &Arc<Kernel>) -> Result<Launch, ze_result_t> {
        let state = self.state().clone();
        if let Some(i) = state.values.iter().position(Option::is_none) {
            eprintln!("ze-on-opencl: argument {i} of kernel `{}` was never set", self.entry.name);
            return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
        }
        Ok(Launch { kernel: self.clone(), state })
    }

    pub fn set_size(&self, size: [u32; 3]) -> ze_result_t {
        let items = size.iter().map(|n| u64::from(*n)).product::<u64>();
        let size = size.map(|n| n as usize);
        if items == 0 || items > u64::from(MAX_GROUP) || (self.required != [0; 3] && self.required != size) {
            return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
        }
        self.state().size = size;
        ZE_RESULT_SUCCESS
    }

    /// # Safety
    /// The value is null or has so many bytes.
    unsafe fn set(&self, index: u32, size: usize, value: *const c_void) -> ze_result_t {
        let Some(parameter) = self.entry.parameters.get(index as usize) else {
            return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
        };
        let fits = match parameter {
            Parameter::Local => value.is_null() && size > 0,
            Parameter::Image => size == size_of::<ze_image_handle_t>() && !value.is_null(),
            Parameter::Global => size == size_of::<*const c_void>(),
            Parameter::Value(expected) => !value.is_null() && size > 0 && expected.is_none_or(|e| e == size),
            Parameter::Unsupported => return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
        };
        if !fits {
            eprintln!(
                "ze-on-opencl: argument {index} of kernel `{}` is {parameter:?}, set with {size} bytes",
                self.entry.name
            );
            return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
        }
        let value = match parameter {
            Parameter::Local => Value::Local(size),
            _ if value.is_null() => Value::Bytes(vec![0; size]),
            // SAFETY: the caller's promise.
            _ => Value::Bytes(unsafe { std::slice::from_raw_parts(value.cast(), size) }.to_vec()),
        };
        self.state().values[index as usize] = Some(value);
        ZE_RESULT_SUCCESS
    }
}

impl Launch {
    /// Sets the arguments and runs the kernel.
    pub fn run(&self, queue: Handle, groups: [u32; 3]) -> Result<(), String> {
        let Some(opencl) = opencl::get() else { return Err("no OpenCL".into()) };
        let kernel = &self.kernel;
        let _launching = kernel.launching.lock().unwrap_or_else(PoisonError::into_inner);
        for (i, value) in self.state.values.iter().enumerate() {
            let index = i as u32;
            let global = kernel.entry.parameters[i] == Parameter::Global;
            let error = match value {
                Some(Value::Bytes(bytes)) if kernel.entry.parameters[i] == Parameter::Image => {
                    let mut handle = [0; size_of::<usize>()];
                    handle.copy_from_slice(bytes);
                    let Some(image) = opencl_image(usize::from_ne_bytes(handle)) else {
                        return Err(format!(
                            "argument {i} of kernel `{}` is an image that was destroyed",
                            kernel.entry.name
                        ));
                    };
                    // SAFETY: the parameter is an image, and this one is live.
                    unsafe {
                        (opencl.core.clSetKernelArg)(
                            kernel.raw,
                            index,
                            size_of::<Handle>(),
                            (&raw const image).cast(),
                        )
                    }
                }
                Some(Value::Bytes(bytes)) if global => {
                    let mut address = [0; size_of::<usize>()];
                    address.copy_from_slice(bytes);
                    let pointer = usize::from_ne_bytes(address) as *const c_void;
                    if !pointer.is_null() && !is_live(pointer) {
                        return Err(format!(
                            "argument {i} of kernel `{}` points to memory that was freed",
                            kernel.entry.name
                        ));
                    }
                    // SAFETY: the parameter is a pointer, and this one is live.
                    unsafe { (opencl.unified.clSetKernelArgMemPointerINTEL)(kernel.raw, index, pointer) }
                }
                // SAFETY: the value has so many bytes.
                Some(Value::Bytes(bytes)) => unsafe {
                    (opencl.core.clSetKernelArg)(kernel.raw, index, bytes.len(), bytes.as_ptr().cast())
                },
                // SAFETY: memory of the work-group is set with no value.
                Some(Value::Local(size)) => unsafe {
                    (opencl.core.clSetKernelArg)(kernel.raw, index, *size, null())
                },
                None => 0,
            };
            if error != 0 {
                return Err(format!("OpenCL error {error} for argument {i} of `{}`", kernel.entry.name));
            }
        }
        launch(queue, kernel.raw, self.state.offset, groups, self.state.size)
            .map_err(|e| format!("kernel `{}`: {e}", kernel.entry.name))
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleCreate(
    _context: ze_context_handle_t,
    _device: ze_device_handle_t,
    desc: *const ze_module_desc_t,
    out: *mut ze_module_handle_t,
    log_out: *mut ze_module_build_log_handle_t,
) -> ze_result_t {
    // SAFETY: the structure is valid, by the specification.
    let desc = unsafe { &*desc };
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(desc.pInputModule, desc.inputSize) };
    let (result, log) = match make(desc, bytes) {
        Ok((module, log)) => {
            // SAFETY: as above.
            unsafe { out.write(Arc::into_raw(Arc::new(module)).cast_mut().cast()) };
            (ZE_RESULT_SUCCESS, log)
        }
        Err(failure) => failure,
    };
    if !log_out.is_null() {
        let log: Vec<u8> = log.bytes().filter(|b| *b != 0).chain([0]).collect();
        // SAFETY: as above.
        unsafe { log_out.write(Box::into_raw(Box::new(log)).cast()) };
    }
    result
}

/// # Safety
/// The structure has as many numbers as it says, and as many pointers to values of their constants' types.
unsafe fn specialised(il: &[u8], constants: &ze_module_constants_t) -> Vec<u8> {
    let count = constants.numConstants as usize;
    spirv::specialised(il, |id, bytes| {
        // SAFETY: the caller's word.
        unsafe {
            let n = (0..count).find(|n| *constants.pConstantIds.add(*n) == id)?;
            let (mut value, from) = ([0u8; 8], (*constants.pConstantValues.add(n)).cast::<u8>());
            from.copy_to_nonoverlapping(value.as_mut_ptr(), bytes.min(8));
            Some(u64::from_le_bytes(value))
        }
    })
}

fn make(desc: &ze_module_desc_t, bytes: &[u8]) -> Result<(Module, String), (ze_result_t, String)> {
    let opencl = opencl::get().ok_or((ZE_RESULT_ERROR_UNINITIALIZED, String::new()))?;
    let il = match desc.format {
        ZE_MODULE_FORMAT_IL_SPIRV => bytes,
        _ => bytes
            .strip_prefix(NATIVE)
            .ok_or((ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, "this is no binary of this driver".into()))?,
    };
    // OpenCL's way to choose them is another; the module may as well have them as defaults.
    let chosen;
    let il = if desc.pConstants.is_null() {
        il
    } else {
        // SAFETY: a structure with so many numbers and values, by the specification.
        chosen = unsafe { specialised(il, &*desc.pConstants) };
        &chosen
    };
    let entries = spirv::read(il)
        .ok_or((ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, "error: the module is no SPIR-V".to_string()))?;
    if max_side() == 0 && spirv::uses_images(il) {
        let log = "error: the device has no images, but the module has a type for them".to_string();
        return Err((ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, log));
    }
    // SAFETY: null or a C string, by the specification.
    let flags = if desc.pBuildFlags.is_null() { c"" } else { unsafe { CStr::from_ptr(desc.pBuildFlags) } };
    let flags = flags.to_string_lossy();
    // Level Zero's own flags mean nothing to OpenCL.
    let flags: Vec<&str> = flags.split_whitespace().filter(|f| !f.starts_with("-ze-")).collect();
    let flags = CString::new(flags.join(" ")).unwrap_or_default();
    let (built, log) = opencl.build(il, &flags);
    let program = built
        .map_err(|e| (ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, format!("error: OpenCL error {e}\n{log}")))?;
    let entries =
        entries.into_iter().map(|e| (CString::new(e.name.as_str()).unwrap_or_default(), e)).collect();
    Ok((Module { program, entries, il: il.to_vec() }, log))
}

/// # Safety
/// The handle is valid.
unsafe fn module(handle: ze_module_handle_t) -> Arc<Module> {
    let module: *const Module = handle.cast_const().cast();
    // SAFETY: handles of modules come from `Arc::into_raw`.
    unsafe {
        Arc::increment_strong_count(module);
        Arc::from_raw(module)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleDestroy(handle: ze_module_handle_t) -> ze_result_t {
    // SAFETY: the handle is valid and is not used again.
    drop(unsafe { Arc::from_raw(handle.cast_const().cast::<Module>()) });
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleBuildLogGetString(
    log: ze_module_build_log_handle_t,
    size: *mut usize,
    out: *mut c_char,
) -> ze_result_t {
    // SAFETY: the handle is valid, and there is room for so many bytes, by the specification.
    unsafe { copy_out(&*log.cast::<Vec<u8>>(), size, out.cast()) }
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleBuildLogDestroy(log: ze_module_build_log_handle_t) -> ze_result_t {
    // SAFETY: the handle comes from `zeModuleCreate` and is not used again.
    drop(unsafe { Box::from_raw(log.cast::<Vec<u8>>()) });
    ZE_RESULT_SUCCESS
}

/// Answers a question for a size, or for so many bytes.
///
/// # Safety
/// `out` is null or has room for `*size` bytes.
unsafe fn copy_out(bytes: &[u8], size: *mut usize, out: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        if !out.is_null() {
            out.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(*size));
        }
        *size = bytes.len();
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleGetKernelNames(
    handle: ze_module_handle_t,
    count: *mut u32,
    out: *mut *const c_char,
) -> ze_result_t {
    // SAFETY: the handle is valid, and there is room for so many names, which live as long as the module.
    unsafe {
        let module = module(handle);
        if !out.is_null() {
            for (i, (name, _)) in module.entries.iter().take(*count as usize).enumerate() {
                out.add(i).write(name.as_ptr());
            }
        }
        *count = module.entries.len() as u32;
    }
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleGetNativeBinary(
    handle: ze_module_handle_t,
    size: *mut usize,
    out: *mut u8,
) -> ze_result_t {
    // SAFETY: the handle is valid, and there is room for so many bytes, by the specification.
    unsafe {
        let bytes = [NATIVE.as_slice(), &module(handle).il].concat();
        copy_out(&bytes, size, out);
    }
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleGetProperties(
    _module: ze_module_handle_t,
    out: *mut ze_module_properties_t,
) -> ze_result_t {
    // SAFETY: there is room for the result, by the specification.
    unsafe { (*out).flags = 0 };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelCreate(
    handle: ze_module_handle_t,
    desc: *const ze_kernel_desc_t,
    out: *mut ze_kernel_handle_t,
) -> ze_result_t {
    let Some(opencl) = opencl::get() else { return ZE_RESULT_ERROR_UNINITIALIZED };
    // SAFETY: handle and structure are valid, by the specification.
    let (module, name) = unsafe { (module(handle), CStr::from_ptr((*desc).pKernelName)) };
    let Some((_, entry)) = module.entries.iter().find(|(n, _)| n.as_c_str() == name) else {
        return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    };
    let entry = entry.clone();
    let mut error = 0;
    // SAFETY: the program is built, and the name is a C string.
    let raw = unsafe { (opencl.core.clCreateKernel)(module.program, name.as_ptr(), &mut error) };
    if error != 0 {
        return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    }
    let state = State { values: vec![None; entry.parameters.len()], size: [1; 3], offset: [0; 3], access: 0 };
    let required = opencl.required_size(raw);
    let kernel =
        Kernel { _module: module, raw, entry, required, state: Mutex::new(state), launching: Mutex::new(()) };
    // SAFETY: there is room for the handle, by the specification.
    unsafe { out.write(Arc::into_raw(Arc::new(kernel)).cast_mut().cast()) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelDestroy(handle: ze_kernel_handle_t) -> ze_result_t {
    // SAFETY: the handle is valid and is not used again.
    drop(unsafe { Arc::from_raw(handle.cast_const().cast::<Kernel>()) });
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSetGroupSize(
    handle: ze_kernel_handle_t,
    x: u32,
    y: u32,
    z: u32,
) -> ze_result_t {
    // SAFETY: the handle is valid.
    unsafe { Kernel::of(handle) }.set_size([x, y, z])
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSuggestGroupSize(
    _kernel: ze_kernel_handle_t,
    x: u32,
    _y: u32,
    _z: u32,
    out_x: *mut u32,
    out_y: *mut u32,
    out_z: *mut u32,
) -> ze_result_t {
    let best = (1..=256).rev().find(|n| x.is_multiple_of(*n)).unwrap_or(1);
    // SAFETY: there is room for the results, by the specification.
    unsafe {
        out_x.write(best);
        out_y.write(1);
        out_z.write(1);
    }
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSetArgumentValue(
    handle: ze_kernel_handle_t,
    index: u32,
    size: usize,
    value: *const c_void,
) -> ze_result_t {
    // SAFETY: the handle is valid, and the value is null or has so many bytes, by the specification.
    unsafe { Kernel::of(handle).set(index, size, value) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSetIndirectAccess(
    handle: ze_kernel_handle_t,
    flags: ze_kernel_indirect_access_flags_t,
) -> ze_result_t {
    // SAFETY: the handle is valid.
    unsafe { Kernel::of(handle) }.state().access = flags;
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelGetIndirectAccess(
    handle: ze_kernel_handle_t,
    out: *mut ze_kernel_indirect_access_flags_t,
) -> ze_result_t {
    // SAFETY: the handle is valid, and there is room for the result.
    unsafe { out.write(Kernel::of(handle).state().access) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSetCacheConfig(
    _kernel: ze_kernel_handle_t,
    _flags: ze_cache_config_flags_t,
) -> ze_result_t {
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSetGlobalOffsetExp(
    handle: ze_kernel_handle_t,
    x: u32,
    y: u32,
    z: u32,
) -> ze_result_t {
    // SAFETY: the handle is valid.
    unsafe { Kernel::of(handle) }.state().offset = [x, y, z].map(|n| n as usize);
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelGetName(
    handle: ze_kernel_handle_t,
    size: *mut usize,
    out: *mut c_char,
) -> ze_result_t {
    // SAFETY: the handle is valid, and there is room for so many bytes, by the specification.
    unsafe {
        let name: Vec<u8> = Kernel::of(handle).entry.name.bytes().chain([0]).collect();
        copy_out(&name, size, out.cast());
    }
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelGetProperties(
    handle: ze_kernel_handle_t,
    out: *mut ze_kernel_properties_t,
) -> ze_result_t {
    let Some(opencl) = opencl::get() else { return ZE_RESULT_ERROR_UNINITIALIZED };
    // SAFETY: the handle is valid.
    let kernel = unsafe { Kernel::of(handle) };
    let [local, private] = opencl.kernel_memory(kernel.raw);
    // SAFETY: there is room for the result, by the specification; tag and chain stay.
    let out = unsafe { &mut *out };
    *out = ze_kernel_properties_t { stype: out.stype, pNext: out.pNext, ..ze_kernel_properties_t::new() };
    out.numKernelArgs = kernel.entry.parameters.len() as u32;
    [out.requiredGroupSizeX, out.requiredGroupSizeY, out.requiredGroupSizeZ] =
        kernel.required.map(|n| n as u32);
    out.localMemSize = local as u32;
    out.privateMemSize = private as u32;
    out.maxSubgroupSize = 16;
    out.maxNumSubgroups = MAX_GROUP / 16;
    ZE_RESULT_SUCCESS
}
