[[vk::constant_id(0)]] const uint taps = 5;
[[vk::constant_id(7)]] const bool mirror = true;
[[vk::constant_id(8)]] const half gain = 0.5;

RWStructuredBuffer<float> output;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    output[id.x] = mirror ? gain * taps : 0;
}
