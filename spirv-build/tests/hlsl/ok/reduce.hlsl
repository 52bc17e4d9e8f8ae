#define GROUP 256

StructuredBuffer<uint> input;
RWStructuredBuffer<uint> total;
uint count;

groupshared uint partial[GROUP];

[numthreads(GROUP, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex) {
    partial[lane] = id.x < count ? input[id.x] : 0;
    GroupMemoryBarrierWithGroupSync();
    for (uint step = GROUP / 2; step > 0; step >>= 1) {
        if (lane < step)
            partial[lane] += partial[lane + step];
        GroupMemoryBarrierWithGroupSync();
    }
    if (lane == 0)
        InterlockedAdd(total[0], partial[0]);
}
