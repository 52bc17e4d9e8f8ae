// spirvc: -T cs_6_0 -E main -O3 --emit asm
// Indices far out of bounds are as valid as any.
RWStructuredBuffer<int> o;

[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    int far = -98;
    o[far] = o[id - 1];
    o[-1] = 1;
}
