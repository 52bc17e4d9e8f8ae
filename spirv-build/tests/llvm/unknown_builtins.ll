; Builtin functions that have no form here, and a function that some library may have.
target triple = "spir64"

declare spir_func <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i(ptr addrspace(1), <2 x i32>)
declare spir_func i32 @_Z31intel_sub_group_shuffle_strangeij(i32, i32)
declare spir_func i64 @_Z10ndrange_1Dm(i64)
declare spir_func i32 @_Z3dotDv4_cS_(<4 x i8>, <4 x i8>)
declare spir_func i32 @_Z16__spirv_NoSuchOpi(i32)
declare spir_func i32 @_Z6librarym(i64)
declare spir_func i32 @read_image_of_mine(i32)

define spir_kernel void @k(ptr addrspace(1) %o, ptr addrspace(1) %img, <4 x i8> %v) {
  %a = call spir_func i32 @_Z31intel_sub_group_shuffle_strangeij(i32 1, i32 2)
  %b = call spir_func i64 @_Z10ndrange_1Dm(i64 4)
  %c = call spir_func <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i(ptr addrspace(1) %img, <2 x i32> zeroinitializer)
  %d = call spir_func i32 @_Z3dotDv4_cS_(<4 x i8> %v, <4 x i8> %v)
  %e = call spir_func i32 @_Z16__spirv_NoSuchOpi(i32 1)
  %f = call spir_func i32 @_Z6librarym(i64 1)
  %g = call spir_func i32 @read_image_of_mine(i32 %f)
  store i32 %g, ptr addrspace(1) %o
  ret void
}
