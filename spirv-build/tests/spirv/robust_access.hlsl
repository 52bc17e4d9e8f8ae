// spirvc: -T cs_6_6 -E main -frobust-access --emit asm
// Only indices that may be out of range cost something: what ids, masks, loops and comparisons bound stays as it is.

groupshared float known[64];
groupshared float4 unknown[16];
RWStructuredBuffer<float> result;
RWStructuredBuffer<float3x4> matrices;
Texture2D<float> images[4];
cbuffer Params {
    uint n;
    float4 rows[5];
};

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    // In range: the lane, a loop, a mask, a remainder, a halved stride behind a comparison.
    known[lane] = 0;
    float own[8];
    for (int i = 0; i < 8; i++)
        own[i] = i;
    float sum = own[id.x & 7] + own[id.x % 8];
    for (uint step = 32; step > 0; step >>= 1) {
        if (lane < step)
            known[lane] += known[lane + step];
        GroupMemoryBarrierWithGroupSync();
    }
    if (n < 5)
        sum += rows[n].x;
    // Not known: a read and a write of private memory, of groupshared memory, of a part of an element, a resource.
    own[n] = sum;
    unknown[n].y = own[n + 1];
    sum += unknown[id.x].x + matrices[id.x][n].x + rows[n].y + images[n][uint2(0, 0)];
    result[id.x] = sum;
}
