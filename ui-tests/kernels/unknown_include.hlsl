#include "no_such_file.hlsli"

RWStructuredBuffer<float> data;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    data[id.x] = helper(id.x);
}
