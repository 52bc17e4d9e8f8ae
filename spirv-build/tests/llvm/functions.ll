; What is made of several instructions, and what metadata says.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"

declare { float, i32 } @llvm.frexp.f32.i32(float)
declare i1 @llvm.is.fpclass.f32(float, i32)
declare i32 @llvm.ushl.sat.i32(i32, i32)
declare i4 @llvm.bitreverse.i4(i4)
declare i4 @llvm.ctlz.i4(i4, i1)
declare i64 @llvm.lround.i64.f32(float)
declare void @llvm.trap()
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
declare i32 @_Z20__spirv_SpecConstantii(i32, i32)

define spir_kernel void @functions(ptr addrspace(1) %to, float %x, i32 %n) !spirv.ParameterDecorations !10 {
  %parts = call { float, i32 } @llvm.frexp.f32.i32(float %x)
  %fraction = extractvalue { float, i32 } %parts, 0
  %exponent = extractvalue { float, i32 } %parts, 1
  %odd = call i1 @llvm.is.fpclass.f32(float %fraction, i32 263)
  %shifted = call i32 @llvm.ushl.sat.i32(i32 %exponent, i32 %n)
  %four = trunc i32 %n to i4
  %turned = call i4 @llvm.bitreverse.i4(i4 %four)
  %zeros = call i4 @llvm.ctlz.i4(i4 %turned, i1 false)
  %whole = call i64 @llvm.lround.i64.f32(float %x)
  %low = trunc i64 %whole to i32
  %known = call i32 @_Z20__spirv_SpecConstantii(i32 7, i32 40)
  %wide = zext i4 %zeros to i32
  %truth = zext i1 %odd to i32
  %byte = trunc i32 %n to i8
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %to, i8 %byte, i64 8, i1 false)
  %six = insertelement <6 x i32> poison, i32 %shifted, i64 0
  %six1 = insertelement <6 x i32> %six, i32 %low, i64 5
  %twice = add <6 x i32> %six1, %six1
  %last = extractelement <6 x i32> %twice, i64 5
  %s1 = add i32 %wide, %truth
  %s2 = add i32 %s1, %known
  %f = sitofp i32 %s2 to float, !spirv.Decorations !12
  %i = fptosi float %f to i32
  %s3 = add i32 %i, %last
  %p = getelementptr inbounds i32, ptr addrspace(1) %to, i64 2
  store i32 %s3, ptr addrspace(1) %p, align 4
  %bad = icmp eq i32 %n, 1000
  br i1 %bad, label %stop, label %go
stop:
  call void @llvm.trap()
  unreachable
go:
  ret void
}

!opencl.ocl.version = !{!0}
!0 = !{i32 1, i32 2}
!10 = !{!11, !14, !14}
!11 = !{!15}
!12 = !{!13}
!13 = !{i32 39, i32 0}
!14 = !{}
!15 = !{i32 19}
