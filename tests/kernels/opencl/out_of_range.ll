; Indices out of range of memory that no device looks after: local memory whose length the host chooses, local memory of a
; fixed length, and private memory. Each work-group tries one index, on elements j that hold 100 + j; it reads element i and
; writes 1100 + i to it.
target triple = "spir64"

@fixed = internal addrspace(3) global [12 x i32] undef, align 4

declare spir_func i64 @_Z12get_group_idj(i32)

define spir_kernel void @sized(ptr addrspace(1) readonly %index, ptr addrspace(1) %output, ptr addrspace(3) %part) !reqd_work_group_size !0 {
entry:
  %group = tail call spir_func i64 @_Z12get_group_idj(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %index, i64 %group
  %i = load i32, ptr addrspace(1) %p, align 4
  %wide = zext i32 %i to i64
  %first = mul i64 %group, 16
  %out = getelementptr inbounds i32, ptr addrspace(1) %output, i64 %first
  br label %fill

fill:
  %j = phi i32 [ 0, %entry ], [ %j.next, %fill ]
  %j.at = getelementptr inbounds i32, ptr addrspace(3) %part, i32 %j
  %j.value = add i32 %j, 100
  store i32 %j.value, ptr addrspace(3) %j.at, align 4
  %j.next = add nuw nsw i32 %j, 1
  %j.more = icmp ult i32 %j.next, 12
  br i1 %j.more, label %fill, label %try

try:
  %at = getelementptr i32, ptr addrspace(3) %part, i64 %wide
  %read = load i32, ptr addrspace(3) %at, align 4
  store i32 %read, ptr addrspace(1) %out, align 4
  %new = add i32 %i, 1100
  store i32 %new, ptr addrspace(3) %at, align 4
  br label %dump

dump:
  %k = phi i32 [ 0, %try ], [ %k.next, %dump ]
  %k.at = getelementptr inbounds i32, ptr addrspace(3) %part, i32 %k
  %k.value = load i32, ptr addrspace(3) %k.at, align 4
  %k.next = add nuw nsw i32 %k, 1
  %k.out = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %k.next
  store i32 %k.value, ptr addrspace(1) %k.out, align 4
  %k.more = icmp ult i32 %k.next, 12
  br i1 %k.more, label %dump, label %done

done:
  ret void
}

define spir_kernel void @fixed_length(ptr addrspace(1) readonly %index, ptr addrspace(1) %output) !reqd_work_group_size !0 {
entry:
  %group = tail call spir_func i64 @_Z12get_group_idj(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %index, i64 %group
  %i = load i32, ptr addrspace(1) %p, align 4
  %wide = zext i32 %i to i64
  %first = mul i64 %group, 16
  %out = getelementptr inbounds i32, ptr addrspace(1) %output, i64 %first
  br label %fill

fill:
  %j = phi i32 [ 0, %entry ], [ %j.next, %fill ]
  %j.at = getelementptr inbounds [12 x i32], ptr addrspace(3) @fixed, i32 0, i32 %j
  %j.value = add i32 %j, 100
  store i32 %j.value, ptr addrspace(3) %j.at, align 4
  %j.next = add nuw nsw i32 %j, 1
  %j.more = icmp ult i32 %j.next, 12
  br i1 %j.more, label %fill, label %try

try:
  %at = getelementptr i32, ptr addrspace(3) @fixed, i64 %wide
  %read = load i32, ptr addrspace(3) %at, align 4
  store i32 %read, ptr addrspace(1) %out, align 4
  %new = add i32 %i, 1100
  store i32 %new, ptr addrspace(3) %at, align 4
  br label %dump

dump:
  %k = phi i32 [ 0, %try ], [ %k.next, %dump ]
  %k.at = getelementptr inbounds [12 x i32], ptr addrspace(3) @fixed, i32 0, i32 %k
  %k.value = load i32, ptr addrspace(3) %k.at, align 4
  %k.next = add nuw nsw i32 %k, 1
  %k.out = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %k.next
  store i32 %k.value, ptr addrspace(1) %k.out, align 4
  %k.more = icmp ult i32 %k.next, 12
  br i1 %k.more, label %dump, label %done

done:
  ret void
}

define spir_kernel void @private_memory(ptr addrspace(1) readonly %index, ptr addrspace(1) %output) !reqd_work_group_size !0 {
entry:
  %own = alloca [12 x i32], align 4
  %group = tail call spir_func i64 @_Z12get_group_idj(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %index, i64 %group
  %i = load i32, ptr addrspace(1) %p, align 4
  %wide = zext i32 %i to i64
  %first = mul i64 %group, 16
  %out = getelementptr inbounds i32, ptr addrspace(1) %output, i64 %first
  br label %fill

fill:
  %j = phi i32 [ 0, %entry ], [ %j.next, %fill ]
  %j.at = getelementptr inbounds [12 x i32], ptr %own, i32 0, i32 %j
  %j.value = add i32 %j, 100
  store i32 %j.value, ptr %j.at, align 4
  %j.next = add nuw nsw i32 %j, 1
  %j.more = icmp ult i32 %j.next, 12
  br i1 %j.more, label %fill, label %try

try:
  %at = getelementptr i32, ptr %own, i64 %wide
  %read = load i32, ptr %at, align 4
  store i32 %read, ptr addrspace(1) %out, align 4
  %new = add i32 %i, 1100
  store i32 %new, ptr %at, align 4
  br label %dump

dump:
  %k = phi i32 [ 0, %try ], [ %k.next, %dump ]
  %k.at = getelementptr inbounds [12 x i32], ptr %own, i32 0, i32 %k
  %k.value = load i32, ptr %k.at, align 4
  %k.next = add nuw nsw i32 %k, 1
  %k.out = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %k.next
  store i32 %k.value, ptr addrspace(1) %k.out, align 4
  %k.more = icmp ult i32 %k.next, 12
  br i1 %k.more, label %dump, label %done

done:
  ret void
}

!0 = !{i32 1, i32 1, i32 1}
