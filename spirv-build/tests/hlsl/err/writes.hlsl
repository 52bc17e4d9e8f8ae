cbuffer C { float4 c; float k[2]; };
StructuredBuffer<float4> s;
Texture2D<float4> t;
Buffer<float> tb;
ConstantBuffer<struct_t_missing> bad;
static const float PI = 3;
RWStructuredBuffer<float4> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    c.x = 1;
    k[1] = 2;
    s[0] = 1;
    s[0].x++;
    t[uint2(0, 0)].x = 1;
    tb[0] = 1;
    PI = 4;
    const int n = 1;
    n += 1;
    (n + 1) = 2;
    o[0].xx = float2(1, 2);
    5 = n;
}
