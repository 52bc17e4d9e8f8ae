//! From LLVM's module to the IR's. See [`super`] for what the result means.
//!
//! Pointers of LLVM have no pointee types, those of SPIR-V have: a pointer is of the type that made it ([`types`]), each use
//! converts it to the type that it needs, and where control flow meets and at calls all are pointers to bytes.
//!
//! Integers of other widths than 8, 16, 32, 64 live in the next wider one with zeros above ([`arith`]).

mod addresses;
mod arith;
mod builtins;
mod call;
mod composite;
mod constants;
mod convert;
mod function;
mod intrinsics;
mod kernel;
mod loops;
mod memory;
mod metadata;
mod pairs;
mod places;
mod raw;
mod reserved;
mod spirv_calls;
mod types;

use super::finding;
use crate::diag::Finding;
use crate::input::IncludeHandler;
use crate::ir::{BuiltIn, Decoration, Func, Global, GlobalData, Module, StorageClass, Type, verify};
use crate::source::{SourceMap, Span};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use places::Places;
use raw::{Mod, Ty, Val};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_spec::{AddressingModel, LinkageType, MemoryModel};

/// Findings that are kept.
const MAX_FINDINGS: usize = 50;
/// Globals of which each has the address of the next.
const MAX_CHAIN: usize = 256;
/// Characters of an instruction that a message shows.
const MAX_SHOWN: usize = 160;

/// The LLVM that this build reads with.
const VERSION: &str = if cfg!(feature = "llvm22-1") { "22" } else { "19" };

/// See [`super::import_from`].
pub fn import(
    name: &str,
    bytes: &[u8],
    sources: &mut SourceMap,
    includes: &dyn IncludeHandler,
) -> Result<Module, Vec<Finding>> {
    let places = Places::new(name, bytes, sources, includes);
    let context = Context::create();
    // LLVM wants text to end in a zero that is not part of it.
    let mut copy = bytes.to_vec();
    copy.push(0);
    let buffer = MemoryBuffer::create_from_memory_range_copy(&copy, name);
    let module = context.create_module_from_ir(buffer).map_err(|e| {
        let (what, span) = parse_error(name, &e.to_string(), &places);
        let mut finding = finding(
            format!("`{name}` is no LLVM IR that LLVM {VERSION} reads: {what}"),
            format!(
                "it must be IR with opaque pointers, written by LLVM {VERSION} or an older one; a newer LLVM's has to be \
                 made again with this one, or spirv-build built with that one's feature"
            ),
        );
        finding.span = span.unwrap_or_default();
        vec![finding]
    })?;
    if let Err(e) = module.verify() {
        let message = format!("`{name}` is no valid LLVM IR: {}", e.to_string().trim());
        return Err(vec![finding(message, "`opt -passes=verify` says the same")]);
    }
    let raw = Mod::new(&module);
    let triple = raw.triple();
    let wide = match triple.split('-').next().unwrap_or("") {
        "" | "spir64" | "spirv64" | "spirv" => true,
        "spir" | "spirv32" => false,
        other => {
            let mut finding = finding(
                format!("`{name}` is for the target `{other}`, whose modules are no kernels"),
                "compile it for spir64: clang --target=spir64 -emit-llvm -c",
            );
            finding.span = places.line_with("target triple").unwrap_or_default();
            return Err(vec![finding]);
        }
    };
    if let Err(e) = loops::link(&module) {
        let message = format!("the loops that `{name}` takes for its memory cannot be added: {e}");
        return Err(vec![finding(message, "please report this with the module")]);
    }
    if has_odd_vectors(raw)
        && let Err(e) = raw.scalarize()
    {
        let message = format!("LLVM cannot take the vectors of `{name}` apart: {e}");
        return Err(vec![finding(message, "use vectors of 2, 3, 4, 8 or 16 components")]);
    }
    let mut i = Import {
        m: raw,
        out: Module {
            addressing: if wide { AddressingModel::Physical64 } else { AddressingModel::Physical32 },
            memory: MemoryModel::OpenCL,
            ..Module::default()
        },
        wide,
        findings: Vec::new(),
        types: FxHashMap::default(),
        funcs: FxHashMap::default(),
        signatures: FxHashMap::default(),
        globals: FxHashMap::default(),
        builtins: FxHashMap::default(),
        unfinished: FxHashSet::default(),
        places,
    };
    i.module(name);
    if i.findings.is_empty() {
        // What the importer does not know it must not let pass as something else.
        for e in verify::verify(&i.out) {
            i.finding(
                format!("the imported module is not valid: {}", e.message),
                "please report this with the module",
            );
        }
    }
    if i.findings.is_empty() { Ok(i.out) } else { Err(i.findings) }
}

