// Arrays of resources: one of all that is the same for a group, and one that is known.

SamplerState smooth;
Texture2D<float4> photos[3];
[[vk::image_format("rgba32f")]] RWTexture2D<float4> copies[2];

[numthreads(8, 8, 1)]
void choose(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID)
{
    uint own = (group.x + group.y) % 3;
    float4 sampled = photos[own].SampleLevel(smooth, float2(id.xy + 0.5) / 16, 0);
    copies[group.x % 2][id.xy] = sampled + photos[group.y % 3].Load(int3(id.xy, 0));
    uint w, h;
    photos[group.x % 3].GetDimensions(w, h);
    copies[1 - group.x % 2][id.xy] = float4(w, h, photos[2][id.yx].xy);
}
