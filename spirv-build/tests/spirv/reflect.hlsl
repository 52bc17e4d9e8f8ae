// spirvc: -spirv -T cs_6_2 -E main -fspv-reflect -fspv-target-env=vulkan1.1 --emit asm
// The types of resources in words, and the counter of each buffer that counts.
struct Pair { float a; int b; };
StructuredBuffer<Pair> pairs;
RWStructuredBuffer<uint> counted;
AppendStructuredBuffer<float2> appended;
RWByteAddressBuffer bytes[2];
Texture2DArray<float4> texture_;
SamplerState sampler_;
Buffer<int> texels;
cbuffer Constants { float scale; };
ConstantBuffer<Pair> named;
[[vk::push_constant]] Pair pushed;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  counted[counted.IncrementCounter()] = pairs[id.x].b + named.b + texels[id.y] + pushed.b;
  appended.Append(texture_.SampleLevel(sampler_, id, 0).xy * scale);
  bytes[id.x & 1].Store(0, 1);
}
