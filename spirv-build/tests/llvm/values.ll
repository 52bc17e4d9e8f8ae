; Odd widths, freeze, phis of constants, aggregates, atomics, vectors of bits.
target triple = "spir64-unknown-unknown"

@table = internal addrspace(2) constant [4 x i32] [i32 1, i32 2, i32 3, i32 5], align 4

declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func <4 x i32> @_Z3maxDv4_iS_(<4 x i32>, <4 x i32>)
declare spir_func void @_Z7barrierj(i32)

define spir_kernel void @values(ptr addrspace(1) %out, ptr addrspace(1) %in, ptr addrspace(3) %tmp) {
entry:
  %id = call spir_func i64 @_Z12get_local_idj(i32 0)
  %slot = getelementptr inbounds i32, ptr addrspace(3) %tmp, i64 %id
  %first = load i32, ptr addrspace(1) %in, align 4
  store i32 %first, ptr addrspace(3) %slot, align 4
  call spir_func void @_Z7barrierj(i32 1)
  %narrow = trunc i32 %first to i4
  %sum = add i4 %narrow, 9
  %bits = bitcast i4 %sum to <4 x i1>
  %wide = sext <4 x i1> %bits to <4 x i32>
  %most = call spir_func <4 x i32> @_Z3maxDv4_iS_(<4 x i32> %wide, <4 x i32> <i32 0, i32 1, i32 2, i32 3>)
  %frozen = freeze <4 x i32> %most
  %odd = icmp slt i4 %sum, 0
  br i1 %odd, label %loop, label %end

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = and i32 %k, 3
  %p = getelementptr inbounds [4 x i32], ptr addrspace(2) @table, i32 0, i32 %at
  %t = load i32, ptr addrspace(2) %p, align 4
  %old = atomicrmw add ptr addrspace(1) %out, i32 %t syncscope("device") monotonic
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %first
  br i1 %more, label %loop, label %end

end:
  %q = getelementptr inbounds <4 x i32>, ptr addrspace(1) %out, i64 1
  store <4 x i32> %frozen, ptr addrspace(1) %q, align 16
  ret void
}
