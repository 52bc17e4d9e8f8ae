; An address that moves through one buffer, and memory of the work-group that the host sizes.
target triple = "spir64-unknown-unknown"

declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func void @_Z7barrierj(i32)

define spir_kernel void @walk(ptr addrspace(1) readonly %in, ptr addrspace(1) %out, ptr addrspace(3) %tmp, i32 %n) !kernel_arg_type !0 !reqd_work_group_size !1 {
entry:
  %id = call spir_func i64 @_Z12get_local_idj(i32 0)
  %start = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %id
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %start, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %all, %loop ]
  %x = load i32, ptr addrspace(1) %p, align 4
  %all = add i32 %sum, %x
  %next = getelementptr inbounds i32, ptr addrspace(1) %p, i64 4
  %more = add i32 %i, 1
  %again = icmp ult i32 %more, %n
  br i1 %again, label %loop, label %end
end:
  %mine = getelementptr inbounds i32, ptr addrspace(3) %tmp, i64 %id
  store i32 %all, ptr addrspace(3) %mine, align 4
  call spir_func void @_Z7barrierj(i32 1)
  %other = xor i64 %id, 1
  %theirs = getelementptr inbounds i32, ptr addrspace(3) %tmp, i64 %other
  %y = load i32, ptr addrspace(3) %theirs, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %id
  store i32 %y, ptr addrspace(1) %q, align 4
  ret void
}

!0 = !{!"int*", !"uint*", !"int*", !"uint"}
!1 = !{i32 4, i32 1, i32 1}
