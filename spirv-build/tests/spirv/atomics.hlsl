// spirvc: -T cs_6_0 -E main -O3 --emit asm
RWStructuredBuffer<int> ints;
RWStructuredBuffer<uint> uints;
groupshared uint shared_words[64];
groupshared float shared_float;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint i : SV_GroupIndex)
{
    shared_words[i] = i;
    GroupMemoryBarrier();
    InterlockedMin(ints[0], -4);
    InterlockedMax(ints[1], (int)id.x);
    uint old;
    InterlockedXor(shared_words[i ^ 1], 5, old);
    AllMemoryBarrierWithGroupSync();
    InterlockedAnd(uints[0], old);
    InterlockedOr(uints[1], 1u << i);
    InterlockedExchange(uints[2], 8, old);
    InterlockedCompareExchange(uints[3], old, 3, old);
    InterlockedCompareStore(uints[3], old, 4);
    float before;
    InterlockedExchange(shared_float, 2.5, before);
    DeviceMemoryBarrier();
    uints[4] = old + (uint)before;
}
