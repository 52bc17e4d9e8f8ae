// spirvc: -T cs_6_2 -fspv-target-env=vulkan1.2
// One of an array of resources for each thread.

SamplerState smooth;
Texture2D<float4> photos[3];
RWStructuredBuffer<float4> results;

[numthreads(64, 1, 1)]
void each(uint id : SV_DispatchThreadID)
{
    uint own = NonUniformResourceIndex(id % 3);
    uint2 at = uint2(id % 16, id / 16);
    results[id] = photos[own].SampleLevel(smooth, float2(at + 0.5) / 16, 0) + photos[own].Load(int3(at, 0));
}
