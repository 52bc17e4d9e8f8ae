// options: profile=cs_6_5
// What later shader models brought; functions that nothing calls may use it.
RWStructuredBuffer<float4> o;
Texture2D<float4> t;
Texture2D<uint4> whole;
Texture2D<double> wide;
Texture2D<int> depth;
SamplerState s;
SamplerComparisonState c;
void unused() { Barrier(UAV_MEMORY, GROUP_SYNC); DebugBreak(); t.CalculateLevelOfDetail(c, 0); }
[WaveSize(32)] [numthreads(64, 1, 1)] void main() {
    Barrier(UAV_MEMORY, GROUP_SYNC);
    DebugBreak();
    o[0] = whole.SampleLevel(s, 0, 0);
    o[1] = wide.SampleLevel(s, 0, 0);
    o[2] = depth.SampleCmpLevelZero(c, 0, 0);
    o[3] = whole.Gather(s, 0);
}
