//! The OpenCL runtime, opened at run time, and its CPU device.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

/// Any of OpenCL's objects.
pub type Handle = *mut c_void;

const DEVICE_TYPE_CPU: u64 = 2;
const MAX_PLATFORMS: usize = 16;
const DEVICE_MAX_COMPUTE_UNITS: u32 = 0x1002;
const DEVICE_GLOBAL_MEM_SIZE: u32 = 0x101f;
const DEVICE_LOCAL_MEM_SIZE: u32 = 0x1023;
const DEVICE_NAME: u32 = 0x102b;
const DEVICE_EXTENSIONS: u32 = 0x1030;
const PROGRAM_BUILD_LOG: u32 = 0x1183;
const KERNEL_COMPILE_WORK_GROUP_SIZE: u32 = 0x11b1;
const KERNEL_LOCAL_MEM_SIZE: u32 = 0x11b2;
const KERNEL_PRIVATE_MEM_SIZE: u32 = 0x11b4;
pub const INVALID_BUFFER_SIZE: i32 = -61;

/// The functions of the library, and those of its extension for unified memory.
macro_rules! functions {
    ($table:ident; $($name:ident($($ty:ty),*) -> $result:ty;)*) => {
        #[derive(Clone, Copy)]
        pub struct $table { $(pub $name: unsafe extern "C" fn($($ty),*) -> $result,)* }

        impl $table {
            /// The functions by their addresses, which `get` knows.
            fn load(get: &dyn Fn(&CStr) -> *const c_void) -> Result<$table, String> {
                Ok($table {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // The literal ends with its only null character.
                        let address = get(CStr::from_bytes_with_nul(name.as_bytes()).unwrap_or_default());
                        if address.is_null() {
                            return Err(format!("the OpenCL runtime has no {}", stringify!($name)));
                        }
                        // SAFETY: a function of this name has this type, by the specifications of OpenCL and of
                        // cl_intel_unified_shared_memory.
                        unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn($($ty),*) -> $result>(address) }
                    },)*
                })
            }
        }
    };
}

