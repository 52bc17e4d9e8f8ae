// spirvc: -T cs_6_2 -E main --emit asm
// Offsets of samples that are constant once loops are unrolled and calls inlined.
SamplerState S;
Texture2D<float4> T;
Texture2D<uint> U;
RWStructuredBuffer<float4> O;
float4 around(int2 by) { return T.SampleLevel(S, float2(0.5, 0.25), 0, by + 1); }
[numthreads(1, 1, 1)] void main() {
    static const int2 list[3] = { int2(-1, 1), int2(0, 2), int2(3, -4) };
    float4 sum = 0;
    [unroll] for (int y = -1; y <= 0; ++y)
        [unroll] for (int x = 0; x < 2; ++x) sum += T.SampleGrad(S, float2(0, 1), 0.5, 0.25, int2(x, y)) + around(int2(x, -y * 2));
    [unroll] for (uint i = 0; i < 3; ++i) sum += T.SampleLevel(S, float2(0, 1), 0, list[i].yx - int2(i, 1));
    O[0] = sum;
}
