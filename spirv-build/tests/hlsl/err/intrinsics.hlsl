RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float3 v = 1;
    float4x4 m = 0;
    o[id] = dot(v);
    o[id] = WaveActiveBitOr(v.x);
    o[id] = cross(v, o);
    o[id] = mul(m, v.xy).x;
    o[id] = mul((float3x4)m, (float3x4)m)[0].x;
    o[id] = ddx(v.x) + tex2D(0, 1);
    o[id] = asfloat(1.0L);
    sincos(1, 2, 3);
    o[id] = lerp(v, m, 1).x;
}
