// One entry point that has a form on every device, and one that kernels for Level Zero do not have.

RWStructuredBuffer<uint> numbers;

// Modf, whose second result is written through a reference.
[[vk::ext_instruction(35, "GLSL.std.450")]] float part(float v, [[vk::ext_reference]] inout float whole);

[numthreads(64, 1, 1)]
void count(uint id : SV_DispatchThreadID)
{
    numbers[id] = id * 3;
}

[numthreads(64, 1, 1)]
void parted(uint id : SV_DispatchThreadID)
{
    float whole = 0;
    float rest = part(id + 0.5, whole);
    numbers[id] = (uint)(whole * 10 + rest * 2);
}
