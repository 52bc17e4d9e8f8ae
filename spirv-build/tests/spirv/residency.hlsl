// spirvc: -T cs_6_6 -E main --emit asm
// Reads that tell whether the memory was there.
Texture2D<float4> t;
Texture2DArray<float> array;
Texture2DMS<int2> multi;
TextureCube<float4> cube;
Buffer<uint> numbers;
RWTexture2D<float2> written;
SamplerState s;
SamplerComparisonState c;
RWStructuredBuffer<float4> o;
struct Found { uint code[2]; };

void fetch(out uint status) { o[0] = t.Load(int3(1, 2, 3), int2(1, 1), status); }

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint status;
  Found found;
  fetch(status);
  if (!CheckAccessFullyMapped(status)) return;
  o[1] = t.Sample(s, id.xy, int2(0, 0), 0.5, status);
  o[2] = t.SampleLevel(s, id.xy, 2, int2(0, 1), found.code[id.x & 1]);
  o[3] = t.SampleGrad(s, id.xy, 1, 2, int2(0, 1), 0.5, status);
  o[4] = array.SampleCmpLevelZero(c, id, 0.5, int2(0, 1), status);
  o[5] = cube.GatherRed(s, id, status);
  o[6] = t.GatherGreen(s, id.xy, int2(0, 0), int2(0, 1), int2(1, 0), int2(1, 1), status);
  o[7] = array.GatherCmp(c, id, 0.5, int2(0, 1), found.code[1]);
  o[8].xy = multi.Load(id.xy, 2, int2(1, 1), status);
  o[9].x = numbers.Load(id.x, status) + status;
  o[10].xy = written.Load(id.xy, status);
  o[11] = CheckAccessFullyMapped(status) && CheckAccessFullyMapped(found.code[1]);
}
