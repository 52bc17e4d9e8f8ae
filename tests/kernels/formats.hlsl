// Texels of every kind read as floats and integers, and written to storage images of declared formats.

Texture2D<float4> source;
Texture2D<uint4> integers;
[[vk::image_format("rgba32f")]] RWTexture2D<float4> as_floats;
[[vk::image_format("rgba8")]] RWTexture2D<float4> as_unorm8;
[[vk::image_format("rgba8snorm")]] RWTexture2D<float4> as_snorm8;
[[vk::image_format("rgba16f")]] RWTexture2D<float4> as_halves;
[[vk::image_format("rgba32ui")]] RWTexture2D<uint4> as_words;
[[vk::image_format("r32f")]] RWTexture2D<float> as_float;

bool inside(uint2 at)
{
    uint width, height;
    source.GetDimensions(width, height);
    return at.x < width && at.y < height;
}

[numthreads(8, 4, 1)]
void read(uint2 id : SV_DispatchThreadID)
{
    if (inside(id))
        as_floats[id] = source[id];
}

[numthreads(8, 4, 1)]
void write(uint2 id : SV_DispatchThreadID)
{
    if (!inside(id))
        return;
    float4 v = source.Load(int3(id, 0));
    as_unorm8[id] = v;
    as_snorm8[id] = v;
    as_halves[id] = v;
    as_float[id] = v.y;
}

// The neighbour to the left, nothing outside; and a write that is nowhere.
[numthreads(8, 4, 1)]
void words(uint2 id : SV_DispatchThreadID)
{
    as_words[id] = integers.Load(int3(int2(id) - int2(1, 0), 0)) + uint4(0, 0, 0, 1);
    as_words[id + uint2(0, 1000)] = 7;
}
