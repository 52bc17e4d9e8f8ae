// spirvc: -T cs_6_2 -E main -O0 -fspv-target-env=vulkan1.2 --emit asm
// Decorations whose operands are ids: 27 is UniformId, of a scope (3 is a subgroup).
RWStructuredBuffer<uint> a;
[[vk::ext_decorate_id(27, 3)]] static uint s;
uint same([[vk::ext_decorate_id(27, 1 + 2)]] uint x) { return x + s; }

[numthreads(1, 1, 1)]
void main(uint3 id : SV_GroupID) {
  [[vk::ext_decorate_id(27, 2)]] uint v = id.x;
  a[3] = same(v);
}
