// spirvc: -T cs_6_0 -E main --emit asm
// Variables by SPIR-V's storage classes: 4 Workgroup, 6 Private, 7 Function, 1 Input with 11 BuiltIn (26 WorkgroupId).
[[vk::ext_storage_class(4)]] float shared_by_group[4];
[[vk::ext_storage_class(6)]] static float own = 2;
[[vk::ext_storage_class(1)]] [[vk::ext_decorate(11, 26)]] const uint3 group;
RWStructuredBuffer<float> Out;

float twice([[vk::ext_storage_class(7)]] float x) { return x * own; }

[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
  [[vk::ext_storage_class(7)]] float x = i;
  shared_by_group[i] = x;
  GroupMemoryBarrierWithGroupSync();
  own += x;
  Out[group.x * 4 + i] = twice(shared_by_group[3 - i]);
}
