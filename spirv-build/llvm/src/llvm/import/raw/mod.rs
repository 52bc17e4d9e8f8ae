//! LLVM's C interface behind types that cannot outlive their module.
//!
//! inkwell owns context and module; what it does not read (target extension types, metadata of functions, constant
//! expressions, exact bits) is read here. LLVM's release builds do not check the kinds of what they are given, so each
//! function here checks first.

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};
pub use inkwell::llvm_sys::{
    LLVMAtomicOrdering as Ordering, LLVMAtomicRMWBinOp as RmwOp, LLVMIntPredicate as IntPredicate,
    LLVMLinkage as Linkage, LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate,
    LLVMValueKind as ValueKind,
};
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;

/// Calls into LLVM.
macro_rules! llvm {
    ($call:expr) => {
        // SAFETY: what is passed belongs to a module that outlives it ('m), and its kind was checked where the callee
        // wants a certain one.
        unsafe { $call }
    };
}

mod inst;
mod value;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Val<'m>(LLVMValueRef, PhantomData<&'m ()>);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty<'m>(LLVMTypeRef, PhantomData<&'m ()>);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bb<'m>(LLVMBasicBlockRef, PhantomData<&'m ()>);

/// What a type is.
pub enum Kind<'m> {
    Void,
    Float(u8),
    Int(u32),
    Pointer(u32),
    Vector(Ty<'m>, u32),
    Array(Ty<'m>, u64),
    Struct {
        members: Vec<Ty<'m>>,
        packed: bool,
        name: String,
        opaque: bool,
    },
    Extension {
        name: String,
        types: Vec<Ty<'m>>,
        ints: Vec<u32>,
    },
    /// Nothing that kernels have; its name.
    Other(String),
}

/// A module.
#[derive(Clone, Copy)]
pub struct Mod<'m>(LLVMModuleRef, PhantomData<&'m ()>);

fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: LLVM gives strings that end in a zero and live as long as what they name.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// Takes a string that LLVM allocated.
fn message(pointer: *mut c_char) -> String {
    let out = text(pointer);
    if !pointer.is_null() {
        llvm!(LLVMDisposeMessage(pointer));
    }
    out
}

fn bytes(pointer: *const c_char, len: usize) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: LLVM gives a pointer to `len` bytes that live as long as what they name.
    let slice = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), len) };
    String::from_utf8_lossy(slice).into_owned()
}

fn value<'m>(v: LLVMValueRef) -> Option<Val<'m>> {
    (!v.is_null()).then_some(Val(v, PhantomData))
}

impl<'m> Mod<'m> {
    pub fn new(module: &'m inkwell::module::Module<'_>) -> Mod<'m> {
        Mod(module.as_mut_ptr(), PhantomData)
    }

    pub fn triple(self) -> String {
        text(llvm!(LLVMGetTarget(self.0)))
    }

    pub fn functions(self) -> Vec<Val<'m>> {
        let mut out = Vec::new();
        let mut at = value(llvm!(LLVMGetFirstFunction(self.0)));
        while let Some(v) = at {
            out.push(v);
            at = value(llvm!(LLVMGetNextFunction(v.0)));
        }
        out
    }

    /// The function of a name that holds no zero.
    pub fn function(self, name: &str) -> Option<Val<'m>> {
        let name = std::ffi::CString::new(name).ok()?;
        value(llvm!(LLVMGetNamedFunction(self.0, name.as_ptr())))
    }

    pub fn globals(self) -> Vec<Val<'m>> {
        let mut out = Vec::new();
        let mut at = value(llvm!(LLVMGetFirstGlobal(self.0)));
        while let Some(v) = at {
            out.push(v);
            at = value(llvm!(LLVMGetNextGlobal(v.0)));
        }
        out
    }

    /// Takes vectors apart into scalars, with LLVM's own passes: reductions first, which the other one leaves whole.
    /// LLVM 19 has no pass of that name: there they are refused.
    pub fn scalarize(self) -> Result<(), String> {
        let options = llvm!(LLVMCreatePassBuilderOptions());
        // Before LLVM 20 the pass has no options, and leaves loads and stores of whole vectors.
        let passes = if cfg!(feature = "llvm22-1") {
            c"function(expand-reductions,scalarizer<load-store>,dce)"
        } else {
            c"function(scalarizer,dce)"
        };
        let error = llvm!(LLVMRunPasses(self.0, passes.as_ptr(), std::ptr::null_mut(), options));
        llvm!(LLVMDisposePassBuilderOptions(options));
        if error.is_null() {
            return Ok(());
        }
        let text = llvm!(LLVMGetErrorMessage(error));
        let out = self::text(text);
        llvm!(LLVMDisposeErrorMessage(text));
        Err(out)
    }

    /// Operands of a named metadata node.
    pub fn named(self, name: &CStr) -> Vec<Val<'m>> {
        let n = llvm!(LLVMGetNamedMetadataNumOperands(self.0, name.as_ptr())) as usize;
        let mut out = vec![std::ptr::null_mut(); n];
        if n > 0 {
            llvm!(LLVMGetNamedMetadataOperands(self.0, name.as_ptr(), out.as_mut_ptr()));
        }
        out.into_iter().filter_map(value).collect()
    }

    /// Metadata of a function or global by kind.
    pub fn metadata(self, v: Val<'m>, kind: &str) -> Option<Val<'m>> {
        let context = llvm!(LLVMGetModuleContext(self.0));
        let id = llvm!(LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32));
        if !matches!(v.kind(), ValueKind::LLVMFunctionValueKind | ValueKind::LLVMGlobalVariableValueKind) {
            return None;
        }
        let mut n = 0;
        let entries = llvm!(LLVMGlobalCopyAllMetadata(v.0, &mut n));
        let mut found = None;
        for i in 0..n as u32 {
            if llvm!(LLVMValueMetadataEntriesGetKind(entries, i)) == id {
                let node = llvm!(LLVMValueMetadataEntriesGetMetadata(entries, i));
                found = value(llvm!(LLVMMetadataAsValue(context, node)));
            }
        }
        llvm!(LLVMDisposeValueMetadataEntries(entries));
        found
    }
}

