// spirvc: -T cs_6_2 -E main --emit asm
// Decorations of members by number, wherever the structure lies in memory: 0 RelaxedPrecision, 23 Coherent, 21 Volatile,
// 5635 UserSemantic, which takes a string.
struct Base { [[vk::ext_decorate(0)]] float first; };
struct S : Base {
  [[vk::ext_decorate(23), vk::ext_decorate(21)]] int a[3], b;
  [[vk::ext_decorate_string(5635, "a \"name\"")]] float named;
  float plain;
};
RWStructuredBuffer<S> buffer;
cbuffer C { float4 m; [[vk::ext_decorate(0)]] float4 n; }
[[vk::ext_decorate(0)]] float4 loose;
float4 other;

[numthreads(1, 1, 1)]
void main() {
  S s = buffer[0];              // the copy has none
  s.first += m.x + n.x + loose.x + other.x;
  buffer[1] = s;
}
