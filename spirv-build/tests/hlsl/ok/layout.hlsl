struct Inner { float a; float3 b; };
cbuffer Packed : register(b2, space1) {
    float3 a;
    float b;
    float c[3];
    float d;
    row_major float3x2 m;
    float4x4 n;
    Inner inner;
    float e;
    bool flag;
    double g;
};
cbuffer Fixed {
    float4 p : packoffset(c1);
    float q : packoffset(c0.y);
    float2 r : packoffset(c0.z);
    float s : packoffset(c2);
    float3 t : packoffset(c2.y);
    double u : packoffset(c3.z);
    float2 v : packoffset(c4.y);
};
ConstantBuffer<Inner> one : register(b3);
[[vk::binding(5, 2)]] StructuredBuffer<Inner> items;
[[vk::binding(6)]] [[vk::image_format("rgba8")]] RWTexture2D<float4> image;
struct Push { float3x3 m; uint n; };
[[vk::push_constant]] Push push;
[[vk::constant_id(3)]] const int LIMIT = 16;
float loose;
float4 colour : register(c4);
globallycoherent RWStructuredBuffer<float> o : register(u1);
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    Inner copy = one;
    for (int i = 0; i < LIMIT; ++i)
        o[i] = a.x + c[i] + m[1].y + inner.b.z + e + (float)g + q + r.y + one.a + copy.b.x + items[id].a + push.n + push.m[0].x + loose + colour.w + flag;
    image[uint2(0, 0)] = n[1] + p;
}
