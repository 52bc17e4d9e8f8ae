[[vk::binding(0, 0)]] cbuffer Constants { float4 scale; uint2 size; };
[[vk::binding(1, 0)]] Texture2D<float4> src;
[[vk::binding(0, 1)]] [[vk::image_format("rgba8")]] RWTexture2D<float4> dst;

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (all(id.xy < size))
        dst[id.xy] = src[id.xy] * scale;
}
