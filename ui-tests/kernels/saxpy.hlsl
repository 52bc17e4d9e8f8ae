cbuffer Params {
    uint n;
    float a;
};
StructuredBuffer<float> x;
RWStructuredBuffer<float> y;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (id.x < n)
        y[id.x] += a * x[id.x];
}
