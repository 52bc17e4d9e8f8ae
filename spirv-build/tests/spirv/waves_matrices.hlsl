// spirvc: -T cs_6_2 -E main -fspv-target-env=vulkan1.1 --emit asm
// Wave intrinsics work on the rows of matrices.
RWStructuredBuffer<float2x2> Out;
RWStructuredBuffer<bool2x3> Same;
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    float2x2 m = { i, 1, 2, i * 2 };
    Out[i] = WaveActiveSum(m) + WaveReadLaneAt(m, 1) + WaveReadLaneFirst(m);
    Same[i] = WaveActiveAllEqual(float2x3(i, 1, 2, 3, 4, 5));
}
