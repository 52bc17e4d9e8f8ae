// Implicit and explicit conversions, literals, folding.
RWStructuredBuffer<float4> o;
static const uint MASK = (1u << 5) - 1;
static const float HALF = 1 / 2.0;
static const int NEGATIVE = -7 / 2;
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    float f = 1;
    int i = (int)f;
    uint u = i;
    bool b = u;
    float3 v = f;
    float3 w = float3(id) * 2 + i;
    int2 t = (int2)w.xy;
    double d = f;
    f = (float)d + HALF + MASK + NEGATIVE;
    u = b ? 1 : 0;
    half h = f;
    min16float m = h;
    float4x4 z = (float4x4)0;
    f += u + i * 2u + !b + ~i;
    f = -f;
    o[id.x] = float4(v + w, f + t.x + m + 1.xxx.x + .5) + z[1];
}
