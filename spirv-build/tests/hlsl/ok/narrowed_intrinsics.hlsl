// options: 16bit profile=cs_6_6
// Operations that there are of `float` only; what the library has for each width; an element of a matrix as an atomic.
RWStructuredBuffer<float4> Out;
RWStructuredBuffer<double> Doubles;
groupshared uint2x3 counters;
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    double d = Doubles[0];
    half2 h = half2(id.xy);
    float p = pow(d, 2);
    half2 slope = ddx(h) + fwidth(h.yx);
    float wide = ddy(d);
    uint4 sums = AddUint64(uint4(id, 1), uint4(1, 2, 3, 4));
    sums.xy = AddUint64(sums.zw, id.xy);
    bool3 normal = isnormal(float3(id));
    bool one = isnormal(h.x) || isnormal(p);
    bool2x2 many = isnormal(float2x2(p, p, wide, wide));
    uint before;
    InterlockedAdd(counters._m12, 5, before);
    InterlockedOr(counters._11, 1);
    Out[id.x] = float4(slope, p + wide + any(normal) + one + many[1].y, sums.x + before);
}
