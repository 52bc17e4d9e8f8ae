// spirvc: -spirv -T cs_6_2 -E main -fvk-use-dx-layout --emit asm
// Loose uniforms with a register lie where it says, the others behind them.
float a;
float b : register(c1);
float2 c[2] : register(c3);
float3 d;
float4 e : register(c0);
RWStructuredBuffer<float4> O;
[numthreads(1, 1, 1)] void main() { O[0] = e + a + b + float4(c[1], d.xy); }
