//! LLVM's C interface behind types that cannot outlive their module.
//!
//! inkwell owns context and module; what it does not read (target extension types, metadata of functions, constant
//! expressions, exact bits) is read here. LLVM's release builds do not check the kinds of what they are given, so each
//! function here checks first.

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
use inkwell::llvm_sys::{LLVMCallConv, LLVMTypeKind};
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
    pub fn scalarize(self) -> Result<(), String> {
        let options = llvm!(LLVMCreatePassBuilderOptions());
        // Before LLVM 20 the pass has no options, and leaves loads and stores of whole vectors.
        let passes = if cfg!(feature = "llvm22-1") {
            c"function(expand-reductions,scalarizer<load-store>,dce)"
        } else {
            c"function(expand-reductions,scalarizer,dce)"
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

impl<'m> Val<'m> {
    pub fn kind(self) -> ValueKind {
        llvm!(LLVMGetValueKind(self.0))
    }

    pub fn ty(self) -> Ty<'m> {
        Ty(llvm!(LLVMTypeOf(self.0)), PhantomData)
    }

    pub fn name(self) -> String {
        let mut len = 0;
        let name = llvm!(LLVMGetValueName2(self.0, &mut len));
        bytes(name, len)
    }

    pub fn print(self) -> String {
        message(llvm!(LLVMPrintValueToString(self.0)))
    }

    pub fn is_inst(self) -> bool {
        self.kind() == ValueKind::LLVMInstructionValueKind
    }

    fn is_function(self) -> bool {
        self.kind() == ValueKind::LLVMFunctionValueKind
    }

    fn is_variable(self) -> bool {
        self.kind() == ValueKind::LLVMGlobalVariableValueKind
    }

    pub fn is_constant(self) -> bool {
        llvm!(LLVMIsConstant(self.0)) != 0
    }

    /// The opcode of an instruction or constant expression.
    pub fn opcode(self) -> Option<Opcode> {
        match self.kind() {
            ValueKind::LLVMInstructionValueKind => Some(llvm!(LLVMGetInstructionOpcode(self.0))),
            ValueKind::LLVMConstantExprValueKind => Some(llvm!(LLVMGetConstOpcode(self.0))),
            _ => None,
        }
    }

    fn is(self, op: Opcode) -> bool {
        self.opcode() == Some(op)
    }

    /// Operands of an instruction or constant.
    pub fn operands(self) -> Vec<Val<'m>> {
        if !(self.is_inst() || self.is_constant()) {
            return Vec::new();
        }
        let n = llvm!(LLVMGetNumOperands(self.0)).max(0) as u32;
        (0..n).filter_map(|i| value(llvm!(LLVMGetOperand(self.0, i)))).collect()
    }

    // Constants.

    /// Bits of an integer constant of up to 64 bits.
    pub fn int(self) -> Option<u64> {
        let fits = self.kind() == ValueKind::LLVMConstantIntValueKind
            && matches!(self.ty().kind(), Kind::Int(w) if w <= 64);
        fits.then(|| llvm!(LLVMConstIntGetZExtValue(self.0)))
    }

    /// Bits of a float constant.
    pub fn float_bits(self) -> Option<u64> {
        let Kind::Float(width) = self.ty().kind() else { return None };
        if self.kind() != ValueKind::LLVMConstantFPValueKind {
            return None;
        }
        let ty = llvm!(LLVMTypeOf(self.0));
        let context = llvm!(LLVMGetTypeContext(ty));
        let int = llvm!(LLVMIntTypeInContext(context, u32::from(width)));
        value(llvm!(LLVMConstBitCast(self.0, int)))?.int()
    }

    /// An element of a constant struct, array or vector.
    pub fn element(self, index: u32) -> Option<Val<'m>> {
        if !self.is_constant()
            || !matches!(self.ty().kind(), Kind::Vector(..) | Kind::Array(..) | Kind::Struct { .. })
        {
            return None;
        }
        value(llvm!(LLVMGetAggregateElement(self.0, index)))
    }

    /// Whether a single instruction uses the value, once.
    pub fn has_one_use(self) -> bool {
        let first = llvm!(LLVMGetFirstUse(self.0));
        !first.is_null() && llvm!(LLVMGetNextUse(first)).is_null()
    }

    // Functions and globals.

    pub fn params(self) -> Vec<Val<'m>> {
        if !self.is_function() {
            return Vec::new();
        }
        (0..llvm!(LLVMCountParams(self.0))).filter_map(|i| value(llvm!(LLVMGetParam(self.0, i)))).collect()
    }

    pub fn return_type(self) -> Option<Ty<'m>> {
        self.is_function().then(|| {
            let function = llvm!(LLVMGlobalGetValueType(self.0));
            Ty(llvm!(LLVMGetReturnType(function)), PhantomData)
        })
    }

    pub fn blocks(self) -> Vec<Bb<'m>> {
        if !self.is_function() {
            return Vec::new();
        }
        let mut out = Vec::new();
        let mut at = llvm!(LLVMGetFirstBasicBlock(self.0));
        while !at.is_null() {
            out.push(Bb(at, PhantomData));
            at = llvm!(LLVMGetNextBasicBlock(at));
        }
        out
    }

    pub fn is_kernel(self) -> bool {
        self.is_function()
            && llvm!(LLVMGetFunctionCallConv(self.0)) == LLVMCallConv::LLVMSPIRKERNELCallConv as u32
    }

    pub fn is_declaration(self) -> bool {
        (self.is_function() || self.is_variable()) && llvm!(LLVMIsDeclaration(self.0)) != 0
    }

    /// Whether other modules see it.
    pub fn is_visible(self) -> bool {
        use Linkage::*;
        (self.is_function() || self.is_variable())
            && !matches!(llvm!(LLVMGetLinkage(self.0)), LLVMInternalLinkage | LLVMPrivateLinkage)
    }

    pub fn is_variadic(self) -> bool {
        if !self.is_function() {
            return false;
        }
        let ty = llvm!(LLVMGlobalGetValueType(self.0));
        llvm!(LLVMIsFunctionVarArg(ty)) != 0
    }

    /// The type of a global variable's object.
    pub fn object_type(self) -> Option<Ty<'m>> {
        self.is_variable().then(|| Ty(llvm!(LLVMGlobalGetValueType(self.0)), PhantomData))
    }

    pub fn initializer(self) -> Option<Val<'m>> {
        if self.is_variable() { value(llvm!(LLVMGetInitializer(self.0))) } else { None }
    }

    pub fn is_constant_variable(self) -> bool {
        self.is_variable() && llvm!(LLVMIsGlobalConstant(self.0)) != 0
    }

    fn attribute(self, index: u32, name: &str) -> Option<LLVMAttributeRef> {
        let kind = llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        if !self.is_function() || kind == 0 {
            return None;
        }
        let found = llvm!(LLVMGetEnumAttributeAtIndex(self.0, index, kind));
        (!found.is_null()).then_some(found)
    }

    /// Whether a parameter (from 1; `u32::MAX`: the function) has an attribute.
    pub fn has_attribute(self, index: u32, name: &str) -> bool {
        self.attribute(index, name).is_some()
    }

    /// The type that an attribute of a parameter names (`byval`).
    pub fn type_attribute(self, index: u32, name: &str) -> Option<Ty<'m>> {
        let attribute = self.attribute(index, name)?;
        if llvm!(LLVMIsTypeAttribute(attribute)) == 0 {
            return None;
        }
        Some(Ty(llvm!(LLVMGetTypeAttributeValue(attribute)), PhantomData))
    }

    // Instructions.

    /// Alignment of a load, store, allocation or global.
    pub fn align(self) -> u32 {
        let known = self.is_variable()
            || self.is_inst()
                && matches!(self.opcode(), Some(Opcode::LLVMLoad | Opcode::LLVMStore | Opcode::LLVMAlloca));
        if known { llvm!(LLVMGetAlignment(self.0)) } else { 0 }
    }

    pub fn is_volatile(self) -> bool {
        use Opcode::*;
        self.is_inst()
            && matches!(self.opcode(), Some(LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg))
            && llvm!(LLVMGetVolatile(self.0)) != 0
    }

    /// Ordering of a load, store, fence or read-modify-write.
    pub fn ordering(self) -> Ordering {
        use Opcode::*;
        let known =
            self.is_inst() && matches!(self.opcode(), Some(LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMFence));
        if known { llvm!(LLVMGetOrdering(self.0)) } else { Ordering::LLVMAtomicOrderingNotAtomic }
    }

    /// Orderings of a compare-exchange: on success, on failure.
    pub fn exchange_orderings(self) -> Option<(Ordering, Ordering)> {
        (self.is_inst() && self.is(Opcode::LLVMAtomicCmpXchg)).then(|| {
            (llvm!(LLVMGetCmpXchgSuccessOrdering(self.0)), llvm!(LLVMGetCmpXchgFailureOrdering(self.0)))
        })
    }

    pub fn rmw(self) -> Option<RmwOp> {
        (self.is_inst() && self.is(Opcode::LLVMAtomicRMW)).then(|| llvm!(LLVMGetAtomicRMWBinOp(self.0)))
    }

    pub fn int_predicate(self) -> Option<IntPredicate> {
        self.is(Opcode::LLVMICmp).then(|| llvm!(LLVMGetICmpPredicate(self.0)))
    }

    pub fn real_predicate(self) -> Option<RealPredicate> {
        self.is(Opcode::LLVMFCmp).then(|| llvm!(LLVMGetFCmpPredicate(self.0)))
    }

    pub fn source_type(self) -> Option<Ty<'m>> {
        self.is(Opcode::LLVMGetElementPtr)
            .then(|| Ty(llvm!(LLVMGetGEPSourceElementType(self.0)), PhantomData))
    }

    pub fn in_bounds(self) -> bool {
        self.is(Opcode::LLVMGetElementPtr) && llvm!(LLVMIsInBounds(self.0)) != 0
    }

    pub fn allocated_type(self) -> Option<Ty<'m>> {
        (self.is_inst() && self.is(Opcode::LLVMAlloca))
            .then(|| Ty(llvm!(LLVMGetAllocatedType(self.0)), PhantomData))
    }

    /// Literal indices of `extractvalue` and `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        if !matches!(self.opcode(), Some(Opcode::LLVMExtractValue | Opcode::LLVMInsertValue))
            || !self.is_inst()
        {
            return Vec::new();
        }
        let (n, p) = (llvm!(LLVMGetNumIndices(self.0)) as usize, llvm!(LLVMGetIndices(self.0)));
        // SAFETY: LLVM gives a pointer to that many indices, which live as long as the instruction.
        unsafe { std::slice::from_raw_parts(p, n) }.to_vec()
    }

    /// The mask of a shuffle; None where a component does not matter.
    pub fn mask(self) -> Vec<Option<u32>> {
        if !self.is(Opcode::LLVMShuffleVector) {
            return Vec::new();
        }
        let n = llvm!(LLVMGetNumMaskElements(self.0));
        (0..n).map(|i| u32::try_from(llvm!(LLVMGetMaskValue(self.0, i))).ok()).collect()
    }

    /// Incoming values of a phi.
    pub fn incoming(self) -> Vec<(Val<'m>, Bb<'m>)> {
        if !self.is(Opcode::LLVMPHI) {
            return Vec::new();
        }
        let n = llvm!(LLVMCountIncoming(self.0));
        let pair = |i| {
            let v = value(llvm!(LLVMGetIncomingValue(self.0, i)))?;
            Some((v, Bb(llvm!(LLVMGetIncomingBlock(self.0, i)), PhantomData)))
        };
        (0..n).filter_map(pair).collect()
    }

    /// Successors of a terminator.
    pub fn successors(self) -> Vec<Bb<'m>> {
        if !self.is_inst() || value(llvm!(LLVMIsATerminatorInst(self.0))).is_none() {
            return Vec::new();
        }
        let n = llvm!(LLVMGetNumSuccessors(self.0));
        (0..n).map(|i| Bb(llvm!(LLVMGetSuccessor(self.0, i)), PhantomData)).collect()
    }

    /// Values of the cases of a switch.
    pub fn cases(self) -> Vec<Val<'m>> {
        if !self.is_inst() || !self.is(Opcode::LLVMSwitch) {
            return Vec::new();
        }
        self.case_values()
    }

    #[cfg(feature = "llvm22-1")]
    fn case_values(self) -> Vec<Val<'m>> {
        let n = llvm!(LLVMGetNumSuccessors(self.0));
        (1..n).filter_map(|i| value(llvm!(LLVMGetSwitchCaseValue(self.0, i)))).collect()
    }

    #[cfg(not(feature = "llvm22-1"))]
    fn case_values(self) -> Vec<Val<'m>> {
        let operands = self.operands();
        operands.get(2..).unwrap_or(&[]).iter().step_by(2).copied().collect()
    }

    /// What a call calls, and its arguments.
    pub fn call(self) -> Option<(Val<'m>, Vec<Val<'m>>)> {
        if !self.is_inst() || !self.is(Opcode::LLVMCall) {
            return None;
        }
        let callee = value(llvm!(LLVMGetCalledValue(self.0)))?;
        let n = llvm!(LLVMGetNumArgOperands(self.0));
        let args = (0..n).filter_map(|i| value(llvm!(LLVMGetOperand(self.0, i)))).collect();
        Some((callee, args))
    }

    /// Fast-math flags, in SPIR-V's bits.
    pub fn fast_math(self) -> u32 {
        if !self.is_inst() || llvm!(LLVMCanValueUseFastMathFlags(self.0)) == 0 {
            return 0;
        }
        let flags = llvm!(LLVMGetFastMathFlags(self.0));
        // LLVM: reassociation, no NaNs, no infinities, no signed zeros, reciprocals, contraction, approximation.
        if flags & 0x7f == 0x7f { 0x1f } else { flags >> 1 & 0xf }
    }

    /// File, line and column of an instruction or function.
    pub fn place(self) -> Option<(String, u32, u32)> {
        if !self.is_inst() {
            return None;
        }
        let line = llvm!(LLVMGetDebugLocLine(self.0));
        let mut len = 0;
        let file = llvm!(LLVMGetDebugLocFilename(self.0, &mut len));
        (line > 0).then(|| (bytes(file, len as usize), line, llvm!(LLVMGetDebugLocColumn(self.0))))
    }

    // Metadata.

    /// Operands of a metadata node.
    pub fn nodes(self) -> Vec<Option<Val<'m>>> {
        if value(llvm!(LLVMIsAMDNode(self.0))).is_none() {
            return Vec::new();
        }
        let n = llvm!(LLVMGetMDNodeNumOperands(self.0)) as usize;
        let mut out = vec![std::ptr::null_mut(); n];
        llvm!(LLVMGetMDNodeOperands(self.0, out.as_mut_ptr()));
        out.into_iter().map(value).collect()
    }

    /// Whether it is metadata in place of a value.
    pub fn is_metadata(self) -> bool {
        self.kind() == ValueKind::LLVMMetadataAsValueValueKind
    }

    /// Metadata of an instruction by kind.
    pub fn inst_metadata(self, kind: &str) -> Option<Val<'m>> {
        if !self.is_inst() || llvm!(LLVMHasMetadata(self.0)) == 0 {
            return None;
        }
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.0)));
        let id = llvm!(LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32));
        value(llvm!(LLVMGetMetadata(self.0, id)))
    }

    /// The text of a metadata string.
    pub fn metadata_text(self) -> Option<String> {
        value(llvm!(LLVMIsAMDString(self.0)))?;
        let mut len = 0;
        let text = llvm!(LLVMGetMDString(self.0, &mut len));
        Some(bytes(text, len as usize))
    }
}