functions! {
    Core;
    clGetPlatformIDs(u32, *mut Handle, *mut u32) -> i32;
    clGetDeviceIDs(Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    clGetDeviceInfo(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    clCreateContext(*const isize, u32, *const Handle, *const c_void, *mut c_void, *mut i32) -> Handle;
    clCreateCommandQueueWithProperties(Handle, Handle, *const u64, *mut i32) -> Handle;
    clReleaseCommandQueue(Handle) -> i32;
    clCreateProgramWithIL(Handle, *const c_void, usize, *mut i32) -> Handle;
    clBuildProgram(Handle, u32, *const Handle, *const c_char, *const c_void, *mut c_void) -> i32;
    clGetProgramBuildInfo(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    clReleaseProgram(Handle) -> i32;
    clCreateKernel(Handle, *const c_char, *mut i32) -> Handle;
    clReleaseKernel(Handle) -> i32;
    clSetKernelArg(Handle, u32, usize, *const c_void) -> i32;
    clGetKernelWorkGroupInfo(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    clCreateImage(Handle, u64, *const ImageFormat, *const ImageDesc, *mut c_void, *mut i32) -> Handle;
    clReleaseMemObject(Handle) -> i32;
    clEnqueueReadImage(Handle, Handle, u32, *const usize, *const usize, usize, usize, *mut c_void, u32, *const Handle, *mut Handle) -> i32;
    clEnqueueWriteImage(Handle, Handle, u32, *const usize, *const usize, usize, usize, *const c_void, u32, *const Handle, *mut Handle) -> i32;
    clEnqueueNDRangeKernel(Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle, *mut Handle) -> i32;
    clFinish(Handle) -> i32;
    clGetExtensionFunctionAddressForPlatform(Handle, *const c_char) -> *mut c_void;
}

functions! {
    Unified;
    clHostMemAllocINTEL(Handle, *const u64, usize, u32, *mut i32) -> *mut c_void;
    clDeviceMemAllocINTEL(Handle, Handle, *const u64, usize, u32, *mut i32) -> *mut c_void;
    clSharedMemAllocINTEL(Handle, Handle, *const u64, usize, u32, *mut i32) -> *mut c_void;
    clMemFreeINTEL(Handle, *mut c_void) -> i32;
    clSetKernelArgMemPointerINTEL(Handle, u32, *const c_void) -> i32;
}

/// `cl_image_format`.
#[repr(C)]
pub struct ImageFormat {
    pub order: u32,
    pub channel: u32,
}

/// `cl_image_desc`.
#[repr(C)]
pub struct ImageDesc {
    pub kind: u32,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub array_size: usize,
    pub row_pitch: usize,
    pub slice_pitch: usize,
    pub mip_levels: u32,
    pub samples: u32,
    pub object: Handle,
}

impl Default for ImageDesc {
    fn default() -> ImageDesc {
        ImageDesc {
            kind: 0,
            width: 0,
            height: 0,
            depth: 0,
            array_size: 0,
            row_pitch: 0,
            slice_pitch: 0,
            mip_levels: 0,
            samples: 0,
            object: null_mut(),
        }
    }
}

/// An OpenCL device with a context.
pub struct OpenCl {
    pub core: Core,
    pub unified: Unified,
    pub device: Handle,
    pub context: Handle,
    pub name: String,
    pub units: u32,
    pub memory: u64,
    pub local_memory: u64,
}

// SAFETY: OpenCL's functions may be called from any thread (those that may not from several at once are noted where
// they are called).
unsafe impl Send for OpenCl {}
// SAFETY: as above.
unsafe impl Sync for OpenCl {}

/// The device, if there is one.
pub fn get() -> Option<&'static OpenCl> {
    static OPENCL: OnceLock<Option<OpenCl>> = OnceLock::new();
    OPENCL
        .get_or_init(|| match OpenCl::open() {
            Ok(opencl) => Some(opencl),
            Err(e) => {
                eprintln!("ze-on-opencl: {e}");
                None
            }
        })
        .as_ref()
}

impl OpenCl {
    fn open() -> Result<OpenCl, String> {
        let name = std::env::var("ZEOCL_OPENCL").unwrap_or_else(|_| "libOpenCL.so.1".into());
        // SAFETY: the library is an OpenCL runtime or loader. It is never closed.
        let library = unsafe { libloading::Library::new(&name) }.map_err(|e| format!("{name}: {e}"))?;
        let library = std::mem::ManuallyDrop::new(library);
        // SAFETY: only the addresses are looked at here.
        let address = |name: &CStr| unsafe { library.get::<*const c_void>(name.to_bytes_with_nul()) };
        let core = Core::load(&|name| address(name).map_or(std::ptr::null(), |symbol| *symbol))?;
        let mut platforms = [null_mut(); MAX_PLATFORMS];
        let mut count = 0;
        // SAFETY: there is room for as many platforms as are asked for.
        unsafe { (core.clGetPlatformIDs)(MAX_PLATFORMS as u32, platforms.as_mut_ptr(), &mut count) };
        let mut why = format!("{name} has no platform");
        for platform in &platforms[..MAX_PLATFORMS.min(count as usize)] {
            match OpenCl::on(core, *platform) {
                Ok(opencl) => return Ok(opencl),
                Err(e) => why = e,
            }
        }
        Err(why)
    }

    fn on(core: Core, platform: Handle) -> Result<OpenCl, String> {
        let mut device = null_mut();
        // SAFETY: there is room for the one device that is asked for.
        if unsafe { (core.clGetDeviceIDs)(platform, DEVICE_TYPE_CPU, 1, &mut device, null_mut()) } != 0 {
            return Err("the OpenCL platform has no CPU device".into());
        }
        let text = |what| {
            let mut bytes = vec![0u8; 64 << 10];
            // SAFETY: the buffer has the size that is given.
            unsafe {
                (core.clGetDeviceInfo)(device, what, bytes.len(), bytes.as_mut_ptr().cast(), null_mut());
            }
            CStr::from_bytes_until_nul(&bytes).unwrap_or_default().to_string_lossy().into_owned()
        };
        let number = |what| {
            let mut value = 0u64;
            // SAFETY: no number has more than 64 bits; a shorter one fills the low bytes (little-endian hosts).
            unsafe { (core.clGetDeviceInfo)(device, what, 8, (&raw mut value).cast(), null_mut()) };
            value
        };
        let name = text(DEVICE_NAME);
        if !text(DEVICE_EXTENSIONS).contains("cl_intel_unified_shared_memory") {
            return Err(format!("OpenCL's `{name}` has no unified shared memory"));
        }
        let address = core.clGetExtensionFunctionAddressForPlatform;
        // SAFETY: the platform is valid.
        let unified = Unified::load(&|name| unsafe { address(platform, name.as_ptr()) })?;
        let mut error = 0;
        // SAFETY: the device is valid; no properties, no callback.
        let context = unsafe {
            (core.clCreateContext)(std::ptr::null(), 1, &device, std::ptr::null(), null_mut(), &mut error)
        };
        if error != 0 {
            return Err(format!("OpenCL error {error} while making a context on `{name}`"));
        }
        Ok(OpenCl {
            units: number(DEVICE_MAX_COMPUTE_UNITS) as u32,
            memory: number(DEVICE_GLOBAL_MEM_SIZE),
            local_memory: number(DEVICE_LOCAL_MEM_SIZE),
            core,
            unified,
            device,
            context,
            name,
        })
    }

    /// Builds a program from SPIR-V: the program or an error, and the log.
    pub fn build(&self, il: &[u8], options: &CStr) -> (Result<Handle, i32>, String) {
        let core = &self.core;
        let mut error = 0;
        // SAFETY: the module and the options live until the calls return.
        unsafe {
            let program =
                (core.clCreateProgramWithIL)(self.context, il.as_ptr().cast(), il.len(), &mut error);
            if error != 0 {
                return (Err(error), format!("OpenCL error {error}: the module is refused"));
            }
            let error = (core.clBuildProgram)(
                program,
                1,
                &self.device,
                options.as_ptr(),
                std::ptr::null(),
                null_mut(),
            );
            let mut size = 0;
            let info = core.clGetProgramBuildInfo;
            info(program, self.device, PROGRAM_BUILD_LOG, 0, null_mut(), &mut size);
            let mut log = vec![0u8; size];
            info(program, self.device, PROGRAM_BUILD_LOG, size, log.as_mut_ptr().cast(), null_mut());
            let log = String::from_utf8_lossy(&log).trim_end_matches('\0').to_string();
            if error != 0 {
                (core.clReleaseProgram)(program);
                return (Err(error), log);
            }
            (Ok(program), log)
        }
    }

    /// The work-group size that a kernel was compiled for, or zeros.
    pub fn required_size(&self, kernel: Handle) -> [usize; 3] {
        let mut size = [0; 3];
        // SAFETY: the value is three sizes.
        unsafe {
            (self.core.clGetKernelWorkGroupInfo)(
                kernel,
                self.device,
                KERNEL_COMPILE_WORK_GROUP_SIZE,
                size_of_val(&size),
                size.as_mut_ptr().cast(),
                null_mut(),
            );
        }
        size
    }

    /// Bytes of local and of private memory that a kernel uses.
    pub fn kernel_memory(&self, kernel: Handle) -> [u64; 2] {
        [KERNEL_LOCAL_MEM_SIZE, KERNEL_PRIVATE_MEM_SIZE].map(|what| {
            let mut value = 0u64;
            // SAFETY: the value is a 64-bit number.
            unsafe {
                (self.core.clGetKernelWorkGroupInfo)(
                    kernel,
                    self.device,
                    what,
                    8,
                    (&raw mut value).cast(),
                    null_mut(),
                );
            }
            value
        })
    }
}
