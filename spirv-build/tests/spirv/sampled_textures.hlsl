// spirvc: -T cs_6_6 -E main -fspv-target-env=vulkan1.2 --emit asm
// Textures that come with their sampler, samples of texels, their positions, offsets that are known at run time only.
vk::SampledTexture2D<float4> T;
vk::SampledTexture2DMS<float4> M;
vk::SampledTextureCUBE<float4> Cubes[2];
vk::SampledTexture2DArray Plain;
Texture2DMS<float3> Samples;
Texture2D<bool> Flags;
RWTexture2D<bool2> Pairs;
Texture2D<float4> G;
SamplerState S;
Buffer Words;
RWStructuredBuffer<float4> O;
RWTexture2DMS<float4> Written;
RWTexture2DMSArray<uint> WrittenArray;

template <typename E> E first(vk::SampledTexture2D<E> t) { return t.SampleLevel(float2(0, 0), 0); }

[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    uint status, w, h, levels;
    O[0] = T.SampleLevel(float2(0.5, 0.25), 1) + T.Load(int3(1, 2, 0)) + T[uint2(1, 2)] + T.mips[1][uint2(i, 2)];
    O[1] = M.sample[i][uint2(1, 2)] + Cubes[1].Gather(float3(1, 2, 3)) + Plain.SampleGrad(float3(1, 2, 3), 0.5, 0.25);
    O[2] = T.SampleCmpLevelZero(float2(0, 1), 0.5) + T.CalculateLevelOfDetail(float2(0, 1)) + first(T);
    T.GetDimensions(0, w, h, levels);
    O[3] = float4(w, h, levels, 0);
    O[4].xy = Samples.GetSamplePosition(i);
    if (Flags[uint2(1, i)] && all(Pairs[uint2(1, 2)])) O[5].xyz = Samples.sample[2][uint2(1, i)];
    Pairs[uint2(1, 2)] = bool2(i > 3, true);
    O[6] = G.GatherRed(S, float2(0, 1), int2(i, 1), int2(1, 2), int2(3, 4), int2(0, 0), status);
    O[8] = Written.Load(uint2(1, 2), 3) + Written.sample[i][uint2(1, 2)] + Written[uint2(3, 4)];
    Written.sample[i][uint2(1, 2)] = O[8];
    WrittenArray.sample[1][uint3(1, 2, i)] += WrittenArray.Load(uint3(1, 2, 3), 2, status) + status;
    O[7] = CheckAccessFullyMapped(status) ? G.Gather(S, float2(0, 1), int2(i, i)) : Words[i];
}
