; ModuleID = 'pointers.cl'
source_filename = "pointers.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

%struct.Item = type { i8, i16, i64, double }

; Function Attrs: convergent norecurse nounwind
define dso_local spir_kernel void @choose(ptr addrspace(1) noundef readonly align 4 captures(none) %odd, ptr addrspace(1) noundef readonly align 4 captures(none) %even, ptr addrspace(1) noundef align 4 %low, ptr addrspace(1) noundef align 4 %high, i32 noundef %n) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 !kernel_arg_name !12 !reqd_work_group_size !13 {
entry:
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #12
  %conv.i = zext i32 %n to i64
  %cmp.not.i = icmp ult i64 %call.i, %conv.i
  br i1 %cmp.not.i, label %if.end.i, label %__clang_ocl_kern_imp_choose.exit

if.end.i:                                         ; preds = %entry
  %rem.i = and i64 %call.i, 1
  %tobool.not.i = icmp eq i64 %rem.i, 0
  %cond.i = select i1 %tobool.not.i, ptr addrspace(1) %even, ptr addrspace(1) %odd
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %cond.i, i64 %call.i
  %0 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %cmp2.i = icmp slt i32 %0, 0
  %cond7.i = select i1 %cmp2.i, ptr addrspace(1) %low, ptr addrspace(1) %high
  %mul.i = mul nsw i32 %0, 3
  %arrayidx8.i = getelementptr inbounds nuw i32, ptr addrspace(1) %cond7.i, i64 %call.i
  store i32 %mul.i, ptr addrspace(1) %arrayidx8.i, align 4, !tbaa !4
  %add.ptr.i = getelementptr inbounds nuw i32, ptr addrspace(1) %cond7.i, i64 %conv.i
  %call9.i = tail call spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef nonnull %add.ptr.i, i32 noundef 1) #13
  br label %__clang_ocl_kern_imp_choose.exit

__clang_ocl_kern_imp_choose.exit:                 ; preds = %entry, %if.end.i
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define dso_local spir_func void @__clang_ocl_kern_imp_choose(ptr addrspace(1) noundef readonly align 4 captures(none) %odd, ptr addrspace(1) noundef readonly align 4 captures(none) %even, ptr addrspace(1) noundef align 4 %low, ptr addrspace(1) noundef align 4 %high, i32 noundef %n) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !10 !kernel_arg_type_qual !11 !kernel_arg_name !12 !reqd_work_group_size !13 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #12
  %conv = zext i32 %n to i64
  %cmp.not = icmp ult i64 %call, %conv
  br i1 %cmp.not, label %if.end, label %cleanup

if.end:                                           ; preds = %entry
  %rem = and i64 %call, 1
  %tobool.not = icmp eq i64 %rem, 0
  %cond = select i1 %tobool.not, ptr addrspace(1) %even, ptr addrspace(1) %odd
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %cond, i64 %call
  %0 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %cmp2 = icmp slt i32 %0, 0
  %cond7 = select i1 %cmp2, ptr addrspace(1) %low, ptr addrspace(1) %high
  %mul = mul nsw i32 %0, 3
  %arrayidx8 = getelementptr inbounds nuw i32, ptr addrspace(1) %cond7, i64 %call
  store i32 %mul, ptr addrspace(1) %arrayidx8, align 4, !tbaa !4
  %add.ptr = getelementptr inbounds nuw i32, ptr addrspace(1) %cond7, i64 %conv
  %call9 = tail call spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef nonnull %add.ptr, i32 noundef 1) #13
  br label %cleanup

cleanup:                                          ; preds = %entry, %if.end
  ret void
}

