// spirvc: -T cs_6_2 -E main -HV 2018 --emit asm
// Before 2021 logic works on vectors and evaluates all operands.
RWStructuredBuffer<int3> Out;
static int calls = 0;
bool count() { calls++; return true; }
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    int3 v = id;
    Out[0] = (v > 1 && v < 5) ? v : -v;
    if (id.x == 0 || count()) Out[1] = calls;
    Out[2] = id.x > 2 ? v : v.zyx;
}
