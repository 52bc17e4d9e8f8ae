// spirvc: -T cs_6_2 -HV 2018 --emit asm
// Before 2021 logic works on vectors and evaluates all operands.
RWStructuredBuffer<int3> Out;
static int calls = 0;
bool count() { calls++; return true; }
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    int3 v = id;
    Out[0] = (v > 1 && v < 5) ? v : -v;
    if (id.x == 0 || count()) Out[1] = calls;
    Out[2] = id.x > 2 ? v : v.zyx;
    int known = true ? 5 : calls++;              // also where the condition is known
    Out[3] = int3(known, calls, 1 ? calls : 7);
    if (false && count() || true || count()) Out[4] = calls;  // but not where a constant on the left decides
}
[numthreads(1, 1, 1)] void loops(uint3 id : SV_DispatchThreadID) {
    for (int i = 0, j = 5; i < 3; i++) { int i = 4; Out[i] = j; }
    Out[5] = i + j;                              // what is declared in a head stays: 8
    for (int j = 1; j < 2; j++) Out[6] = j;      // and takes the place of others
    Out[7] = j;                                  // 2
}
struct Mixed { int a; float b[3]; };
struct Same { int a; float b; float2 c; };
Mixed take(Same s) { return s; }
[numthreads(1, 1, 1)] void aggregates(uint3 id : SV_DispatchThreadID) {
    Same s = {1, 2, 3, 4};
    Same list[2] = {s, s};
    Mixed other[2] = list;
    Out[0] = take(other[id.x]).a + (int)other[1].b[id.y];
}
