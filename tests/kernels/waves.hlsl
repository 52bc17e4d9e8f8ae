// Operations across the lanes of a wave, whatever its size: with all lanes, and with those of a branch.

struct Lanes
{
    uint wave, lane, count, first;
    uint sum, before, product, smallest, largest, bits_and, bits_or, bits_xor, set, set_before, other, ballot;
    uint flags;
    int lowest, highest;
    float real_sum, real_before, real_largest;
};

StructuredBuffer<uint> input;
RWStructuredBuffer<Lanes> whole;
RWStructuredBuffer<Lanes> some;

Lanes across(uint x, uint index)
{
    Lanes r;
    r.wave = WaveReadLaneFirst(index);
    r.lane = WaveGetLaneIndex();
    r.count = WaveGetLaneCount();
    r.first = WaveIsFirstLane() ? 1 : 0;
    r.sum = WaveActiveSum(x);
    r.before = WavePrefixSum(x);
    r.product = WaveActiveProduct(x | 1);
    r.smallest = WaveActiveMin(x);
    r.largest = WaveActiveMax(x);
    r.bits_and = WaveActiveBitAnd(x | 0xff);
    r.bits_or = WaveActiveBitOr(x & 0xf0f0);
    r.bits_xor = WaveActiveBitXor(x);
    r.set = WaveActiveCountBits((x & 4) != 0);
    r.set_before = WavePrefixCountBits((x & 4) != 0);
    r.other = WaveReadLaneAt(x, (r.lane * 5 + 1) % r.count);
    r.ballot = countbits(WaveActiveBallot((x & 2) != 0).x);
    r.flags = WaveActiveAllTrue(x > 100) | WaveActiveAnyTrue(x > 0xff000000u) << 1 | WaveActiveAllEqual(x >> 31) << 2
        | WaveActiveAllEqual(index / 64) << 3;
    r.lowest = WaveActiveMin((int)x);
    r.highest = WaveActiveMax((int)x);
    float f = (float)(x >> 20);
    r.real_sum = WaveActiveSum(f);
    r.real_before = WavePrefixSum(f);
    r.real_largest = WaveActiveMax(f * 0.5);
    return r;
}

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
