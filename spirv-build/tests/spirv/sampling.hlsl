// spirvc: -T cs_6_6 -E main -fspv-target-env=vulkan1.1 --emit asm
// Samplers: explicit levels and gradients, comparisons, gathers, levels; derivatives over quads.
Texture2D<float4> Colour;
Texture2DArray<float2> Layers;
Texture3D<float> Volume;
TextureCube<float3> Sky;
SamplerState Linear;
SamplerComparisonState Less;
RWStructuredBuffer<float4> Out;

[numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID, uint i : SV_GroupIndex) {
    float2 at = id.xy * 0.125;
    float4 sum = Colour.SampleLevel(Linear, at, 0);
    sum += Colour.SampleLevel(Linear, at, 1.5, int2(1, -1));
    sum += Colour.SampleGrad(Linear, at, float2(0.5, 0), float2(0, 0.5));
    sum.xy += Layers.SampleLevel(Linear, float3(at, i), 0);
    sum.x += Volume.SampleLevel(Linear, float3(at, 0.5), 2);
    sum.xyz += Sky.SampleLevel(Linear, float3(at, 1), 0);
    sum.w += Colour.SampleCmpLevelZero(Less, at, 0.5);
    sum += Colour.Gather(Linear, at);
    sum += Colour.GatherBlue(Linear, at, int2(i, 2));
    sum += Colour.GatherAlpha(Linear, at, int2(0, 0), int2(1, 0), int2(0, 1), int2(1, 1));
    sum += Colour.GatherCmp(Less, at, 0.25);
    sum += Colour.Sample(Linear, at);
    sum += Colour.SampleBias(Linear, at, 0.5, int2(0, 1), 1.0);
    sum.x += Colour.CalculateLevelOfDetail(Linear, at) + Colour.CalculateLevelOfDetailUnclamped(Linear, at);
    sum += ddx(sum) + ddy_fine(sum);
    Out[i] = sum;
}
