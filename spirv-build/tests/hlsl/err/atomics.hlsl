groupshared uint n;
groupshared float f;
RWStructuredBuffer<uint> o;
StructuredBuffer<uint> s;
RWStructuredBuffer<uint2> v;
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
}
