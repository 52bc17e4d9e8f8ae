// spirvc: -T cs_6_0 -E main --emit asm
RWStructuredBuffer<float> data;
RWStructuredBuffer<uint> words;
Texture2D<min16float4> source;

[numthreads(8, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  float whole = data[id] * 3;
  min16float part = (min16float)whole;
  // The product above keeps its precision; what follows does not need it.
  min16float other = lerp(part, (min16float)id, 0.5) + source[uint2(id, 0)].x;
  min16uint bits = (min16uint)words[id] + 1;
  data[id] = whole + other;
  words[id] = bits << 2;
}