; Function Attrs: convergent nofree norecurse nounwind memory(argmem: readwrite)
define dso_local spir_kernel void @lengths(ptr addrspace(1) noundef align 1 %text, ptr addrspace(1) noundef readonly align 4 captures(none) %starts, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #2 !kernel_arg_addr_space !14 !kernel_arg_access_qual !15 !kernel_arg_type !16 !kernel_arg_base_type !16 !kernel_arg_type_qual !17 !kernel_arg_name !18 {
entry:
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #12
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %starts, i64 %call.i
  %0 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %idx.ext.i = zext i32 %0 to i64
  %add.ptr.i = getelementptr inbounds nuw i8, ptr addrspace(1) %text, i64 %idx.ext.i
  br label %while.cond.i

while.cond.i:                                     ; preds = %while.cond.i, %entry
  %p.0.i = phi ptr addrspace(1) [ %add.ptr.i, %entry ], [ %incdec.ptr.i, %while.cond.i ]
  %1 = load i8, ptr addrspace(1) %p.0.i, align 1, !tbaa !19
  %tobool.not.i = icmp eq i8 %1, 0
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr addrspace(1) %p.0.i, i64 1
  br i1 %tobool.not.i, label %__clang_ocl_kern_imp_lengths.exit, label %while.cond.i, !llvm.loop !20

__clang_ocl_kern_imp_lengths.exit:                ; preds = %while.cond.i
  %sub.ptr.lhs.cast.i = ptrtoint ptr addrspace(1) %p.0.i to i64
  %sub.ptr.rhs.cast.i = ptrtoint ptr addrspace(1) %add.ptr.i to i64
  %sub.ptr.sub.i = sub i64 %sub.ptr.lhs.cast.i, %sub.ptr.rhs.cast.i
  %conv.i = trunc i64 %sub.ptr.sub.i to i32
  %arrayidx4.i = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %call.i
  store i32 %conv.i, ptr addrspace(1) %arrayidx4.i, align 4, !tbaa !4
  ret void
}

; Function Attrs: alwaysinline convergent nofree norecurse nounwind memory(argmem: readwrite)
define dso_local spir_func void @__clang_ocl_kern_imp_lengths(ptr addrspace(1) noundef align 1 %text, ptr addrspace(1) noundef readonly align 4 captures(none) %starts, ptr addrspace(1) noundef writeonly align 4 captures(none) %out) local_unnamed_addr #3 !kernel_arg_addr_space !14 !kernel_arg_access_qual !15 !kernel_arg_type !16 !kernel_arg_base_type !16 !kernel_arg_type_qual !17 !kernel_arg_name !18 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #12
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %starts, i64 %call
  %0 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %idx.ext = zext i32 %0 to i64
  %add.ptr = getelementptr inbounds nuw i8, ptr addrspace(1) %text, i64 %idx.ext
  br label %while.cond

while.cond:                                       ; preds = %while.cond, %entry
  %p.0 = phi ptr addrspace(1) [ %add.ptr, %entry ], [ %incdec.ptr, %while.cond ]
  %1 = load i8, ptr addrspace(1) %p.0, align 1, !tbaa !19
  %tobool.not = icmp eq i8 %1, 0
  %incdec.ptr = getelementptr inbounds nuw i8, ptr addrspace(1) %p.0, i64 1
  br i1 %tobool.not, label %while.end, label %while.cond, !llvm.loop !20

while.end:                                        ; preds = %while.cond
  %sub.ptr.lhs.cast = ptrtoint ptr addrspace(1) %p.0 to i64
  %sub.ptr.rhs.cast = ptrtoint ptr addrspace(1) %add.ptr to i64
  %sub.ptr.sub = sub i64 %sub.ptr.lhs.cast, %sub.ptr.rhs.cast
  %conv = trunc i64 %sub.ptr.sub to i32
  %arrayidx4 = getelementptr inbounds nuw i32, ptr addrspace(1) %out, i64 %call
  store i32 %conv, ptr addrspace(1) %arrayidx4, align 4, !tbaa !4
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local spir_kernel void @sums(ptr addrspace(1) noundef readonly align 4 captures(none) %x, ptr addrspace(1) noundef writeonly align 4 captures(none) %out, ptr addrspace(3) noundef align 4 captures(none) %part, i32 noundef %n) local_unnamed_addr #0 !kernel_arg_addr_space !22 !kernel_arg_access_qual !23 !kernel_arg_type !24 !kernel_arg_base_type !24 !kernel_arg_type_qual !25 !kernel_arg_name !26 {
entry:
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #12
  %call1.i = tail call spir_func i64 @_Z12get_local_idj(i32 noundef 0) #12
  %conv.i = zext i32 %n to i64
  %cmp.i = icmp ult i64 %call.i, %conv.i
  br i1 %cmp.i, label %cond.true.i, label %cond.end.i