impl<'m> Ty<'m> {
    pub fn kind(self) -> Kind<'m> {
        use LLVMTypeKind::*;
        let of = |t| Ty(t, PhantomData);
        match llvm!(LLVMGetTypeKind(self.0)) {
            LLVMVoidTypeKind => Kind::Void,
            LLVMHalfTypeKind => Kind::Float(16),
            LLVMFloatTypeKind => Kind::Float(32),
            LLVMDoubleTypeKind => Kind::Float(64),
            LLVMIntegerTypeKind => Kind::Int(llvm!(LLVMGetIntTypeWidth(self.0))),
            LLVMPointerTypeKind => Kind::Pointer(llvm!(LLVMGetPointerAddressSpace(self.0))),
            LLVMVectorTypeKind => {
                Kind::Vector(of(llvm!(LLVMGetElementType(self.0))), llvm!(LLVMGetVectorSize(self.0)))
            }
            LLVMArrayTypeKind => {
                Kind::Array(of(llvm!(LLVMGetElementType(self.0))), llvm!(LLVMGetArrayLength2(self.0)))
            }
            LLVMStructTypeKind => {
                let n = llvm!(LLVMCountStructElementTypes(self.0));
                let members = (0..n).map(|i| of(llvm!(LLVMStructGetTypeAtIndex(self.0, i)))).collect();
                Kind::Struct {
                    members,
                    packed: llvm!(LLVMIsPackedStruct(self.0)) != 0,
                    name: text(llvm!(LLVMGetStructName(self.0))),
                    opaque: llvm!(LLVMIsOpaqueStruct(self.0)) != 0,
                }
            }
            LLVMTargetExtTypeKind => self.extension(),
            _ => Kind::Other(message(llvm!(LLVMPrintTypeToString(self.0)))),
        }
    }

    #[cfg(feature = "llvm22-1")]
    fn extension(self) -> Kind<'m> {
        let types = llvm!(LLVMGetTargetExtTypeNumTypeParams(self.0));
        let ints = llvm!(LLVMGetTargetExtTypeNumIntParams(self.0));
        Kind::Extension {
            name: text(llvm!(LLVMGetTargetExtTypeName(self.0))),
            types: (0..types)
                .map(|i| Ty(llvm!(LLVMGetTargetExtTypeTypeParam(self.0, i)), PhantomData))
                .collect(),
            ints: (0..ints).map(|i| llvm!(LLVMGetTargetExtTypeIntParam(self.0, i))).collect(),
        }
    }

    /// Before there were getters: from the text. Type parameters are left out.
    #[cfg(not(feature = "llvm22-1"))]
    fn extension(self) -> Kind<'m> {
        let text = message(llvm!(LLVMPrintTypeToString(self.0)));
        let inside = text.strip_prefix("target(\"").and_then(|t| t.strip_suffix(')')).unwrap_or("");
        let (name, rest) = inside.split_once('"').unwrap_or((inside, ""));
        let parameters = rest.split(',').map(str::trim);
        Kind::Extension {
            name: name.into(),
            types: Vec::new(),
            ints: parameters.filter_map(|p| p.parse().ok()).collect(),
        }
    }

    pub fn is_void(self) -> bool {
        matches!(self.kind(), Kind::Void)
    }

    pub fn print(self) -> String {
        message(llvm!(LLVMPrintTypeToString(self.0)))
    }
}

impl<'m> Bb<'m> {
    pub fn insts(self) -> Vec<Val<'m>> {
        let mut out = Vec::new();
        let mut at = value(llvm!(LLVMGetFirstInstruction(self.0)));
        while let Some(v) = at {
            out.push(v);
            at = value(llvm!(LLVMGetNextInstruction(v.0)));
        }
        out
    }
}
