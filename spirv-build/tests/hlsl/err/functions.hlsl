RWStructuredBuffer<float> o;
float f(float x) { return x; }
float f(float x) { return x + 1; }
int missing(int x) { if (x > 0) return 1; }
float proto(float x);
int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
float a(float x);
float b(float x) { return a(x); }
float a(float x) { return b(x); }
void out1(out float x) { x = 1; }
float g(float x, float2 y) { return x; }
float h(float2 x) { return 1; }
float h(int2 x) { return 2; }
void nothing() { return 1; }
float something() { return; }
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    o[0] = proto(1) + f(1, 2) + g(1) + f();
    out1(1);
    out1(id + 1);
    o[0] = nothing();
    o[0] = h(o[1]);
    id(1);
    f = 1;
    o[0] = something() + fact(3) + b(1);
}
float two(float x, int y) { return 1; }
float two(int x, float y) { return 2; }
float ambiguous() { return two(1, 1); }
int lossy(float v) { return 1; }
int lossy(float3 v) { return 2; }
int same_loss() { return lossy(float4(1, 2, 3, 4)); }

// A default value is looked at where it stands.
uint late(uint a = defined_later()) { return a; }
uint defined_later() { return 1; }
uint mistyped(float2 a = float3(1, 2, 3).xyzz) { return 1; }
uint neighbours(uint one = 1, uint other = one) { return other; }
uint use_defaults() { return late() + mistyped() + neighbours(2); }
