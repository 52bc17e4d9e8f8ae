// spirvc: -T cs_6_8
// Waves of a size that the source says.
#include "across.hlsli"

StructuredBuffer<uint> input;
RWStructuredBuffer<Lanes> whole;
RWStructuredBuffer<Lanes> some;
RWStructuredBuffer<uint4> quads;

void fill(uint id, uint index)
{
    uint x = input[id];
    whole[id] = across(x, index);
    if ((x & 1) != 0)
        some[id] = across(x, index);
    quads[id] = uint4(QuadReadAcrossX(x), QuadReadAcrossY(x), WaveReadLaneAt(x, WaveGetLaneIndex() ^ 3), WaveGetLaneCount());
}

[WaveSize(4)]
[numthreads(100, 1, 1)]
void of_4(uint id : SV_DispatchThreadID, uint index : SV_GroupIndex) { fill(id, index); }

[WaveSize(8)]
[numthreads(100, 1, 1)]
void of_8(uint id : SV_DispatchThreadID, uint index : SV_GroupIndex) { fill(id, index); }

[WaveSize(16)]
[numthreads(100, 1, 1)]
void of_16(uint id : SV_DispatchThreadID, uint index : SV_GroupIndex) { fill(id, index); }

[WaveSize(32)]
[numthreads(100, 1, 1)]
void of_32(uint id : SV_DispatchThreadID, uint index : SV_GroupIndex) { fill(id, index); }

[WaveSize(64)]
[numthreads(100, 1, 1)]
void of_64(uint id : SV_DispatchThreadID, uint index : SV_GroupIndex) { fill(id, index); }

[WaveSize(128)]
[numthreads(100, 1, 1)]
void of_128(uint id : SV_DispatchThreadID, uint index : SV_GroupIndex) { fill(id, index); }

[WaveSize(4, 64, 32)]
[numthreads(100, 1, 1)]
void best_32(uint id : SV_DispatchThreadID) { quads[id] = uint4(0, 0, WaveActiveCountBits(true), WaveGetLaneCount()); }
