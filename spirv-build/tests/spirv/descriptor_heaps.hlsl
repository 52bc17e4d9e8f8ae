// spirvc: -T cs_6_6 -E main -fspv-target-env=vulkan1.2 --emit asm
[[vk::binding(1)]] RWStructuredBuffer<uint> fixed;

RWStructuredBuffer<uint> buffer(uint i) { return ResourceDescriptorHeap[i]; }
float4 sampled(Texture2D t, SamplerState s) { return t.SampleLevel(s, 0.5, 0); }

[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  RWStructuredBuffer<uint> b = buffer(id);
  b[b.IncrementCounter()] = fixed.IncrementCounter();
  ByteAddressBuffer bytes = ResourceDescriptorHeap[NonUniformResourceIndex(id)];
  fixed[id] = bytes.Load(0) + (uint)sampled(ResourceDescriptorHeap[2], SamplerDescriptorHeap[id]).x;
}
