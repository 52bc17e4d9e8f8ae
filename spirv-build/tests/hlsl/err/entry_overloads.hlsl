// Entry points are called by name: there cannot be two of one name. Those of other stages are skipped.
[numthreads(8, 1, 1)] void entry(uint id : SV_GroupIndex) {}
[numthreads(8, 1, 1)] void entry(uint3 id : SV_GroupID, uint index : SV_GroupIndex) {}
[shader("mesh")] [numthreads(8, 1, 1)] void other(out vertices float4 v[3]) {}
