// spirvc: -T cs_6_0 -E main --emit asm
// `mul` of operands that do not fit takes what they have in common.
RWStructuredBuffer<float3x3> m;
RWStructuredBuffer<float2x3> n;
RWStructuredBuffer<float4> o;

[numthreads(1, 1, 1)] void main() {
    float3x3 a = mul(m[0], n[0]);
    float2x3 b = mul(n[0], n[1]);
    float2x3 c = mul(n[0], m[1]);
    float3 d = mul(float2(1, 2), m[0]);
    float3 e = mul(m[0], float2(1, 2));
    o[0] = float4(a[2] + b[1] + c[0] + d + e, 0);
}
