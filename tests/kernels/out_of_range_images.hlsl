// Texels that are not there, and resources that are not: a texel is 0, of an array of resources the last one is meant.

StructuredBuffer<uint> index;
RWStructuredBuffer<uint> output;
Texture2D<float> image;
RWTexture2D<float> target;
Buffer<uint> texels;
RWBuffer<uint> targets;
Texture2D<float> several[3];

[numthreads(1, 1, 1)] void coordinates(uint3 group : SV_GroupID)
{
    uint i = index[group.x];
    output[group.x] = uint(image[uint2(i, 1)]);
    target[uint2(i, 1)] = 1100.0 + i;
}

[numthreads(1, 1, 1)] void typed(uint3 group : SV_GroupID)
{
    uint i = index[group.x];
    output[group.x] = texels[i];
    targets[i] = 1100 + i;
}

[numthreads(1, 1, 1)] void resources(uint3 group : SV_GroupID)
{
    output[group.x] = uint(several[index[group.x]][uint2(0, 0)]);
}
