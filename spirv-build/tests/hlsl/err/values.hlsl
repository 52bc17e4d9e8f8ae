// Constructors, choices and characters; enumerations that are no numbers.
struct S { float a; };
enum class Kind { ONE, TWO };
RWStructuredBuffer<float4> o;

[numthreads(1, 1, 1)] void main() {
    float4 v = o[0];
    float3 few = float3(v);
    float one = float(v);
    bool on = bool(v);
    float2x2 fits = float2x2(v);
    S s = { 1 };
    S t = v.x > 0 ? s : s;
    int list[2] = { 1, 2 };
    int other[2] = on ? list : list;
    if (Kind::ONE) {}
    switch (Kind::TWO) { case 1: break; case Kind::TWO: break; }
    int a = 'a' + 'ab' + '' + '\q' + '\x100' + '\400' + '\x' + '\x+1' + '\8' + 1f + 1lL + 0x1e+1;
}
enum Plain { FIRST, SECOND };
void labels(Plain p, uint n) {
    switch (p) { case 0: break; case SECOND: break; case Kind::ONE: break; }
    switch (n) { case FIRST: break; case Kind::TWO: break; case 1 + (uint)Kind::ONE: break; }
}
