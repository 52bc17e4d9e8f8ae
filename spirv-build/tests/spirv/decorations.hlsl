// spirvc: -spirv -T cs_6_2 -E main -O0 -fspv-target-env=vulkan1.1 --emit asm
// Decorations by number: 19 Restrict, 20 Aliased, 0 RelaxedPrecision, 5635 UserSemantic.
[[vk::ext_decorate(19)]] RWStructuredBuffer<float> a;
[[vk::ext_decorate(19), vk::ext_decorate_string(5635, "shadow map")]] Texture2D<float> t;
[[vk::ext_decorate(0)]] static float s = 1;
[[using vk: ext_decorate(20), binding(4, 5)]] RWByteAddressBuffer b;
[[vk::ext_capability(61)]] groupshared float g;

[[vk::ext_decorate(0)]] [[vk::ext_extension("SPV_KHR_shader_ballot")]] [noinline]
float twice([[vk::ext_decorate(20)]] inout float x, [[vk::ext_decorate(0)]] float y) { x += y; return x * 2; }

uint part([[vk::ext_decorate_string(5635, "what is added")]] uint x) { return x + 1; }

[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  [[vk::ext_decorate(20)]] float v = a[id];
  a[id] = twice(v, s) + t.Load(0) + g;
  b.Store(0, v);
  [[vk::ext_decorate_string(5635, "a local")]] uint named = id;
  [[vk::ext_decorate_string(5635, "four")]] uint aligned = named + part(id);
  b.Store(4, aligned);
}
