// spirvc: -T cs_6_6 -E main -fspv-target-env=vulkan1.2 --emit asm
Texture2D<float> textures[];
RWStructuredBuffer<float> result;
float sampled(SamplerState s, float2 at, int2 offset) { return textures[0].SampleLevel(s, at, 0, offset); }
SamplerState s;

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  float sum = 0;
  int i;
  [unroll] for (i = 0; i < 4; ++i) sum += textures[NonUniformResourceIndex(id.x + i)].Load(int3(id.xy, 0));
  [loop] for (uint j = 0; j < id.y; ++j) sum *= 2;
  [branch] if (sum > 3) sum = sqrt(sum);
  [flatten] switch (id.z) {
    case 0: sum += 1; break;
    case 1: sum += sampled(s, id.xy, int2(1, -1)); break;
  }
  result[i] = sum; // the last value of the loop variable
}
