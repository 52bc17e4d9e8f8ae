// spirvc: -spirv -T cs_6_2 -E main -fspv-use-vulkan-memory-model -fspv-target-env=vulkan1.1 --emit asm
// Accesses to memory that threads share are not private; those to coherent memory reach the whole queue family.
globallycoherent RWStructuredBuffer<uint> coherent_;
globallycoherent RWByteAddressBuffer bytes[2];
globallycoherent RWTexture2D<float> image;
RWTexture2D<float> other;
RWStructuredBuffer<uint> plain;
cbuffer Constants { uint n; };
groupshared uint shared_[8];

[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) {
  uint local[2] = { 1, n };
  shared_[i] = coherent_[i] + bytes[i & 1].Load(4) + local[i & 1];
  GroupMemoryBarrierWithGroupSync();
  plain[i] = shared_[i ^ 1];
  coherent_[i] = plain[i];
  DeviceMemoryBarrier();
  image[uint2(i, 0)] = other[uint2(i, 1)];
  other[uint2(i, 2)] = image[uint2(i, 3)];
  InterlockedAdd(plain[0], 1);
}
