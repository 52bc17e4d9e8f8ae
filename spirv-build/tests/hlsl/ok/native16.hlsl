// options: 16bit profile=cs_6_2
RWStructuredBuffer<half4> o;
RWStructuredBuffer<uint16_t> u;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    half h = 1.1;
    float16_t2 v = h * 2.0 + 0.1h;
    int16_t i = 70;
    uint64_t big = 1ull << 40;
    int64_t neg = -1;
    o[id] = half4(v, h, i);
    u[id] = uint16_t(big >> 33) + (uint16_t)neg;
}
