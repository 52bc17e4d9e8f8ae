StructuredBuffer<float> input;
StructuredBuffer<float> spare;
RWStructuredBuffer<float> output;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    output[id.x] = 2;
    return;
    output[id.x] = input[id.x];
}
