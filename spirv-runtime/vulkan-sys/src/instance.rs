//! The loader's functions and the instance's.

use crate::vk::{self, EntryFunctions, Function, InstanceFunctions};
use crate::{Device, Result};
use std::ffi::{CStr, OsStr, c_char};
use std::ptr::{null, null_mut};

/// What the system calls the loader.
const LOADER: &str = if cfg!(windows) {
    "vulkan-1.dll"
} else if cfg!(target_vendor = "apple") {
    "libvulkan.dylib"
} else if cfg!(target_os = "android") {
    "libvulkan.so"
} else {
    "libvulkan.so.1"
};

type GetInstanceProcAddr = unsafe extern "system" fn(vk::Instance, *const c_char) -> Function;

/// An error unless the call succeeded.
pub(crate) fn check(result: vk::Result) -> Result<()> {
    if result == vk::Result::SUCCESS { Ok(()) } else { Err(result) }
}

/// What a call writes that succeeds.
///
/// # Safety
/// The call writes the value if it succeeds.
pub(crate) unsafe fn made<T: Default>(call: impl FnOnce(*mut T) -> vk::Result) -> Result<T> {
    let mut value = T::default();
    check(call(&mut value)).map(|()| value)
}

/// What a call lists: asked once for how many there are, then for them, until none has come meanwhile.
///
/// # Safety
/// The call writes the number, and so many values where it gets a pointer.
unsafe fn listed<T: Default + Clone>(call: impl Fn(*mut u32, *mut T) -> vk::Result) -> Result<Vec<T>> {
    loop {
        let mut count = 0;
        check(call(&mut count, null_mut()))?;
        let mut list = vec![T::default(); count as usize];
        match call(&mut count, list.as_mut_ptr()) {
            vk::Result::SUCCESS => {
                list.truncate(count as usize);
                return Ok(list);
            }
            vk::Result::INCOMPLETE => {}
            error => return Err(error),
        }
    }
}

/// The loader, which stays open for the life of the process.
#[derive(Clone, Copy)]
pub struct Entry {
    find: GetInstanceProcAddr,
    functions: EntryFunctions,
}

/// Why there is no loader.
#[derive(Debug)]
pub enum LoadError {
    /// It cannot be opened.
    Library(libloading::Error),
    /// It lacks functions that all have.
    Incomplete,
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::Library(error) => error.fmt(f),
            LoadError::Incomplete => f.write_str("it is no Vulkan loader"),
        }
    }
}

impl Entry {
    /// The system's loader.
    ///
    /// # Errors
    /// There is none.
    ///
    /// # Safety
    /// The library of that name is a Vulkan loader.
    pub unsafe fn load() -> std::result::Result<Entry, LoadError> {
        // SAFETY: the caller's promise.
        unsafe { Entry::load_from(LOADER) }
    }

    /// A loader by the name of its file.
    ///
    /// # Errors
    /// It cannot be opened, or is none.
    ///
    /// # Safety
    /// The library is a Vulkan loader.
    pub unsafe fn load_from(name: impl AsRef<OsStr>) -> std::result::Result<Entry, LoadError> {
        // SAFETY: the caller's promise; by the specification the symbol is this function.
        unsafe {
            let library = libloading::Library::new(name).map_err(LoadError::Library)?;
            let find: GetInstanceProcAddr =
                *library.get(b"vkGetInstanceProcAddr\0").map_err(LoadError::Library)?;
            let functions = EntryFunctions::load(&|name| find(vk::Instance::null(), name.as_ptr()));
            let functions = functions.ok_or(LoadError::Incomplete)?;
            std::mem::forget(library);
            Ok(Entry { find, functions })
        }
    }

    /// The version that instances may have; None where there is only 1.0.
    ///
    /// # Errors
    /// Vulkan's.
    ///
    /// # Safety
    /// As the specification says, here and below.
    pub unsafe fn try_enumerate_instance_version(&self) -> Result<Option<u32>> {
        let Some(f) = self.functions.enumerate_instance_version else { return Ok(None) };
        // SAFETY: the caller's promise.
        unsafe { made(|out| f(out)) }.map(Some)
    }

    /// The layers that there are.
    ///
    /// # Errors
    /// Vulkan's.
    ///
    /// # Safety
    /// The specification's.
    pub unsafe fn enumerate_instance_layer_properties(&self) -> Result<Vec<vk::LayerProperties>> {
        // SAFETY: the caller's promise.
        unsafe { listed(|count, list| (self.functions.enumerate_instance_layer_properties)(count, list)) }
    }

    /// The extensions that there are, of a layer or else of all drivers.
    ///
    /// # Errors
    /// Vulkan's.
    ///
    /// # Safety
    /// The specification's.
    pub unsafe fn enumerate_instance_extension_properties(
        &self,
        layer: Option<&CStr>,
    ) -> Result<Vec<vk::ExtensionProperties>> {
        let layer = layer.map_or(null(), CStr::as_ptr);
        let f = self.functions.enumerate_instance_extension_properties;
        // SAFETY: the caller's promise.
        unsafe { listed(|count, list| f(layer, count, list)) }
    }

    /// Makes an instance.
    ///
    /// # Errors
    /// Vulkan's.
    ///
    /// # Safety
    /// The specification's.
    pub unsafe fn create_instance(&self, info: &vk::InstanceCreateInfo<'_>) -> Result<Instance> {
        // SAFETY: the caller's promise; functions are looked up by the instance that they are of.
        unsafe {
            let raw = made(|out| (self.functions.create_instance)(info, null(), out))?;
            let functions = InstanceFunctions::load(&|name| (self.find)(raw, name.as_ptr()));
            let functions = functions.ok_or(vk::Result::ERROR_INCOMPATIBLE_DRIVER)?;
            Ok(Instance { raw, functions })
        }
    }
}

