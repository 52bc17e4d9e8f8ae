// options: entry=main
struct In { uint3 a : SV_DispatchThreadID; float b; };
[numthreads(32, 64, 1)]
float main(In i, uint3 x, float3 g : SV_GroupID, uint4 t : SV_GroupThreadID, out uint o : SV_GroupIndex, uint p : SV_Postion) { return 1; }
