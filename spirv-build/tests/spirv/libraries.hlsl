// spirvc: -T lib_6_x -E ignored --emit asm
// Every function with `[shader("compute")]` is an entry point, whatever else has `[numthreads]`.
RWStructuredBuffer<uint> Out;
void store(uint at, uint what) { Out[at] = what; }
[shader("compute")] [numthreads(4, 1, 1)] void one(uint3 id : SV_DispatchThreadID) { store(id.x, __SHADER_TARGET_STAGE); }
[numthreads(8, 1, 1)] void no_entry(uint3 id : SV_DispatchThreadID) { store(id.x, 2); }
[numthreads(16, 1, 1)] [shader("compute")] void two(uint id : SV_GroupIndex) { store(id, __SHADER_TARGET_MINOR); }
