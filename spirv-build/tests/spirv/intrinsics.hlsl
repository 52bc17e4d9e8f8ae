// spirvc: -T cs_6_0 -E main -O3 --emit ir
RWStructuredBuffer<float> f;
RWStructuredBuffer<int> n;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float x = f[0], y = f[1], z = f[2];
    float3 v = float3(x, y, z);
    int i = n[0];
    f[3] = abs(x) + sign(y) + saturate(z) + rcp(x) + log10(y) + frac(z) + ldexp(x, y) + fmod(y, z) + x % z;
    f[4] = lerp(x, y, z) + smoothstep(x, y, z) + step(x, y) + clamp(x, y, z) + mad(x, y, z) + pow(x, y) + exp2(x);
    f[5] = dot(v, v.zyx) + length(v) + distance(v, v.yyy) + normalize(v).x + cross(v, v.zxy).y + reflect(v, v.yxz).z;
    f[6] = any(v) + all(v > 1) + isnan(x) + isinf(y) + isfinite(z) + atan2(x, y) + round(x) + trunc(y) + rsqrt(z);
    n[1] = abs(i) + sign(i) + min(i, 3) + max(i, 4) + clamp(i, 1, 2) + dot(int2(i, 2), int2(3, i)) + mad(i, i, i);
    n[2] = countbits(i) + firstbithigh(i) + firstbitlow((uint)i) + reversebits((uint)i) + (i << n[3]) + (i >> 40);
    n[4] = asint(x) + asuint(y) + f32tof16(z) + (int)f16tof32(n[5]) + i % 5 + i / n[6];
    float s, c, e;
    sincos(x, s, c);
    f[7] = s + c + frexp(y, e) + e + degrees(x) + radians(y) + (x ? y : z) + (y != z) + !x;
}