cond.true.i:                                      ; preds = %entry
  %arrayidx.i = getelementptr inbounds nuw float, ptr addrspace(1) %x, i64 %call.i
  %0 = load float, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !27
  br label %cond.end.i

cond.end.i:                                       ; preds = %cond.true.i, %entry
  %cond.i = phi float [ %0, %cond.true.i ], [ 0.000000e+00, %entry ]
  %arrayidx3.i = getelementptr inbounds nuw float, ptr addrspace(3) %part, i64 %call1.i
  store float %cond.i, ptr addrspace(3) %arrayidx3.i, align 4, !tbaa !27
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #13
  %call4.i = tail call spir_func i64 @_Z14get_local_sizej(i32 noundef 0) #12
  %step.0.i1 = lshr i64 %call4.i, 1
  %cmp5.not.i2 = icmp eq i64 %step.0.i1, 0
  br i1 %cmp5.not.i2, label %for.cond.cleanup.i, label %for.body.i

for.cond.cleanup.i:                               ; preds = %if.end.i, %cond.end.i
  %cmp13.i = icmp eq i64 %call1.i, 0
  br i1 %cmp13.i, label %if.then15.i, label %__clang_ocl_kern_imp_sums.exit

for.body.i:                                       ; preds = %cond.end.i, %if.end.i
  %step.0.i3 = phi i64 [ %step.0.i, %if.end.i ], [ %step.0.i1, %cond.end.i ]
  %cmp7.i = icmp ult i64 %call1.i, %step.0.i3
  br i1 %cmp7.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %for.body.i
  %arrayidx9.i = getelementptr inbounds nuw float, ptr addrspace(3) %arrayidx3.i, i64 %step.0.i3
  %1 = load float, ptr addrspace(3) %arrayidx9.i, align 4, !tbaa !27
  %2 = load float, ptr addrspace(3) %arrayidx3.i, align 4, !tbaa !27
  %add11.i = fadd float %1, %2
  store float %add11.i, ptr addrspace(3) %arrayidx3.i, align 4, !tbaa !27
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %for.body.i
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #13
  %step.0.i = lshr i64 %step.0.i3, 1
  %cmp5.not.i = icmp eq i64 %step.0.i, 0
  br i1 %cmp5.not.i, label %for.cond.cleanup.i, label %for.body.i, !llvm.loop !29

if.then15.i:                                      ; preds = %for.cond.cleanup.i
  %3 = load float, ptr addrspace(3) %part, align 4, !tbaa !27
  %call17.i = tail call spir_func i64 @_Z12get_group_idj(i32 noundef 0) #12
  %arrayidx18.i = getelementptr inbounds nuw float, ptr addrspace(1) %out, i64 %call17.i
  store float %3, ptr addrspace(1) %arrayidx18.i, align 4, !tbaa !27
  br label %__clang_ocl_kern_imp_sums.exit

