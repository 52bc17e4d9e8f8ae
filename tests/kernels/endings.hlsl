// What a launch may come to: loops that end when the host says so, and barriers that not all invocations reach.

cbuffer Params { uint rounds; uint limit; };
StructuredBuffer<uint> input;
RWStructuredBuffer<uint> output;
groupshared uint shared_words[64];

// One loop in another, so long that they never end where the host asks for that.
[numthreads(64, 1, 1)]
void count(uint3 id : SV_DispatchThreadID)
{
    uint x = id.x;
    for (uint i = 0; i < rounds; i++)
        for (uint j = 0; j < rounds; j++)
            x = x * 1664525 + (x >> 7) + j;
    output[id.x] = x;
}

// Invocations leave one by one; those of a wave stay until the last one does.
[numthreads(64, 1, 1)]
void part(uint3 id : SV_DispatchThreadID)
{
    uint x = id.x, steps = 0;
    while (steps < rounds * (id.x + 1)) {
        x = x * 1664525 + 1013904223;
        steps++;
    }
    output[id.x] = steps;
}

// A loop with barriers in it.
[numthreads(64, 1, 1)]
void meet(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    shared_words[lane] = id.x;
    for (uint i = 0; i < rounds; i++) {
        GroupMemoryBarrierWithGroupSync();
        uint next = shared_words[(lane + 1) & 63];
        GroupMemoryBarrierWithGroupSync();
        shared_words[lane] = next;
    }
    output[id.x] = shared_words[lane];
}

// The invocations of a group agree, or do not: only the input knows.
[numthreads(64, 1, 1)]
void chosen(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    shared_words[lane] = id.x;
    if (input[id.x] > limit) {
        GroupMemoryBarrierWithGroupSync();
        shared_words[lane ^ 1] += 1000;
        GroupMemoryBarrierWithGroupSync();
    }
    output[id.x] = shared_words[lane];
}

// As often as each invocation reads.
[numthreads(64, 1, 1)]
void turns(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    shared_words[lane] = id.x;
    uint turns = input[id.x];
    for (uint i = 0; i < turns; i++) {
        GroupMemoryBarrierWithGroupSync();
        uint next = shared_words[(lane + 1) & 63];
        GroupMemoryBarrierWithGroupSync();
        shared_words[lane] = next;
    }
    output[id.x] = shared_words[lane];
}

// All leave, or none does.
[numthreads(64, 1, 1)]
void early(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    shared_words[lane] = id.x;
    output[id.x] = 7;
    if (input[id.x] > limit)
        return;
    GroupMemoryBarrierWithGroupSync();
    output[id.x] = shared_words[lane ^ 1];
}
