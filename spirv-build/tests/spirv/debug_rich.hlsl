// spirvc: -T cs_6_2 -E main -fspv-debug=rich-with-source --emit asm
// The older set: numbers are literals, lines are OpLine, functions that are inlined have no definition.
struct Sample { float2 at; uint weight; };
StructuredBuffer<Sample> samples;
RWStructuredBuffer<float> sums;

float weigh(Sample s, float by) {
  float all = s.at.x + s.at.y;
  if (s.weight == 0) {
    return all * by;
  }
  return all;
}

[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  float kept[2] = { 1, 2 };
  sums[id.x] = weigh(samples[id.x], kept[id.x & 1]);
}