__clang_ocl_kern_imp_sums.exit:                   ; preds = %for.cond.cleanup.i, %if.then15.i
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define dso_local spir_func void @__clang_ocl_kern_imp_sums(ptr addrspace(1) noundef readonly align 4 captures(none) %x, ptr addrspace(1) noundef writeonly align 4 captures(none) %out, ptr addrspace(3) noundef align 4 captures(none) %part, i32 noundef %n) local_unnamed_addr #1 !kernel_arg_addr_space !22 !kernel_arg_access_qual !23 !kernel_arg_type !24 !kernel_arg_base_type !24 !kernel_arg_type_qual !25 !kernel_arg_name !26 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #12
  %call1 = tail call spir_func i64 @_Z12get_local_idj(i32 noundef 0) #12
  %conv = zext i32 %n to i64
  %cmp = icmp ult i64 %call, %conv
  br i1 %cmp, label %cond.true, label %cond.end

cond.true:                                        ; preds = %entry
  %arrayidx = getelementptr inbounds nuw float, ptr addrspace(1) %x, i64 %call
  %0 = load float, ptr addrspace(1) %arrayidx, align 4, !tbaa !27
  br label %cond.end

cond.end:                                         ; preds = %entry, %cond.true
  %cond = phi float [ %0, %cond.true ], [ 0.000000e+00, %entry ]
  %arrayidx3 = getelementptr inbounds nuw float, ptr addrspace(3) %part, i64 %call1
  store float %cond, ptr addrspace(3) %arrayidx3, align 4, !tbaa !27
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #13
  %call4 = tail call spir_func i64 @_Z14get_local_sizej(i32 noundef 0) #12
  %step.033 = lshr i64 %call4, 1
  %cmp5.not34 = icmp eq i64 %step.033, 0
  br i1 %cmp5.not34, label %for.cond.cleanup, label %for.body

for.cond.cleanup:                                 ; preds = %if.end, %cond.end
  %cmp13 = icmp eq i64 %call1, 0
  br i1 %cmp13, label %if.then15, label %if.end19

for.body:                                         ; preds = %cond.end, %if.end
  %step.035 = phi i64 [ %step.0, %if.end ], [ %step.033, %cond.end ]
  %cmp7 = icmp ult i64 %call1, %step.035
  br i1 %cmp7, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %arrayidx9 = getelementptr inbounds nuw float, ptr addrspace(3) %arrayidx3, i64 %step.035
  %1 = load float, ptr addrspace(3) %arrayidx9, align 4, !tbaa !27
  %2 = load float, ptr addrspace(3) %arrayidx3, align 4, !tbaa !27
  %add11 = fadd float %1, %2
  store float %add11, ptr addrspace(3) %arrayidx3, align 4, !tbaa !27
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #13
  %step.0 = lshr i64 %step.035, 1
  %cmp5.not = icmp eq i64 %step.0, 0
  br i1 %cmp5.not, label %for.cond.cleanup, label %for.body, !llvm.loop !29

if.then15:                                        ; preds = %for.cond.cleanup
  %3 = load float, ptr addrspace(3) %part, align 4, !tbaa !27
  %call17 = tail call spir_func i64 @_Z12get_group_idj(i32 noundef 0) #12
  %arrayidx18 = getelementptr inbounds nuw float, ptr addrspace(1) %out, i64 %call17
  store float %3, ptr addrspace(1) %arrayidx18, align 4, !tbaa !27
  br label %if.end19

