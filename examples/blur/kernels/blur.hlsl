// A separable Gaussian blur of an RGBA image: one pass along the rows, one along the columns.

#include "gauss.hlsli"

Texture2D<float4> source;
[[vk::image_format("rgba8")]] RWTexture2D<float4> target;

cbuffer Params
{
    uint width;
    uint height;
    uint radius;
};

// The weighted mean of the texels along a line through `at`. Colours count by their alpha, so that those of
// transparent texels do not bleed into their neighbours.
float4 along(int2 at, int2 direction)
{
    float4 sum = 0;
    float weights = 0;
    for (int i = -int(radius); i <= int(radius); i++) {
        int2 place = clamp(at + i * direction, int2(0, 0), int2(width, height) - 1);
        float4 texel = source[place];
        float weight = gauss(abs(i), radius);
        sum += weight * float4(texel.rgb * texel.a, texel.a);
        weights += weight;
    }
    float3 colour = sum.a > 0 ? sum.rgb / sum.a : float3(0, 0, 0);
    return float4(colour, sum.a / weights);
}

[numthreads(16, 16, 1)]
void horizontal(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= width || id.y >= height)
        return;
    target[id.xy] = along(int2(id.xy), int2(1, 0));
}

[numthreads(16, 16, 1)]
void vertical(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= width || id.y >= height)
        return;
    target[id.xy] = along(int2(id.xy), int2(0, 1));
}
