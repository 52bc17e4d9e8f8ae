// What intrinsics take: numbers where they want one number, and the types that they are there for.
RWStructuredBuffer<float4> o;
[numthreads(4, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float3 v = 1;
    float2x2 m = 0;
    int i = id;
    bool b = id;
    min16int n = (min16int)id;
    double d = 1;
    o[0].x = WaveReadLaneAt(v, v.xy).x;
    o[1].x = QuadReadLaneAt(i, m);
    o[2].x = refract(v, v, v).x;
    o[3].x = lit(v, v, v).x;
    o[4].x = msad4(id.xxx, id.xx, id.xxxx).x;
    o[5].x = QuadAny(v);
    o[6].x = WaveActiveBitAnd(i);
    o[7].x = WaveActiveBitXor(b);
    o[8].x = pack_clamp_u8(id.xxxx);
    o[9].x = reflect(m, m)[0].x;
    o[10].x = faceforward(m, m, m)[0].x;
    o[11].x = asfloat(b);
    o[12].x = asuint(n);
    o[13].x = fma(d, d, 1.0f);
    o[14].x = n / b;
    v.xxy.z = 1;
    v.xyy.xy = 1;
    m._11_11_22.z = 1;
}