if.end19:                                         ; preds = %if.then15, %for.cond.cleanup
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local spir_kernel void @widths(ptr addrspace(1) noundef align 8 captures(none) %items, ptr addrspace(1) noundef readonly align 4 captures(none) %colours, ptr addrspace(1) noundef writeonly align 2 captures(none) %grey, ptr addrspace(1) noundef align 2 %halves) local_unnamed_addr #0 !kernel_arg_addr_space !30 !kernel_arg_access_qual !23 !kernel_arg_type !31 !kernel_arg_base_type !32 !kernel_arg_type_qual !33 !kernel_arg_name !34 {
entry:
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #12
  %add.ptr.i = getelementptr inbounds nuw %struct.Item, ptr addrspace(1) %items, i64 %call.i
  %weight.i = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr.i, i64 2
  %0 = load i16, ptr addrspace(1) %weight.i, align 2, !tbaa !35
  %conv.i = sext i16 %0 to i64
  %1 = load i8, ptr addrspace(1) %add.ptr.i, align 8, !tbaa !40
  %conv1.i = sext i8 %1 to i64
  %mul.i = mul nsw i64 %conv1.i, %conv.i
  %total.i = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr.i, i64 8
  %2 = load i64, ptr addrspace(1) %total.i, align 8, !tbaa !41
  %add.i = add nsw i64 %mul.i, %2
  store i64 %add.i, ptr addrspace(1) %total.i, align 8, !tbaa !41
  %tobool.not.i = icmp eq i16 %0, 0
  %3 = sitofp i16 %0 to double
  %spec.select.i = select i1 %tobool.not.i, double 1.000000e+00, double %3
  %conv3.i = sitofp i64 %add.i to double
  %div.i = fdiv double %conv3.i, %spec.select.i
  %mean.i = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr.i, i64 16
  store double %div.i, ptr addrspace(1) %mean.i, align 8, !tbaa !42
  %4 = ashr i8 %1, 1
  store i8 %4, ptr addrspace(1) %add.ptr.i, align 8, !tbaa !40
  %arrayidx.i = getelementptr inbounds nuw <4 x i8>, ptr addrspace(1) %colours, i64 %call.i
  %5 = load <4 x i8>, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !19
  %6 = extractelement <4 x i8> %5, i64 0
  %conv14.i = zext i8 %6 to i16
  %mul15.i = mul nuw nsw i16 %conv14.i, 77
  %7 = extractelement <4 x i8> %5, i64 1
  %conv17.i = zext i8 %7 to i16
  %mul18.i = mul nuw i16 %conv17.i, 150
  %add19.i = add nuw i16 %mul15.i, %mul18.i
  %8 = extractelement <4 x i8> %5, i64 2
  %conv21.i = zext i8 %8 to i16
  %mul22.i = mul nuw nsw i16 %conv21.i, 29
  %add23.i = add nuw i16 %add19.i, %mul22.i
  %arrayidx25.i = getelementptr inbounds nuw i16, ptr addrspace(1) %grey, i64 %call.i
  store i16 %add23.i, ptr addrspace(1) %arrayidx25.i, align 2, !tbaa !43
  %9 = addrspacecast ptr addrspace(1) %halves to ptr addrspace(4)
  %call26.i = tail call spir_func float @_Z10vload_halfmPU3AS4KDh(i64 noundef %call.i, ptr addrspace(4) noundef %9) #14
  %10 = extractelement <4 x i8> %5, i64 3
  %conv29.i = uitofp i8 %10 to float
  %11 = tail call float @llvm.fmuladd.f32(float %call26.i, float 5.000000e-01, float %conv29.i)
  tail call spir_func void @_Z11vstore_halffmPU3AS4Dh(float noundef %11, i64 noundef %call.i, ptr addrspace(4) noundef %9) #13
  ret void
}

