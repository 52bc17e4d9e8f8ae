// y = a * x + y for each element.

StructuredBuffer<float> x;
RWStructuredBuffer<float> y;

cbuffer Params
{
    uint n;
    float a;
};

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (id.x < n)
        y[id.x] = a * x[id.x] + y[id.x];
}
