// spirvc: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 --emit asm
// What the attributes of an alias ask for is asked where the type is used; so it is where a statement is executed.
using small [[vk::ext_capability(/* Int8 */ 39)]] =
    vk::SpirvType</* OpTypeInt */ 21, 1, 1, vk::Literal<vk::integral_constant<uint, 8> >, vk::Literal<vk::integral_constant<bool, false> > >;
using unused [[vk::ext_capability(/* Int16 */ 22), vk::ext_extension("SPV_unused")]] =
    vk::SpirvType<21, 2, 2, vk::Literal<vk::integral_constant<uint, 16> >, vk::Literal<vk::integral_constant<bool, false> > >;
[[vk::ext_instruction(/* OpUConvert */ 113)]] uint widened(small x);
[[vk::ext_instruction(113)]] small narrowed(uint x);
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    [[vk::ext_extension("SPV_KHR_non_semantic_info")]]
    Out[0] = widened(narrowed(id.x));
}
