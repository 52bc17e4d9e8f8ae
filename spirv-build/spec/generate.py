#!/usr/bin/env python3
"""Generates src/generated/ from Khronos' grammars in grammar/ and from what traits.py adds to them.

    generate.py                write the files
    generate.py --check        exit with 1 if a file is not what would be written
    generate.py --vendor DIR   first take the grammars from DIR, a git checkout or mirror of SPIRV-Headers
"""
import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import traits  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
GRAMMAR = HERE / "grammar"
TARGET = HERE / "src/generated"
UNIFIED = "include/spirv/unified1/"
NONE = 255

# File (without `extinst.` and `.grammar.json`): the name that `OpExtInstImport` gives, the constant for it.
SETS = {
    "glsl.std.450": ("GLSL.std.450", "Glsl"),
    "opencl.std.100": ("OpenCL.std", "OpenCl"),
    "nonsemantic.debugprintf": ("NonSemantic.DebugPrintf", "DebugPrintf"),
    "nonsemantic.debugbreak": ("NonSemantic.DebugBreak", "DebugBreak"),
    "nonsemantic.shader.debuginfo.100": ("NonSemantic.Shader.DebugInfo.100", "ShaderDebugInfo100"),
    "nonsemantic.shader.debuginfo": ("NonSemantic.Shader.DebugInfo", "ShaderDebugInfo"),
    "opencl.debuginfo.100": ("OpenCL.DebugInfo.100", "OpenClDebugInfo100"),
    "debuginfo": ("DebugInfo", "DebugInfo"),
    "nonsemantic.clspvreflection": ("NonSemantic.ClspvReflection", "ClspvReflection"),
    "nonsemantic.vkspreflection": ("NonSemantic.VkspReflection", "VkspReflection"),
    "nonsemantic.graph.debuginfo": ("NonSemantic.Graph.DebugInfo", "GraphDebugInfo"),
    "spv-amd-gcn-shader": ("SPV_AMD_gcn_shader", "AmdGcnShader"),
    "spv-amd-shader-ballot": ("SPV_AMD_shader_ballot", "AmdShaderBallot"),
    "spv-amd-shader-explicit-vertex-parameter":
        ("SPV_AMD_shader_explicit_vertex_parameter", "AmdShaderExplicitVertexParameter"),
    "spv-amd-shader-trinary-minmax": ("SPV_AMD_shader_trinary_minmax", "AmdShaderTrinaryMinmax"),
    "arm.motion-engine.100": ("Arm.MotionEngine.100", "ArmMotionEngine100"),
    "arm.experimental-ml-operations": ("Arm.ExperimentalMLOperations", "ArmExperimentalMlOperations"),
    "tosa.001000.1": ("TOSA.001000.1", "Tosa"),
}
# Sets whose instructions have constants: file, type, module, documentation.
TYPED_SETS = [
    ("glsl.std.450", "GlslOp", "glsl", "An instruction of `GLSL.std.450`."),
    ("opencl.std.100", "ClOp", "opencl", "An instruction of `OpenCL.std`."),
]
# Kinds whose constants a module has, too, for `use`.
GLOBS = {"Capability": "capability", "BuiltIn": "built_in", "ImageFormat": "image_format", "Decoration": "decoration"}


