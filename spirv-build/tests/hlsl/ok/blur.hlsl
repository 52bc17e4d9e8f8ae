// Separable Gaussian blur, one direction a launch.
struct Blur {
    uint width;
    uint height;
    int radius;
    uint vertical;
};

cbuffer params {
    uint width;
    uint height;
    int2 direction;
};

Texture2D<float4> src;
RWTexture2D<float4> dst;

static const int RADIUS = 3;
static const float WEIGHTS[RADIUS + 1] = { 0.3125, 0.234375, 0.09375, 0.015625 };

float4 fetch(int2 p) {
    int2 q = clamp(p, int2(0, 0), int2(width, height) - 1);
    return src.Load(int3(q, 0));
}

float3 weighted(float4 colour, float weight) {
    return colour.rgb * weight;
}

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    if (id.x >= width || id.y >= height) return;
    int2 p = int2(id.xy);
    float4 sum = float4(weighted(fetch(p), WEIGHTS[0]), fetch(p).a);
    [unroll]
    for (int i = 1; i <= RADIUS; ++i) {
        sum.rgb += weighted(fetch(p + i * direction), WEIGHTS[i]);
        sum.rgb += weighted(fetch(p - i * direction), WEIGHTS[i]);
    }
    dst[id.xy] = sum;
}
