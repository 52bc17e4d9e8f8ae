// spirvc: -spirv -T cs_6_2 -E main -fspv-debug=line -denorm ftz -fspv-target-env=vulkan1.1 -fspv-enable-maximal-reconvergence --emit asm
RWStructuredBuffer<float> data;

float twice(float x) {
  return x + x;
}

[numthreads(8, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  float v = twice(data[id]);
  if (v > 4)
    v = sqrt(v);
  data[id] = v;
}
