// spirvc: -T cs_6_0 -E main --emit asm
// Swizzles of chosen elements of a matrix are written and read; characters are numbers.
RWStructuredBuffer<float> o;
RWStructuredBuffer<float3x3> list;

[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {
    float3x3 m = list[1];
    m._11_22.x = o[0];
    m._11_22[i] = o[1];
    m._m01_m12.yx += float2(1, 2);
    list[0]._11_22.y = m._11_22.y + m._m01_m12[i];
    list[2] = m;
    o[2] = 'a' + '\n';
}
