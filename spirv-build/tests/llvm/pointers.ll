; Addresses that no descriptor can stand for, and some that one can.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"

declare spir_func i64 @_Z13get_global_idj(i32)

; One of two buffers, chosen at run time; a third is always the same.
define spir_kernel void @choose(ptr addrspace(1) %a, ptr addrspace(1) readonly %b, ptr addrspace(1) %out, i32 %which) !kernel_arg_name !0 !kernel_arg_type !1 !kernel_arg_type_qual !2 {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %first = icmp eq i32 %which, 0
  %from = select i1 %first, ptr addrspace(1) %a, ptr addrspace(1) %b
  %p = getelementptr inbounds float, ptr addrspace(1) %from, i64 %id
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %id
  store float %x, ptr addrspace(1) %q, align 4
  ret void
}

!0 = !{!"left", !"right", !"out", !"which"}
!1 = !{!"float*", !"float*", !"float*", !"int"}
!2 = !{!"", !"const", !"", !""}
