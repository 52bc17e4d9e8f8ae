cbuffer View {
    float2 centre;
    float scale;
    uint max_iterations;
    uint2 size;
};

RWTexture2D<float4> image;

float3 palette(float t) {
    return 0.5 + 0.5 * cos(6.28318 * (t + float3(0.0, 0.33, 0.67)));
}

[numthreads(16, 16, 1)]
void main(uint2 id : SV_DispatchThreadID) {
    if (any(id >= size)) return;
    float2 c = centre + (float2(id) / float2(size) - 0.5) * scale;
    float2 z = 0;
    uint n = 0;
    while (n < max_iterations) {
        z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        if (dot(z, z) > 4.0)
            break;
        n++;
    }
    float3 colour = n == max_iterations ? (float3)0 : palette(n / (float)max_iterations);
    image[id] = float4(colour, 1);
}
