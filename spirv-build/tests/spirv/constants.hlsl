// spirvc: -T cs_6_0 -E main -O3 --emit asm
[[vk::constant_id(3)]] const uint GROUPS = 4;
[[vk::constant_id(5)]] const bool FAST = true;
struct Push { float scale; uint2 size; };
[[vk::push_constant]] Push push;
cbuffer Settings : register(b2, space1) { float4 colour; float table[3]; };
float loose;
StructuredBuffer<float> input;
RWStructuredBuffer<float> data;
static const float taps[5] = { 1, 4, 6, 4, 1 };

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float s = loose * GROUPS;
    if (FAST) s += push.scale;
    for (uint i = 0; i < 5; i++) s += taps[i] * input[id.x + i];
    data[id.x] = s * colour[id.y & 3] + table[id.z % 3] + push.size.y;
}
