// spirvc: -spirv -T cs_6_2 -E main --emit asm
// Registers that name a space only: the lowest number there that nothing else has.
struct Two { Texture2D<float4> t; SamplerState s; };
Texture2D<float4> A : register(space2);
Texture2D<float4> B : register(t0, space2);
Texture2D<float4> C : register(space2);
Two Group : register(space3);
RWStructuredBuffer<float4> O : register(u1);
[numthreads(1, 1, 1)] void main() {
    O[0] = A[uint2(0, 0)] + B[uint2(0, 0)] + C[uint2(0, 0)] + Group.t.SampleLevel(Group.s, float2(0, 0), 0);
}
