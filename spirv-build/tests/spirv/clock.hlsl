// spirvc: -T cs_6_0 -E main --emit asm
// A kernel that uses nothing but the clock is a shader all the same.
RWStructuredBuffer<uint64_t> Out;
[numthreads(1, 1, 1)] void main() {
    uint64_t before = vk::ReadClock(vk::DeviceScope);
    Out[0] = vk::ReadClock(vk::SubgroupScope) - before;
}
