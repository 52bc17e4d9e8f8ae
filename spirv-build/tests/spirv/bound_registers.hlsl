// spirvc: -spirv -T cs_6_0 -E main -fvk-bind-register t3 1 7 2 -vkbr u0 0 4 1 -fvk-bind-register S1 0 5 1 -fspv-use-unknown-image-format --emit asm
Texture2D<float> source : register(t3, space1);
RWTexture2D<float> result : register(u0);
SamplerState linear_sampler : register(s1);

[numthreads(8, 8, 1)]
void main(uint2 id : SV_DispatchThreadID) {
  result[id] = source.SampleLevel(linear_sampler, id / 64.0, 0);
}
