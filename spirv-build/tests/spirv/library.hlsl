// spirvc: -T cs_6_7 -E main -fspv-target-env=vulkan1.2 --emit asm
RWStructuredBuffer<uint4> o;
RWStructuredBuffer<uint64_t> wide;
RWStructuredBuffer<double> d;

[numthreads(64, 1, 1)]
void main(uint i : SV_GroupIndex) {
  o[0] = msad4(o[1].x, o[2].xy, o[3]);
  o[1].x = dot4add_u8packed(o[2].x, pack_u8(o[3]), 3);
  o[2].x = countbits(wide[3]) + firstbithigh(wide[3]) + countbits(o[4].x);
  uint low, high;
  asuint(asdouble(o[1].x, o[1].y), low, high);
  o[5].xy = uint2(low, high);
  o[6] = WaveMatch(o[2].x);
  o[7].x = asuint(WaveMultiPrefixSum(asfloat(o[2].y), o[6]));
  o[8].x = QuadAny(o[1].x > 3);
  printf("lane %u of %u", i, o[8].x);
}
