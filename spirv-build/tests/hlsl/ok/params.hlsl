RWStructuredBuffer<float> o;
void swap(inout float a, inout float b) { float t = a; a = b; b = t; }
void polar(float2 p, out float r, out float phi) { r = length(p); phi = atan2(p.y, p.x); }
void count(inout uint n) { n++; }
float first(const float a[3]) { return a[0]; }
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float a[3] = { 1, 2, 3 };
    swap(a[0], a[id % 3]);
    float4 v = 0;
    polar(v.xy, v.z, v.w);
    int n = 5;
    count(n);
    swap(o[id], v.x);
    o[id] = a[1] + v.w + n + first(a);
}
