; A struct by value, a table, private memory of several widths, vectors of eight, doubles, saturation.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"

%pair = type { float, i32 }
@table = internal addrspace(2) constant [3 x i16] [i16 7, i16 -1, i16 300], align 2

declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func zeroext i8 @_Z17convert_uchar_satf(float)
declare spir_func <8 x float> @_Z4fmaxDv8_fS_(<8 x float>, <8 x float>)

define spir_kernel void @forms(ptr byval(%pair) align 4 %by, ptr addrspace(1) %bytes, ptr addrspace(1) %wide) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %mem = alloca i64, align 8
  store i64 %id, ptr %mem, align 8
  %half = getelementptr inbounds i8, ptr %mem, i64 4
  %high = load i32, ptr %half, align 4
  %f = load float, ptr %by, align 4
  %second = getelementptr inbounds %pair, ptr %by, i32 0, i32 1
  %n = load i32, ptr %second, align 4
  %at = getelementptr inbounds [3 x i16], ptr addrspace(2) @table, i64 0, i64 %id
  %t = load i16, ptr addrspace(2) %at, align 2
  %tw = sext i16 %t to i32
  %sum = add i32 %tw, %n
  %sum2 = add i32 %sum, %high
  %g = sitofp i32 %sum2 to float
  %h = fadd float %f, %g
  %c = call spir_func zeroext i8 @_Z17convert_uchar_satf(float %h)
  %to = getelementptr inbounds i8, ptr addrspace(1) %bytes, i64 %id
  store i8 %c, ptr addrspace(1) %to, align 1
  %vp = getelementptr inbounds <8 x float>, ptr addrspace(1) %wide, i64 %id
  %v = load <8 x float>, ptr addrspace(1) %vp, align 32
  %m = call spir_func <8 x float> @_Z4fmaxDv8_fS_(<8 x float> %v, <8 x float> zeroinitializer)
  %r = shufflevector <8 x float> %m, <8 x float> poison, <8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
  store <8 x float> %r, ptr addrspace(1) %vp, align 32
  ret void
}
