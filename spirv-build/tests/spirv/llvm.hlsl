// spirvc: -T cs_6_0 -E main -O3 --emit llvm
// Code for the host: resources are parameters, control flow is blocks, a barrier is a call.
struct Item {
    float3 at;
    uint count;
};

StructuredBuffer<Item> items;
RWStructuredBuffer<float> sums;
cbuffer Params {
    float scale;
    uint n;
};

groupshared float partial[64];

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    float sum = 0;
    if (id.x < n) {
        Item item = items[id.x];
        for (uint i = 0; i < item.count; i++)
            sum += sin(item.at.y * scale + i);
    }
    partial[lane] = sum;
    GroupMemoryBarrierWithGroupSync();
    if (lane == 0)
        sums[id.x / 64] = max(partial[0], partial[63]);
}
