// spirvc: --emit asm -T cs_6_2 -HV 202x -O0
// From 202x on a number without suffix has a type: `f(1)` is no longer ambiguous; `>>` closes two lists.
RWStructuredBuffer<float> o;
template <typename T> struct Box { T v; };
float f(int x) { return 1; }
float f(uint x) { return 2; }
float f(int64_t x) { return 3; }
float f(uint64_t x) { return 4; }
float f(float x) { return 5; }
float f(double x) { return 6; }
[numthreads(1, 1, 1)]
void main() {
    o[0] = f(1) + f(2147483648);               // int, int64_t
    o[1] = f(0xf0000000) + f(0x7000000000000000);  // uint, int64_t
    o[2] = f(0xf000000000000000) + f(1.5);     // uint64_t, float
    Box<Box<float>> b = { 7 };
    o[4] = b.v.v;
    o[3] = __HLSL_VERSION;                     // 2029
}
