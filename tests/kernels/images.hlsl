// Texels of floats, integers and unsigned integers: reads and writes in and out of range, sizes.

Texture2D<float4> colours;
Texture2D<float> heights;
Texture2D<int4> signs;
Texture2D<uint> counts;
[[vk::image_format("rgba8")]] RWTexture2D<float4> bytes;
[[vk::image_format("rgba8ui")]] RWTexture2D<uint4> small;
[[vk::image_format("rgba16i")]] RWTexture2D<int4> halves;
[[vk::image_format("r32ui")]] RWTexture2D<uint> words;
[[vk::image_format("rgba32f")]] RWTexture2D<float4> floats;
RWStructuredBuffer<uint> sizes;

cbuffer Params {
    int2 shift;
    float scale;
};

// Copies each kind, displaced: what comes from outside is 0, what goes outside is lost.
[numthreads(8, 8, 1)]
void move(uint3 id : SV_DispatchThreadID)
{
    uint w, h;
    bytes.GetDimensions(w, h);
    if (any(id.xy >= uint2(w, h)))
        return;
    int2 from = int2(id.xy) + shift;
    bytes[id.xy] = colours[from] * scale;
    floats[int2(id.xy) - shift] = float4(heights[from], colours.Load(int3(from + int2(1, 0), 0)).xyz);
    halves[id.xy] = signs[from] * 2 - 1;
    small[id.xy] = counts[from] + uint4(0, 1, 2, 3);
    if (all(id.xy == 0)) {
        colours.GetDimensions(w, h);
        sizes[0] = w;
        sizes[1] = h;
        words.GetDimensions(w, h);
        sizes[2] = w;
        sizes[3] = h;
    }
}

// Reads what it wrote, in the same item.
[numthreads(8, 8, 1)]
void twice(uint3 id : SV_DispatchThreadID)
{
    words[id.xy] = words[id.xy] * 3 + 1;
    words[id.xy] = words[id.xy] + id.x;
    small[id.xy] = small[id.xy] + 1;
}

// The one level that images have, and texels beside the one that is named.
[numthreads(8, 8, 1)]
void levels(uint3 id : SV_DispatchThreadID)
{
    uint w, h, n;
    colours.GetDimensions(0, w, h, n);
    if (any(id.xy >= uint2(w, h)))
        return;
    if (all(id.xy == 0)) {
        sizes[0] = w;
        sizes[1] = h;
        sizes[2] = n;
    }
    int2 at = int2(id.xy);
    floats[id.xy] = float4(colours.mips[0][at].x, colours.Load(int3(at, 0), int2(1, -1)).y, heights.Load(int3(at, 0), int2(-2, 3)), 1);
}
