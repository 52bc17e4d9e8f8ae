// spirvc: --emit asm -T cs_6_8 -O0
// Barriers by flags: which memory is ordered, for whom, and whether the group waits.
RWStructuredBuffer<uint> o; RWByteAddressBuffer b; groupshared uint g[64];
[numthreads(64,1,1)] void main(uint i : SV_GroupIndex) {
  g[i] = i;
  Barrier(GROUP_SHARED_MEMORY, GROUP_SYNC | GROUP_SCOPE);
  o[i] = g[63 - i];
  Barrier(UAV_MEMORY, DEVICE_SCOPE);
  Barrier(ALL_MEMORY, GROUP_SYNC | DEVICE_SCOPE);
  Barrier(0, GROUP_SYNC);
  Barrier(0, 0); Barrier(ALL_MEMORY, 0);
  Barrier(b, DEVICE_SCOPE | GROUP_SYNC);
  Barrier(o, GROUP_SCOPE);
}
