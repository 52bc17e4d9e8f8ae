[[vk::ext_builtin_output(/* FragDepth */ 22)]] static float depth;
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    [[vk::ext_capabilty(39)]] Out[0] = id.x;
    depth = 1;
}