def vendor(source):
    git = ["git", "-C", source]
    show = lambda path: subprocess.check_output(git + ["show", f"HEAD:{path}"], text=True)
    revision = subprocess.check_output(git + ["rev-parse", "HEAD"], text=True).strip()
    files = subprocess.check_output(git + ["ls-tree", "--name-only", "HEAD", UNIFIED], text=True).split()
    GRAMMAR.mkdir(exist_ok=True)
    for old in GRAMMAR.glob("*.grammar.json"):
        old.unlink()
    compact = lambda value: json.dumps(value, separators=(",", ":"))

    def entry(value):
        """An operand kind has a line for each enumerant."""
        if not value.get("enumerants"):
            return compact(value)
        head = compact({k: v for k, v in value.items() if k != "enumerants"})
        return head[:-1] + ',"enumerants":[\n ' + ",\n ".join(map(compact, value["enumerants"])) + "\n]}"

    for path in files:
        if not path.endswith(".grammar.json"):
            continue
        parts = []
        for key, value in json.loads(show(path)).items():
            if isinstance(value, list) and key != "copyright":
                parts.append(f'"{key}":[\n' + ",\n".join(map(entry, value)) + "\n]")
            else:
                parts.append(f'"{key}":{compact(value)}')
        (GRAMMAR / path.removeprefix(UNIFIED)).write_text("{\n" + ",\n".join(parts) + "\n}\n")
    (GRAMMAR / "LICENSE").write_text(show("LICENSE"))
    (GRAMMAR / "REVISION").write_text(f"https://github.com/KhronosGroup/SPIRV-Headers {revision}\n")


def load(name):
    return json.loads((GRAMMAR / name).read_text())


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def minor(entry, key, default):
    """Minor version of SPIR-V 1.x; NONE for none."""
    text = entry.get(key, default)
    return NONE if text == "None" else int(text.split(".")[1])


class Pool:
    """Lists laid end to end in one slice; equal lists are stored once."""

    def __init__(self):
        self.items, self.at = [], {}

    def add(self, items):
        key = tuple(items)
        if not key:
            return (0, 0)
        if key not in self.at:
            self.at[key] = (len(self.items), len(key))
            self.items.extend(key)
        return self.at[key]


class Names:
    """All names in one string."""

    def __init__(self):
        self.text, self.at = "", {}

    def add(self, name):
        if name not in self.at:
            self.at[name] = (len(self.text), len(name))
            self.text += name
        return self.at[name]


def by_preference(extensions):
    """Khronos' own first: where one of several is needed, the first is taken."""
    return sorted(extensions, key=lambda e: not e.startswith("SPV_KHR_"))


def kind_name(kind):
    return kind.replace("PairLiteralIntegerIdRef", "PairLiteralId").replace(
        "PairIdRefLiteralInteger", "PairIdLiteral").replace("PairIdRefIdRef", "PairIdId")


def screaming(name):
    name = name.replace("NaN", "Nan")
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"([A-Z])([A-Z][a-z])", r"\1_\2", name).upper()


def constant(kind, category, name):
    """The Rust constant for an enumerant."""
    if category == "BitEnum":
        name = "X" + name if name[0].isdigit() else name
        return screaming(name)
    return kind + name if kind == "Dim" or name[0].isdigit() else name


def wrapped(words, per_line=16):
    words = list(words)
    return [", ".join(words[i:i + per_line]) + "," for i in range(0, len(words), per_line)]


