// spirvc: -spirv -T cs_6_0 -E main -fvk-t-shift 10 0 -fvk-u-shift 20 0 -fvk-s-shift 30 0 -fvk-b-shift 40 all -fvk-auto-shift-bindings --emit asm
Texture2D<float> first;
Texture2D<float> second : register(t0);
RWTexture2D<float> result;
SamplerState linear_sampler;
cbuffer scale { float factor; };

[numthreads(8, 8, 1)]
void main(uint2 id : SV_DispatchThreadID) {
  float v = first.SampleLevel(linear_sampler, id / 64.0, 0) + second[id];
  result[id] = v * factor;
}
