; y[i] = a * x[i] + y[i]
target triple = "spir64-unknown-unknown"

declare spir_func i64 @_Z13get_global_idj(i32)

define spir_kernel void @saxpy(ptr addrspace(1) %y, ptr addrspace(1) readonly %x, float %a, i32 %n) !reqd_work_group_size !0 {
entry:
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %inside = icmp ult i32 %i, %n
  br i1 %inside, label %work, label %end

work:
  %px = getelementptr inbounds float, ptr addrspace(1) %x, i64 %id
  %vx = load float, ptr addrspace(1) %px, align 4
  %py = getelementptr inbounds float, ptr addrspace(1) %y, i64 %id
  %vy = load float, ptr addrspace(1) %py, align 4
  %r = call float @llvm.fma.f32(float %a, float %vx, float %vy)
  store float %r, ptr addrspace(1) %py, align 4
  br label %end

end:
  ret void
}

declare float @llvm.fma.f32(float, float, float)

!0 = !{i32 64, i32 1, i32 1}
