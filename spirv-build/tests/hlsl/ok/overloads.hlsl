RWStructuredBuffer<float4> o;
float f(float x) { return x; }
int f(int x) { return x + 1; }
uint f(uint x) { return x + 2; }
float2 f(float2 x) { return x.yx; }
float g(float x, float y = 2, int z = 3) { return x + y + z; }
float abs(float4 x) { return x.x; }
int later(int x);
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    o[0] = float4(f((int)1), f(1.5), f(id.x), f(float2(1, 2)).x);
    o[1] = g(1) + g(1, 4) + g(1, 2, 3) + later(2) + abs(o[2]) + abs(-2);
}
int later(int x) { return f(x); }
