// options: profile=cs_6_6
// What methods, atomics and indices want one number for takes no vector.
Texture2D<float4> t;
Texture2DMS<float4> m;
SamplerState s;
SamplerComparisonState c;
ByteAddressBuffer bytes;
RWByteAddressBuffer words;
StructuredBuffer<float4> list;
RWStructuredBuffer<float4> o;
groupshared uint shared_word;
enum class Kind { first, second };
[numthreads(4, 1, 1)]
void main(uint id : SV_GroupIndex) {
    float2 v = id;
    uint2 u = id;
    int i = 0;
    float f = 0;
    o[0] = t.SampleLevel(s, v, v);
    o[1] = t.SampleCmpLevelZero(c, v, v);
    o[2] = m.Load(u, u);
    o[3] = t.mips[u][u];
    o[4] = bytes.Load(u) + list.Load(u);
    words.Store(u, 1);
    words.InterlockedAdd(u, 1);
    InterlockedAdd(shared_word, v);
    InterlockedExchange(shared_word, 1, u);
    o[5] = v[u];
    t.GetDimensions(u, u);
    bytes.GetDimensions(i);
    list.GetDimensions(f, f);
    o[6] = Kind::first < Kind::second;
    // These cut vectors down.
    o[7] = t.SampleLevel(s, o[8], 0) + t.Load(o[10]);
    t.GetDimensions(f, i);
}
