; A product and a sum that may become one operation, or must not.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

define spir_kernel void @sums(ptr addrspace(1) %y) !reqd_work_group_size !0 {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr float, ptr addrspace(1) %y, i64 %id
  %v = load float, ptr addrspace(1) %p
  %square = fmul float %v, %v
  %sum = fadd float %square, 3.0
  store float %sum, ptr addrspace(1) %p
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32)

!0 = !{i32 64, i32 1, i32 1}
