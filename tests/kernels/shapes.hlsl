// Images that are no plain ones of two dimensions: read, written, sampled, measured, counted in.

Texture1D<float> ray;
Texture1DArray<float> rays;
Texture2DArray<float4> layers;
Texture3D<float4> volume;
TextureCube<float4> sky;
TextureCubeArray<float> skies;
SamplerState smooth;
StructuredBuffer<float4> points;
RWStructuredBuffer<float4> results;
RWStructuredBuffer<uint> sizes;

[[vk::image_format("r32f")]] RWTexture1D<float> ray_out;
[[vk::image_format("rgba8")]] RWTexture2DArray<float4> layers_out;
[[vk::image_format("rgba32f")]] RWTexture3D<float4> volume_out;
[[vk::image_format("r32ui")]] RWTexture3D<uint> votes;
[[vk::image_format("r32i")]] RWTexture2DArray<int> ballots;
[[vk::image_format("r32ui")]] RWTexture1D<uint> marks;

cbuffer Params {
    uint count;
    int3 shift;
    float level;
};

// Copies texels, displaced: what comes from outside is 0, what goes outside is lost.
[numthreads(4, 4, 4)]
void move(int3 id : SV_DispatchThreadID)
{
    uint3 size;
    volume_out.GetDimensions(size.x, size.y, size.z);
    if (any(uint3(id) >= size))
        return;
    volume_out[id] = volume[id + shift] + volume.Load(int4(id, 0), int3(1, 0, -1));
    layers_out[id - shift] = layers[id + shift];
    if (all(id.yz == 0))
        ray_out[id.x - shift.x] = ray[id.x + shift.x] + rays[int2(id.x, shift.z)];
    if (all(id == 0)) {
        uint n, l, w, h, d;
        ray.GetDimensions(sizes[0]);
        rays.GetDimensions(sizes[1], sizes[2]);
        layers.GetDimensions(sizes[3], sizes[4], sizes[5]);
        volume.GetDimensions(0, w, h, d, n);
        sizes[6] = w;
        sizes[7] = h;
        sizes[8] = d;
        sizes[9] = n;
        sky.GetDimensions(sizes[10], sizes[11]);
        skies.GetDimensions(sizes[12], sizes[13], sizes[14]);
        layers_out.GetDimensions(sizes[15], sizes[16], sizes[17]);
    }
}

[numthreads(64, 1, 1)]
void sample_all(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    float4 p = points[id];
    results[id * 4] = volume.SampleLevel(smooth, p.xyz, level);
    results[id * 4 + 1] = layers.SampleLevel(smooth, float3(p.xy, p.w), level);
    results[id * 4 + 2] = float4(ray.SampleLevel(smooth, p.x, 0), rays.SampleLevel(smooth, float2(p.x, p.w), 0), 0, 0);
    results[id * 4 + 3] = layers.GatherBlue(smooth, float3(p.xy, p.w));
}

// The points are directions.
[numthreads(64, 1, 1)]
void look(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    float4 p = points[id];
    results[id * 2] = sky.SampleLevel(smooth, p.xyz, level);
    results[id * 2 + 1] = skies.SampleLevel(smooth, p, 0);
}

// Each thread votes, some of them outside.
[numthreads(64, 1, 1)]
void vote(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    uint3 at = uint3(id, id / 5, id / 25) % uint3(6, 5, 4);
    uint before;
    InterlockedAdd(votes[at], id, before);
    InterlockedMin(ballots[at], -int(before % 3 + 1));
    InterlockedAdd(marks[at.x], 1u);
}

// Half of what is read, with nothing between levels: from one level to the next.
[[vk::image_format("rgba8")]] RWTexture2D<float4> small;
Texture2D<float4> large;

[numthreads(8, 8, 1)]
void halve(uint2 id : SV_DispatchThreadID)
{
    uint2 size;
    small.GetDimensions(size.x, size.y);
    if (any(id >= size))
        return;
    float4 sum = 0;
    for (uint i = 0; i < 4; i++)
        sum += large[id * 2 + uint2(i & 1, i >> 1)];
    small[id] = sum / 4;
}
