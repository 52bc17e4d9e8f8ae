// spirvc: -T cs_6_8
// Atomic operations beside those of 32-bit integers in buffers of them: floats, and words of 64 bits in bytes.

RWStructuredBuffer<float> latest;
RWStructuredBuffer<float> before;
RWByteAddressBuffer words;
cbuffer Params {
    uint count;
};

groupshared float last_of_group;

// Each thread leaves its number and takes the one that it finds, in its group and among the last of the groups.
[numthreads(64, 1, 1)]
void exchange(uint id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    if (lane == 0)
        last_of_group = -1;
    Barrier(GROUP_SHARED_MEMORY, GROUP_SCOPE | GROUP_SYNC);
    float found = 0;
    if (id < count) {
        InterlockedExchange(last_of_group, id + 0.5f, found);
        before[id] = found;
    }
    Barrier(GROUP_SHARED_MEMORY, GROUP_SCOPE | GROUP_SYNC);
    if (lane == 0 && id < count) {
        InterlockedExchange(latest[0], last_of_group, found);
        latest[1 + id / 64] = found;
    }
}

// Words of 64 and of 32 bits beside each other.
[numthreads(64, 1, 1)]
void wide(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    uint64_t value = 0x100000001ull * id;
    uint64_t found;
    words.InterlockedAdd64(0, value, found);
    words.InterlockedMax64(8, value);
    words.InterlockedMin64(16, -(int64_t)value);
    words.InterlockedOr64(24 + id / 64 * 8, 1ull << (id % 64));
    words.InterlockedAdd(4 * (6 + (count + 63) / 64 * 2), 1);
}
