//! The process's Vulkan instance, and the validation layer's messages.

use super::errors::failed;
use crate::error::{Result, error};
use ash::vk;
use std::ffi::{CStr, c_void};
use std::sync::{Mutex, PoisonError};

/// Names the loader, where the system does not find it.
const LOADER: &str = "SPIRV_VULKAN_LOADER";

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";
/// More messages than this are counted, not kept.
const MAX_MESSAGES: usize = 1000;

/// Newest version of Vulkan that is made use of.
pub(super) const NEWEST: u32 = vk::API_VERSION_1_3;

static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// What the validation layer said.
pub(crate) fn validation_messages() -> Vec<String> {
    MESSAGES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The loader and the instance. They live as long as the process: drivers do not like to be unloaded.
pub(super) struct Instance {
    pub entry: ash::Entry,
    pub raw: ash::Instance,
    pub debug_utils: bool,
}

impl Instance {
    /// The instance, made at the first call that succeeds.
    pub fn get() -> Result<&'static Instance> {
        static INSTANCE: Mutex<Option<&'static Instance>> = Mutex::new(None);
        let mut slot = INSTANCE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(instance) = *slot {
            return Ok(instance);
        }
        Ok(slot.insert(Box::leak(Box::new(Instance::new()?))))
    }

    fn new() -> Result<Instance> {
        let entry = load()?;
        // SAFETY: no preconditions.
        let version = unsafe { entry.try_enumerate_instance_version() }
            .map_err(|e| failed("vkEnumerateInstanceVersion", e))?
            .unwrap_or(vk::API_VERSION_1_0);
        if version < vk::API_VERSION_1_1 {
            return Err(error!(
                NoDevice,
                "the Vulkan loader of this machine is of version 1.0; 1.1 is needed"
            ));
        }
        let validation = std::env::var("SPIRV_VALIDATION").is_ok_and(|v| v != "0" && !v.is_empty());
        // SAFETY: no preconditions.
        let layers = unsafe { entry.enumerate_instance_layer_properties() }
            .map_err(|e| failed("vkEnumerateInstanceLayerProperties", e))?;
        if validation && !layers.iter().any(|l| l.layer_name_as_c_str() == Ok(VALIDATION_LAYER)) {
            return Err(error!(
                NoDevice,
                "SPIRV_VALIDATION is set, but the layer VK_LAYER_KHRONOS_validation is not installed"
            ));
        }
        let extensions = |layer: Option<&CStr>| {
            // SAFETY: the layer, if any, is one of those enumerated above.
            let found = unsafe { entry.enumerate_instance_extension_properties(layer) };
            found.map_err(|e| failed("vkEnumerateInstanceExtensionProperties", e))
        };
        let mut available = extensions(None)?;
        if validation {
            available.extend(extensions(Some(VALIDATION_LAYER))?);
        }
        let has = |name: &CStr| available.iter().any(|e| e.extension_name_as_c_str() == Ok(name));

        let mut names = Vec::new();
        let mut flags = vk::InstanceCreateFlags::empty();
        if has(ash::khr::portability_enumeration::NAME) {
            names.push(ash::khr::portability_enumeration::NAME.as_ptr());
            flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
        }
        let debug_utils = has(ash::ext::debug_utils::NAME);
        if debug_utils {
            names.push(ash::ext::debug_utils::NAME.as_ptr());
        }
        let synchronization = validation && has(ash::ext::validation_features::NAME);
        if synchronization {
            names.push(ash::ext::validation_features::NAME.as_ptr());
        }
        let layer_names = if validation { vec![VALIDATION_LAYER.as_ptr()] } else { Vec::new() };
        let application = vk::ApplicationInfo::default().engine_name(c"spirv-runtime").api_version(NEWEST);
        let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
        let mut info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&names)
            .enabled_layer_names(&layer_names)
            .flags(flags);
        if synchronization {
            info = info.push_next(&mut features);
        }
        // SAFETY: layers and extensions are available, and the structures live until the call returns.
        let raw = unsafe { entry.create_instance(&info, None) }.map_err(|e| match e {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER => {
                error!(
                    NoDevice,
                    "this machine has a Vulkan loader but no Vulkan driver; install the one of its GPU"
                )
            }
            other => failed("vkCreateInstance", other),
        })?;
        let instance = Instance { entry, raw, debug_utils };
        match instance.listen() {
            // Who asked for validation is told that there is none.
            Err(e) if validation => {
                // SAFETY: nothing was made from the instance.
                unsafe { instance.raw.destroy_instance(None) };
                Err(failed("vkCreateDebugUtilsMessengerEXT", e))
            }
            _ => Ok(instance),
        }
    }

    /// Collects messages of validation layers, whether enabled here or by the environment.
    fn listen(&self) -> Result<(), vk::Result> {
        if !self.debug_utils {
            return Ok(());
        }
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::ERROR | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
            )
            // Advice on performance is left out: it objects to keeping images in GENERAL layout.
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
            .pfn_user_callback(Some(on_message));
        let debug = ash::ext::debug_utils::Instance::new(&self.entry, &self.raw);
        // SAFETY: the extension is enabled and the callback is a plain function.
        unsafe { debug.create_debug_utils_messenger(&info, None) }.map(|_| ())
    }
}

fn load() -> Result<ash::Entry> {
    if let Some(path) = std::env::var_os(LOADER).filter(|p| !p.is_empty()) {
        // SAFETY: the user says that this is a Vulkan loader; it is never unloaded.
        return unsafe { ash::Entry::load_from(&path) }.map_err(|e| {
            error!(NoDevice, "{LOADER} names `{}`, which cannot be opened: {e}", path.to_string_lossy())
        });
    }
    // SAFETY: the library found under the system's name for the Vulkan loader is one; it is never unloaded.
    unsafe { ash::Entry::load() }.map_err(|e| {
        error!(NoDevice, "this machine has no Vulkan ({e}); install the Vulkan driver of its GPU")
    })
}

unsafe extern "system" fn on_message(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    // Some layers send advice on performance under both types.
    if types.contains(vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE) {
        return vk::FALSE;
    }
    // SAFETY: the layer passes a valid structure, whose message is null or a C string.
    let text = unsafe { data.as_ref().and_then(|d| d.message_as_c_str()) };
    let text = format!("{severity:?}: {}", text.unwrap_or_default().to_string_lossy());
    eprintln!("spirv-runtime: Vulkan validation: {text}");
    let mut messages = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
    if messages.len() < MAX_MESSAGES {
        messages.push(text);
    }
    vk::FALSE
}
