// spirvc: -spirv -T cs_6_2 -E main -fselect-resources -fspv-flatten-resource-arrays -fvk-t-shift 20 1 -fvk-auto-shift-bindings --emit asm
// Each texture and sampler of an array is a resource with a binding of its own; one that is known at run time is chosen.
SamplerState Samplers[2] : register(s1);
Texture2D Fixed[3] : register(t4);
// Does not fit below 4.
Texture2D Free[5];
Texture2D Grid[2][2] : register(space1);
SamplerState S;
RWStructuredBuffer<float4> O[2];
float4 get(Texture2D t[3], uint i) { return t[i].SampleLevel(Samplers[i & 1], 0.5, 0) + t[1].SampleLevel(Samplers[0], 0.25, 0); }
float4 one(Texture2D t) { return t.SampleLevel(S, 0.5, 0); }
[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {
    float4 sum = get(Fixed, i) + one(Fixed[i]) + one(Free[3]);
    for (uint k = 0; k < 2; k++) sum += Grid[k][i].SampleLevel(S, 0.5, 0);
    Texture2D t = Fixed[i];
    if (i > 2) t = Grid[1][i & 1];
    O[i][0] = sum + one(t);
}
