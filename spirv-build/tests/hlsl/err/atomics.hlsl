groupshared uint n;
groupshared float f;
RWStructuredBuffer<uint> o;
StructuredBuffer<uint> s;
RWStructuredBuffer<uint2> v;
RWByteAddressBuffer bytes;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    uint local = 0;
    InterlockedAdd(local, 1);
    InterlockedAdd(f, 1);
    InterlockedAdd(s[0], 1);
    InterlockedAdd(v[0], 1);
    InterlockedAdd(v[0].x);
    InterlockedAdd(o[0], 1, 5);
    InterlockedExchange(n, 1);
    GroupMemoryBarrierWithGroupSync(1);
    float old;
    InterlockedCompareExchangeFloatBitwise(n, 1, 2, old);
    InterlockedCompareStoreFloatBitwise(v[0], 1, 2);
    InterlockedCompareExchangeFloatBitwise(f, 1, 2);
    InterlockedCompareExchangeFloatBitwise(f, s, 2, old);
    bytes.InterlockedExchange64(0, 1);
    bytes.InterlockedExchangeFloat64(0, 1.0, old);
    bytes.InterlockedCompareStoreFloatBitwise(0, 1);
}
