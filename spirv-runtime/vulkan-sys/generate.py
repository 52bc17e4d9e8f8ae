#!/usr/bin/env python3
"""Generates src/vk.rs, the types and functions of Vulkan that the runtime uses, from Khronos' registry.

    generate.py                    writes src/vk.rs from registry/vk.xml
    generate.py --check            writes nothing; fails if src/vk.rs is not what would be written
    generate.py --vendor vk.xml    makes registry/vk.xml first: what is needed of the full registry

What is bound is listed here; the types of structures and parameters follow.
"""
import argparse
import copy
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).resolve().parent

# Tables of functions: by what they are looked up, and since which version they are there. Later ones may be missing.
ENTRY = """
vkEnumerateInstanceVersion vkEnumerateInstanceLayerProperties vkEnumerateInstanceExtensionProperties vkCreateInstance
""".split()
INSTANCE = """
vkDestroyInstance vkEnumeratePhysicalDevices vkGetPhysicalDeviceProperties vkGetPhysicalDeviceProperties2
vkGetPhysicalDeviceFeatures2 vkGetPhysicalDeviceQueueFamilyProperties vkGetPhysicalDeviceFormatProperties
vkGetPhysicalDeviceImageFormatProperties vkGetPhysicalDeviceMemoryProperties vkEnumerateDeviceExtensionProperties
vkCreateDevice vkGetDeviceProcAddr vkCreateDebugUtilsMessengerEXT
""".split()
DEVICE = """
vkDestroyDevice vkGetDeviceQueue vkQueueSubmit vkDeviceWaitIdle vkAllocateMemory vkFreeMemory vkMapMemory
vkCreateBuffer vkDestroyBuffer vkGetBufferMemoryRequirements vkBindBufferMemory vkCreateBufferView vkDestroyBufferView
vkCreateImage vkDestroyImage vkGetImageMemoryRequirements vkBindImageMemory vkCreateImageView vkDestroyImageView
vkCreateSampler vkDestroySampler vkCreateShaderModule vkDestroyShaderModule
vkCreateDescriptorSetLayout vkDestroyDescriptorSetLayout vkCreatePipelineLayout vkDestroyPipelineLayout
vkCreateComputePipelines vkDestroyPipeline vkCreateDescriptorPool vkDestroyDescriptorPool vkResetDescriptorPool
vkAllocateDescriptorSets vkUpdateDescriptorSets vkCreateQueryPool vkDestroyQueryPool vkGetQueryPoolResults
vkCreateFence vkDestroyFence vkGetFenceStatus vkWaitForFences vkCreateSemaphore vkDestroySemaphore
vkCreateCommandPool vkDestroyCommandPool vkResetCommandPool vkAllocateCommandBuffers
vkBeginCommandBuffer vkEndCommandBuffer vkCmdPipelineBarrier vkCmdBindPipeline vkCmdBindDescriptorSets
vkCmdPushConstants vkCmdDispatch vkCmdFillBuffer vkCmdCopyBuffer vkCmdCopyBufferToImage vkCmdCopyImageToBuffer
vkCmdClearColorImage vkCmdClearDepthStencilImage vkCmdResetQueryPool vkCmdWriteTimestamp
vkWaitSemaphores vkGetSemaphoreCounterValue vkGetBufferDeviceAddress
""".split()
OPTIONAL = {"vkCreateDebugUtilsMessengerEXT", "vkWaitSemaphores", "vkGetSemaphoreCounterValue", "vkGetBufferDeviceAddress",
            "vkEnumerateInstanceVersion"}

# Types that no signature names: what is chained to others, and features.
EXTRA_TYPES = """
VkPhysicalDevice16BitStorageFeatures VkPhysicalDeviceVariablePointersFeatures VkPhysicalDevice8BitStorageFeatures
VkPhysicalDeviceShaderFloat16Int8Features VkPhysicalDeviceScalarBlockLayoutFeatures
VkPhysicalDeviceTimelineSemaphoreFeatures VkPhysicalDeviceVulkanMemoryModelFeatures
VkPhysicalDeviceShaderAtomicInt64Features VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures
VkPhysicalDeviceImageRobustnessFeatures VkPhysicalDeviceSubgroupSizeControlFeatures
VkPhysicalDeviceBufferDeviceAddressFeatures VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR
VkPhysicalDeviceDescriptorIndexingFeatures VkPhysicalDeviceShaderAtomicFloatFeaturesEXT
VkPhysicalDeviceRobustness2FeaturesKHR VkPhysicalDeviceSubgroupProperties
VkPhysicalDeviceSubgroupSizeControlProperties VkPhysicalDeviceMaintenance3Properties
VkPipelineShaderStageRequiredSubgroupSizeCreateInfo VkImageViewUsageCreateInfo VkSemaphoreTypeCreateInfo
VkTimelineSemaphoreSubmitInfo VkValidationFeaturesEXT VkMemoryAllocateFlagsInfo
""".split()

