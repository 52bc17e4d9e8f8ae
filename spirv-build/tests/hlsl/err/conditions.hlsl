RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float3 v = 1;
    if (v > 0) return;
    while (v) { }
    o[id] = v > 0 && true ? 1 : 2;
    bool3 b = !v;
}
