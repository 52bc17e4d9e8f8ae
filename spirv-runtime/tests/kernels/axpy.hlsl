struct Constants { uint n; float a; };
[[vk::push_constant]] Constants constants;
[[vk::binding(0, 0)]] StructuredBuffer<float> x;
[[vk::binding(1, 0)]] RWStructuredBuffer<float> y;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (id.x < constants.n)
        y[id.x] += constants.a * x[id.x];
}
