//! Values: what all have, constants, functions, variables, metadata.

use super::{Bb, Kind, Linkage, Opcode, Ty, Val, ValueKind, bytes, message, value};
use inkwell::llvm_sys::LLVMCallConv;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use std::marker::PhantomData;

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

    pub(super) fn is_variable(self) -> bool {
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

    pub(super) fn is(self, op: Opcode) -> bool {
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
