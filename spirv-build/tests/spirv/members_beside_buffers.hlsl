// spirvc: -T cs_6_8 -E main --emit asm
// Resources in a cbuffer are variables beside it; lists that initialise what the host sets, and ranges of wave sizes, are read.
cbuffer C { Texture2D<float4> t; float x; struct Inner { float q; } inner; };
groupshared struct S { float a; } shared_value = { 1 };
int a[3] = { 1, 2, 3 };
int b[] = { 1, 2, 3 };
RWStructuredBuffer<float> o;

[shader("compute")] [WaveSize(8, 64)] [numthreads(1, 1, 1)]
void main() {
    shared_value.a = 1;
    [unroll(2)] for (int k = 0; k < 3; k++) o[k] = a[k] + x + t[uint2(k, 0)].x + b[k] + inner.q + shared_value.a;
}
