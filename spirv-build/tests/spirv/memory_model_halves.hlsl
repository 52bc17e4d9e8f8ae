// spirvc: -spirv -T cs_6_2 -E main -enable-16bit-types -fspv-use-vulkan-memory-model -fspv-target-env=vulkan1.1 --emit asm
// The words of halves are changed atomically for the whole device, which the memory model has with a capability only.
RWByteAddressBuffer bytes;

[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) {
  bytes.Store<half>(2 * i, half(i));
}
