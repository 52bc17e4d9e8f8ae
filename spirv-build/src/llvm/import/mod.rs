//! From LLVM's module to the IR's. See [`super`] for what the result means.
//!
//! Pointers of LLVM have no pointee types, those of SPIR-V have: a pointer is of the type that made it ([`types`]), each use
//! converts it to the type that it needs, and where control flow meets and at calls all are pointers to bytes.
//!
//! Integers of other widths than 8, 16, 32, 64 live in the next wider one with zeros above ([`arith`]).

mod arith;
mod builtins;
mod call;
mod constants;
mod function;
mod intrinsics;
mod kernel;
mod memory;
mod raw;
mod spirv_calls;
mod types;

use super::Finding;
use crate::ir::{
    BuiltIn, Decoration, Func, Global, GlobalData, Linkage, Module, StorageClass, Symbol, Type, verify,
};
use crate::source::Span;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use raw::{Mod, Ty, Val};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv::{AddressingModel, LinkageType, MemoryModel};

/// Findings that are kept.
const MAX_FINDINGS: usize = 50;
/// Characters of an instruction that a message shows.
const MAX_SHOWN: usize = 160;

/// See [`super::import`].
pub fn import(name: &str, bytes: &[u8]) -> Result<Module, Vec<Finding>> {
    let context = Context::create();
    // LLVM wants text to end in a zero that is not part of it.
    let mut copy = bytes.to_vec();
    copy.push(0);
    let buffer = MemoryBuffer::create_from_memory_range_copy(&copy, name);
    let module = context.create_module_from_ir(buffer).map_err(|e| {
        vec![Finding::new(
            format!("`{name}` is no LLVM IR that this LLVM reads: {}", e.to_string().trim()),
            "it must be IR with opaque pointers, of no later version than the LLVM that spirv-build is built with",
        )]
    })?;
    if let Err(e) = module.verify() {
        let message = format!("`{name}` is no valid LLVM IR: {}", e.to_string().trim());
        return Err(vec![Finding::new(message, "`opt -passes=verify` says the same")]);
    }
    let raw = Mod::new(&module);
    let triple = raw.triple();
    let wide = match triple.split('-').next().unwrap_or("") {
        "" | "spir64" | "spirv64" => true,
        "spir" | "spirv32" => false,
        other => {
            return Err(vec![Finding::new(
                format!("`{name}` is for the target `{other}`, whose modules are no kernels"),
                "compile it for spir64: clang --target=spir64 -emit-llvm -c",
            )]);
        }
    };
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

/// State of one run.
struct Import<'m> {
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
}

impl<'m> Import<'m> {
    fn finding(&mut self, message: impl Into<String>, help: impl Into<String>) {
        let finding = Finding::new(message, help);
        if self.findings.len() < MAX_FINDINGS && !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Something about a value that cannot be carried over.
    fn refuse(&mut self, what: &str, v: Val<'m>) {
        let text = v.print();
        let line = text.trim().lines().next().unwrap_or("");
        let mut shown: String = line.chars().take(MAX_SHOWN).collect();
        if shown.len() < line.len() {
            shown += "...";
        }
        let mut finding =
            Finding::new(format!("{what}: `{shown}`"), "this is not carried over to SPIR-V yet");
        finding.place = v.place();
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        }
    }

    fn module(&mut self, name: &str) {
        for v in self.m.globals() {
            if let Err(what) = self.global(v) {
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
                let link = Linkage { symbol: Symbol::Func(func), name: v.name(), kind: LinkageType::Export };
                self.out.linkage.push(link);
            }
        }
        if self.out.entry_points.is_empty() && self.out.linkage.is_empty() && self.findings.is_empty() {
            self.finding(
                format!("`{name}` has no kernels"),
                "a kernel is a function with the calling convention `spir_kernel`",
            );
        }
        crate::abi::vulkan::list_interfaces(&mut self.out);
    }

    /// A module-scope variable.
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
        let data = GlobalData {
            name: name.clone(),
            ty,
            storage,
            init,
            builtin: None,
            interface: None,
            span: Span::default(),
        };
        let g = self.out.globals.push(data);
        self.globals.insert(v, g);
        let mut decorate = |kind, operands: &[u32]| {
            self.out.decorations.push((g, Decoration { kind, operands: SmallVec::from_slice(operands) }));
        };
        if v.is_constant_variable() && storage != StorageClass::Workgroup {
            decorate(spirv::Decoration::Constant, &[]);
        }
        if v.align() > 0 {
            decorate(spirv::Decoration::Alignment, &[v.align()]);
        }
        if v.is_visible() {
            let kind = if v.is_declaration() { LinkageType::Import } else { LinkageType::Export };
            self.out.linkage.push(Linkage { symbol: Symbol::Global(g), name, kind });
        }
        Ok(())
    }

    /// The variable of a system value.
    fn builtin(&mut self, b: BuiltIn, ty: Type) -> Global {
        if let Some(g) = self.builtins.get(&b) {
            return *g;
        }
        let g = self.out.globals.push(GlobalData {
            name: format!("{b:?}"),
            ty,
            storage: StorageClass::Input,
            init: None,
            builtin: Some(b),
            interface: None,
            span: Span::default(),
        });
        self.builtins.insert(b, g);
        g
    }
}
