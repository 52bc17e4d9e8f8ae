// One entry point that has a form on every device, and one that kernels for Level Zero do not have.

RWStructuredBuffer<uint> numbers;

// PackUnorm4x8
[[vk::ext_instruction(55, "GLSL.std.450")]] uint pack(float4 v);

[numthreads(64, 1, 1)]
void count(uint id : SV_DispatchThreadID)
{
    numbers[id] = id * 3;
}

[numthreads(64, 1, 1)]
void packed(uint id : SV_DispatchThreadID)
{
    numbers[id] = pack(float4(0, id % 2, 1, 0));
}
