struct Scale {
    float a;
    uint n;
};

StructuredBuffer<float> x : register(t0);
RWStructuredBuffer<float> y : register(u1);
cbuffer Params : register(b2) {
    Scale scale;
};

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint i = id.x;
    if (i >= scale.n)
        return;
    y[i] = mad(scale.a, x[i], y[i]);
}
