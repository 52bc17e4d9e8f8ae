RWStructuredBuffer<float> o;
ByteAddressBuffer b;
Texture2D<float4> t;
TextureCube<float4> c;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float a[3] = { 1, 2, 3 };
    float4 v = 0;
    a[3] = 1;
    a[-1] = 1;
    v[4] = 1;
    id[0] = 1;
    o[id] = b[0] + t[1].x + c[uint3(0, 0, 0)].x + t.Load(int2(1, 2)).x + t[a].x;
    a["x"] = 1;
    o[float2(1, 2)] = 0;
}
