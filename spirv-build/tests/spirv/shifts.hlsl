// spirvc: -T cs_6_2 --emit asm

// What is shifted keeps its type, whatever the amount's; a literal takes on that of its amount.

RWStructuredBuffer<int> ints;
RWStructuredBuffer<uint> uints;
RWStructuredBuffer<int2> pairs;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    ints[0] = ints[1] >> uints[0];
    uints[1] = uints[2] >> ints[2];
    pairs[0] = pairs[1] >> uints[3];
    uints[4] = 1 << uints[5];
    ints[3] >>= uints[6];
}