; Function Attrs: alwaysinline convergent norecurse nounwind
define dso_local spir_func void @__clang_ocl_kern_imp_widths(ptr addrspace(1) noundef align 8 captures(none) %items, ptr addrspace(1) noundef readonly align 4 captures(none) %colours, ptr addrspace(1) noundef writeonly align 2 captures(none) %grey, ptr addrspace(1) noundef align 2 %halves) local_unnamed_addr #1 !kernel_arg_addr_space !30 !kernel_arg_access_qual !23 !kernel_arg_type !31 !kernel_arg_base_type !32 !kernel_arg_type_qual !33 !kernel_arg_name !34 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #12
  %add.ptr = getelementptr inbounds nuw %struct.Item, ptr addrspace(1) %items, i64 %call
  %weight = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr, i64 2
  %0 = load i16, ptr addrspace(1) %weight, align 2, !tbaa !35
  %conv = sext i16 %0 to i64
  %1 = load i8, ptr addrspace(1) %add.ptr, align 8, !tbaa !40
  %conv1 = sext i8 %1 to i64
  %mul = mul nsw i64 %conv1, %conv
  %total = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr, i64 8
  %2 = load i64, ptr addrspace(1) %total, align 8, !tbaa !41
  %add = add nsw i64 %mul, %2
  store i64 %add, ptr addrspace(1) %total, align 8, !tbaa !41
  %tobool.not = icmp eq i16 %0, 0
  %3 = sitofp i16 %0 to double
  %spec.select = select i1 %tobool.not, double 1.000000e+00, double %3
  %conv3 = sitofp i64 %add to double
  %div = fdiv double %conv3, %spec.select
  %mean = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr, i64 16
  store double %div, ptr addrspace(1) %mean, align 8, !tbaa !42
  %4 = ashr i8 %1, 1
  store i8 %4, ptr addrspace(1) %add.ptr, align 8, !tbaa !40
  %arrayidx = getelementptr inbounds nuw <4 x i8>, ptr addrspace(1) %colours, i64 %call
  %5 = load <4 x i8>, ptr addrspace(1) %arrayidx, align 4, !tbaa !19
  %6 = extractelement <4 x i8> %5, i64 0
  %conv14 = zext i8 %6 to i16
  %mul15 = mul nuw nsw i16 %conv14, 77
  %7 = extractelement <4 x i8> %5, i64 1
  %conv17 = zext i8 %7 to i16
  %mul18 = mul nuw i16 %conv17, 150
  %add19 = add nuw i16 %mul15, %mul18
  %8 = extractelement <4 x i8> %5, i64 2
  %conv21 = zext i8 %8 to i16
  %mul22 = mul nuw nsw i16 %conv21, 29
  %add23 = add nuw i16 %add19, %mul22
  %arrayidx25 = getelementptr inbounds nuw i16, ptr addrspace(1) %grey, i64 %call
  store i16 %add23, ptr addrspace(1) %arrayidx25, align 2, !tbaa !43
  %9 = addrspacecast ptr addrspace(1) %halves to ptr addrspace(4)
  %call26 = tail call spir_func float @_Z10vload_halfmPU3AS4KDh(i64 noundef %call, ptr addrspace(4) noundef %9) #14
  %10 = extractelement <4 x i8> %5, i64 3
  %conv29 = uitofp i8 %10 to float
  %11 = tail call float @llvm.fmuladd.f32(float %call26, float 5.000000e-01, float %conv29)
  tail call spir_func void @_Z11vstore_halffmPU3AS4Dh(float noundef %11, i64 noundef %call, ptr addrspace(4) noundef %9) #13
  ret void
}

