ByteAddressBuffer a;
RWByteAddressBuffer b;
struct S { float x; uint2 y; };
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    uint4 v = uint4(a.Load(0), a.Load2(4), b.Load(16));
    v.xyz = a.Load3(id * 16);
    v = b.Load4(32);
    float f = a.Load<float>(8);
    S s = b.Load<S>(64);
    b.Store(0, v.x);
    b.Store2(8, v.xy);
    b.Store3(16, v.xyz);
    b.Store4(32, v);
    b.Store<float>(48, f);
    b.Store(64, s);
    uint old;
    b.InterlockedAdd(4, 1u, old);
    b.InterlockedCompareExchange(4, 1u, 2u, old);
    uint size;
    b.GetDimensions(size);
    b.Store(68, size + old);
}
