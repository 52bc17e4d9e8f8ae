// Registers of old spelling, those of one profile, and what takes back too much or too little.
RWStructuredBuffer<float4> o;
SamplerState a : register(cs, s[2]);
SamplerState b : register(s1[i]);
SamplerState c : register;
cbuffer D : register(cs, b1) { float4 d; };
cbuffer E : register(cs_5_0, b2) { float4 e; };
cbuffer F : register(b3, space2) { float4 f; };
cbuffer G { float4 g : packoffset; };
void number(out int x) { x = 1; }
void three(out int3 x) { x = 1; }
void both(inout float2 x) { x += 1; }
[numthreads(1, 1, 1)] void main() {
    int2 two;
    int one;
    float3 many = 0;
    number(two);
    three(two);
    both(many);
    three(one);
    o[0] = one + two.x + many.x;
}
interface First { void f(); };
interface Second : First { void g(); };
struct Third : First { void f() {} };
