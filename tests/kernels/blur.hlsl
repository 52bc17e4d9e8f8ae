// Five taps in each direction over an RGBA image.
#define TAPS 5

Texture2D<float4> source;
[[vk::image_format("rgba32f")]] RWTexture2D<float4> target;

cbuffer Params {
    int2 size;
    int2 direction;
};

static const float WEIGHTS[TAPS] = { 0.0625, 0.25, 0.375, 0.25, 0.0625 };

float4 tap(int2 at, int i)
{
    int2 place = clamp(at + (i - TAPS / 2) * direction, 0, size - 1);
    return WEIGHTS[i] * source.Load(int3(place, 0));
}

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (any(int2(id.xy) >= size))
        return;
    float4 sum = 0;
    for (int i = 0; i < TAPS; ++i)
        sum += tap(int2(id.xy), i);
    target[id.xy] = sum;
}
