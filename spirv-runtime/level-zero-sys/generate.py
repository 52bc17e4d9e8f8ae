#!/usr/bin/env python3
"""Generates src/api.rs and src/ddi.rs from the Level Zero headers.

    generate.py [--include DIR]            writes both files
    generate.py [--include DIR] --check    writes nothing; fails if the files do not agree with the headers

DIR is the folder with ze_api.h and ze_ddi.h (default: /usr/include/level_zero). The headers of the version that the
files were made from must give the same bytes. With older headers, everything that they have must be in the files,
the same: the API only ever grows at the end of enumerations and tables.
"""
import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent

# The functions that are bound. Their types follow from them.
FUNCTIONS = """
zeInit zeInitDrivers
zeDriverGet zeDriverGetApiVersion zeDriverGetProperties zeDriverGetIpcProperties zeDriverGetExtensionProperties
zeDriverGetExtensionFunctionAddress zeDriverGetLastErrorDescription
zeDeviceGet zeDeviceGetSubDevices zeDeviceGetProperties zeDeviceGetComputeProperties zeDeviceGetModuleProperties
zeDeviceGetCommandQueueGroupProperties zeDeviceGetMemoryProperties zeDeviceGetMemoryAccessProperties
zeDeviceGetCacheProperties zeDeviceGetImageProperties zeDeviceGetExternalMemoryProperties zeDeviceGetP2PProperties
zeDeviceCanAccessPeer zeDeviceGetStatus zeDeviceGetGlobalTimestamps
zeContextCreate zeContextCreateEx zeContextDestroy zeContextGetStatus
zeContextMakeMemoryResident zeContextEvictMemory
zeCommandQueueCreate zeCommandQueueDestroy zeCommandQueueExecuteCommandLists zeCommandQueueSynchronize
zeCommandListCreate zeCommandListCreateImmediate zeCommandListDestroy zeCommandListClose zeCommandListReset
zeCommandListHostSynchronize zeCommandListAppendBarrier zeCommandListAppendMemoryRangesBarrier
zeCommandListAppendMemoryCopy zeCommandListAppendMemoryFill zeCommandListAppendWriteGlobalTimestamp
zeCommandListAppendSignalEvent zeCommandListAppendWaitOnEvents zeCommandListAppendEventReset
zeCommandListAppendLaunchKernel zeCommandListAppendLaunchKernelIndirect
zeCommandListAppendLaunchKernelWithArguments
zeEventPoolCreate zeEventPoolDestroy zeEventCreate zeEventDestroy zeEventHostSignal zeEventHostSynchronize
zeEventQueryStatus zeEventHostReset zeEventQueryKernelTimestamp
zeFenceCreate zeFenceDestroy zeFenceHostSynchronize zeFenceQueryStatus zeFenceReset
zeImageCreate zeImageDestroy zeImageGetProperties zeCommandListAppendImageCopyToMemory
zeCommandListAppendImageCopyFromMemory
zeMemAllocShared zeMemAllocDevice zeMemAllocHost zeMemFree zeMemGetAllocProperties zeMemGetAddressRange
zeModuleCreate zeModuleDestroy zeModuleBuildLogGetString zeModuleBuildLogDestroy zeModuleGetKernelNames
zeModuleGetNativeBinary zeModuleGetProperties
zeKernelCreate zeKernelDestroy zeKernelSetCacheConfig zeKernelSetGroupSize zeKernelSuggestGroupSize
zeKernelSuggestMaxCooperativeGroupCount zeKernelSetArgumentValue zeKernelSetIndirectAccess
zeKernelGetIndirectAccess zeKernelGetProperties zeKernelGetName zeKernelSetGlobalOffsetExp
""".split()

# Types that no signature names: extension structures.
EXTRA_TYPES = ["ze_relaxed_allocation_limits_exp_desc_t", "ze_relaxed_allocation_limits_exp_flag_t"]

C_TYPES = {
    "void": "c_void", "char": "c_char", "size_t": "usize", "double": "f64", "float": "f32",
    "int8_t": "i8", "int16_t": "i16", "int32_t": "i32", "int64_t": "i64",
    "uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "uint64_t": "u64",
}
RUST_KEYWORDS = {"type", "ref", "in", "mod", "fn", "use", "where", "move", "box"}


