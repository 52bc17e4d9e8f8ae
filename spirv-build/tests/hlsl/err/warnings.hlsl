const float notConstant = 3;
RWStructuredBuffer<float> o;
// Only methods: it needs no value. The other one is zero.
struct OnlyMethods { float operator[](uint i) { return o[i]; } };
struct Derived : OnlyMethods {};
static const Derived no_data;
static const struct { OnlyMethods none; float one; } data;
#pragma unroll
#pragma unroll
#pragma kernel main
#pragma kernel other
#pragma something else
[numthreads(1, 1, 1)]
[fancy]
void main(uint id : SV_DispatchThreadID) {
    float a = 1;
    a == 2;
    float2 v = float3(1, 2, 3);
    [unrol] for (int i = 0; i < 3; i++) { }
    if (id > -1) return;
    // All bits, on either side: nothing is strange about it. A smaller number is.
    if (id == -1 || ~0 != id || id == -2) return;
    int big = 99999999999;
}
