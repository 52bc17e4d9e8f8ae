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
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (lane < step)
            partial[lane] += partial[lane + step];
        GroupMemoryBarrierWithGroupSync();
    }
    if (lane == 0)
        InterlockedAdd(total[0], partial[0]);
}