class Headers:
    """What the headers declare, by name, in their order."""

    def __init__(self, include):
        raw = (include / "ze_api.h").read_text()
        self.ddi = strip((include / "ze_ddi.h").read_text())
        text = strip(raw)
        text = re.sub(r"\bunsigned int\b", "uint32_t", text)
        version = re.search(r"@version\s+v(\d+)\.(\d+)", raw)
        self.version = (int(version[1]), int(version[2]))
        self.macros = dict(re.findall(r"^#define +(ZE_\w+) +(\d+)\s*$", text, re.M))
        self.handles = re.findall(r"typedef struct _ze_\w+ *\*(ze_\w+_handle_t);", text)
        self.aliases = dict((n, t) for t, n in re.findall(r"typedef (u?int\d+_t) (ze_\w+);", text))
        self.enums = {}
        for m in re.finditer(r"typedef enum _ze_\w+\s*\{(.*?)\}\s*(ze_\w+);", text, re.S):
            self.enums[m[2]] = self.enum(m[1])
        self.structs = {}
        for m in re.finditer(r"typedef struct _ze_\w+\s*\{(.*?)\}\s*(ze_\w+);", text, re.S):
            self.structs[m[2]] = [self.field(f) for f in m[1].split(";") if f.strip()]
        self.functions = {}
        for m in re.finditer(r"ZE_APIEXPORT\s+ze_result_t\s+ZE_APICALL\s+(ze\w+)\((.*?)\);", text, re.S):
            parameters = [p.strip() for p in m[2].split(",") if p.strip() and p.strip() != "void"]
            self.functions[m[1]] = [self.field(p) for p in parameters]
        self.tables = {}
        for m in re.finditer(r"typedef struct _ze_\w+_dditable_t\s*\{(.*?)\}\s*(ze_\w+_dditable_t);", self.ddi, re.S):
            self.tables[m[2]] = re.findall(r"ze_pfn(\w+)_t\s+(pfn\w+);", m[1])
        self.getters = re.findall(r"\n(zeGet\w+ProcAddrTable)\(\s*ze_api_version_t \w+,\s*(ze_\w+_dditable_t)\*", self.ddi)

    def enum(self, body):
        out, last = [], -1
        for item in filter(None, (i.strip() for i in re.split(r",(?![^(]*\))", body))):
            name, _, value = (p.strip() for p in item.partition("="))
            if name.endswith("_FORCE_UINT32"):
                continue
            last = self.value(value, dict(out)) if value else last + 1
            out.append((name, last))
        return out

    def value(self, text, earlier):
        if text in earlier:
            return earlier[text]
        if m := re.fullmatch(r"ZE_BIT\( *(\d+) *\)", text):
            return 1 << int(m[1])
        if m := re.fullmatch(r"ZE_MAKE_VERSION\( *(\d+) *, *(\d+) *\)", text):
            return int(m[1]) << 16 | int(m[2])
        if text == "ZE_API_VERSION_CURRENT_M":
            return self.version[0] << 16 | self.version[1]
        return int(text, 0)

    def field(self, text):
        """`const T** name[N]` as (name, Rust type)."""
        m = re.fullmatch(r"(const )?(?:struct )?(\w+?) *((?:const|\*| )*) *\b(\w+)(?:\[(\w+)\])?", " ".join(text.split()))
        if not m:
            sys.exit(f"generate.py: cannot read the declaration `{text.strip()}`")
        const, base, stars, name, count = m.groups()
        rust = C_TYPES.get(base, base)
        for i in range(stars.count("*")):
            rust = ("*const " if const and i == 0 else "*mut ") + rust
        if count:
            rust = f"[{rust}; {self.macros.get(count, count)}]"
        return (f"r#{name}" if name in RUST_KEYWORDS else name, rust)

    def closure(self, names):
        """The types that these signatures need."""
        todo = [t for n in names if n in self.functions for _, t in self.functions[n]]
        todo += EXTRA_TYPES + ["ze_result_t", "ze_api_version_t", "ze_structure_type_t"]
        # Flag words are plain integers; the enumerations that name their bits come with them.
        seen = set()
        while todo:
            for word in re.findall(r"ze_\w+", todo.pop()):
                if word in seen:
                    continue
                seen.add(word)
                todo += [t for _, t in self.structs.get(word, [])]
                if word.endswith("_flags_t"):
                    todo.append(word[:-len("s_t")] + "_t")
        return seen


def strip(text):
    text = re.sub(r"///.*|//[^\n]*", "", text)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def banner(h, what):
    return [
        f"// {what} of Level Zero {h.version[0]}.{h.version[1]}.",
        "// Generated by generate.py; not to be edited. LICENSE-level-zero is the licence of the headers.",
    ]


