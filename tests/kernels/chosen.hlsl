// spirvc: -T cs_6_2 -enable-16bit-types
// Constants that the host chooses when it loads a kernel.

[[vk::constant_id(0)]] const uint taps = 5;
[[vk::constant_id(1)]] const int bias = -3;
[[vk::constant_id(2)]] const float gain = 1.5;
[[vk::constant_id(3)]] const bool mirror = false;
[[vk::constant_id(9)]] const uint unused = 1;
[[vk::constant_id(12)]] const int64_t large = -5000000000;
[[vk::constant_id(13)]] const int16_t small = -7;
[[vk::constant_id(14)]] const uint64_t huge = 1;
[[vk::constant_id(15)]] const uint16_t tiny = 65535;

RWStructuredBuffer<float> result;

// What depends on them at every place where a constant may be: bounds, conditions, vectors, arrays.
[numthreads(16, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    float weights[4] = { gain, 2, gain, taps };
    float sum = 0;
    for (uint i = 0; i < taps; i++)
        sum += weights[(id + i) % 4];
    float2 both = float2(gain, bias);
    sum += both[id % 2];
    result[id] = mirror ? -sum : sum;
}

RWStructuredBuffer<int> words;

[numthreads(1, 1, 1)]
void wide()
{
    words[0] = int(large / 1000000);
    words[1] = small;
    words[2] = int(huge >> 40);
    words[3] = tiny;
    words[4] = mirror;
    words[5] = -int(small) * int(tiny);
}
