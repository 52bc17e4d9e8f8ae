RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float2 v = 1;
    float3x3 m = 0;
    v.z = 1;
    v.xg = 1;
    v.xyxyx;
    m._m30 = 1;
    m._00 = 1;
    o[id] = v.foo + id.y;
}
