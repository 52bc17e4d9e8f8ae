StructuredBuffer<float> a : register(u0);
RWStructuredBuffer<float> b : register(q1);
cbuffer C : register(t0) { float x; };
cbuffer P { float4 p : packoffset(c0); float q : packoffset(c0.w); };
cbuffer Q { float4 p : packoffset(c0.y); };
cbuffer S { float p : packoffset(c0.y); float q; };
cbuffer T { float p : packoffset(d1); float4 huge[5000]; };
[[vk::bindng(1)]] Texture2D t;
[[vk::binding(-1)]] Texture2D u;
[[vk::push_constant]] float v;
struct U { float x; };
[[vk::push_constant]] U w1;
[[vk::push_constant]] U w2;
[[vk::constant_id(1)]] const float3 sc = 1;
[numthreads(2, n, 0)]
void main() { }
