// What the lanes of a wave get of each other.

struct Lanes
{
    uint wave, lane, count, first;
    uint sum, before, product, smallest, largest, bits_and, bits_or, bits_xor, set, set_before, other, ballot;
    uint flags;
    int lowest, highest;
    float real_sum, real_before, real_largest;
};

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
    uint4 ballot = countbits(WaveActiveBallot((x & 2) != 0));
    r.ballot = ballot.x + ballot.y + ballot.z + ballot.w;
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
