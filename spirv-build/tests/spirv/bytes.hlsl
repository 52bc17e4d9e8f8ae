// spirvc: -T cs_6_2 -E main -enable-16bit-types -fspv-target-env=vulkan1.2 -O3 --emit asm
struct S { float3 a; int2 b; bool c; };
ByteAddressBuffer from;
RWByteAddressBuffer to;

[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    to.Store2(id.x * 8, from.Load2(id.x * 8 + 4));
    S s = from.Load<S>(id.x * 24);
    s.b.y += 1;
    to.Store<S>(id.y * 24, s);
    to.Store<double>(256, from.Load<double>(8) + 1.0L);
    to.Store<half>(id.x * 2, from.Load<half>(id.y * 2) * (half)2);
    uint old;
    to.InterlockedMax(512, 7, old);
    to.InterlockedCompareExchange(516, old, 9, old);
    uint size;
    from.GetDimensions(size);
    to.Store(520, size + old);
}
