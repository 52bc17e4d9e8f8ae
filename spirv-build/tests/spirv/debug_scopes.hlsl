// spirvc: -T cs_6_2 -E main -fspv-debug=vulkan --emit asm
// Functions that were inlined keep the chain of calls that brought them.
struct Pair { float2 v; uint n[3]; bool on; };
StructuredBuffer<Pair> pairs;
RWStructuredBuffer<float4> data;
cbuffer Sizes { float scale; float3x2 m; };
groupshared float scratch[4];

float inner(float x) { return x * x; }

float helper(float x, inout uint c) {
  c += 1;
  float y = inner(x);
  if (y > 3) {
    float z = y * y;
    y += z;
  }
  return y;
}

[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint count = 0;
  for (int i = 0; i < 3; i++) {
    float t = helper(pairs[id.x].v.x, count);
    data[id.x] += t * scale + m[0].x;
  }
  scratch[id.x & 3] = count;
}
