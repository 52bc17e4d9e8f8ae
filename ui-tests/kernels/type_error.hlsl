RWStructuredBuffer<float> data;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float3 v = data[id.x];
    float2x2 m = v;
}
