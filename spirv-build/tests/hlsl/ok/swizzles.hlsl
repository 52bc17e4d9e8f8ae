RWStructuredBuffer<float4> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float4 v = o[id];
    v.xy = v.yx;
    v.wzyx.xy += 1;
    v.r = v.a;
    v[2] = v[id & 3];
    float3x3 m = float3x3(v.xyz, v.yzw, 1, 2, 3);
    m[0].yz = m._m11_m22;
    m._12 = 4;
    m[id % 3][1] = 5;
    float s = v.x;
    float3 b = s.xxx + 2.0.xxx;
    o[id].z = b.y;
    o[id].wx = m[2].xy;
    o[id] = float4(mul(m, b), determinant(m)) + transpose(m)[0].xyzz + m._m00_m01_m02_m10;
}