/// Whether an instruction has vectors of a length that SPIR-V does not have.
fn has_odd_vectors(m: Mod<'_>) -> bool {
    let odd = |t: Ty<'_>| match t.kind() {
        raw::Kind::Vector(elem, n) => {
            !matches!(n, 1 | 2 | 3 | 4 | 8 | 16) || matches!(elem.kind(), raw::Kind::Pointer(_))
        }
        _ => false,
    };
    m.functions()
        .into_iter()
        .flat_map(Val::blocks)
        .flat_map(raw::Bb::insts)
        .any(|i| odd(i.ty()) || i.operands().into_iter().any(|o| !o.is_metadata() && odd(o.ty())))
}

/// What LLVM says of IR that it cannot read, and where, if it says that.
fn parse_error(name: &str, text: &str, places: &Places<'_>) -> (String, Option<Span>) {
    let first = text.trim().lines().next().unwrap_or("").trim();
    let Some(rest) = first.strip_prefix(name).and_then(|r| r.strip_prefix(':')) else {
        return (first.trim_start_matches("error:").trim().to_string(), None);
    };
    let mut parts = rest.splitn(3, ':');
    let mut number = || parts.next().and_then(|p| p.trim().parse::<u32>().ok());
    let (Some(line), Some(column)) = (number(), number()) else { return (rest.trim().to_string(), None) };
    let what = parts.next().unwrap_or("").trim();
    let what = what.strip_prefix("error:").unwrap_or(what).trim();
    (what.to_string(), places.in_ir(line, column))
}

/// State of one run.
struct Import<'m, 's> {
    m: Mod<'m>,
    out: Module,
    /// Addresses have 64 bits.
    wide: bool,
    findings: Vec<Finding>,
    types: FxHashMap<Ty<'m>, Type>,
    funcs: FxHashMap<Val<'m>, Func>,
    signatures: FxHashMap<Func, Vec<Type>>,
    globals: FxHashMap<Val<'m>, Global>,
    builtins: FxHashMap<BuiltIn, Global>,
    /// Globals whose initial values are being made.
    unfinished: FxHashSet<Val<'m>>,
    places: Places<'s>,
}

