[[vk::binding(0, 0)]] Buffer<float> src;
[[vk::binding(1, 0)]] RWBuffer<float> dst;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    dst[id.x] = src[id.x] * 2;
}