; Function Attrs: convergent mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite)
define dso_local spir_kernel void @edit(ptr addrspace(1) noundef align 1 captures(none) %text, ptr addrspace(1) noundef readonly align 4 captures(none) %edits) local_unnamed_addr #4 !kernel_arg_addr_space !44 !kernel_arg_access_qual !45 !kernel_arg_type !46 !kernel_arg_base_type !46 !kernel_arg_type_qual !47 !kernel_arg_name !48 !reqd_work_group_size !13 {
entry:
  %call.i = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #12
  %mul.i = shl i64 %call.i, 6
  %add.ptr.i = getelementptr inbounds nuw i8, ptr addrspace(1) %text, i64 %mul.i
  %arrayidx.i = getelementptr inbounds nuw i32, ptr addrspace(1) %edits, i64 %call.i
  %0 = load i32, ptr addrspace(1) %arrayidx.i, align 4, !tbaa !4
  %shr.i = lshr i32 %0, 10
  %and.i = and i32 %shr.i, 31
  %shr1.i = lshr i32 %0, 15
  %and2.i = and i32 %shr1.i, 15
  %and3.i = and i32 %0, 31
  %idx.ext.i = zext nneg i32 %and3.i to i64
  %add.ptr4.i = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr.i, i64 %idx.ext.i
  %shr5.i = lshr i32 %0, 5
  %and6.i = and i32 %shr5.i, 31
  %idx.ext7.i = zext nneg i32 %and6.i to i64
  %add.ptr8.i = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr.i, i64 %idx.ext7.i
  %conv.i = zext nneg i32 %and.i to i64
  tail call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) align 1 %add.ptr4.i, ptr addrspace(1) align 1 %add.ptr8.i, i64 %conv.i, i1 false)
  %add.ptr9.i = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr.i, i64 64
  %idx.ext10.i = zext nneg i32 %and2.i to i64
  %idx.neg.i = sub nsw i64 0, %idx.ext10.i
  %add.ptr11.i = getelementptr inbounds i8, ptr addrspace(1) %add.ptr9.i, i64 %idx.neg.i
  %shr12.i = lshr i32 %0, 24
  %1 = trunc nuw i32 %shr12.i to i8
  tail call void @llvm.memset.p1.i64(ptr addrspace(1) align 1 %add.ptr11.i, i8 %1, i64 %idx.ext10.i, i1 false)
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite)
define dso_local spir_func void @__clang_ocl_kern_imp_edit(ptr addrspace(1) noundef align 1 captures(none) %text, ptr addrspace(1) noundef readonly align 4 captures(none) %edits) local_unnamed_addr #5 !kernel_arg_addr_space !44 !kernel_arg_access_qual !45 !kernel_arg_type !46 !kernel_arg_base_type !46 !kernel_arg_type_qual !47 !kernel_arg_name !48 !reqd_work_group_size !13 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #12
  %mul = shl i64 %call, 6
  %add.ptr = getelementptr inbounds nuw i8, ptr addrspace(1) %text, i64 %mul
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspace(1) %edits, i64 %call
  %0 = load i32, ptr addrspace(1) %arrayidx, align 4, !tbaa !4
  %shr = lshr i32 %0, 10
  %and = and i32 %shr, 31
  %shr1 = lshr i32 %0, 15
  %and2 = and i32 %shr1, 15
  %and3 = and i32 %0, 31
  %idx.ext = zext nneg i32 %and3 to i64
  %add.ptr4 = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr, i64 %idx.ext
  %shr5 = lshr i32 %0, 5
  %and6 = and i32 %shr5, 31
  %idx.ext7 = zext nneg i32 %and6 to i64
  %add.ptr8 = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr, i64 %idx.ext7
  %conv = zext nneg i32 %and to i64
  tail call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) align 1 %add.ptr4, ptr addrspace(1) align 1 %add.ptr8, i64 %conv, i1 false)
  %add.ptr9 = getelementptr inbounds nuw i8, ptr addrspace(1) %add.ptr, i64 64
  %idx.ext10 = zext nneg i32 %and2 to i64
  %idx.neg = sub nsw i64 0, %idx.ext10
  %add.ptr11 = getelementptr inbounds i8, ptr addrspace(1) %add.ptr9, i64 %idx.neg
  %shr12 = lshr i32 %0, 24
  %1 = trunc nuw i32 %shr12 to i8
  tail call void @llvm.memset.p1.i64(ptr addrspace(1) align 1 %add.ptr11, i8 %1, i64 %idx.ext10, i1 false)
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local spir_func i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #6

; Function Attrs: convergent nounwind
declare dso_local spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef, i32 noundef) local_unnamed_addr #7

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local spir_func i64 @_Z12get_local_idj(i32 noundef) local_unnamed_addr #6