# Extensions whose names are used, and what they are called here.
EXTENSIONS = """
VK_KHR_16bit_storage VK_KHR_8bit_storage VK_KHR_shader_float16_int8 VK_EXT_scalar_block_layout VK_KHR_vulkan_memory_model
VK_KHR_shader_atomic_int64 VK_EXT_image_robustness VK_EXT_subgroup_size_control VK_NV_compute_shader_derivatives
VK_EXT_shader_atomic_float VK_EXT_robustness2 VK_KHR_portability_subset VK_KHR_portability_enumeration
VK_EXT_debug_utils VK_EXT_validation_features
""".split()
# Extensions that their structures or values are of, beside those above.
ALSO = ["VK_KHR_compute_shader_derivatives", "VK_KHR_robustness2"]

# Structures that the runtime only reads or writes whole: no methods.
PLAIN = {"VkPhysicalDeviceLimits", "VkPhysicalDeviceSparseProperties", "VkPhysicalDeviceFeatures", "VkExtent3D", "VkOffset3D"}
# Structures that others are chained to.
HEADS = {"VkInstanceCreateInfo", "VkDeviceCreateInfo", "VkPhysicalDeviceFeatures2", "VkPhysicalDeviceProperties2",
         "VkSemaphoreCreateInfo", "VkSubmitInfo", "VkImageViewCreateInfo", "VkPipelineShaderStageCreateInfo",
         "VkMemoryAllocateInfo"}
# Structures whose count stands without the array, too.
COUNTED = {"VkDescriptorSetLayoutBinding"}
# Written by hand or nothing to us.
OPAQUE = {"VkAllocationCallbacks", "VkClearColorValue", "VkDebugUtilsMessengerCallbackDataEXT"}

BASIC = {
    "void": "c_void", "char": "c_char", "float": "f32", "double": "f64", "int32_t": "i32", "uint32_t": "u32",
    "uint8_t": "u8", "uint64_t": "u64", "int64_t": "i64", "size_t": "usize", "VkBool32": "Bool32", "VkDeviceSize": "u64",
    "VkDeviceAddress": "u64", "VkSampleMask": "u32", "VkFlags": "u32", "PFN_vkVoidFunction": "Function",
    "PFN_vkDebugUtilsMessengerCallbackEXT": "DebugUtilsMessengerCallback",
}


def snake(name):
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def field_name(element):
    name = snake(element.findtext("name"))
    return "ty" if name == "type" else name


class Registry:
    def __init__(self, root):
        self.root = root
        self.types = {}
        for t in root.find("types"):
            name = t.get("name") or t.findtext("name") or t.findtext("proto/name")
            self.types.setdefault(name, t)
        self.commands = {}
        for c in root.find("commands"):
            name = c.findtext("proto/name") or c.get("name")
            self.commands[name] = c
        self.enums = {e.get("name"): e for e in root.findall("enums")}
        self.constants = {}
        for e in root.findall("enums"):
            if e.get("type") == "constants":
                self.constants.update({c.get("name"): c.get("value") for c in e if c.get("value")})
        self.numbers = {e.get("name"): int(e.get("number")) for e in root.find("extensions")}

    def type_of(self, name):
        t = self.types.get(name)
        while t is not None and t.get("alias"):
            t = self.types[t.get("alias")]
        return t

    def needed(self):
        """The types that the functions and the extra types lead to."""
        found, todo = [], []
        for name in ENTRY + INSTANCE + DEVICE:
            c = self.commands[name]
            todo += [c.findtext("proto/type")] + [p.findtext("type") for p in c.findall("param")]
        todo += EXTRA_TYPES
        while todo:
            name = todo.pop(0)
            t = self.types.get(name)
            if name in found or name in BASIC or t is None:
                continue
            if t.get("alias"):
                sys.exit(f"{name} is another name of {t.get('alias')}")
            found.append(name)
            if name in OPAQUE:
                continue
            if t.get("category") in ("struct", "union"):
                todo += [m.findtext("type") for m in members(t)]
            bits = t.get("requires") or t.get("bitvalues")
            if t.get("category") == "bitmask" and bits:
                todo.append(bits)
        return found

    def values(self, name):
        """What an enumeration has in the versions and extensions that are used, by name."""
        out = {}
        for e in self.enums.get(name, []):
            if e.tag == "enum" and not e.get("alias"):
                out[e.get("name")] = int(e.get("value"), 0) if e.get("value") else 1 << int(e.get("bitpos"))
        features = [f for f in self.root.findall("feature") if f.get("name") in VERSIONS]
        extensions = [e for e in self.root.find("extensions") if e.get("name") in EXTENSIONS + ALSO]
        for holder in features + extensions:
            for e in holder.findall("require/enum"):
                if e.get("extends") != name or e.get("alias"):
                    continue
                if e.get("value"):
                    value = int(e.get("value"), 0)
                elif e.get("bitpos"):
                    value = 1 << int(e.get("bitpos"))
                else:
                    number = int(e.get("extnumber") or self.numbers[holder.get("name")])
                    value = 1000000000 + (number - 1) * 1000 + int(e.get("offset"))
                    value = -value if e.get("dir") else value
                out.setdefault(e.get("name"), value)
        return out


