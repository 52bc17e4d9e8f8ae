; clang's LLVM IR for saxpy.cl, without what only optimisers read (aliasing, attributes), so that any LLVM from 19 on takes it.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

define spir_kernel void @saxpy(ptr addrspace(1) noalias readonly align 4 %x, ptr addrspace(1) noalias align 4 %y, i32 %n, float %a) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 !reqd_work_group_size !6 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %conv = trunc i64 %call to i32
  %cmp = icmp ugt i32 %n, %conv
  br i1 %cmp, label %if.then, label %if.end

if.then:
  %idxprom = and i64 %call, 4294967295
  %arrayidx = getelementptr inbounds float, ptr addrspace(1) %x, i64 %idxprom
  %0 = load float, ptr addrspace(1) %arrayidx, align 4
  %arrayidx2 = getelementptr inbounds float, ptr addrspace(1) %y, i64 %idxprom
  %1 = load float, ptr addrspace(1) %arrayidx2, align 4
  %2 = tail call float @llvm.fmuladd.f32(float %a, float %0, float %1)
  store float %2, ptr addrspace(1) %arrayidx2, align 4
  br label %if.end

if.end:
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32)

declare float @llvm.fmuladd.f32(float, float, float)

!opencl.ocl.version = !{!0}

!0 = !{i32 2, i32 0}
!1 = !{i32 1, i32 1, i32 0, i32 0}
!2 = !{!"none", !"none", !"none", !"none"}
!3 = !{!"float*", !"float*", !"uint", !"float"}
!4 = !{!"restrict const", !"restrict", !"", !""}
!5 = !{!"x", !"y", !"n", !"a"}
!6 = !{i32 64, i32 1, i32 1}