; Function Attrs: convergent nounwind
declare dso_local spir_func void @_Z7barrierj(i32 noundef) local_unnamed_addr #7

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local spir_func i64 @_Z14get_local_sizej(i32 noundef) local_unnamed_addr #6

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local spir_func i64 @_Z12get_group_idj(i32 noundef) local_unnamed_addr #6

; Function Attrs: convergent nounwind
declare dso_local spir_func void @_Z11vstore_halffmPU3AS4Dh(float noundef, i64 noundef, ptr addrspace(4) noundef) local_unnamed_addr #7

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(read)
declare dso_local spir_func float @_Z10vload_halfmPU3AS4KDh(i64 noundef, ptr addrspace(4) noundef) local_unnamed_addr #8

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #9

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1) writeonly captures(none), ptr addrspace(1) readonly captures(none), i64, i1 immarg) #10

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p1.i64(ptr addrspace(1) writeonly captures(none), i8, i64, i1 immarg) #11

attributes #0 = { convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #1 = { alwaysinline convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #2 = { convergent nofree norecurse nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #3 = { alwaysinline convergent nofree norecurse nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #4 = { convergent mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #5 = { alwaysinline convergent mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #6 = { convergent mustprogress nofree nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #7 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #8 = { convergent mustprogress nofree nounwind willreturn memory(read) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #9 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #11 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #12 = { convergent nounwind willreturn memory(none) }
attributes #13 = { convergent nounwind }
attributes #14 = { convergent nounwind willreturn memory(read) }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!opencl.spir.version = !{!2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 2, i32 0}
!3 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
!8 = !{i32 1, i32 1, i32 1, i32 1, i32 0}
!9 = !{!"none", !"none", !"none", !"none", !"none"}
!10 = !{!"int*", !"int*", !"int*", !"int*", !"uint"}
!11 = !{!"const", !"const", !"", !"", !""}
!12 = !{!"odd", !"even", !"low", !"high", !"n"}
!13 = !{i32 64, i32 1, i32 1}
!14 = !{i32 1, i32 1, i32 1}
!15 = !{!"none", !"none", !"none"}
!16 = !{!"uchar*", !"uint*", !"uint*"}
!17 = !{!"const", !"const", !""}
!18 = !{!"text", !"starts", !"out"}
!19 = !{!6, !6, i64 0}
!20 = distinct !{!20, !21}
!21 = !{!"llvm.loop.unroll.disable"}
!22 = !{i32 1, i32 1, i32 3, i32 0}
!23 = !{!"none", !"none", !"none", !"none"}
!24 = !{!"float*", !"float*", !"float*", !"uint"}
!25 = !{!"const", !"", !"", !""}
!26 = !{!"x", !"out", !"part", !"n"}
!27 = !{!28, !28, i64 0}
!28 = !{!"float", !6, i64 0}
!29 = distinct !{!29, !21}
!30 = !{i32 1, i32 1, i32 1, i32 1}
!31 = !{!"struct Item*", !"uchar4*", !"ushort*", !"half*"}
!32 = !{!"struct Item*", !"uchar __attribute__((ext_vector_type(4)))*", !"ushort*", !"half*"}
!33 = !{!"", !"const", !"", !""}
!34 = !{!"items", !"colours", !"grey", !"halves"}
!35 = !{!36, !37, i64 2}
!36 = !{!"Item", !6, i64 0, !37, i64 2, !38, i64 8, !39, i64 16}
!37 = !{!"short", !6, i64 0}
!38 = !{!"long", !6, i64 0}
!39 = !{!"double", !6, i64 0}
!40 = !{!36, !6, i64 0}
!41 = !{!36, !38, i64 8}
!42 = !{!36, !39, i64 16}
!43 = !{!37, !37, i64 0}
!44 = !{i32 1, i32 1}
!45 = !{!"none", !"none"}
!46 = !{!"uchar*", !"uint*"}
!47 = !{!"", !"const"}
!48 = !{!"text", !"edits"}