/// An instance with its functions.
#[derive(Clone, Copy)]
pub struct Instance {
    raw: vk::Instance,
    functions: InstanceFunctions,
}

#[allow(clippy::missing_safety_doc, clippy::missing_errors_doc)]
/// All are as safe, and fail, as the specification says of the function of the same name.
impl Instance {
    /// `vkDestroyInstance`
    pub unsafe fn destroy_instance(&self) {
        // SAFETY: the caller's promise, here and below.
        unsafe { (self.functions.destroy_instance)(self.raw, null()) }
    }

    /// `vkEnumeratePhysicalDevices`
    pub unsafe fn enumerate_physical_devices(&self) -> Result<Vec<vk::PhysicalDevice>> {
        // SAFETY: see above.
        unsafe { listed(|count, list| (self.functions.enumerate_physical_devices)(self.raw, count, list)) }
    }

    /// `vkGetPhysicalDeviceProperties`
    pub unsafe fn get_physical_device_properties(
        &self,
        physical: vk::PhysicalDevice,
    ) -> vk::PhysicalDeviceProperties {
        let mut out = vk::PhysicalDeviceProperties::default();
        // SAFETY: see above.
        unsafe { (self.functions.get_physical_device_properties)(physical, &mut out) };
        out
    }

    /// `vkGetPhysicalDeviceProperties2`
    pub unsafe fn get_physical_device_properties2(
        &self,
        physical: vk::PhysicalDevice,
        out: &mut vk::PhysicalDeviceProperties2<'_>,
    ) {
        // SAFETY: see above.
        unsafe { (self.functions.get_physical_device_properties2)(physical, out) }
    }

    /// `vkGetPhysicalDeviceFeatures2`
    pub unsafe fn get_physical_device_features2(
        &self,
        physical: vk::PhysicalDevice,
        out: &mut vk::PhysicalDeviceFeatures2<'_>,
    ) {
        // SAFETY: see above.
        unsafe { (self.functions.get_physical_device_features2)(physical, out) }
    }

    /// `vkGetPhysicalDeviceQueueFamilyProperties`
    pub unsafe fn get_physical_device_queue_family_properties(
        &self,
        physical: vk::PhysicalDevice,
    ) -> Vec<vk::QueueFamilyProperties> {
        let f = self.functions.get_physical_device_queue_family_properties;
        let call = |count: *mut u32, list| {
            // SAFETY: see above.
            unsafe { f(physical, count, list) };
            vk::Result::SUCCESS
        };
        // SAFETY: see above. It always succeeds.
        unsafe { listed(call) }.unwrap_or_default()
    }

    /// `vkGetPhysicalDeviceFormatProperties`
    pub unsafe fn get_physical_device_format_properties(
        &self,
        physical: vk::PhysicalDevice,
        format: vk::Format,
    ) -> vk::FormatProperties {
        let mut out = vk::FormatProperties::default();
        // SAFETY: see above.
        unsafe { (self.functions.get_physical_device_format_properties)(physical, format, &mut out) };
        out
    }

    /// `vkGetPhysicalDeviceImageFormatProperties`
    pub unsafe fn get_physical_device_image_format_properties(
        &self,
        physical: vk::PhysicalDevice,
        format: vk::Format,
        ty: vk::ImageType,
        tiling: vk::ImageTiling,
        usage: vk::ImageUsageFlags,
        flags: vk::ImageCreateFlags,
    ) -> Result<vk::ImageFormatProperties> {
        let f = self.functions.get_physical_device_image_format_properties;
        // SAFETY: see above.
        unsafe { made(|out| f(physical, format, ty, tiling, usage, flags, out)) }
    }

    /// `vkGetPhysicalDeviceMemoryProperties`
    pub unsafe fn get_physical_device_memory_properties(
        &self,
        physical: vk::PhysicalDevice,
    ) -> vk::PhysicalDeviceMemoryProperties {
        let mut out = vk::PhysicalDeviceMemoryProperties::default();
        // SAFETY: see above.
        unsafe { (self.functions.get_physical_device_memory_properties)(physical, &mut out) };
        out
    }

    /// `vkEnumerateDeviceExtensionProperties`
    pub unsafe fn enumerate_device_extension_properties(
        &self,
        physical: vk::PhysicalDevice,
    ) -> Result<Vec<vk::ExtensionProperties>> {
        let f = self.functions.enumerate_device_extension_properties;
        // SAFETY: see above.
        unsafe { listed(|count, list| f(physical, null(), count, list)) }
    }

    /// `vkCreateDevice`
    pub unsafe fn create_device(
        &self,
        physical: vk::PhysicalDevice,
        info: &vk::DeviceCreateInfo<'_>,
    ) -> Result<Device> {
        // SAFETY: see above; functions are looked up by the device that they are of.
        unsafe {
            let raw = made(|out| (self.functions.create_device)(physical, info, null(), out))?;
            let find = |name: &CStr| (self.functions.get_device_proc_addr)(raw, name.as_ptr());
            Device::new(raw, &find).ok_or(vk::Result::ERROR_INCOMPATIBLE_DRIVER)
        }
    }

    /// `vkCreateDebugUtilsMessengerEXT`
    pub unsafe fn create_debug_utils_messenger(
        &self,
        info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>,
    ) -> Result<vk::DebugUtilsMessengerEXT> {
        let f = self.functions.create_debug_utils_messenger_ext;
        let f = f.ok_or(vk::Result::ERROR_EXTENSION_NOT_PRESENT)?;
        // SAFETY: see above.
        unsafe { made(|out| f(self.raw, info, null(), out)) }
    }
}
