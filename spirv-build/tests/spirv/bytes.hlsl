// spirvc: -T cs_6_2 -E main -enable-16bit-types -fspv-target-env=vulkan1.2 -O3 --emit asm
struct S { float3 a; int2 b; bool c; };
ByteAddressBuffer from;
RWByteAddressBuffer to;

[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    // Each thread has 64 bytes of its own.
    uint base = id.x * 64;
    to.Store2(base, from.Load2(id.x * 8 + 4));
    S s = from.Load<S>(id.x * 24);
    s.b.y += 1;
    to.Store<S>(base + 8, s);
    to.Store<double>(base + 32, from.Load<double>(8) + 1.0L);
    to.Store<half>(base + 40 + 2 * (id.x & 1), from.Load<half>(id.x * 2) * (half)2);
    uint old;
    to.InterlockedMax(base + 44, 7, old);
    to.InterlockedCompareExchange(base + 48, old, 9, old);
    uint size;
    from.GetDimensions(size);
    to.Store(base + 52, size + old);
}
