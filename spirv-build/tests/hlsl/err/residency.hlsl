Texture2D<float4> t;
RWTexture2D<uint> w;
ByteAddressBuffer b;
StructuredBuffer<float> f;
SamplerState s;
RWStructuredBuffer<float4> o;
[numthreads(1, 1, 1)]
void main() {
    uint status;
    int sign;
    const uint fixed = 0;
    o[0] = t.Load(0, 0, 0);
    o[1] = w.Load(0, sign);
    o[2] = t.SampleLevel(s, 0, 0, 0, fixed);
    o[3] = t.SampleLevel(s, 0, 0, 0, status, status);
    o[4] = b.Load(0, status);
    o[5] = f.Load(0, status);
    o[6] = t.Load(0, 0, status, 1);
    o[7] = CheckAccessFullyMapped(t);
}