impl<'m> Import<'m, '_> {
    fn finding(&mut self, message: impl Into<String>, help: impl Into<String>) {
        let finding = finding(message, help);
        if self.findings.len() < MAX_FINDINGS && !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Something about a function or global that cannot be carried over.
    fn refuse(&mut self, what: &str, v: Val<'m>) {
        let span = self.places.function(&v.name());
        self.refuse_at(what, v, span);
    }

    /// Something about an instruction that cannot be carried over.
    fn refuse_at(&mut self, what: &str, v: Val<'m>, span: Span) {
        let text = v.print();
        let line = text.trim().lines().next().unwrap_or("");
        let mut shown: String = line.chars().take(MAX_SHOWN).collect();
        if shown.len() < line.len() {
            shown += "...";
        }
        let mut finding = finding(format!("{what}: `{shown}`"), "this is not carried over to SPIR-V yet");
        if self.findings.len() < MAX_FINDINGS {
            let unread = self.places.unread(v, &shown);
            finding.span = unread.unwrap_or(span);
            self.findings.push(finding);
        }
    }

    fn module(&mut self, name: &str) {
        self.module_metadata();
        for v in self.m.globals() {
            if let Err(what) = self.known_global(v) {
                self.refuse(&what, v);
            }
        }
        let functions = self.m.functions();
        let mut bodies = Vec::new();
        for v in functions.iter().copied().filter(|v| !v.is_declaration()) {
            match self.declare(v) {
                Ok(func) => bodies.push((v, func)),
                Err(what) => self.refuse(&what, v),
            }
        }
        for (v, func) in bodies {
            self.body(v, func);
            if v.is_kernel() {
                self.entry(v, func);
            } else if v.is_visible() {
                let link = Decoration::linkage(&v.name(), LinkageType::Export);
                self.out.functions[func].decorations.add(link);
            }
        }
        if self.out.entry_points.is_empty() && !self.out.is_linked() && self.findings.is_empty() {
            self.finding(
                format!("`{name}` has no kernels"),
                "a kernel is a function with the calling convention `spir_kernel`",
            );
        }
        crate::ir::edit::list_interfaces(&mut self.out);
    }

    /// A module-scope variable, after those whose addresses its initial value has.
    fn known_global(&mut self, v: Val<'m>) -> Result<(), String> {
        if self.globals.contains_key(&v) {
            return Ok(());
        }
        if self.unfinished.len() >= MAX_CHAIN {
            return Err("initial values whose addresses lead from one to the next too often".into());
        }
        if !self.unfinished.insert(v) {
            return Err("initial values whose addresses lead back to themselves".into());
        }
        let done = self.global(v);
        self.unfinished.remove(&v);
        done
    }

    fn global(&mut self, v: Val<'m>) -> Result<(), String> {
        let name = v.name();
        if name.starts_with("llvm.") {
            // Annotations and lists of what must be kept; constructors would have to run.
            return if name.contains("ctors") || name.contains("dtors") {
                Err("code that runs before kernels".into())
            } else {
                Ok(())
            };
        }
        let Some(object) = v.object_type() else { return Err("a global that is no variable".into()) };
        if let Some(builtin) = name.strip_prefix("__spirv_BuiltIn").and_then(types::builtin) {
            let ty = self.ty(object)?;
            let g = self.builtin(builtin, ty);
            self.globals.insert(v, g);
            return Ok(());
        }
        let raw::Kind::Pointer(space) = v.ty().kind() else {
            return Err("a global that is no address".into());
        };
        let storage = match types::storage(space)? {
            StorageClass::Function | StorageClass::Generic | StorageClass::Input => {
                return Err(format!("a global in address space {space}"));
            }
            storage => storage,
        };
        let ty = self.memory_type(object)?;
        let init = match v.initializer() {
            Some(c) if storage != StorageClass::Workgroup => self.initializer(c, ty)?,
            _ => None,
        };
        let data = GlobalData { init, ..GlobalData::new(&name, ty, storage, Span::default()) };
        let g = self.out.globals.push(data);
        self.globals.insert(v, g);
        self.decorate_global(v, g);
        let decorations = &mut self.out.globals[g].decorations;
        let mut decorate = |kind, operands: &[u32]| decorations.add(Decoration::words(kind, operands));
        if v.is_constant_variable() && storage != StorageClass::Workgroup {
            decorate(spirv_spec::Decoration::Constant, &[]);
        }
        if v.align() > 0 {
            decorate(spirv_spec::Decoration::Alignment, &[v.align()]);
        }
        if v.is_visible() {
            let kind = if v.is_declaration() { LinkageType::Import } else { LinkageType::Export };
            decorations.add(Decoration::linkage(&name, kind));
        }
        Ok(())
    }

    /// The variable of a system value.
    fn builtin(&mut self, b: BuiltIn, ty: Type) -> Global {
        if let Some(g) = self.builtins.get(&b) {
            return *g;
        }
        let g = self.out.globals.push(GlobalData::system_value(b, ty));
        self.builtins.insert(b, g);
        g
    }
}
