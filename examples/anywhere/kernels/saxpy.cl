// y = a * x + y for each element. The source of saxpy.ll, which is what build.rs compiles:
//
//     clang --target=spir64 -O2 -fno-discard-value-names -cl-std=CL2.0 -cl-kernel-arg-info -S -emit-llvm saxpy.cl

__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void saxpy(global const float *restrict x, global float *restrict y, uint n, float a)
{
    uint i = (uint)get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
