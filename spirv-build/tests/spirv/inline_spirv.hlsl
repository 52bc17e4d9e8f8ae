// spirvc: -T cs_6_6 -E main -fspv-target-env=vulkan1.1 --emit asm
// Functions that are instructions, templates of them, specialised classes, the header that chooses conversions by type.
#include "vk/opcode_selector.h"

[[vk::ext_instruction(/* BitReverse */ 204)]] uint reversed(uint v);
[[vk::ext_instruction(/* InverseSqrt */ 32, "GLSL.std.450")]] float rsqrt_of(float v);

template <typename T> struct Kind {
    static uint of() { return 0; }
};
template <> struct Kind<float> {
    static uint of() { return 1; }
};
template <> struct Kind<int> {
    template <typename R> static R as(uint v) { return (R)v; }
    static uint of() { return as<uint>(2); }
};

RWStructuredBuffer<uint> Out;
RWStructuredBuffer<float3> Floats;

[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {
    Out[0] = reversed(i) + Kind<float>::of() + Kind<int>::of() + Kind<uint>::of();
    Floats[0] = rsqrt_of(i + 1.0);
    Floats[1] = vk::util::ConversionSelector<uint, float>::Convert<float3>(uint3(i, 1, 2));
    Out[1] = (uint)vk::util::ConversionSelector<int, uint64_t>::Convert<uint64_t>((int)i);
    Out[2] = vk::util::ArithmeticSelector<uint>::Add(i, 3u);
}
