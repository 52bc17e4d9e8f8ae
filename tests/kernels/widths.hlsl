// spirvc: -T cs_6_2 -enable-16bit-types
// Scalars that are not of 32 bits: in registers, in memory, across lanes and barriers.

struct Long { int64_t a; int64_t b; };
struct LongResult
{
    int64_t sum, difference, product, quotient, remainder, shifted, low, high, selected, walked;
    uint64_t logical, bits, fraction;
    int narrow;
    uint flags;
};

StructuredBuffer<Long> longs;
RWStructuredBuffer<LongResult> long_results;

[numthreads(64, 1, 1)]
void integers(uint3 id : SV_DispatchThreadID)
{
    Long v = longs[id.x];
    LongResult r;
    r.sum = v.a + v.b;
    r.difference = v.a - v.b;
    r.product = v.a * v.b;
    r.quotient = v.b == 0 ? 0 : v.a / (v.b == -1 ? 1 : v.b);
    r.remainder = v.b == 0 ? 0 : v.a % (v.b == -1 ? 1 : v.b);
    r.shifted = v.a >> (uint64_t)(id.x & 63);
    r.logical = (uint64_t)v.a >> (uint64_t)(id.x & 63) | (uint64_t)v.b << 3;
    r.low = min(v.a, v.b);
    r.high = max(v.a, v.b);
    r.bits = (uint64_t)v.a & 0xff00ff00ff00ff00ull ^ ~(uint64_t)v.b;
    r.selected = v.a < v.b ? v.a : -v.b;
    r.narrow = (int)v.a;
    r.fraction = (uint64_t)((float)(v.a & 0xffffff) * 0.5f);
    r.flags = (v.a < v.b) | (v.a <= v.b) << 1 | (v.a == v.b) << 2 | ((uint64_t)v.a > (uint64_t)v.b) << 3;
    // A varying number of rounds, and an array that is indexed at run time.
    int64_t table[4] = { v.a, v.b, 1, -5000000000ll };
    int64_t sum = 0;
    for (uint i = 0; i < (id.x & 7); i++)
        sum += table[(i + id.x) & 3];
    r.walked = sum;
    long_results[id.x] = r;
}

struct DoubleResult { double sum, product, quotient, root, floored, fused, smaller, converted; int whole; uint flags; };

StructuredBuffer<double2> doubles;
RWStructuredBuffer<DoubleResult> double_results;

[numthreads(64, 1, 1)]
void reals(uint3 id : SV_DispatchThreadID)
{
    double2 v = doubles[id.x];
    DoubleResult r;
    r.sum = v.x + v.y;
    r.product = v.x * v.y;
    r.quotient = v.x / v.y;
    r.root = sqrt(abs(v.x));
    r.floored = floor(v.x);
    r.fused = fma(v.x, v.y, 1.0L);
    r.smaller = min(v.x, v.y);
    r.converted = (double)(float)v.x + (double)(int)id.x;
    r.whole = (int)v.x;
    r.flags = (v.x < v.y) | (v.x == v.y) << 1 | (v.x >= v.y) << 2;
    double_results[id.x] = r;
}

StructuredBuffer<float16_t> halfs;
RWStructuredBuffer<float16_t> half_results;
StructuredBuffer<int16_t> shorts;
RWStructuredBuffer<int16_t> short_results;
RWStructuredBuffer<uint16_t> ushort_results;

[numthreads(64, 1, 1)]
void narrow(uint3 id : SV_DispatchThreadID)
{
    uint i = id.x;
    float16_t h = halfs[i];
    half_results[i * 4] = h + (float16_t)1.5;
    half_results[i * 4 + 1] = h * h;
    half_results[i * 4 + 2] = sqrt(abs(h));
    half_results[i * 4 + 3] = (float16_t)(int)i - h;
    int16_t s = shorts[i];
    int16_t other = shorts[i ^ 1];
    short_results[i * 4] = s * other;
    short_results[i * 4 + 1] = other == 0 ? (int16_t)0 : s / (other == -1 ? (int16_t)1 : other);
    short_results[i * 4 + 2] = s >> (int16_t)(i & 15);
    short_results[i * 4 + 3] = min(s, other) - (int16_t)30000;
    uint16_t u = (uint16_t)s;
    ushort_results[i * 2] = u + (uint16_t)60000;
    ushort_results[i * 2 + 1] = max(u >> (uint16_t)3, (uint16_t)other);
}

groupshared int64_t turned[64];
groupshared double scaled[64];
RWStructuredBuffer<int64_t> exchanged;

[numthreads(64, 1, 1)]
void exchange(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID)
{
    int64_t own = longs[id.x].a;
    turned[63 - local.x] = own;
    scaled[local.x] = (double)local.x * 0.5L;
    GroupMemoryBarrierWithGroupSync();
    // `own` lives across the barrier.
    exchanged[id.x] = turned[local.x] - own + (int64_t)scaled[local.x ^ 3];
}
