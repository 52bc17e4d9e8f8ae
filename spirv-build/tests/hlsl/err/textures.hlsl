Texture2D<float4> T;
Texture2DMS<float4> M;
vk::SampledTexture2D<float4> C;
vk::SampledTextureCube<float4> Wrong;
RWBuffer NoElement;
SamplerState S;
SamplerComparisonState Compares;
Texture2D<float4> Nowhere : register();
[[vk::image_format("r16f")]] RWTexture1D<uint> Floats;
[[vk::image_format("r32i")]] RWTexture1D<uint> Signed;
[[vk::image_format("r32ui")]] RWBuffer<uint64_t> Narrow;
[[vk::image_format("rgba8snorm")]] RWTexture1D<float4> Right;
[[vk::image_format("r32ui")]] RWTexture1D<bool> RightToo;
[numthreads(1, 1, 1)] void main() {
    float4 v = T.sample[0][uint2(1, 2)] + M.mips[0][uint2(1, 2)] + M.sample[0];
    v += T.GatherCmpGreen(Compares, float2(0, 0), 0);
    v += T.GetSamplePosition(0).x + M.GetSamplePosition().x;
    v += C.SampleLevel(S, float2(0, 0), 0) + C.SampleLevel(float2(0, 0)) + C.GatherRaw(float2(0, 0));
}
