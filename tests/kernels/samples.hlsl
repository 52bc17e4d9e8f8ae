// spirvc: -T cs_6_7
// Samples of images of two dimensions: of all levels, with offsets, by derivatives, compared, gathered.

Texture2D<float4> photo;
Texture2D<float> depths;
Texture2D<uint> counts;
SamplerState smooth;
SamplerComparisonState nearer;
// x, y, and what else the entry point takes: a level or a reference.
StructuredBuffer<float4> points;
RWStructuredBuffer<float4> results;

cbuffer Params {
    uint count;
    // Derivatives along x and along y.
    float2 along;
    float2 down;
};

// In one place: one descriptor.
[[vk::combinedImageSampler]] [[vk::binding(0, 1)]] Texture2D<float4> picture;
[[vk::combinedImageSampler]] [[vk::binding(0, 1)]] SamplerState way;

[numthreads(64, 1, 1)]
void together(uint id : SV_DispatchThreadID)
{
    if (id < count)
        results[id] = picture.SampleLevel(way, points[id].xy, 0) + picture.Load(int3(0, 0, 0));
}

[numthreads(64, 1, 1)]
void levels(uint id : SV_DispatchThreadID)
{
    if (id < count)
        results[id] = photo.SampleLevel(smooth, points[id].xy, points[id].z);
}

[numthreads(64, 1, 1)]
void offsets(uint id : SV_DispatchThreadID)
{
    if (id < count)
        results[id] = photo.SampleLevel(smooth, points[id].xy, 0, int2(-3, 5));
}

[numthreads(64, 1, 1)]
void derivatives(uint id : SV_DispatchThreadID)
{
    if (id < count)
        results[id] = photo.SampleGrad(smooth, points[id].xy, along * points[id].z, down * points[id].z);
}

[numthreads(64, 1, 1)]
void compare(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    float4 p = points[id];
    float one = depths.SampleCmpLevelZero(nearer, p.xy, p.z);
    float moved = depths.SampleCmpLevelZero(nearer, p.xy, p.z, int2(1, -2));
    results[id] = float4(one, moved, 0, 0);
}

[numthreads(64, 1, 1)]
void gather(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    float4 p = points[id];
    results[id * 4] = photo.GatherGreen(smooth, p.xy);
    results[id * 4 + 1] = photo.GatherAlpha(smooth, p.xy, int2(2, -1));
    results[id * 4 + 2] = depths.GatherCmp(nearer, p.xy, p.z);
    results[id * 4 + 3] = photo.GatherRed(smooth, p.xy, int2(0, 0), int2(1, 0), int2(-3, 2), int2(4, 4));
}

[numthreads(64, 1, 1)]
void integers(uint id : SV_DispatchThreadID)
{
    if (id < count)
        results[id] = counts.SampleLevel(smooth, points[id].xy, 0);
}

// A level that differs from lane to lane, and the size of one that does not.
[numthreads(64, 1, 1)]
void fetch(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    uint2 at = uint2(points[id].xy);
    uint level = uint(points[id].z);
    uint width, height, all;
    photo.GetDimensions(uint(along.x), width, height, all);
    results[id * 2] = photo.mips[level][at] + photo.Load(int3(at, level + 1));
    results[id * 2 + 1] = float4(width, height, all, 0);
}
