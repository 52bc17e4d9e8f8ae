// spirvc: -T lib_6_6 -fspv-target-env=vulkan1.2 --emit asm
// Execution modes belong to the entry points that reach the function that asks for them.
RWStructuredBuffer<float> Out;
float sum(float a, float b) {
    vk::ext_execution_mode(/* RoundingModeRTE */ 4462, 32);
    return a + b;
}
[shader("compute")] [numthreads(4, 1, 1)] void rounds(uint3 id : SV_DispatchThreadID) {
    vk::ext_execution_mode(/* DenormPreserve */ 4459, 32);
    Out[id.x] = sum(Out[0], Out[1]) + sum(Out[2], Out[3]);
}
[shader("compute")] [numthreads(4, 1, 1)] void plain(uint3 id : SV_DispatchThreadID) { Out[id.x] = 1; }
// 6023 MaximallyReconvergesKHR, as an attribute of a function that is reached.
[[vk::spvexecutionmode(6023)]] float same(float x) { return x; }
[shader("compute")] [numthreads(4, 1, 1)] void reconverges(uint3 id : SV_DispatchThreadID) { Out[id.x] = same(1); }
