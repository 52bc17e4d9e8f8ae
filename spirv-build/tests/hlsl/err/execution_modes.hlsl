RWStructuredBuffer<float> Out;
[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    vk::ext_execution_mode(5027);
    vk::ext_execution_mode(17, 8, 8, 1);
    vk::ext_execution_mode(4462);
    vk::ext_execution_mode(id.x);
    vk::ext_execution_mode(-1);
    vk::ext_execution_mode();
    vk::ext_execution_mode_id(38, 8u, 6u, 8u);
}
[[vk::spvexecutionmode(4459)]] void needs_literal() {}
[[vk::spvexecutionmode(7)]] void of_pixels() {}
[[vk::spvexecutionmode(-1)]] void negative() {}
[[vk::spvexecutionmode(6023)]] float misplaced;