class Generator:
    def __init__(self):
        self.core = load("spirv.core.grammar.json")
        self.sets = {file: load(f"extinst.{file}.grammar.json") for file in SETS}
        known = {f"extinst.{file}.grammar.json" for file in SETS} | {"spirv.core.grammar.json"}
        new = {p.name for p in GRAMMAR.glob("*.grammar.json")} ^ known
        if new:
            raise SystemExit(f"generate.py: SETS does not fit the files: {sorted(new)}")
        self.names, self.caps, self.exts = Names(), Pool(), Pool()
        self.operands, self.parameters = Pool(), Pool()
        # (kind as Rust has it, grammar's entry), the core's first.
        self.kinds, self.renamed = [(k["kind"], k) for k in self.core["operand_kinds"]], {}
        for file, (_, prefix) in SETS.items():
            for k in self.sets[file].get("operand_kinds", []):
                same = [n for n, o in self.kinds if o["kind"] == k["kind"] and o.get("enumerants") == k.get("enumerants")]
                name = same[0] if same else k["kind"]
                if not same:
                    if any(n == name for n, _ in self.kinds):
                        name = prefix + name
                    self.kinds.append((name, k))
                self.renamed[file, k["kind"]] = name
        self.kind_index = {name: i for i, (name, _) in enumerate(self.kinds)}
        self.capability = {e["enumerant"]: number(e["value"]) for e in self.kind("Capability")["enumerants"]}
        self.classes, self.extensions = [], []

    def kind(self, name):
        return self.kinds[self.kind_index[name]][1]

    def index_of(self, file, kind):
        return self.kind_index[self.renamed.get((file, kind), kind)]

    def extension_list(self, entry):
        numbers = []
        for e in by_preference(entry.get("extensions", [])):
            if e not in self.extensions:
                self.extensions.append(e)
            numbers.append(self.extensions.index(e))
        return self.exts.add(numbers)

    def capability_list(self, entry):
        return self.caps.add(self.capability[c] for c in entry.get("capabilities", []))

    def inst_row(self, entry, name, bits, file=None):
        """As `src/table.rs` reads it."""
        quantifier = {"": 0, "?": 1, "*": 2}
        operands, has = [], set()
        for o in entry.get("operands", []):
            if o["kind"] in ("IdResultType", "IdResult"):
                has.add(o["kind"])
            else:
                operands.append(self.index_of(file, o["kind"]) | quantifier[o.get("quantifier", "")] << 8)
        bits |= traits.BIT["RESULT_TYPE"] * ("IdResultType" in has) | traits.BIT["RESULT"] * ("IdResult" in has)
        if file:
            bits |= traits.bits("RESULT_TYPE RESULT IN_FUNCTION")
        cls = entry.get("class", "Extended")
        if cls not in self.classes:
            self.classes.append(cls)
        (at, length), (ops, op_count) = self.names.add(name), self.operands.add(operands)
        (caps, cap_count), (exts, ext_count) = self.capability_list(entry), self.extension_list(entry)
        versions = minor(entry, "version", "1.0") | minor(entry, "lastVersion", "None") << 8
        return [entry["opcode"], at, length | op_count << 8, ops, cap_count | ext_count << 8, caps, exts, versions,
                self.classes.index(cls), bits & 0xFFFF, bits >> 16]

    def enum_row(self, entry, file):
        at, length = self.names.add(entry["enumerant"])
        params, param_count = self.parameters.add(self.index_of(file, p["kind"]) for p in entry.get("parameters", []))
        (caps, cap_count), (exts, ext_count) = self.capability_list(entry), self.extension_list(entry)
        value = number(entry["value"])
        versions = minor(entry, "version", "1.0") | minor(entry, "lastVersion", "None") << 8
        return [value & 0xFFFF, value >> 16, at, length | cap_count << 8, caps, ext_count | param_count << 8, exts, params,
                versions]

    def instructions(self):
        plain = lambda name: name.removeprefix("Op")
        return sorted(((plain(i["opname"]), i) for i in self.core["instructions"]), key=lambda p: p[1]["opcode"])

    def build(self):
        bits = traits.of_core({n: i["class"] for n, i in self.instructions()})
        self.ops = [self.inst_row(i, n, bits[n]) for n, i in self.instructions()]
        self.set_rows, self.set_spans = [], []
        for file, (name, _) in SETS.items():
            entries = sorted(self.sets[file]["instructions"], key=lambda i: i["opcode"])
            row = traits.SETS.get(name)
            if row is None:
                raise SystemExit(f"traits.py: nobody has decided what instructions of {name} do")
            bits = traits.of_set(*row, [i["opname"].removeprefix("Op") for i in entries])
            start = len(self.set_rows)
            for i in entries:
                plain = i["opname"].removeprefix("Op")
                self.set_rows.append(self.inst_row(i, plain, bits[plain], file))
            self.set_spans.append([*self.names.add(name), start, len(self.set_rows)])
        self.kind_rows, self.enums, self.aliases = [], [], []
        categories = ["BitEnum", "ValueEnum", "Id", "Literal", "Composite"]
        owner = {self.renamed[key]: key[0] for key in self.renamed}
        for index, (name, k) in enumerate(self.kinds):
            start, taken = len(self.enums), set()
            for e in sorted(k.get("enumerants", []), key=lambda e: number(e["value"])):
                aliases = list(e.get("aliases", []))
                if number(e["value"]) in taken:
                    aliases.append(e["enumerant"])
                else:
                    taken.add(number(e["value"]))
                    self.enums.append(self.enum_row(e, owner.get(name)))
                for a in aliases:
                    value = number(e["value"])
                    self.aliases.append([index, value & 0xFFFF, value >> 16, *self.names.add(a)])
            self.kind_rows.append([*self.names.add(kind_name(name)), categories.index(k["category"]), start, len(self.enums)])
        self.op_aliases = []
        for _, i in self.instructions():
            for a in i.get("aliases", []):
                self.op_aliases.append([i["opcode"], *self.names.add(a.removeprefix("Op"))])
        for e in traits.BARE_EXTENSIONS:
            if e in self.extensions:
                raise SystemExit(f"traits.py: the grammar knows {e}")
            self.extensions.append(e)
        since = {e: traits.EXTENSION_SINCE.get(e, 0) for e in self.extensions}
        self.extension_rows = [[*self.names.add(e), since[e]] for e in self.extensions]
        order = sorted(range(len(self.ops)), key=lambda i: self.row_name(self.ops[i]))
        self.by_name = order
        biggest = max(max(len(self.names.text), *map(max, rows)) for rows in
                      (self.ops, self.set_rows, self.enums, self.kind_rows, self.extension_rows))
        if biggest > 0xFFFF or max(self.caps.items) > 0xFFFF:
            raise SystemExit("generate.py: a number does not fit 16 bits")

    def row_name(self, row):
        return self.names.text[row[1]:row[1] + (row[2] & 0xFF)]

    def header(self, what):
        revision = (GRAMMAR / "REVISION").read_text().split()[1]
        core = self.core
        return [
            f"//! {what}",
            "//!",
            "//! Generated by `generate.py` from Khronos' grammars and `traits.py`. Do not edit.",
            "//!",
            f"//! SPIR-V {core['major_version']}.{core['minor_version']} revision {core['revision']}, "
            f"SPIRV-Headers {revision}. The grammars carry this licence:",
            "//!",
            "//! ```text",
            *(("//! " + line).rstrip() for line in core["copyright"]),
            "//! ```",
        ]

    def tables(self):
        out = self.header("The tables, in numbers: `table.rs` says what each column is.")
        w = out.append

        def rows(doc, name, table):
            width = len(table[0])
            w("")
            w(f"/// {doc}")
            w(f"pub static {name}: [[u16; {width}]; {len(table)}] = [")
            out.extend("[" + ",".join(map(str, r)) + "]," for r in table)
            w("];")

        def flat(doc, name, items, ty="u16"):
            w("")
            w(f"/// {doc}")
            w(f"pub static {name}: [{ty}; {len(items)}] = [")
            out.extend(wrapped(map(str, items), 24))
            w("];")

        rows("Core instructions by number.", "OPS", self.ops)
        flat("Places in `OPS` by name.", "OPS_BY_NAME", self.by_name)
        rows("Other names of core instructions: number, name.", "OP_ALIASES", self.op_aliases)
        rows("Instructions of extended sets, by set and number.", "SET_OPS", self.set_rows)
        rows("Extended sets: name, first row, end.", "SETS", self.set_spans)
        rows("Kinds of operands: name, category, first enumerant, end.", "KINDS", self.kind_rows)
        rows("Enumerants by kind and value.", "ENUMS", self.enums)
        rows("Other names of enumerants: kind, value, name.", "ENUM_ALIASES", self.aliases)
        rows("Extensions: name, least minor version of SPIR-V.", "EXTENSIONS", self.extension_rows)
        flat("Lists of operands: kind, quantifier in the high byte.", "OPERANDS", self.operands.items)
        flat("Lists of kinds that follow an enumerant.", "PARAMETERS", self.parameters.items)
        flat("Lists of capabilities.", "CAPABILITY_LISTS", self.caps.items)
        flat("Lists of places in `EXTENSIONS`.", "EXTENSION_LISTS", self.exts.items)
        w("")
        w("/// The grammar's classes of instructions.")
        w(f"pub static CLASSES: [&str; {len(self.classes)}] = [")
        out.extend(wrapped((f'"{c}"' for c in self.classes), 8))
        w("];")
        w("")
        w("/// All names, end to end.")
        w('pub static NAMES: &str = "\\')
        text = self.names.text
        out.extend(text[i:i + 120] + "\\" for i in range(0, len(text), 120))
        w('";')
        return out

    def ops_file(self):
        out = self.header("Constants for instructions.")
        w = out.append
        entries = [(n, i["opcode"], [a.removeprefix("Op") for a in i.get("aliases", [])]) for n, i in self.instructions()]
        types = [("Op", "op", entries)]
        for file, ty, module, _ in TYPED_SETS:
            rows = sorted(self.sets[file]["instructions"], key=lambda i: i["opcode"])
            types.append((ty, module, [(i["opname"].removeprefix("Op"), i["opcode"], []) for i in rows]))
        w("use crate::{ClOp, ExtSet, GlslOp, Op};")
        for ty, module, entries in types:
            w("")
            w(f"impl {ty} {{")
            for name, value, aliases in entries:
                for n in [name, *aliases]:
                    w(f"pub const {n}: {ty} = {ty}({value});")
            w("}")
            w("")
            w(f"/// The constants of [`{ty}`], for `use`.")
            w(f"pub mod {module} {{")
            w(f"use crate::{ty};")
            for name, value, aliases in entries:
                for n in [name, *aliases]:
                    w(f"pub const {n}: {ty} = {ty}({value});")
            w("}")
        w("")
        w("impl ExtSet {")
        for i, (name, const) in enumerate(SETS.values()):
            w(f"/// `{name}`.")
            w(f"pub const {const}: ExtSet = ExtSet({i});")
        w("}")
        return out

    def enums_file(self):
        out = self.header("Types and constants for enumerants.")
        w = out.append
        w("use crate::Kind;")
        w("use crate::enums::enumerants;")
        w("")
        w("impl Kind {")
        for i, (name, _) in enumerate(self.kinds):
            w(f"pub const {kind_name(name)}: Kind = Kind({i});")
        w("}")
        core = len(self.core["operand_kinds"])
        for name, k in self.kinds[:core]:
            entries = k.get("enumerants")
            if not entries:
                continue
            flags = ", flags" if k["category"] == "BitEnum" else ""
            w(f"enumerants!({name}{flags});")
            constants = {}
            for e in entries:
                for n in [e["enumerant"], *e.get("aliases", [])]:
                    constants.setdefault(constant(name, k["category"], n), number(e["value"]))
            lines = [f"pub const {n}: {name} = {name}({value});" for n, value in constants.items()]
            out.extend([f"impl {name} {{", *lines, "}"])
            if name in GLOBS:
                w("")
                w(f"/// The constants of [`{name}`], for `use`.")
                out.extend([f"pub mod {GLOBS[name]} {{", f"use super::{name};", *lines, "}", ""])
        return out


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--vendor"]:
        vendor(arguments[1])
    g = Generator()
    g.build()
    files = {"tables.rs": g.tables(), "ops.rs": g.ops_file(), "enums.rs": g.enums_file()}
    TARGET.mkdir(parents=True, exist_ok=True)
    for name, lines in files.items():
        path, text = TARGET / name, "\n".join(lines) + "\n"
        if "--check" not in arguments:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path} is out of date: run spirv-build/spec/generate.py")


main()
