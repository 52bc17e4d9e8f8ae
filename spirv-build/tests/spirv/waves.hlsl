// spirvc: -T cs_6_0 -E main -O3 --emit asm
RWStructuredBuffer<uint> u;
RWStructuredBuffer<float2> f;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint x = u[id.x];
    float2 y = f[id.x];
    u[id.x] = WaveActiveSum(x) + WavePrefixSum(x) + WaveActiveMax(x) + WaveGetLaneIndex() + WaveGetLaneCount()
        + WaveActiveCountBits(x > 3) + WavePrefixCountBits(x > 4) + WaveReadLaneAt(x, 5) + WaveReadLaneFirst(x)
        + WaveActiveBallot(x > 5).y + QuadReadAcrossX(x);
    if (WaveIsFirstLane() && WaveActiveAllTrue(x > 1) && WaveActiveAnyTrue(x > 2)) f[id.x] = WaveActiveMin(y);
}