VERSIONS = ["VK_VERSION_1_0", "VK_VERSION_1_1", "VK_VERSION_1_2", "VK_VERSION_1_3", "VK_BASE_VERSION_1_0",
            "VK_BASE_VERSION_1_1", "VK_BASE_VERSION_1_2", "VK_BASE_VERSION_1_3", "VK_COMPUTE_VERSION_1_0",
            "VK_COMPUTE_VERSION_1_1", "VK_COMPUTE_VERSION_1_2", "VK_COMPUTE_VERSION_1_3", "VK_GRAPHICS_VERSION_1_0",
            "VK_GRAPHICS_VERSION_1_1", "VK_GRAPHICS_VERSION_1_2", "VK_GRAPHICS_VERSION_1_3"]


def members(t):
    return [m for m in t.findall("member") if m.get("api") in (None, "vulkan", "vulkan,vulkanbase")]


def rust_name(name):
    return name[2:].replace("FlagBits", "Flags")


def short(name, of):
    """VK_IMAGE_TYPE_2D of VkImageType: TYPE_2D."""
    base, tag = re.fullmatch(r"(.*?)((?:EXT|KHR|NV)?)", of).groups()
    base = base.replace("FlagBits", "")
    words = name.split("_")
    if of == "VkResult":
        words = words[1:]
    else:
        prefix = snake(base).upper().split("_")
        k = 0
        while k < len(prefix) and k < len(words) - 1 and words[k] == prefix[k]:
            k += 1
        words = words[k:]
    if tag and words[-1] == tag:
        words.pop()
    if "BIT" in words and "FlagBits" in of:
        words.remove("BIT")
    out = "_".join(words)
    return f"TYPE_{out}" if out[0].isdigit() else out.upper()


