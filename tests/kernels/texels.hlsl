// Typed buffers: elements of words, of declared formats, atomics, sizes.

Buffer<float> heights;
Buffer<float2> pairs;
Buffer<float3> places;
Buffer<int4> signs;
RWBuffer<uint> counts;
RWBuffer<float4> sums;
RWBuffer<int2> steps;
[[vk::image_format("rgba8")]] RWBuffer<float4> colours;
[[vk::image_format("r16f")]] RWBuffer<float> halves;
[[vk::image_format("rgba8snorm")]] Buffer<float4> normals;
RWStructuredBuffer<uint> sizes;

cbuffer Params {
    uint count;
    int shift;
};

// Copies elements, displaced: what comes from outside is 0, what goes outside is lost.
[numthreads(64, 1, 1)]
void move(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    int from = int(id) + shift;
    sums[id] = float4(heights[from], pairs[from].y, places[from].z, signs.Load(from).w);
    steps[int(id) - shift] = signs[from].zy * 2;
    if (id == 0) {
        uint n;
        heights.GetDimensions(n);
        sizes[0] = n;
        places.GetDimensions(n);
        sizes[1] = n;
        sums.GetDimensions(n);
        sizes[2] = n;
    }
}

// Texels that are converted.
[numthreads(64, 1, 1)]
void convert(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    colours[id] = colours[id].wzyx * 0.5;
    halves[id] = halves[id] + 1;
    sums[id] = normals[id];
    uint n;
    colours.GetDimensions(n);
    if (id == 0)
        sizes[0] = n;
}

// Each thread counts in one of a few places; those beyond the end are nowhere.
[numthreads(64, 1, 1)]
void count_up(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    uint before;
    InterlockedAdd(counts[id % 7], id, before);
    InterlockedMax(counts[7], id);
    InterlockedOr(counts[1000000], 1u);
}
