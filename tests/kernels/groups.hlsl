// What the items of a work-group do together: groupshared memory, barriers in straight lines, loops and branches,
// values that live across them.

StructuredBuffer<uint> input;
RWStructuredBuffer<uint> output;
cbuffer Params {
    uint n;
    uint mode;
};

groupshared uint shared_words[256];

// Inclusive prefix sums of each group's 256 values; the running value lives across every barrier.
[numthreads(256, 1, 1)]
void scan(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    uint value = id.x < n ? input[id.x] : 0;
    uint own = value;
    shared_words[lane] = value;
    GroupMemoryBarrierWithGroupSync();
    for (uint step = 1; step < 256; step *= 2) {
        uint other = lane >= step ? shared_words[lane - step] : 0;
        GroupMemoryBarrierWithGroupSync();
        value += other;
        shared_words[lane] = value;
        GroupMemoryBarrierWithGroupSync();
    }
    if (id.x < n)
        output[id.x] = value - own * (mode & 1);
}

// Sorts each group's 256 values: barriers in two nested loops.
[numthreads(256, 1, 1)]
void sort(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    shared_words[lane] = id.x < n ? input[id.x] : 0xffffffff;
    GroupMemoryBarrierWithGroupSync();
    for (uint width = 2; width <= 256; width *= 2) {
        for (uint step = width / 2; step > 0; step /= 2) {
            uint partner = lane ^ step;
            if (partner > lane) {
                uint a = shared_words[lane], b = shared_words[partner];
                bool up = (lane & width) == 0;
                if ((a > b) == up) {
                    shared_words[lane] = b;
                    shared_words[partner] = a;
                }
            }
            GroupMemoryBarrierWithGroupSync();
        }
    }
    if (id.x < n)
        output[id.x] = shared_words[lane];
}

groupshared uint counts[16];
groupshared uint lowest, highest;
groupshared int balance;

// Sixteen counts, the least, the greatest and an exchange, all by atomics.
[numthreads(64, 1, 1)]
void statistics(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID, uint lane : SV_GroupIndex)
{
    if (lane < 16)
        counts[lane] = 0;
    if (lane == 0) {
        lowest = 0xffffffff;
        highest = 0;
        balance = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    if (id.x < n) {
        uint v = input[id.x], before;
        InterlockedAdd(counts[v & 15], 1, before);
        InterlockedMin(lowest, v);
        InterlockedMax(highest, v);
        InterlockedAdd(balance, (v & 1) ? 3 : -2);
        // Marks each count's first item by exchanging a zero for something.
        uint old;
        InterlockedCompareExchange(output[32 + (v & 15)], 0u, 1u, old);
        InterlockedOr(output[48], 1u << (v & 31));
        InterlockedXor(output[49], v);
    }
    GroupMemoryBarrierWithGroupSync();
    if (lane < 16)
        InterlockedAdd(output[lane], counts[lane]);
    if (lane == 0) {
        InterlockedMin(output[50], lowest);
        InterlockedMax(output[51], highest);
        InterlockedAdd(output[52], uint(balance));
    }
}

// A barrier that only some modes reach, the same for the whole group, and one in a function that returns early.
uint neighbour(uint lane, uint value)
{
    if (mode == 3)
        return value;
    shared_words[lane] = value;
    GroupMemoryBarrierWithGroupSync();
    uint next = shared_words[(lane + 1) & 63];
    GroupMemoryBarrierWithGroupSync();
    return next;
}

[numthreads(64, 1, 1)]
void branches(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    uint value = id.x * 10 + mode;
    if (mode > 0) {
        shared_words[63 - lane] = value;
        GroupMemoryBarrierWithGroupSync();
        value = shared_words[lane] + (lane & 1);
        GroupMemoryBarrierWithGroupSync();
        if (mode > 1)
            value = neighbour(lane, value);
    }
    uint rounds = 0;
    while (true) {
        shared_words[lane] = value + rounds;
        GroupMemoryBarrierWithGroupSync();
        value = shared_words[lane ^ 1];
        GroupMemoryBarrierWithGroupSync();
        rounds++;
        if (rounds > mode)
            break;
    }
    if (id.x < n)
        output[id.x] = value;
}

// Every system value, in a group whose size is no power of two.
[numthreads(5, 3, 2)]
void places(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID, uint3 local : SV_GroupThreadID,
            uint lane : SV_GroupIndex)
{
    uint3 size = uint3(mode & 255, (mode >> 8) & 255, mode >> 16);
    if (any(id >= size))
        return;
    uint at = (id.z * size.y + id.y) * size.x + id.x;
    output[at] = lane + 100 * (local.x + 10 * (local.y + 10 * local.z))
               + 100000 * (group.x + 10 * (group.y + 10 * group.z));
}

groupshared float tile_a[8][8];
groupshared float tile_b[8][8];
StructuredBuffer<float> a;
StructuredBuffer<float> b;
RWStructuredBuffer<float> c;

// n x n matrices, by tiles; a sum lives across the barriers of a loop.
[numthreads(8, 8, 1)]
void multiply(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID)
{
    float sum = 0;
    uint tiles = (n + 7) / 8;
    for (uint t = 0; t < tiles; t++) {
        uint2 at = t * 8 + local.xy;
        tile_a[local.y][local.x] = at.x < n && id.y < n ? a[id.y * n + at.x] : 0;
        tile_b[local.y][local.x] = at.y < n && id.x < n ? b[at.y * n + id.x] : 0;
        GroupMemoryBarrierWithGroupSync();
        for (uint k = 0; k < 8; k++)
            sum += tile_a[local.y][k] * tile_b[k][local.x];
        GroupMemoryBarrierWithGroupSync();
    }
    if (id.x < n && id.y < n)
        c[id.y * n + id.x] = sum;
}
