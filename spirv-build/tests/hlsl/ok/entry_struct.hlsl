// options: profile=cs_6_6
struct Ids { uint3 thread : SV_DispatchThreadID; uint index : SV_GroupIndex; };
RWStructuredBuffer<uint> o;
[numthreads(4, 4, 4)]
void first(Ids ids, int group : SV_GroupID) { o[ids.index] = ids.thread.x + group; }
[shader("compute")]
[numthreads(32, 1, 1)]
[WaveSize(32)]
void second(uint2 t : SV_GroupThreadID) { o[t.x] = WaveActiveSum(t.x) + WaveGetLaneIndex() + WavePrefixCountBits(t.x > 3) + WaveReadLaneAt(t.x, 0); }