def api(h):
    types = h.closure(FUNCTIONS)
    out = banner(h, "Types, constants and functions")
    out += ["", "use std::ffi::{c_char, c_void};", ""]
    for name in h.handles:
        if name in types:
            out.append(f"pub type {name} = *mut c_void;")
    out.append("")
    for name, to in h.aliases.items():
        if name in types:
            out.append(f"pub type {name} = {C_TYPES[to]};")
    for name, items in h.enums.items():
        if name in types:
            out += ["", f"pub type {name} = u32;"]
            out += [f"pub const {item}: {name} = {value:#x};" for item, value in items]
    for name, fields in h.structs.items():
        if name in types:
            out += ["", "#[repr(C)]", "#[derive(Clone, Copy)]", f"pub struct {name} {{"]
            out += [f"    pub {field}: {ty}," for field, ty in fields]
            out.append("}")
    out += ["", "// The structures that begin with a type tag and a chain: the tag that goes with each.", "structures! {"]
    tags = dict(h.enums["ze_structure_type_t"])
    for name, fields in h.structs.items():
        tag = "ZE_STRUCTURE_TYPE_" + name[len("ze_"):-len("_t")].upper()
        if name in types and fields[0][0] == "stype" and tag in tags:
            out.append(f"    {name}: {tag},")
    out += ["}", "", "/// Calls a macro with the signatures of all functions.",
            "#[cfg_attr(feature = \"driver\", macro_export)]",
            "macro_rules! for_each_function {", "    ($callback:ident) => {", "        $callback! {"]
    for name in FUNCTIONS:
        if name not in h.functions:
            sys.exit(f"generate.py: the headers have no {name}")
        parameters = ", ".join(f"{p}: {t}" for p, t in h.functions[name])
        out.append(f"            {name}({parameters});")
    out += ["        }", "    };", "}", "for_each_function!(functions);",
            "", "/// The name of a result, if it has one.", "pub fn result_name(result: ze_result_t) -> Option<&'static str> {",
            "    Some(match result {"]
    out += [f"        {item} => \"{item}\"," for item, _ in h.enums["ze_result_t"]]
    out += ["        _ => return None,", "    })", "}"]
    out += ["", "#[cfg(test)]", "pub(crate) const SIZES: &[(&str, usize)] = &["]
    out += [f"    (\"{name}\", size_of::<{name}>())," for name in h.structs if name in types]
    out += ["];", ""]
    return "\n".join(out)


def ddi(h):
    out = banner(h, "Dispatch tables")
    out += ["", "use crate::pfn;", "", "/// A function that is not bound.",
            "pub type Unbound = Option<unsafe extern \"C\" fn()>;", ""]
    for table in (t for _, t in h.getters):
        fields = h.tables[table]
        if not any(f"ze{function}" in FUNCTIONS for function, _ in fields):
            continue
        out += ["#[repr(C)]", f"pub struct {table} {{"]
        for function, field in fields:
            known = f"ze{function}" in FUNCTIONS
            out.append(f"    pub {field}: " + (f"Option<pfn::ze{function}>," if known else "Unbound,"))
        out += ["}", ""]
    return "\n".join(out)


def compare(h, path, text):
    """Whether the file at `path` agrees with what these headers give."""
    there = path.read_text() if path.exists() else ""
    if there == text:
        return []
    made = re.search(r"of Level Zero (\d+)\.(\d+)", there)
    if made and (int(made[1]), int(made[2])) == h.version:
        return [f"{path.name} is not what these headers ({h.version[0]}.{h.version[1]}) give; run generate.py"]
    return []


def older(h):
    """What older headers declare otherwise than src/api.rs."""
    there = set(line.strip() for line in (HERE / "src/api.rs").read_text().splitlines())
    types, bad = h.closure([f for f in FUNCTIONS if f in h.functions]), []
    for name, items in h.enums.items():
        if name in types and not name.endswith(("_version_t",)):
            bad += [f"{i}" for i, v in items if f"pub const {i}: {name} = {v:#x};" not in there]
    for name in FUNCTIONS:
        if name in h.functions:
            types_only = ", ".join(t for _, t in h.functions[name])
            line = next((l for l in there if l.startswith(f"{name}(")), "")
            if ", ".join(re.findall(r": ([^,)]+)", line)) != types_only:
                bad.append(name)
    return [f"src/api.rs differs from the headers in {b}" for b in bad]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", type=pathlib.Path, default=pathlib.Path("/usr/include/level_zero"))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if not (arguments.include / "ze_api.h").exists():
        sys.exit(f"generate.py: no headers in {arguments.include}; install libze-dev or give --include")
    h = Headers(arguments.include)
    made = re.search(r"of Level Zero (\d+)\.(\d+)", (HERE / "src/api.rs").read_text()) if arguments.check else None
    if made and h.version < (int(made[1]), int(made[2])):
        problems = older(h)
    else:
        files = [(HERE / "src/api.rs", api(h)), (HERE / "src/ddi.rs", ddi(h))]
        if not arguments.check:
            for path, text in files:
                path.write_text(text)
            return
        problems = [p for path, text in files for p in compare(h, path, text)]
    for problem in problems:
        print(f"generate.py: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"generate.py: src/api.rs and src/ddi.rs agree with the headers of Level Zero {h.version[0]}.{h.version[1]}")


main()
