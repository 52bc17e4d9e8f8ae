// The sum of all values: each work-group adds up its share in groupshared memory, one atomic addition each.
#define GROUP 128

StructuredBuffer<uint> values;
RWStructuredBuffer<uint> total;
cbuffer Params {
    uint n;
};

groupshared uint partial[GROUP];

[numthreads(GROUP, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    partial[lane] = id.x < n ? values[id.x] : 0;
    GroupMemoryBarrierWithGroupSync();
    for (uint half = GROUP / 2; half > 0; half /= 2) {
        if (lane < half)
            partial[lane] += partial[lane + half];
        GroupMemoryBarrierWithGroupSync();
    }
    if (lane == 0)
        InterlockedAdd(total[0], partial[0]);
}
