// Textures of any format: loaded with each number of components, and sampled.

Texture2D<float4> four;
Texture2D<float3> three;
Texture2D<float2> two;
Texture2D<float> one;
Texture2D<uint4> words;
Texture2D<int4> numbers;
Texture2D<uint> word;
SamplerState nearest;
RWStructuredBuffer<float4> seen;
RWStructuredBuffer<uint4> bits;
[[vk::image_format("rgb10a2")]] RWTexture2D<float4> as_rgb10a2;
[[vk::image_format("r11g11b10f")]] RWTexture2D<float3> as_rg11b10;
[[vk::image_format("rgb10a2ui")]] RWTexture2D<uint4> as_rgb10a2_words;

static const uint WIDTH = 64;

[numthreads(64, 1, 1)]
void load(uint2 id : SV_DispatchThreadID)
{
    seen[id.y * WIDTH + id.x] = four.Load(int3(id, 0));
}

[numthreads(64, 1, 1)]
void sample(uint2 id : SV_DispatchThreadID)
{
    uint width, height;
    four.GetDimensions(width, height);
    seen[id.y * WIDTH + id.x] = four.SampleLevel(nearest, (id + 0.5) / float2(width, height), 0);
}

// Each number of components, a row each.
[numthreads(64, 1, 1)]
void parts(uint2 id : SV_DispatchThreadID)
{
    float4 v = float4(one[id], -1, -1, -1);
    if (id.y % 3 == 1)
        v = float4(two[id], -1, -1);
    if (id.y % 3 == 2)
        v = float4(three[id], -1);
    seen[id.y * WIDTH + id.x] = v;
}

[numthreads(64, 1, 1)]
void unsigned_words(uint2 id : SV_DispatchThreadID)
{
    uint4 v = words[id];
    bits[id.y * WIDTH + id.x] = id.y % 2 == 0 ? v : uint4(word[id], v.yzw);
}

[numthreads(64, 1, 1)]
void signed_words(uint2 id : SV_DispatchThreadID)
{
    bits[id.y * WIDTH + id.x] = asuint(numbers[id]);
}

[numthreads(64, 1, 1)]
void store(uint2 id : SV_DispatchThreadID)
{
    float4 v = four[id];
    as_rgb10a2[id] = v;
    as_rg11b10[id] = v.xyz;
    as_rgb10a2_words[id] = uint4(id.x, id.y, 1023, 2);
}
