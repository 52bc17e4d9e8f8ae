cbuffer Params {
    uint n;
};
RWStructuredBuffer<float> data;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (id.x < n)
        data[id.x] = data[id.x] * 2.0
}