class Writer:
    def __init__(self, registry):
        self.r = registry
        self.needed = registry.needed()
        self.out = []
        self.borrowing = set()
        again = True
        while again:
            again = False
            for name in self.needed:
                if name not in self.borrowing and self.borrows(name):
                    self.borrowing.add(name)
                    again = True

    def borrows(self, name):
        t = self.r.types[name]
        if t.get("category") != "struct" or name in OPAQUE:
            return name == "VkDebugUtilsMessengerCallbackDataEXT"
        return any("*" in (m.find("type").tail or "") or m.findtext("type") in self.borrowing for m in members(t))

    def type(self, element, life="'a"):
        """The Rust type of a member or parameter."""
        name = element.findtext("type")
        inner = BASIC.get(name) or rust_name(name)
        if name in self.borrowing and life:
            inner += f"<{life}>"
        tail = element.find("type").tail or ""
        const = (element.text or "").count("const") + tail.count("const")
        stars = tail.count("*")
        for i in range(stars):
            # `const char* const*`: all that is pointed to is constant.
            inner = ("*const " if const > 0 else "*mut ") + inner
        sizes = re.findall(r"\[([0-9A-Z_a-z]+)\]", "".join(element.itertext()))
        for size in reversed(sizes):
            value = int(size) if size.isdigit() else int(self.r.constants[size].rstrip("U"))
            inner = f"[{inner}; {value}]" if element.tag == "member" else f"*const [{inner}; {value}]"
        return inner

    def enumeration(self, name):
        t = self.r.types[name]
        if t.get("category") == "bitmask":
            bits = t.get("requires") or t.get("bitvalues")
            values = self.r.values(bits) if bits else {}
            kind, of = "flags", bits or name
        else:
            values, kind, of = self.r.values(name), "enumeration", name
        if name == "VkStructureType":
            values = {n: v for n, v in values.items() if n in self.tags()}
        rows = "".join(f"    {short(n, of)} = {v},\n" for n, v in values.items())
        return f"{kind}! {{ {rust_name(name)};\n{rows}}}\n"

    def tags(self):
        found = (m.get("values") for n in self.needed if n not in OPAQUE for m in members(self.r.types[n]))
        return {v for v in found if v}

    def structure(self, name):
        t, rust = self.r.types[name], rust_name(name)
        fields = [(m, field_name(m)) for m in members(t)]
        life = "<'a>" if name in self.borrowing else ""
        out = [f"#[repr(C)]\n#[derive(Clone, Copy)]\npub struct {rust}{life} {{"]
        out += [f"    pub {field}: {self.type(m)}," for m, field in fields]
        if life:
            out.append("    pub marker: PhantomData<&'a ()>,")
        out.append("}")
        tag = next((m.get("values") for m, f in fields if f == "s_type"), None)
        any_life = "<'_>" if life else ""
        given = f"s_type: StructureType::{short(tag, 'VkStructureType')}, " if tag else ""
        zeroed = "unsafe { std::mem::zeroed() }"
        body = f"{rust} {{ {given}..{zeroed} }}" if tag else zeroed
        out.append(f"impl Default for {rust}{any_life} {{\n    #[inline]\n    fn default() -> Self {{\n        // SAFETY: numbers, "
                   f"null pointers and handles, no functions: zeros are a value of each.\n        {body}\n    }}\n}}")
        if tag and any(f == "p_next" for _, f in fields):
            out.append(f"chain! {{ {rust} }}")
        if name in HEADS:
            out.append(f"impl<'a> {rust}<'a> {{\n    #[inline]\n    pub fn push_next<T: Chain>(mut self, next: &'a mut T) -> "
                       f"Self {{\n        // SAFETY: both begin as structures of chains do.\n        unsafe {{ link((&raw mut "
                       f"self).cast(), (&raw mut *next).cast()) }};\n        self\n    }}\n}}")
        if name not in PLAIN and t.get("returnedonly") != "true":
            methods = self.methods(fields, name)
            if methods:
                out.append(f"impl{life} {rust}{life} {{\n" + "\n".join(methods) + "\n}")
        texts = [f for m, f in fields if self.type(m).startswith("[c_char")]
        for f in texts:
            out.append(f"impl {rust} {{\n    #[inline]\n    pub fn {f}_as_c_str(&self) -> std::result::Result<&CStr, FromBytesUntilNulError> {{\n"
                       f"        text_of(&self.{f})\n    }}\n}}")
        return "\n".join(out) + "\n"

    def methods(self, fields, name):
        out = []
        lengths = {m.get("len", "").split(",")[0] for m, _ in fields if name not in COUNTED}
        for m, field in fields:
            ty, length = self.type(m), m.get("len", "").split(",")[0]
            if field in ("s_type", "p_next") or m.findtext("name") in lengths:
                continue
            plain = re.sub(r"^pp?_", "", field)
            head, self_ = f"    #[inline]\n    pub fn {plain}(mut self, {plain}: ", "-> Self {\n"
            if ty == "Bool32":
                out.append(f"{head}bool) {self_}        self.{field} = {plain}.into();\n        self\n    }}")
            elif ty == "*const c_char":
                out.append(f"{head}&'a CStr) {self_}        self.{field} = {plain}.as_ptr();\n        self\n    }}")
            elif length and (ty.startswith("*")):
                count = next((f for c, f in fields if c.findtext("name") == length), None)
                item = ty.split(" ", 1)[1]
                scale, unit = "", item
                if name == "VkShaderModuleCreateInfo":
                    count, scale = "code_size", " * 4"
                if item == "c_void":
                    unit = "u8"
                if count is None:
                    continue
                cast = ".cast()" if item != unit else ""
                wide = next(self.type(c) for c, f in fields if f == count)
                out.append(f"{head}&'a [{unit}]) {self_}        self.{count} = {plain}.len(){scale} as {wide};\n"
                           f"        self.{field} = {plain}.as_ptr(){cast};\n        self\n    }}")
            elif ty.startswith("*const ") and "c_void" not in ty:
                out.append(f"{head}&'a {ty[7:]}) {self_}        self.{field} = {plain};\n        self\n    }}")
            else:
                out.append(f"{head}{ty}) {self_}        self.{field} = {plain};\n        self\n    }}")
        return [o.replace(" as usize;", ";") for o in out]

    def function(self, name):
        c = self.r.commands[name]
        params = [f"{field_name(p)}: {self.type(p, chr(39) + '_')}" for p in c.findall("param")
                  if p.get("api") in (None, "vulkan", "vulkan,vulkanbase")]
        result = c.findtext("proto/type")
        result = "" if result == "void" else f" -> {BASIC.get(result) or rust_name(result)}"
        optional = "Option" if name in OPTIONAL else "Function"
        return f"    {snake(name[2:])}: {name} {optional} = fn({', '.join(params)}){result};"

    def text(self):
        out = ["// Generated by generate.py from registry/vk.xml. Copyright 2015-2026 The Khronos Group Inc.; Apache-2.0 OR MIT.",
               ""]
        handles, enums, structs = [], [], []
        for name in self.needed:
            t = self.r.types[name]
            category = t.get("category")
            if name in OPAQUE:
                continue
            if category == "handle":
                kind = "u64" if "NON_DISPATCHABLE" in (t.findtext("type") or "") else "usize"
                handles.append(f"handle! {{ {rust_name(name)}({kind}) }}")
            elif category == "bitmask":
                enums.append(self.enumeration(name))
            elif category == "enum" and "FlagBits" not in name:
                enums.append(self.enumeration(name))
            elif category == "struct":
                structs.append(self.structure(name))
            elif category == "enum":
                pass
            else:
                sys.exit(f"{name}: {category}")
        out += handles + [""] + enums + structs
        for table, names in [("EntryFunctions", ENTRY), ("InstanceFunctions", INSTANCE), ("DeviceFunctions", DEVICE)]:
            out.append(f"functions! {{ {table};\n" + "\n".join(map(self.function, names)) + "\n}")
        out.append("/// Names of extensions.\npub mod extensions {\n    use std::ffi::CStr;")
        for name in EXTENSIONS:
            out.append(f'    pub const {name[3:].upper()}: &CStr = c"{name}";')
        out.append("}")
        return "\n".join(out) + "\n"


