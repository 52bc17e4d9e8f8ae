//! What instructions say beyond opcode and operands.

use super::{Bb, IntPredicate, Opcode, Ordering, RealPredicate, RmwOp, Ty, Val, bytes, value};
use inkwell::llvm_sys::core::*;
use std::marker::PhantomData;

impl<'m> Val<'m> {
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
}
