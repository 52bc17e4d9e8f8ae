// Instructions that HLSL has no name for, which targets without them compute by others.

[[vk::ext_instruction(54, "GLSL.std.450")]] uint pack_signed_bytes(float4 v);
[[vk::ext_instruction(55, "GLSL.std.450")]] uint pack_bytes(float4 v);
[[vk::ext_instruction(63, "GLSL.std.450")]] float4 unpack_signed_bytes(uint v);
[[vk::ext_instruction(64, "GLSL.std.450")]] float4 unpack_bytes(uint v);

StructuredBuffer<float4> numbers;
RWStructuredBuffer<uint2> words;
RWStructuredBuffer<float4> back;

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    uint2 packed = uint2(pack_signed_bytes(numbers[id]), pack_bytes(numbers[id]));
    words[id] = packed;
    back[2 * id] = unpack_signed_bytes(packed.x);
    back[2 * id + 1] = unpack_bytes(packed.y);
}