def vendor(path):
    """What is needed of the full registry."""
    full = ET.parse(path).getroot()
    r = Registry(full)
    needed = set(r.needed())
    root = ET.Element("registry")
    root.append(ET.Comment(full.findtext("comment").strip()))
    types = ET.SubElement(root, "types")
    for name, t in r.types.items():
        if name in needed:
            types.append(copy.deepcopy(t))
    kept = needed | {r.types[n].get("requires") or r.types[n].get("bitvalues") for n in needed}
    for e in full.findall("enums"):
        if e.get("name") in kept or e.get("type") == "constants":
            root.append(copy.deepcopy(e))
    commands = ET.SubElement(root, "commands")
    for name in ENTRY + INSTANCE + DEVICE:
        command = ET.SubElement(commands, "command")
        command.extend(copy.deepcopy(e) for e in r.commands[name] if e.tag in ("proto", "param"))
    holders = [f for f in full.findall("feature") if f.get("name") in VERSIONS]
    extensions = ET.Element("extensions")
    for holder in holders + [e for e in full.find("extensions") if e.get("name") in EXTENSIONS + ALSO]:
        new = ET.SubElement(root if holder.tag == "feature" else extensions, holder.tag,
                            {k: v for k, v in holder.attrib.items() if k in ("name", "number")})
        require = ET.SubElement(new, "require")
        require.extend(copy.deepcopy(e) for e in holder.findall("require/enum") if e.get("extends") in kept)
    root.append(extensions)
    for e in root.iter():
        for attribute in ("comment", "supported", "deprecated", "limittype"):
            e.attrib.pop(attribute, None)
        for c in e.findall("comment"):
            e.remove(c)
    ET.indent(types)
    (HERE / "registry/vk.xml").write_text(ET.tostring(root, encoding="unicode") + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--vendor")
    args = parser.parse_args()
    if args.vendor:
        vendor(args.vendor)
    text = Writer(Registry(ET.parse(HERE / "registry/vk.xml").getroot())).text()
    path = HERE / "src/vk.rs"
    if args.check:
        if path.read_text() != text:
            sys.exit(f"{path} is out of date: run spirv-runtime/vulkan-sys/generate.py")
    else:
        path.write_text(text)


main()
