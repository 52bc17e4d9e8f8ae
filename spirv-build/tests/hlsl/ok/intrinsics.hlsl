RWStructuredBuffer<float4> o;
RWStructuredBuffer<uint4> p;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float4 v = o[id];
    float3 n = normalize(v.xyz);
    float s, c, whole;
    sincos(v.x, s, c);
    float part = modf(v.y, whole);
    float exponent;
    float mantissa = frexp(v.z, exponent);
    v += sin(v) + cos(v) * tan(1.5) + asin(v) + acos(v) + atan(v) + atan2(v, 2) + sinh(v) + cosh(v) + tanh(v);
    v += exp(v) + exp2(v) + log(v) + log2(v) + log10(v) + pow(v, 2.5) + sqrt(v) + rsqrt(v) + rcp(v);
    v += floor(v) + ceil(v) + round(v) + trunc(v) + frac(v) + fmod(v, 3) + sign(v) + abs(v);
    v += min(v, 1) + max(v, id) + clamp(v, 0, 1) + saturate(v) + lerp(v, 1, 0.5) + step(0.5, v) + smoothstep(0, 1, v);
    v.xyz += cross(n, v.xyz) + reflect(n, v.xyz) + refract(n, v.xyz, 1.3) + faceforward(n, n, v.xyz);
    v.w = dot(n, n) + length(v) + distance(v, o[0]) + mad(v.x, 2, 3) + ldexp(v.x, 2) + degrees(v.x) + radians(v.x);
    v = select(isnan(v), 0, v);
    o[id] = any(v) && all(v > 0) ? v : select(v > 1, v, 0) + s + c + whole + part + mantissa + exponent;
    uint4 u = asuint(v) + countbits(p[id]) + reversebits(p[id]) + firstbithigh(p[id]) + firstbitlow(p[id]);
    u.x = f32tof16(v.x) + asint(v.y) + (uint)f16tof32(u.y) + (uint)asfloat(u.z);
    p[id] = select(and(u > 1, u < 5), u, 0u);
}
