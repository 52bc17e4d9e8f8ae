RWStructuredBuffer<uint> iterations;

cbuffer View {
    float2 corner;
    float2 step;
    uint width;
    uint height;
    uint limit;
};

[numthreads(16, 4, 1)]
void main(uint2 id : SV_DispatchThreadID)
{
    if (id.x >= width || id.y >= height)
        return;
    const float2 c = corner + float2(id) * step;
    float2 z = 0;
    uint n = 0;
    while (n < limit) {
        z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        if (dot(z, z) > 4)
            break;
        n++;
    }
    iterations[id.y * width + id.x] = n;
}
