// Operations across the lanes of a wave, whatever its size: with all lanes, and with those of a branch.

#include "across.hlsli"

StructuredBuffer<uint> input;
RWStructuredBuffer<Lanes> whole;
RWStructuredBuffer<Lanes> some;

[numthreads(100, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex)
{
    uint x = input[id.x];
    whole[id.x] = across(x, index);
    if ((x & 1) != 0)
        some[id.x] = across(x, index);
}

RWStructuredBuffer<uint4> quads;
RWStructuredBuffer<int64_t> sums;

[numthreads(64, 1, 1)]
void wide(uint3 id : SV_DispatchThreadID)
{
    uint x = input[id.x];
    quads[id.x] = uint4(QuadReadAcrossX(x), QuadReadAcrossY(x), QuadReadAcrossDiagonal(x), QuadReadLaneAt(x, 2));
    // As many lanes as there are in all waves add to the same sum.
    int64_t sum = WaveActiveSum((int64_t)(int)x << 20);
    sums[id.x] = WaveActiveAllEqual(sum) ? WaveReadLaneFirst(sum) - WaveReadLaneAt(sum, 1) : 1;
    sums[id.x] += WavePrefixSum((int64_t)1 << 40) >> 40;
}

struct Several
{
    uint2 sums, before;
    float3 neighbour;
    uint truths;
};

RWStructuredBuffer<Several> several;

// Vectors and truth values.
[numthreads(64, 1, 1)]
void vectors(uint3 id : SV_DispatchThreadID)
{
    uint x = input[id.x];
    Several r;
    r.sums = WaveActiveSum(uint2(x, x >> 16));
    r.before = WavePrefixSum(uint2(1, 3));
    r.neighbour = WaveReadLaneAt(float3(x & 0xff, x >> 24, 0.5), WaveGetLaneIndex() ^ 1);
    bool2 odd = bool2(x & 1, x & 2);
    r.truths = (any(QuadReadAcrossX(odd)) ? 1 : 0) | (WaveReadLaneAt(odd, WaveGetLaneIndex() ^ 3).y ? 2 : 0);
    several[id.x] = r;
}
