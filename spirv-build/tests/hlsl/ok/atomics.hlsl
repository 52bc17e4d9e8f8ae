groupshared uint counter;
groupshared int cells[4][4];
RWStructuredBuffer<int> o;
RWTexture2D<uint> image;
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint l : SV_GroupIndex) {
    if (l == 0) counter = 0;
    AllMemoryBarrierWithGroupSync();
    uint old, prior;
    InterlockedAdd(counter, 1, old);
    InterlockedMin(cells[l / 4][l % 4], -1);
    InterlockedOr(o[id.x], 4);
    InterlockedExchange(counter, 7u, prior);
    InterlockedCompareExchange(counter, 7u, 8u, prior);
    InterlockedCompareStore(counter, 7u, 8u);
    InterlockedXor(image[id.xy], 1u);
    DeviceMemoryBarrier();
    GroupMemoryBarrier();
    int signed_old;
    InterlockedAnd(cells[0][1], 3, signed_old);
    o[id.x] = old + prior + signed_old;
}
