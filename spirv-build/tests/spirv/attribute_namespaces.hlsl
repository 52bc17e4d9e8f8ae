// spirvc: -T cs_6_2 -E main --emit asm
// The namespace of attributes by each of its names, and given once for several.
[[using Vulkan: set(3), binding(1)]] StructuredBuffer<float> a;
[[using vk: binding(2, 4)]] StructuredBuffer<float> b;
[[using spv: binding(5), set(6), counter_binding(7)]] RWStructuredBuffer<float> out_;
[[Vulkan::binding(8), vk::set(9)]] [[using vk: image_format("r16f")]] RWTexture1D<float> t;
struct Push { uint n; };
[[using Vulkan: push_constant]] Push push;
[[using Vulkan: constant_id(3)]] const uint k = 2;
[numthreads(1, 1, 1)]
void main() {
  out_[out_.IncrementCounter()] = a[push.n] + b[k];
  t[0] = 1;
}
