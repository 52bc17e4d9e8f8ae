// One entry point that runs on every device, and one that the CPU does not take.

RWStructuredBuffer<uint> numbers;

cbuffer Params {
    uint mode;
};

groupshared uint words[64];

[numthreads(64, 1, 1)]
void count(uint id : SV_DispatchThreadID)
{
    numbers[id] = id * mode;
}

[numthreads(64, 1, 1)]
void turned(uint id : SV_DispatchThreadID, uint index : SV_GroupIndex)
{
    words[index] = id;
    switch (mode) {
    case 1:
        GroupMemoryBarrierWithGroupSync();
        numbers[id] = words[63 - index];
        break;
    default:
        numbers[id] = 7;
        break;
    }
}
