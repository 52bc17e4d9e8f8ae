// One entry point that has a form on every device, and one that kernels for Level Zero do not have.

RWStructuredBuffer<uint> numbers;

// OpQuantizeToF16
[[vk::ext_instruction(116)]] float quantized(float v);

[numthreads(64, 1, 1)]
void count(uint id : SV_DispatchThreadID)
{
    numbers[id] = id * 3;
}

[numthreads(64, 1, 1)]
void rounded(uint id : SV_DispatchThreadID)
{
    numbers[id] = (uint)quantized(2049 + id % 2);
}
